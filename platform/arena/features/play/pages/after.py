"""A casual table after its end: all hands, what others won with the same cards, how the deals were fixed."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, cast

from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.common.errors import Invalid, quoted, translated
from arena.features.play.models import CasualTable
from arena.features.play.pages.descriptions import bot_name, bot_names, guest_result_text, result_text
from arena.features.play.position import board_count, partner_seat_of
from arena.features.play.selectors import fairness_of, view_of
from arena.features.play.sharing import LINK_DAYS, shared_until
from arena.web.drawing.plots import Plot, PlotValue, dot_plots
from viewer import render
from viewer.games import dealing_of
from viewer.markup import Html
from viewer.panels import help_dialog, live_region
from viewer.position import PositionError, first_position, parse_position
from viewer.scene import Name, Scene
from viewer.shapes import View
from viewer.words import signed, words

BOARD_NUMBER = re.compile(r"b(?P<board>[0-9]{1,3})(?![0-9])")
MINE, HOUSE = "0", ""
"""Kinds of marks: the person's has a crest, the bots' are rings."""


class FieldRow(NamedTuple):
    """What one bot won with the person's cards."""

    label: str
    stones: str
    is_mine: bool


def after_context(request: HttpRequest, table: CasualTable) -> dict[str, Any]:
    """What the page shows to its person besides its frame."""
    view, won, rows = _view(table), table.won, _field_rows(table)
    until = shared_until(table)
    return {
        **_context(request, table, view, for_all=False),
        "result": result_text(table, won),
        "verdict": _own_comparison(won, rows),
        "again": _rematch_fields(table),
        "other_seat": _other_seat(table, view),
        "shared_until": until,
        "shared_days": LINK_DAYS,
        "shared_at_address": _address(request, table) if until else "",
    }


def shared_context(request: HttpRequest, table: CasualTable) -> dict[str, Any]:
    """What the page shows to whoever has the table's link: nobody is "you", and its person has no name."""
    return {
        **_context(request, table, _view(table), for_all=True),
        "result": guest_result_text(table, table.won),
        "verdict": _shared_comparison(table.won, _field_rows(table)),
    }


def _address(request: HttpRequest, table: CasualTable) -> str:
    return request.build_absolute_uri(reverse("web:play-shared", args=[table.shared_as]))


def _context(request: HttpRequest, table: CasualTable, view: View | None, *, for_all: bool) -> dict[str, Any]:
    rows = _field_rows(table)
    replay: dict[str, Any] = {}
    if view is not None:
        around = _around(table, for_all=for_all)
        at = _renumbered(request.GET.get("at", ""), table)
        scene = _scene(_numbered_from_one(view), at, request.GET.get("seat", ""), around)
        replay = {
            "replay": mark_safe(render.replay_of(scene, around)),
            "live_region": mark_safe(live_region("Rensho")),
            "dialog": mark_safe(help_dialog(scene.words)),
        }
    return {
        "for_all": for_all,
        "field": [
            FieldRow(_row_label(row, for_all=for_all), signed(row["stones"]), row["mine"]) for row in rows
        ],
        "plot": _plot(rows, for_all=for_all) if rows else None,
        "fairness": fairness_of(table),
        "checked": _fairness_data(table, view),
        "substituted": len((table.result or {}).get("substituted", [])),
        **replay,
    }


def deal_fragment(table: CasualTable, at: str, *, for_all: bool = False) -> Html:
    """The part of the replay that changes from deal to deal. ``for_all``: for whoever has its link.

    Raises:
        Invalid: the table is not over, or has no such position.
    """
    view = _view(table)
    if view is None:
        raise translated(Invalid(_("This table has no replay."), "invalid", field="at"))
    around = _around(table, for_all=for_all)
    return render.deal_part(_scene(_numbered_from_one(view), _renumbered(at, table), "", around), around)


def _view(table: CasualTable) -> View | None:
    stored = view_of(table)
    return None if stored is None else cast("View", json.loads(stored))


def _numbered_from_one(view: View) -> View:
    """The view with its boards numbered from 1: the person's first deal is the first, whatever number
    dealer and leader depend on."""
    boards = [{**board, "board": number} for number, board in enumerate(view["boards"], start=1)]
    return cast("View", {**view, "boards": boards})


