"""Problems for tests: of the last tricks, whose candidates the notes of tests have."""

from __future__ import annotations

import json

from django.utils import timezone

from analysis.notes import SOLVER
from analysis.process import ProblemJob, checked_problem
from arena.common.blobs import blob_get
from arena.features.analysis.models import Problem, TableAnalysis
from arena.features.analysis.problems.candidates import problems_propose
from arena.features.analysis.problems.queue import problem_claim, problem_finish
from arena.matches.models import Table
from arena.matches.replays import table_view
from engine import replay
from engine.games.kakeya.state import KakeyaState
from tests.arena.features.analysis.notes import analysed, notes_of

PROOF = {
    "format": "rensho-problem/1",
    "limits": {"nodes": 1, "deals": 64},
}


def a_problem(table: Table) -> str:
    """The id of a problem of a table's first board, whose values are made up."""
    states = (step.state for step in replay(blob_get(table.record_sha256)).steps())
    state = next(state for state in states if isinstance(state, KakeyaState) and state.phase == "play")
    seat = state.to_act[0]
    best, *others = state.legal(seat)[:4]
    averages = {card: {"mean": 0.5, "error": 0.1} for card in others}
    proof = {**PROOF, "values": {"2": [best], "1": others}, "averages": averages, "best": best}
    analysis, _ = TableAnalysis.objects.get_or_create(
        table=table, record_sha256=table.record_sha256, solver=SOLVER, defaults={"closed_seq": 1}
    )
    problem = Problem.objects.create(
        analysis=analysis,
        board_set=table.fixture.board_set,
        board=table.first_board,
        deal=1,
        step=0,
        position=f"b{table.first_board}l",
        key="0" * 64,
        preset="kakeya4",
        seat=seat,
        trick=1,
        best=best,
        margin=1,
        state=Problem.State.READY,
        ready_at=timezone.now(),
        proof=proof,
        observation=state.observe(seat),
    )
    return problem.public_id


def propose(row: TableAnalysis) -> None:
    """What the worker does after an analysis."""
    view = table_view(row.table)
    assert view is not None
    problems_propose(row, notes_of(blob_get(row.record_sha256)), json.loads(view))


def check(row: Problem) -> bool:
    """Check a leased candidate in this process; return whether it is a problem."""
    record = blob_get(row.analysis.record_sha256)
    source = {"table": row.analysis.table.public_id}
    found, observation = checked_problem(ProblemJob(record, row.board, row.deal, row.step, source))
    assert problem_finish(row, found.problem, observation, found.reason, 0.5)
    return found.problem is not None


def found_problems() -> list[Problem]:
    """All problems of the due tables, newest first."""
    for row in analysed():
        propose(row)
    while (candidate := problem_claim()) is not None:
        check(candidate)
    return list(Problem.objects.filter(state=Problem.State.READY).order_by("-id"))
