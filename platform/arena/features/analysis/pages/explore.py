"""The explorer: a position of an opened table with the value of each card, and the cards tried from there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.common.client_address import client_network
from arena.common.errors import Unavailable
from arena.features.analysis.access import analysed_table
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.pages.explored import Game, Line, explored_view, game_of
from arena.features.analysis.positions import position_at
from arena.features.analysis.solving import UNSOLVED, Requester, position_request
from arena.matches.models import Table
from arena.web.base.errors import personal_page
from arena.web.boards.table_page import table_heading
from arena.web.drawing.sides import side_text
from engine.games.kakeya.state import KakeyaState
from viewer import cards
from viewer import render as viewer_render
from viewer.position import TablePosition, deal_positions
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


class Answer(NamedTuple):
    """Values of the legal cards of a position, or why there are none."""

    state: str
    """``done``, ``working``, ``too_long``, ``refused`` or ``over``."""
    values: dict[str, int] = {}
    problem: str = ""


@personal_page
def explore(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render ``?at=b3t7p2&plays=KH.2D~``; with ``best=1`` best play continues the line."""
    table = analysed_table(public_id, request.user)
    texts = viewer_texts(get_language() or "en")
    game = game_of(table, request.GET.get("at", ""), texts)
    line = Line.parse(request.GET.get("plays", ""))
    plays_on = request.GET.get("best") == "1"
    requester = Requester(request.user, client_network(request))
    states = game.states(line)
    answer = _answer(states[-1], requester)
    while plays_on and answer.state == "done":
        line = line.with_card(_best(states[-1], answer.values)[0], is_best=True)
        states = game.states(line)
        answer = _answer(states[-1], requester)
    is_working = answer.state == "working"
    refresh = _address(table, game, line, plays_on=plays_on) if is_working else ""
    context = {
        "nav": "tournament",
        "table": table,
        "tournament": table.tournament,
        "heading": table_heading(table),
        "refresh": refresh,
        "refresh_s": REFRESH_S,
        "plays_on": plays_on and is_working,
        **_context(table, game, line, states, answer, texts),
    }
    return render(request, "analysis/explore.html", context)


def _answer(state: KakeyaState, requester: Requester) -> Answer:
    """Return the values of a position. A position with one legal card is not solved."""
    if not state.to_act:
        return Answer("over")
    legal = state.legal(state.to_act[0])
    if len(legal) == 1:
        return Answer("done", {})
    try:
        row = position_request(position_at(state).position, requester)
    except Unavailable as error:
        return Answer("refused", problem=_problem(error, requester))
    if row.state in UNSOLVED:
        return Answer("working")
    if row.state == SolvedPosition.State.TOO_LONG:
        return Answer("too_long")
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
        "solve_in_progress": _("Your last position is still being solved. Reload this page after a second."),
        "solver_busy": _("Many positions wait to be solved. Reload this page in a minute."),
        "solver_down": _("Positions cannot be solved at the moment. Reload this page in a minute."),
    }
    return sentences.get(error.code, str(error))


def _best(state: KakeyaState, values: dict[str, int]) -> tuple[str, ...]:
    """Return the best cards of the seat to play; its only card if nothing was solved."""
    seat = state.to_act[0]
    legal = state.legal(seat)
    if not values:
        return legal
    sign = 1 if seat in position_at(state).side else -1
    top = max(sign * values[card] for card in legal)
    return tuple(card for card in legal if sign * values[card] == top)


def _address(table: Table, game: Game, line: Line, *, plays_on: bool = False) -> str:
    query = {
        "at": game.key,
        **({"plays": str(line)} if line.tried else {}),
        **({"best": 1} if plays_on else {}),
    }
    return f"{reverse('web:table-explore', args=[table.public_id])}?{urlencode(query)}"


def _context(
    table: Table, game: Game, line: Line, states: Sequence[KakeyaState], answer: Answer, texts: ViewerTexts
) -> dict[str, Any]:
    state = states[-1]
    played = [*game.played, *(tried.card for tried in line.tried)]
    side = tuple(next(side for side in game.view["sides"] if str(side[0]) in game.deal["hands"]))
    choices = _choices(table, game, line, state, answer, texts) if state.to_act else ()
    is_known = answer.state == "done" and bool(answer.values)
    value = ""
    if is_known:
        sign = 1 if state.to_act[0] in side else -1
        value = signed(sign * max(sign * each for each in answer.values.values()))
    outcome = state.outcome()
    if game.played or line.tried:
        previous = (
            _address(table, game, line.shorter)
            if line.tried
            else f"{reverse('web:table-explore', args=[table.public_id])}?at={game.before_key}"
        )
    else:
        previous = ""
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
        "line": _line(table, game, line, states, texts),
        "has_best": any(tried.is_best for tried in line.tried),
        "result": signed(outcome.stones[side[0]]) if outcome is not None else "",
        "previous": previous,
        "best_href": _address(table, game, line, plays_on=True) if state.to_act else "",
        "game_href": f"{reverse('web:table', args=[table.public_id])}?at={game.key}",
        "here": game.key,
    }


def _choices(
    table: Table, game: Game, line: Line, state: KakeyaState, answer: Answer, texts: ViewerTexts
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
            _address(table, game, line.with_card(card)),
            signed(values[card]) if values else "",
            ENGLISH.cost_mark.format(count=cost) if values and (cost := top - sign * values[card]) else "",
            bool(values) and sign * values[card] == top and len(set(values.values())) > 1,
            card == next_card,
        )
        for card in hand
    )


def _line(
    table: Table, game: Game, line: Line, states: Sequence[KakeyaState], texts: ViewerTexts
) -> tuple[LinePlay, ...]:
    start = len(game.played)
    return tuple(
        LinePlay(
            states[start + index].to_act[0],
            mark_safe(cards.card_text(card, texts)),
            is_best,
            _address(table, game, Line(line.tried[: index + 1])),
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
