"""A pasted position text as a view, and the page with the form."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from analysis.deal_position import DealPosition
from analysis.position_text import format_position_text
from arena.features.analysis.pages.explored import Source, play_steps
from engine.games.kakeya import GAME
from viewer.position import deal_positions
from viewer.shapes import VIEW_FORMAT, View, ViewDeal

MAX_FORM_CHARS = 2000
"""Maximum characters that the form takes: the text is part of the address."""
EXAMPLE = """\
preset: kakeya4
trump: D
lead: 1
1: S 83 H AQJ97 D KT93 C 83
2: S K52 H 852 D A85 C AT97
3: S JT64 H 6 D J7642 C Q65
4: rest
plays: 3C 7C QC 2C
"""


def pasted_source(position: DealPosition) -> Source:
    """Return the deal of a position text, which starts after its plays."""
    view = _view(position)
    deal = view["boards"][0]["deals"][0]
    stops = deal_positions(1, deal, has_deals=False)
    return Source(
        view,
        _("Pasted deal"),
        reverse("web:explore"),
        query={"text": " ".join(format_position_text(position).split())},
        start=stops.keys[stops.last],
    )


def paste_page(request: HttpRequest, text: str, problem: str) -> HttpResponse:
    """Render the form, with the problem of the text if it has one."""
    context = {"text": text, "problem": problem, "example": EXAMPLE, "most": MAX_FORM_CHARS}
    return render(request, "analysis/paste.html", context, status=400 if problem else 200)


def _view(position: DealPosition) -> View:
    states = position.states()
    ruleset, roles = position.ruleset, states[0].deal.roles
    sides = GAME.sides(ruleset)
    start = GAME.starting_stones(ruleset)
    stones = {str(seat): count for side, count in zip(sides, position.stones, strict=True) for seat in side}
    preset = GAME.presets[ruleset.preset].as_dict()
    deal: ViewDeal = {
        "deal": 1,
        "stones": None if set(position.stones) == {start} else stones,
        "hands": {str(seat): list(hand) for seat, hand in position.hands.items()},
        "before": [],
        "steps": play_steps(states, position.plays),
        "end": {"winner": [], "stones": {}, "how": None},
        "leaders": [position.leader, *(seat for seat in roles.leaders if seat != position.leader)],
        "resting": [seat for side in sides for seat in side if seat not in position.hands],
        "trump": position.trump,
        "rensho": states[0].deal.rensho,
    }
    view = {
        "format": VIEW_FORMAT,
        "record_sha256": "",
        "game": GAME.key,
        "preset": ruleset.preset,
        "options": {name: value for name, value in ruleset.as_dict().items() if value != preset[name]},
        "seats": ruleset.seats,
        "sides": [list(side) for side in sides],
        "numbers": [1],
        "boards": [{"board": 1, "kind": "deal", "result": {}, "deals": [deal]}],
        "forfeited": [],
    }
    return cast("View", view)
