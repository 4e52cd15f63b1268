"""Template context of a finished table: reasons, own costs, open replay, field, and proof of fair deals."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.common.errors import Invalid, mark_translated, quoted
from arena.features.play.models import CasualTable
from arena.features.play.pages.descriptions import (
    bot_name,
    bot_names,
    guest_result_text,
    practice_text,
    result_text,
)
from arena.features.play.pages.last_choices import choice_fields
from arena.features.play.pages.own_costs import OwnCosts, deal_reasons, own_costs
from arena.features.play.position import partner_seat_of
from arena.features.play.selectors import fairness_of, view_of
from arena.features.play.sharing import LINK_DAYS, shared_until
from arena.mounts import FEATURES
from arena.web.drawing.plots import Plot, PlotValue, dot_plots
from viewer import render
from viewer.games import dealing_of
from viewer.markup import Html
from viewer.panels import help_dialog, live_region
from viewer.position import PositionError, first_position, parse_position
from viewer.scene import Name, Scene
from viewer.seat_view.pieces import reader_of, seat_name
from viewer.seat_view.texts import seat_view_texts
from viewer.shapes import View
from viewer.texts import signed, viewer_texts

if TYPE_CHECKING:
    from analysis.shapes import Notes
    from arena.common.features import CasualNotes
    from arena.tables.live.models import LiveTable

BOARD_NUMBER = re.compile(r"b(?P<board>[0-9]{1,3})(?![0-9])")
MINE, HOUSE = "0", ""
"""Kinds of marks: the person's has a crest, the bots' are rings."""


class FieldRow(NamedTuple):
    label: str
    stones: str
    is_mine: bool


def after_context(request: HttpRequest, table: CasualTable) -> dict[str, Any]:
    """Return the context for the table's person."""
    view, won, rows = _view(table), table.won, _field_rows(table)
    until = shared_until(table)
    return {
        **_context(request, table, view, for_all=False),
        "result": result_text(table, won),
        # A result with help is not compared with the bots'.
        "verdict": "" if _was_helped(table) else _own_comparison(won, rows),
        "again": choice_fields(table),
        "other_seat": _other_seat(table, view),
        "shared_until": until,
        "shared_days": LINK_DAYS,
        "shared_at_address": _address(request, table) if until else "",
    }


def costs_summary(table: CasualTable) -> str:
    """Return what the person's plays cost in one or two sentences; empty without notes."""
    view, stored = _view(table), stored_notes(table)
    if view is None or stored is None or stored.state != "ready":
        return ""
    around = _around(table, notes_numbered_from_one(stored, view), for_all=False)
    costs = _costs(table, numbered_from_one(view), stored, around)
    return costs.summary if costs is not None else ""


def shared_context(request: HttpRequest, table: CasualTable, *, has_link: bool = True) -> dict[str, Any]:
    """Return the context for visitors, in the third person and without the person's name.

    Without ``has_link``, nothing has the key of the table's link, which visitors may not know.
    """
    return {
        **_context(request, table, _view(table), for_all=True, has_link=has_link),
        "result": guest_result_text(table, table.won),
        "verdict": "" if _was_helped(table) else _shared_comparison(table.won, _field_rows(table)),
    }


def _was_helped(table: CasualTable) -> bool:
    return bool(table.hints or table.taken_back)


def _address(request: HttpRequest, table: CasualTable) -> str:
    return request.build_absolute_uri(reverse("web:play-shared", args=[table.share_token]))


