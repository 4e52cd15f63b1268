"""Page of a table: state and clocks before the end; replay, score and proof after it."""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
from arena.common.errors import Invalid, mark_translated
from arena.common.game_titles import preset_title
from arena.competition.casual import CasualDeals
from arena.features.play.pages.after import (
    deals_to_verify,
    notes_numbered_from_one,
    numbered_from_one,
    stored_notes,
)
from arena.features.play.pages.descriptions import bot_name
from arena.features.play.pages.own_costs import OwnCosts, deal_reasons, own_costs
from arena.features.remote.models import RemoteSeat, RemoteTable
from arena.features.remote.pages.rows import (
    TABLE_STATES,
    SeatName,
    format_stones,
    seat_clocks,
    seat_names,
    version_name,
)
from arena.features.remote.pages.seat import seat_page
from arena.features.remote.seated import seated_person
from arena.features.remote.selectors import is_over, is_own_seat, table_get
from arena.web.base.documents.links import verdict_address
from arena.web.base.errors import personal_page
from arena.web.base.figures import format_milliseconds
from arena.web.base.polled import render_polled_page
from arena.web.boards.table_page import scene_at
from viewer import render as viewer_render
from viewer.panels import help_dialog, live_region
from viewer.scene import Name
from viewer.shapes import View
from viewer.texts import viewer_texts

if TYPE_CHECKING:
    from analysis.shapes import Notes

MAX_DECISIONS = 400
"""Decisions listed for the owner."""


class OwnSeat(NamedTuple):
    """A remote seat, for the owner of its bot, or for its person."""

    seat: RemoteSeat
    name: str
    """Empty for a person."""
    costs: OwnCosts | None
    """None without notes."""
    typical: str
    """Median time of its decisions; empty without any."""
    longest: str
    decisions: list[tuple[int, str, bool]]
    """Number, time, and whether the referee played."""


