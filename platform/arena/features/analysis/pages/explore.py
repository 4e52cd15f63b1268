"""The explorer: a position of an opened deal with the value of each card, and the cards tried from there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from analysis.position_errors import PositionError
from arena.common.client_address import client_network
from arena.common.errors import NotFound, Unavailable
from arena.features.analysis.access import analysed_table, solvable_table
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.pages.explored import (
    Game,
    Line,
    Source,
    explored_view,
    game_of,
    problem_text,
)
from arena.features.analysis.pages.pasted import paste_page, pasted_source
from arena.features.analysis.positions import position_at, text_position
from arena.features.analysis.solving import UNSOLVED, Requester, line_of, line_request, position_request
from arena.features.play.models import CasualTable
from arena.features.play.pages.after import numbered_from_one
from arena.features.play.pages.descriptions import table_title
from arena.features.play.pages.shared import exclude_from_search
from arena.features.play.selectors import table_of, view_of
from arena.features.play.sharing import shared_table
from arena.features.play.visitors import person_of
from arena.matches.replays import table_view
from arena.web.base.errors import personal_page
from arena.web.boards.table_page import table_heading
from arena.web.drawing.sides import side_text
from engine.games.kakeya.state import KakeyaState
from viewer import cards
from viewer import render as viewer_render
from viewer.position import TablePosition, deal_positions
from viewer.shapes import View
from viewer.texts import ENGLISH, ViewerTexts, signed, viewer_texts
from viewer.tricks import trick_mat

REFRESH_S = 1


class Choice(NamedTuple):
    """A legal card."""

    card: SafeString
    href: str
    value: str
    """Stones to the first playing side; empty while it is not known."""
    mark: str
    is_best: bool
    is_played: bool
    """The table played it."""


class LinePlay(NamedTuple):
    seat: int
    card: SafeString
    is_best: bool
    href: str
    """Address of the position after it."""


class Leader(NamedTuple):
    seat: int
    href: str
    is_current: bool


class Answer(NamedTuple):
    """Values of the legal cards of a position, or why there are none."""

    state: str
    """``done``, ``working``, ``too_long``, ``refused`` or ``over``."""
    values: dict[str, int] = {}
    problem: str = ""
    line: tuple[str, ...] = ()
    """Best play to the end of the deal, if requested."""


@personal_page
def explore(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Explore an opened table."""
    table = analysed_table(public_id, request.user)
    tournament = table.tournament
    source = Source(
        _view_in(table_view(table)),
        table_heading(table),
        reverse("web:table-explore", args=[public_id]),
        reverse("web:table", args=[public_id]),
        nav="tournament",
        crumb=(tournament.name, reverse("web:tournament", args=[tournament.public_id])),
        table=table,
    )
    return _explored(request, source)