def _context(
    request: HttpRequest, table: CasualTable, view: View | None, *, for_all: bool, has_link: bool = True
) -> dict[str, Any]:
    rows = _field_rows(table)
    fairness = fairness_of(table)
    replay: dict[str, Any] = {}
    if view is not None:
        stored = stored_notes(table)
        notes = notes_numbered_from_one(stored, view)
        around = _around(table, notes, for_all=for_all, has_link=has_link)
        position = _renumbered(request.GET.get("at", ""), table)
        seat, retry = request.GET.get("seat", ""), request.GET.get("retry", "")
        numbered = numbered_from_one(view)
        scene = _scene(numbered, position, seat, around, retry)
        replay = {
            "reasons": deal_reasons(numbered, around),
            "costs": _costs(table, numbered, stored, around),
            "replay": mark_safe(render.replay_of(scene, around)),
            "live_region": mark_safe(live_region("Rensho")),
            "dialog": mark_safe(help_dialog(scene.texts)),
        }
    return {
        "for_all": for_all,
        "field": [
            FieldRow(_row_label(row, for_all=for_all), signed(row["stones"]), row["mine"]) for row in rows
        ],
        "plot": _plot(rows, for_all=for_all) if rows else None,
        "practice": practice_text(table),
        "fairness": fairness,
        "checked": deals_to_verify(fairness, view),
        "substituted": len((table.result or {}).get("substituted", [])),
        **replay,
    }


def deal_fragment(table: CasualTable, position: str, *, for_all: bool = False, has_link: bool = True) -> Html:
    """Render the part of the replay that changes with each deal. Raises Invalid for other positions."""
    view = _view(table)
    if view is None:
        raise mark_translated(Invalid(_("This table has no replay."), "invalid", field="at"))
    notes = notes_numbered_from_one(stored_notes(table), view)
    around = _around(table, notes, for_all=for_all, has_link=has_link)
    return render.deal_part(_scene(numbered_from_one(view), _renumbered(position, table), "", around), around)


def _view(table: CasualTable) -> View | None:
    stored = view_of(table)
    return None if stored is None else cast("View", json.loads(stored))


def numbered_from_one(view: View) -> View:
    """Renumber the boards from 1. Stored numbers determine the dealer and start anywhere."""
    boards = [{**board, "board": number} for number, board in enumerate(view["boards"], start=1)]
    return cast("View", {**view, "boards": boards})


def stored_notes(table: LiveTable, *, may_request: bool = True) -> CasualNotes | None:
    """Return the solver's notes on a table that is over, requesting missing ones if allowed."""
    return next((notes for feature in FEATURES if (notes := feature.casual_notes(table, may_request))), None)


def _costs(
    table: CasualTable, view: View, stored: CasualNotes | None, around: render.Around
) -> OwnCosts | None:
    """Return what the person's plays cost; None without notes, or if a bot finished in the person's seat."""
    if stored is None or table.state == CasualTable.State.ABANDONED:
        return None
    return own_costs(table.seat, view, stored.state, around)


def notes_numbered_from_one(stored: CasualNotes | None, view: View) -> Notes | None:
    """Return notes for the renumbered view; None unless they are ready."""
    if stored is None or stored.state != "ready":
        return None
    numbers = {board["board"]: number for number, board in enumerate(view["boards"], start=1)}
    deals = [{**deal, "board": numbers[deal["board"]]} for deal in stored.notes["deals"]]
    return cast("Notes", {**stored.notes, "deals": deals})


def _renumbered(position: str, table: CasualTable) -> str:
    """Convert a position with a stored board number to the displayed number; return others unchanged."""
    match = BOARD_NUMBER.match(position)
    if match is None or int(match["board"]) <= table.board_count:
        return position
    number = int(match["board"]) - table.first_board + 1
    return f"b{number}{position[match.end() :]}" if 1 <= number <= table.board_count else position


def _scene(view: View, position: str, seat: str, around: render.Around, retry: str = "") -> Scene:
    texts = viewer_texts(get_language() or "en")
    try:
        parsed = parse_position(position, view) if position else first_position(view)
    except PositionError as error:
        raise mark_translated(Invalid(error.said(texts), "invalid", field="at")) from None
    chosen_seat = int(seat) if seat.isascii() and seat.isdigit() and len(seat) <= 2 else 0
    if seat and not chosen_seat <= view["seats"]:
        message = _("There is no seat %(seat)s at this table.") % {"seat": quoted(seat)}
        raise mark_translated(Invalid(message, "invalid", field="seat"))
    try:
        return render.scene_of(
            view, parsed, seat=chosen_seat or None, retry=retry, texts=texts, around=around
        )
    except PositionError as error:
        raise mark_translated(Invalid(error.said(texts), "invalid", field="retry")) from None