@personal_page
def table(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render a table; after the end at ``?at=b1t3p2`` as seen by ``?seat=2``.

    With ``?retry=1`` the position is a question. With ``?part=deal`` only the deal.
    """
    row = table_get(public_id)
    is_live = row.state in RemoteTable.ACTIVE
    if not row.is_rated and (is_live or request.GET.get("part") == "table"):
        seated = seated_person(request.user, public_id)
        if seated is not None:
            return seat_page(request, seated)
    view = _view(row)
    if request.GET.get("part") == "deal":
        if view is None:
            raise mark_translated(Invalid(_("This table has no replay."), "invalid", field="at"))
        return HttpResponse(_deal(row, view, request.GET.get("at", "")))
    context = {
        "nav": "bots",
        "table": row,
        "title": preset_title(row.preset, len(row.seats)),
        "state": TABLE_STATES[RemoteTable.State(row.state)],
        "seats": seat_names(row),
        "verdicts": [
            (version_seat, verdict_address(version_seat.verdict))
            for version_seat in row.remote_seats.all()
            if version_seat.verdict not in ("", "OK")
        ],
    }
    if not is_over(row):
        return render_polled_page(
            request,
            "remote/table.html",
            "remote/_table.html",
            {**context, "clocks": seat_clocks(row), "is_live": is_live},
            address=reverse("web:remote-table", args=[public_id]),
            is_moving=is_live,
        )
    return render(request, "remote/after.html", {**context, **_after(request, row, view)})


def _after(request: HttpRequest, row: RemoteTable, view: View | None) -> dict[str, Any]:
    fairness = _fairness(row)
    context: dict[str, Any] = {
        "fairness": fairness,
        "checked": deals_to_verify(fairness, view),
        "field": [(bot_name(str(each["label"])), format_stones(each["stones"])) for each in row.field or []],
        "score": _score_text(row),
    }
    own = [seat for seat in row.remote_seats.all() if is_own_seat(request.user, seat)]
    costs: dict[int, OwnCosts | None] = {}
    if view is not None:
        # Crawlers must not fill the queue.
        stored = stored_notes(row, may_request=bool(own))
        notes, texts = notes_numbered_from_one(stored, view), viewer_texts(get_language() or "en")
        around = _around(row, notes)
        query = (request.GET.get("at", ""), request.GET.get("seat", ""), request.GET.get("retry", ""))
        numbered = numbered_from_one(view)
        scene = scene_at(around, numbered, query, texts)
        state = stored.state if stored else ""
        costs = {seat.seat: own_costs(seat.seat, numbered, state, around) for seat in own}
        context |= {
            "reasons": deal_reasons(numbered, around),
            "waits": bool(own) and state == "waiting",
            "replay": mark_safe(viewer_render.replay_of(scene, around)),
            "live_region": mark_safe(live_region("Rensho")),
            "dialog": mark_safe(help_dialog(scene.texts)),
        }
    return {**context, "own": [_own_seat(seat, costs.get(seat.seat)) for seat in own]}


def _score_text(row: RemoteTable) -> str:
    """Return how the score of a rated table came about; empty before the field has played."""
    if row.score is None or not row.field:
        return ""
    seat = next((each for each in row.remote_seats.all() if each.version_id == row.rated_version_id), None)
    if seat is None:
        return ""
    mean = statistics.mean(each["stones"] for each in row.field)
    values = {
        "score": format_stones(row.score),
        "won": format_stones(row.score + mean),
        "mean": format_stones(mean),
        "seat": seat.seat,
    }
    if row.is_forfeit:
        return (
            _("Score %(score)s: the forfeit counts %(won)s, less the house bots' mean of %(mean)s.") % values
        )
    return (
        _("Score %(score)s: %(won)s in seat %(seat)s, less the house bots' mean of %(mean)s there.") % values
    )


def _fairness(row: RemoteTable) -> dict[str, Any]:
    """Return the proof that the deal was fixed before play. For tables that are over. No query."""
    deals = CasualDeals(bytes(row.secret), row.seed_id, tuple(row.bundles))
    return {
        "commitment": row.commitment,
        "public_id": row.seed_id,
        "field_digest": deals.digest,
        "bundles": list(deals.bundles),
        "stage": 0,
        "round": 0,
        "secret": deals.secret.hex(),
        "boards": [{"number": row.first_board, "kind": "deal", "seed": deals.seed(row.first_board)}],
    }


def _own_seat(seat: RemoteSeat, costs: OwnCosts | None) -> OwnSeat:
    times = [int(charged_ms) for _id, _digest, charged_ms in seat.answers]
    decisions = [
        (number, format_milliseconds(charged_ms), not digest)
        for number, (_id, digest, charged_ms) in enumerate(seat.answers[:MAX_DECISIONS], 1)
    ]
    typical = format_milliseconds(round(statistics.median(times))) if times else ""
    longest = format_milliseconds(max(times)) if times else ""
    name = "" if seat.version is None else version_name(seat.version)
    return OwnSeat(seat, name, costs, typical, longest, decisions)


def _view(row: RemoteTable) -> View | None:
    """Return the view of a table that is over, with all hands; None without one."""
    if not is_over(row) or not row.view_sha256:
        return None
    try:
        return cast("View", json.loads(blob_get(row.view_sha256)))
    except (BlobMissing, BlobDamaged):
        return None


def _around(row: RemoteTable, notes: Notes | None) -> viewer_render.Around:
    return viewer_render.Around({each.seat: _seat_name(each) for each in seat_names(row)}, notes)


def _seat_name(seat: SeatName) -> Name:
    return Name(seat.name, reverse("web:remote-bot", args=[seat.bot]) if seat.bot else None)


def _deal(row: RemoteTable, view: View, position: str) -> str:
    notes = notes_numbered_from_one(stored_notes(row, may_request=False), view)
    around, texts = _around(row, notes), viewer_texts(get_language() or "en")
    scene = scene_at(around, numbered_from_one(view), (position, "", ""), texts)
    return str(viewer_render.deal_part(scene, around))
