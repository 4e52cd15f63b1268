"""Selectors of problems: those that visitors may see, one of them, and the plays of bots there."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import QuerySet

from arena.common.errors import NotFound, quoted
from arena.competition.selectors import Viewer
from arena.features.analysis.access import open_analyses, open_board_sets, require_open, solvable_board
from arena.features.analysis.models import Problem, ProblemAttempt, ProblemDecision

MAX_DECISIONS = 100
"""Plays of bots on the page of a problem."""


class ListedPreset(NamedTuple):
    preset: str
    is_chosen: bool


def open_problems(preset: str = "") -> QuerySet[Problem]:
    """Return the problems that may be seen, newest first."""
    rows = Problem.objects.filter(
        open_analyses("analysis__"), open_board_sets("board_set"), state=Problem.State.READY
    )
    return (rows.filter(preset=preset) if preset else rows).order_by("-id")


def presets_with_problems() -> list[str]:
    """Return the presets of problems that may be seen, sorted."""
    return sorted(open_problems().order_by().values_list("preset", flat=True).distinct())


def problem_get(public_id: str, user: Viewer) -> Problem:
    """Return a problem.

    Raises NotFound ``problem_not_found``, or Sealed while a table of its board set is played again.
    """
    row = (
        Problem.objects.filter(public_id=public_id, state=Problem.State.READY)
        .select_related("board_set", "analysis__table__tournament", "analysis__table__fixture__board_set")
        .first()
    )
    missing = NotFound(f"There is no problem {quoted(public_id)}.", "problem_not_found")
    if row is None:
        raise missing
    try:
        solvable_board(row.board_set.public_id, row.board, user)
        require_open(row.analysis.table)
    except NotFound:
        raise missing from None
    if row.analysis.record_sha256 != row.analysis.table.record_sha256:
        raise missing
    return row


def decisions_of(problem: Problem) -> list[ProblemDecision]:
    """Return the plays of bots at the position, as far as they may be seen. One query."""
    rows = ProblemDecision.objects.filter(open_analyses("analysis__"), problem=problem)
    return list(
        rows.select_related("analysis__table", "version__bot__owner").order_by("-is_best", "id")[
            :MAX_DECISIONS
        ]
    )


def next_problem(problem: Problem, answered: QuerySet[ProblemAttempt]) -> str:
    """Return the id of an unanswered problem of the preset: the next older one, else the newest.

    Empty if all are answered. At most two queries.
    """
    rows = open_problems(problem.preset).exclude(pk=problem.pk).exclude(pk__in=answered.values("problem"))
    ids = rows.values_list("public_id", flat=True)
    return ids.filter(pk__lt=problem.pk).first() or ids.first() or ""
