"""Who may read analyses and ask for positions over the API: everybody, once the boards are open."""

from __future__ import annotations

from typing import Any

from arena.features.analysis.boards import board_position
from arena.features.analysis.heartbeat import Queue, heartbeat
from arena.features.analysis.models import SolvedPosition
from arena.features.analysis.positions import position_at, text_position
from arena.features.analysis.solving import Requester, position_request
from arena.matches.models import BoardSet, Table
from engine.cards import KAKEYA_PACK
from tests.arena.api.roles import ALL, Row, by, for_all
from tests.arena.features.analysis.notes import analysed
from tests.arena.features.analysis.problems import a_problem
from tests.arena.web import roles as pages

TEXT = "preset: kakeya4 trump: D lead: 1 1: C AKQJT98765432 2: H AKQJT98765432 3: S AKQJT98765432 4: rest"
ROWS: list[Row] = [
    ("GET notes", "tables/{open_table}/notes", {}, ALL),
    ("GET sealed notes", "tables/{sealed_table}/notes", {}, for_all(423)),
    ("GET accuracy", "versions/{version}/accuracy", {}, ALL),
    (
        "GET accuracy of an unchecked version",
        "versions/{upload}/accuracy",
        {},
        by(404, 404, aya=200, sota=200),
    ),
    ("GET costly plays", "tournaments/{event}/costly", {}, ALL),
    ("GET costly plays of a draft", "tournaments/{draft}/costly", {}, by(404, 404, odo=200, sota=200)),
    ("POST solve", "boards/{open_set}/1/solve", {}, ALL),
    ("POST solve own table", "play/nosuchthing1/solve", {}, for_all(404)),
    ("POST solve shared table", "play/shared/nosuchthing1/solve", {}, for_all(404)),
    ("GET problems", "problems", {}, ALL),
    ("GET problem", "problems/{problem}", {}, ALL),
    ("GET problem of a sealed board", "problems/{sealed_problem}", {}, for_all(423)),
    ("POST solve a text", "solve", {"text": TEXT}, ALL),
    ("POST solve sealed", "boards/{sealed_set}/1/solve", {}, for_all(423)),
]

PAGES: list[pages.Page] = [
    ("GET", "/problems", pages.ALL),
    ("GET", "/problems/{problem}", pages.ALL),
    ("GET", "/problems/{sealed_problem}", pages.by(423, 423)),
    ("POST", "/problems/{problem}/answer", pages.SENT_ON),
    ("POST", "/problems/{sealed_problem}/answer", pages.by(423, 423)),
    ("GET", "/problems/{problem}/proof", pages.ALL),
    ("GET", "/problems/{sealed_problem}/proof", pages.by(423, 423)),
]


def things(names: dict[str, Any]) -> dict[str, str]:
    """The open tables analysed, the first position of an open board solved, and two problems."""
    analysed()
    open_table, sealed_table = (
        Table.objects.get(public_id=names[name]) for name in ("open_table", "sealed_table")
    )
    board_set = BoardSet.objects.get(public_id=names["open_set"])
    heartbeat(Queue.INTERACTIVE)
    row = position_request(
        board_position(board_set, 1, [], None, 1, None).position, Requester(None, "192.0.2.1")
    )
    pasted = position_request(position_at(text_position(TEXT).state()).position, Requester(None, "192.0.2.2"))
    rows = SolvedPosition.objects.filter(pk__in=[row.pk, pasted.pk])
    rows.update(state="done", values={"0": list(KAKEYA_PACK.cards)})
    return {"problem": a_problem(open_table), "sealed_problem": a_problem(sealed_table)}
