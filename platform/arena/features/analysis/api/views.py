"""API views of notes, accuracy, costly plays and solved positions."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.position_errors import PositionError
from arena.api.base.caching import conditional_response
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import ApiView
from arena.common.client_address import client_network
from arena.common.errors import Invalid
from arena.features.analysis.access import solvable_board, solvable_table
from arena.features.analysis.api.answers import (
    AccuracyOut,
    CostlyPlaysOut,
    NotesOut,
    SolveOut,
    accuracy_out,
    costly_play_out,
    solve_out,
)
from arena.features.analysis.api.serializers import SolveIn, SolvePlayIn, SolveTextIn
from arena.features.analysis.boards import board_position, casual_position
from arena.features.analysis.positions import RequestedPosition, position_at, text_position
from arena.features.analysis.selectors import (
    costly_plays,
    notes_bytes_of,
    notes_get,
    version_accuracy,
)
from arena.features.analysis.solving import Requester, position_request
from arena.features.play.models import CasualTable
from arena.features.play.selectors import table_of
from arena.features.play.sharing import shared_table
from arena.features.play.visitors import person_of
from arena.matches.models import BoardSet


class TableNotes(ApiView):
    may_be_sealed = True

    @extend_schema(responses=schema_of(NotesOut))
    def get(self, request: Request, table: str) -> HttpResponseBase:
        """Get solver notes on a table.

        The cost of each play with all hands open, of public tournaments; 423 while a table of its fixture is
        in play.
        """
        sha256 = notes_get(table, request.user)
        return conditional_response(
            request,
            f'"{sha256}"',
            lambda: HttpResponse(notes_bytes_of(sha256), content_type="application/json"),
        )


class VersionAccuracy(ApiView):
    @extend_schema(responses=schema_of(AccuracyOut))
    def get(self, request: Request, version: str) -> Response:
        """Get the accuracy of a version.

        Mean cost of its plays at its latest 200 analysed tables of public tournaments, with a bootstrap
        interval over boards.
        """
        return self.respond(accuracy_out, version_accuracy(version, request.user))


class CostlyPlays(ApiView):
    @extend_schema(responses=schema_of(CostlyPlaysOut))
    def get(self, request: Request, tournament: str) -> Response:
        """Get the costliest plays of a tournament.

        At most 100, of its analysed tables, each with its position in the replay.
        """
        rows = costly_plays(tournament, request.user)
        return Response({"plays": [costly_play_out(row, request) for row in rows]})


class SolveView(ApiView):
    """Solves positions, without an account too; ``check_before_body`` applies the access rule."""

    may_be_sealed = True
    permission_classes = ()

    def answer(self, requested: RequestedPosition) -> Response:
        requester = Requester(self.request.user, client_network(self.request))
        row = position_request(requested.position, requester)
        return Response(solve_out(requested, row))


class SolveBoard(SolveView):
    board_set: BoardSet

    def check_before_body(self, request: Request, **kwargs: Any) -> None:
        self.board_set = solvable_board(kwargs["board_set"], kwargs["number"], request.user)

    @extend_schema(request=SolveIn, responses=schema_of(SolveOut))
    def post(self, request: Request, board_set: str, number: int) -> Response:
        """Solve a position of a board.

        The value of each legal card with all hands open, of public tournaments; 423 while the board is in
        play. While the state is working, send the same request again. Each account and address may use some
        computing time per hour.
        """
        data = validated_body(SolveIn, request)
        return self.answer(board_position(self.board_set, number, **data))


class SolveText(SolveView):
    may_be_sealed = False

    @extend_schema(request=SolveTextIn, responses=schema_of(SolveOut))
    def post(self, request: Request) -> Response:
        """Solve a position text.

        As for boards. The text contains the whole deal, so nothing of this site is read.
        """
        text = validated_body(SolveTextIn, request)["text"]
        try:
            state = text_position(text).state()
        except PositionError as error:
            location = {"line": error.line, "column": error.column} if error.line else {}
            raise Invalid(f"{error}.", "invalid_position", field="text", **location) from None
        return self.answer(position_at(state))


class SolveTableView(SolveView):
    """A table against bots, after its end."""

    table: CasualTable

    def solve(self, request: Request) -> Response:
        return self.answer(casual_position(self.table, **validated_body(SolvePlayIn, request)))


class SolveOwnTable(SolveTableView):
    def check_before_body(self, request: Request, **kwargs: Any) -> None:
        self.table = solvable_table(table_of(person_of(request._request), kwargs["public_id"]))

    @extend_schema(request=SolvePlayIn, responses=schema_of(SolveOut))
    def post(self, request: Request, public_id: str) -> Response:
        """Solve a position of your table against bots.

        As for boards; 423 before the end of the table.
        """
        return self.solve(request)


class SolveSharedTable(SolveTableView):
    def check_before_body(self, request: Request, **kwargs: Any) -> None:
        self.table = solvable_table(shared_table(kwargs["key"]))

    @extend_schema(request=SolvePlayIn, responses=schema_of(SolveOut))
    def post(self, request: Request, key: str) -> Response:
        """Solve a position of a shared table against bots.

        As for boards.
        """
        return self.solve(request)
