"""API of problems: the list, and one problem with its proof."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.base.filters import ListFilters, PresetFilter
from arena.api.base.shapes import build_shape, schema_of
from arena.api.base.views import ApiView, ListView
from arena.features.analysis.models import Problem
from arena.features.analysis.problems.selectors import open_problems, problem_get


class PositionProblemOut(TypedDict):
    """A position in which exactly one card is best, with all hands open and on average."""

    id: str
    preset: str
    table: Annotated[str, "Table that reached it."]
    board: int
    deal: int
    position: Annotated[str, "Position before the play: /tables/{table}?at={position}."]
    seat: Annotated[int, "Seat to play."]
    trick: int
    bots: Annotated[int, "Decisions of bots at this position."]
    bots_found: Annotated[int, "Those that played the best card."]
    visitors: Annotated[int, "Answers of visitors, one per account or browser."]
    visitors_found: int


class PositionProblemFull(PositionProblemOut):
    """A problem with its proof."""

    proof: Annotated[dict[str, Any], "rensho-problem/1: docs/analysis.md. rensho analyse verifies it."]


def problem_out(problem: Problem, _: Request) -> PositionProblemOut:
    """Return a row of ``open_problems``."""
    return build_shape(PositionProblemOut, problem, table=problem.analysis.table.public_id)


def problem_full(problem: Problem, request: Request) -> PositionProblemFull:
    return {**problem_out(problem, request), "proof": problem.proof}


class ProblemFilter(ListFilters):
    preset = PresetFilter()


class Problems(ListView):
    """Problems."""

    write = staticmethod(problem_out)
    filterset_class = ProblemFilter

    def rows(self) -> QuerySet[Problem]:
        """Positions in which exactly one card is best, newest first."""
        return open_problems().defer("proof", "observation").select_related("analysis__table")


class OneProblem(ApiView):
    may_be_sealed = True

    @extend_schema(responses=schema_of(PositionProblemFull))
    def get(self, request: Request, problem: str) -> Response:
        """Get a problem with its proof.

        Exact values of all legal cards, and averages over possible deals; 423 while a table of its board set
        is played again.
        """
        return self.respond(problem_full, problem_get(problem, request.user))