@personal_page
def explore_own(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Explore a table against bots after its end, as its person."""
    table = solvable_table(table_of(person_of(request), public_id))
    return _explored(request, _casual_source(table, "play-table", public_id))


def explore_shared(request: HttpRequest, key: str) -> HttpResponseBase:
    """Explore a shared table against bots."""
    return exclude_from_search(_explore_shared(request, key))


@personal_page
def _explore_shared(request: HttpRequest, key: str) -> HttpResponseBase:
    table = solvable_table(shared_table(key))
    return _explored(request, _casual_source(table, "play-shared", key))


@personal_page
def explore_text(request: HttpRequest) -> HttpResponseBase:
    """Explore the deal of a position text, or render the form for it."""
    text = request.GET.get("text", "")
    if not text.strip():
        return paste_page(request, "", "")
    try:
        position = text_position(text)
    except PositionError as error:
        return paste_page(request, text, problem_text(error))
    return _explored(request, pasted_source(position))


def _view_in(stored: bytes | None) -> View:
    if stored is None:
        raise NotFound("This table has no view.", "view_not_found")
    return cast("View", json.loads(stored))


def _casual_source(table: CasualTable, page: str, key: str) -> Source:
    return Source(
        numbered_from_one(_view_in(view_of(table))),
        table_title(table),
        reverse(f"web:{page}-explore", args=[key]),
        reverse(f"web:{page}", args=[key]),
        nav="play-table",
    )


def _explored(request: HttpRequest, source: Source) -> HttpResponseBase:
    """Render ``?at=b3t7p2&plays=KH.2D~``; ``lead`` is another leader, ``best=1`` continues with best play."""
    texts = viewer_texts(get_language() or "en")
    game = game_of(source, request.GET.get("at", ""), request.GET.get("lead", ""), texts)
    line = Line.parse(request.GET.get("plays", ""))
    plays_on = request.GET.get("best") == "1"
    requester = Requester(request.user, client_network(request))
    states = game.states(line)
    answer = _answer(states[-1], requester, plays_on=plays_on)
    if plays_on and answer.state == "done":
        line, states = _played_on(game, line, states, answer.line)
        answer = _answer(states[-1], requester)
    is_working = answer.state == "working"
    context = {
        "source": source,
        "refresh": game.address(line, best=int(plays_on)) if is_working else "",
        "refresh_s": REFRESH_S,
        "plays_on": plays_on and is_working,
        **_context(game, line, states, answer, texts),
    }
    return render(request, "analysis/explore.html", {"nav": source.nav, **context})


def _played_on(
    game: Game, line: Line, states: Sequence[KakeyaState], best: Sequence[str]
) -> tuple[Line, tuple[KakeyaState, ...]]:
    """Return the line with best play, up to the end of the deal, and its states."""
    following = list(states)
    for card in best:
        state = following[-1]
        if not state.to_act:  # The options may end a deal early.
            break
        line = line.with_card(card, is_best=True)
        following.append(state.apply(state.to_act[0], card))
    return line, tuple(following)


def _answer(state: KakeyaState, requester: Requester, *, plays_on: bool = False) -> Answer:
    """Return the values of a position, or best play. The value of a single legal card is not asked for."""
    if not state.to_act:
        return Answer("over")
    if not plays_on and len(state.legal(state.to_act[0])) == 1:
        return Answer("done")
    try:
        row = (line_request if plays_on else position_request)(position_at(state).position, requester)
    except Unavailable as error:
        if error.code == "solve_in_progress":
            return Answer("working")
        return Answer("refused", problem=_problem(error, requester))
    if row.state in UNSOLVED:
        return Answer("working")
    if row.state == SolvedPosition.State.TOO_LONG:
        return Answer("too_long")
    if plays_on:
        return Answer("done", line=tuple(line_of(row)))
    return Answer("done", {card: int(value) for value, codes in row.values.items() for card in codes})


def _problem(error: Unavailable, requester: Requester) -> str:
    sentences = {
        "solve_quota_exceeded": _(
            "You have used the %(seconds)d s of computing time of this hour. Solved positions stay available."
        )
        % {"seconds": requester.cpu_s},
        "site_solve_quota_exceeded": _(
            "All visitors together have used the computing time of this hour. "
            "Solved positions stay available."
        ),
        "solver_busy": _("Many positions wait to be solved. Reload this page in a minute."),
        "solver_down": _("Positions cannot be solved at the moment. Reload this page in a minute."),
    }
    return sentences.get(error.code, str(error))


def _context(
    game: Game, line: Line, states: Sequence[KakeyaState], answer: Answer, texts: ViewerTexts
) -> dict[str, Any]:
    state = states[-1]
    played = [*game.played, *(tried.card for tried in line.tried)]
    sides = game.source.view["sides"]
    side = tuple(next(side for side in sides if str(side[0]) in game.deal["hands"]))
    choices = _choices(game, line, state, answer, texts) if state.to_act else ()
    is_known = answer.state == "done" and bool(answer.values)
    value = ""
    if is_known:
        sign = 1 if state.to_act[0] in side else -1
        value = signed(sign * max(sign * each for each in answer.values.values()))
    outcome = state.outcome()
    if line.tried:
        previous = game.address(line.shorter)
    else:
        previous = game.source.address(at=game.before_key) if game.played else ""
    return {
        "mat": _mat(game, states, played, texts),
        "board": game.board,
        "seat": state.to_act[0] if state.to_act else 0,
        "trick": len(played) // 4 + 1,
        "side": side_text(side),
        "state": answer.state,
        "problem": answer.problem,
        "value": value,
        "choices": choices,
        "line": _line(game, line, states, texts),
        "has_best": any(tried.is_best for tried in line.tried),
        "result": signed(outcome.stones[side[0]]) if outcome is not None else "",
        "previous": previous,
        "best_href": game.address(line, best=1) if state.to_act else "",
        "game_href": f"{game.source.game_path}?at={game.key}" if game.source.game_path else "",
        "leaders": [
            Leader(seat, game.source.address(at=game.key, lead=seat), seat == states[0].to_act[0])
            for seat in game.leaders
        ],
        "here": game.key,
        "here_href": game.address(line),
    }


def _choices(
    game: Game, line: Line, state: KakeyaState, answer: Answer, texts: ViewerTexts
) -> tuple[Choice, ...]:
    """Return the legal cards, the best first if their values are known, else in the order of the hand."""
    seat = state.to_act[0]
    legal = set(state.legal(seat))
    hand = [card for card in game.deal["hands"][str(seat)] if card in legal]
    sign = 1 if seat in position_at(state).side else -1
    values = answer.values
    top = max((sign * value for value in values.values()), default=0)
    if values:
        hand.sort(key=lambda card: top - sign * values[card])
    next_card = "" if line.tried else game.next_card
    return tuple(
        Choice(
            mark_safe(cards.card_text(card, texts)),
            game.address(line.with_card(card)),
            signed(values[card]) if values else "",
            ENGLISH.cost_mark.format(count=cost) if values and (cost := top - sign * values[card]) else "",
            bool(values) and sign * values[card] == top and len(set(values.values())) > 1,
            card == next_card,
        )
        for card in hand
    )


def _line(game: Game, line: Line, states: Sequence[KakeyaState], texts: ViewerTexts) -> tuple[LinePlay, ...]:
    start = len(game.played)
    return tuple(
        LinePlay(
            states[start + index].to_act[0],
            mark_safe(cards.card_text(card, texts)),
            is_best,
            game.address(Line(line.tried[: index + 1])),
        )
        for index, (card, is_best) in enumerate(line.tried)
    )


def _mat(game: Game, states: Sequence[KakeyaState], played: Sequence[str], texts: ViewerTexts) -> SafeString:
    """Return the mat with all hands after the last card, with its symbols."""
    view, deal = explored_view(game, states, played)
    board = next(board for board in view["boards"] if board["board"] == game.board)
    stops = deal_positions(game.board, deal, has_deals=len(board["deals"]) > 1)
    position = TablePosition(game.board, deal["deal"], stops.declared + len(played))
    scene = viewer_render.scene_of(view, position, texts=texts)
    symbols = cards.deck_symbols(scene.deck, scene.court) + cards.marks()
    return mark_safe(symbols + trick_mat(scene))
