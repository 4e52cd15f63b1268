"""The watch page: both tables on the board with the largest swing of each opened round."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse

from arena.competition.games import game_keys
from arena.competition.selectors import stages_of
from arena.features.analysis.access import opened_fixture
from arena.features.analysis.pages.lobby import build_lobby
from arena.features.analysis.panels.costly import costly_line
from arena.features.analysis.watching import costliest_play, following_board, latest_board
from arena.web.base.errors import personal_page
from arena.web.boards.compare_page import build_compare_page

MAX_DIGITS = 18
"""Of a position in the order in which rounds opened."""


@personal_page
def watch(request: HttpRequest) -> HttpResponseBase:
    """Redirect to the latest board, or with ``?after=7&newest=9`` to the one that follows."""
    after, newest, game = _number(request, "after"), _number(request, "newest"), _game(request)
    if after is not None and newest is not None:
        board = following_board(after, newest, game)
    else:
        board = latest_board(game)
    if board is None:
        return render(request, "analysis/watch_empty.html", {"nav": "watch", "lobby": build_lobby(game)})
    address = reverse("web:watch-board", args=[board.fixture, board.board])
    return redirect(f"{address}?{urlencode({'game': game})}" if game else address)


@personal_page
def board(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    """Render both tables at ``?at=b3t7p2``; with ``?part=deal`` only the deal."""
    fixture = opened_fixture(public_id, request.user)
    page = build_compare_page(fixture, number, request.GET.get("at", ""))
    if request.GET.get("part") == "deal":
        return HttpResponse(page.deal.part)
    closed_seq = fixture.board_set.closed_seq
    game = _game(request)
    latest = latest_board(game)
    newest = closed_seq if latest is None else latest.closed_seq
    play = costliest_play(fixture, number)
    following = {"after": closed_seq, "newest": newest} | ({"game": game} if game else {})
    context = {
        "nav": "watch",
        "page": page,
        "fixture": fixture,
        "tournament": fixture.tournament,
        "is_staged": len(stages_of(fixture.tournament)) > 1,
        "round": fixture.board_set.round,
        "costly": None if play is None else costly_line(play),
        "next": f"{reverse('web:watch')}?{urlencode(following)}",
        "lobby": build_lobby(game, public_id, number),
    }
    return render(request, "analysis/watch.html", context)


def _game(request: HttpRequest) -> str:
    """Return ``?game=`` if there is such a game; else empty."""
    game = request.GET.get("game", "")
    return game if game in game_keys() else ""


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else None