def _around(
    table: CasualTable, notes: Notes | None, *, for_all: bool, has_link: bool = True
) -> render.Around:
    """Name the seats: for the person by their place, as at the table; for visitors by their bots."""
    names, reader = bot_names(table), None
    if not for_all:
        texts, partner, count = (
            seat_view_texts(get_language() or "en"),
            partner_seat_of(table),
            len(table.seats),
        )
        places = {seat: seat_name(seat, table.seat, count, partner, texts) for seat in names}
        names = {seat: f"{places[seat]} · {bot}" for seat, bot in names.items()}
        reader = reader_of(table.seat, count, partner, texts)
    named = {seat: Name(name) for seat, name in names.items()}
    named[table.seat] = Name(_person_label(for_all=for_all))
    if for_all and not has_link:
        return render.Around(named, notes)
    page = ("play-shared", table.share_token) if for_all else ("play-table", table.public_id)
    explorer = next((href for each in FEATURES if (href := each.casual_explorer(table.game, *page))), "")
    return render.Around(named, notes, reader=reader, explore_href=explorer)


def _person_label(*, for_all: bool) -> str:
    return _("guest") if for_all else _("you")


def _other_seat(table: CasualTable, view: View | None) -> int:
    """Return the next seat to the right that plays in the first deal."""
    resting = view["boards"][0]["deals"][0].get("resting", []) if view is not None else []
    count = len(table.seats)
    seats = [(table.seat - 1 + step) % count + 1 for step in range(1, count)]
    return next((seat for seat in seats if seat not in resting), table.seat)


def _field_rows(table: CasualTable) -> list[dict[str, Any]]:
    return sorted(table.field or [], key=lambda row: (-row["stones"], not row["mine"], row["label"]))


def _row_label(row: dict[str, Any], *, for_all: bool) -> str:
    return _person_label(for_all=for_all) if row["mine"] else bot_name(str(row["label"]))


def _plot(rows: list[dict[str, Any]], *, for_all: bool) -> Plot:
    values = [
        PlotValue(
            row["stones"],
            MINE if row["mine"] else HOUSE,
            f"{_row_label(row, for_all=for_all)} {signed(row['stones'])}",
        )
        for row in rows
    ]
    return dot_plots(
        [values], [_("Stones won with these cards.") if for_all else _("Stones won with your cards.")]
    )[0]


def _own_comparison(won: int, rows: list[dict[str, Any]]) -> str:
    bot_stones = [row["stones"] for row in rows if not row["mine"]]
    if not bot_stones:
        return ""
    worse, better = sum(won > stones for stones in bot_stones), sum(won < stones for stones in bot_stones)
    named = {"count": len(bot_stones), "worse": worse, "better": better}
    if not better and worse:
        return _("No bot did better with your cards. You beat %(worse)d of %(count)d bots.") % named
    if not worse and better:
        return _("%(better)d of %(count)d bots did better with your cards.") % named
    if not worse:
        return _("All %(count)d bots got the same result with your cards.") % named
    return _("With your cards, %(worse)d of %(count)d bots did worse and %(better)d did better.") % named


def _shared_comparison(won: int, rows: list[dict[str, Any]]) -> str:
    bot_stones = [row["stones"] for row in rows if not row["mine"]]
    if not bot_stones:
        return ""
    named = {
        "count": len(bot_stones),
        "worse": sum(won > stones for stones in bot_stones),
        "better": sum(won < stones for stones in bot_stones),
    }
    return _("With the same cards, %(worse)d of %(count)d bots did worse and %(better)d did better.") % named


def deals_to_verify(fairness: dict[str, Any], view: View | None) -> dict[str, Any]:
    """Return the data from which the page's script derives the deals, and the deals to compare; empty before
    the secret is revealed.
    """
    if view is None or fairness["secret"] is None:
        return {}
    boards = [
        {
            "board": board["board"],
            "deals": [
                {key: deal[key] for key in ("deal", "dealer", "hands", "before") if key in deal}
                for deal in board["deals"]
            ],
        }
        for board in view["boards"]
    ]
    return {**fairness, "view": {"game": view["game"], "dealing": dealing_of(view["game"]), "boards": boards}}