def _renumbered(at: str, table: CasualTable) -> str:
    """A position as it is called now, of an address that has the board's own number; others as they are."""
    found = BOARD_NUMBER.match(at)
    if found is None or int(found["board"]) <= board_count(table):
        return at
    number = int(found["board"]) - table.first_board + 1
    return f"b{number}{at[found.end() :]}" if 1 <= number <= board_count(table) else at


def _scene(view: View, at: str, seat: str, around: render.Around) -> Scene:
    spoken = words(get_language() or "en")
    try:
        place = parse_position(at, view) if at else first_position(view)
    except PositionError as error:
        raise translated(Invalid(error.said(spoken), "invalid", field="at")) from None
    wanted = int(seat) if seat.isascii() and seat.isdigit() and len(seat) <= 2 else 0
    if seat and not wanted <= view["seats"]:
        message = _("There is no seat %(seat)s at this table.") % {"seat": quoted(seat)}
        raise translated(Invalid(message, "invalid", field="seat"))
    return render.scene_of(view, place, seat=wanted or None, words=spoken, around=around)


def _around(table: CasualTable, *, for_all: bool) -> render.Around:
    names = {seat: Name(label) for seat, label in bot_names(table).items()}
    return render.Around({**names, table.seat: Name(_person_label(for_all=for_all))})


def _person_label(*, for_all: bool) -> str:
    return _("guest") if for_all else _("you")


def _rematch_fields(table: CasualTable) -> dict[str, str]:
    """The choices of the table, for a form that opens another one like it."""
    partner = partner_seat_of(table)
    others = [row for row in table.seats if row["seat"] not in (table.seat, partner)]
    found = {
        "preset": table.preset,
        "seats": str(len(table.seats)),
        "opponents": others[0]["strength"],
        "version": others[0]["version"] if others[0]["strength"] == "public" else "",
        "partner": "rules",
        "partner_version": "",
        "deals": table.deals,
        "clock_s": str(table.clock_s or 0),
    }
    if partner is not None:
        beside = table.seats[partner - 1]
        found["partner"] = beside["strength"]
        found["partner_version"] = beside["version"] if beside["strength"] == "public" else ""
    return found


def _other_seat(table: CasualTable, view: View | None) -> int:
    """The next seat to the right that plays the first of the deals."""
    resting = view["boards"][0]["deals"][0].get("resting", []) if view is not None else []
    count = len(table.seats)
    seats = [(table.seat - 1 + step) % count + 1 for step in range(1, count)]
    return next((seat for seat in seats if seat not in resting), table.seat)


def _field_rows(table: CasualTable) -> list[dict[str, Any]]:
    """Everybody who played these cards in this seat, the best first."""
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
    return dot_plots([values], [_("Stones with these cards.") if for_all else _("Stones with your cards.")])[
        0
    ]


def _own_comparison(won: int, rows: list[dict[str, Any]]) -> str:
    """How the person did among bots with the same cards, in one sentence."""
    others = [row["stones"] for row in rows if not row["mine"]]
    if not others:
        return ""
    worse, better = sum(won > stones for stones in others), sum(won < stones for stones in others)
    named = {"count": len(others), "worse": worse, "better": better}
    if not better and worse:
        return _("Nobody did better with your cards: you beat %(worse)d of %(count)d bots.") % named
    if not worse and better:
        return _("%(better)d of %(count)d bots did better with your cards.") % named
    if not worse:
        return _("All %(count)d bots won the same with your cards.") % named
    return _("With your cards %(worse)d of %(count)d bots did worse, %(better)d better.") % named


def _shared_comparison(won: int, rows: list[dict[str, Any]]) -> str:
    """The same for others."""
    others = [row["stones"] for row in rows if not row["mine"]]
    if not others:
        return ""
    named = {
        "count": len(others),
        "worse": sum(won > stones for stones in others),
        "better": sum(won < stones for stones in others),
    }
    return _("With the same cards %(worse)d of %(count)d bots did worse, %(better)d better.") % named


def _fairness_data(table: CasualTable, view: View | None) -> dict[str, Any]:
    """What the page's script derives the deals from, and compares them with."""
    fairness = fairness_of(table)
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
