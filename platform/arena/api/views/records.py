"""Endpoints: record, replay, view, logs and timings of a table."""

from __future__ import annotations

from django.http.response import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.answers.replays import ReplayOut, replay_out
from arena.api.answers.views import ViewOut
from arena.api.base.caching import OCTET_STREAM, conditional_response, etag_of, file_response
from arena.api.base.filters import integer_parameter
from arena.api.base.parts import first_parameter, rows_part
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, AnyContentType, ApiView
from arena.matches.replays import seat_timings
from arena.matches.selectors import log_of, record_of, seat_of_owner, table_get, view_of

MAX_SEAT = 64
MAX_BOARD = 32767
SEAT_SCHEMA = {"type": "integer", "minimum": 1, "maximum": MAX_SEAT}
BOARD_SCHEMA = {"type": "integer", "minimum": 1, "maximum": MAX_BOARD}
SEAT_PARAMETER = OpenApiParameter("seat", SEAT_SCHEMA, required=True)


def seat_parameter(request: Request) -> int:
    """Return the parameter ``seat``; raise ValidationError."""
    seat = integer_parameter(request, "seat", 1, MAX_SEAT)
    if seat is None:
        raise ValidationError({"seat": ["Name the seat, such as seat=1."]}, "required")
    return seat


class RecordView(ApiView):
    may_be_sealed = True
    content_negotiation_class = AnyContentType

    @extend_schema(responses={(200, "application/x-ndjson", OCTET_STREAM): OpenApiTypes.BINARY})
    def get(self, request: Request, table: str) -> HttpResponseBase:
        """Get the record of a table.

        One line of JSON per event; 423 while sealed.
        """
        instance = table_get(table, request.user)
        data = record_of(instance, request.user)
        return conditional_response(
            request,
            f'"{instance.record_sha256}"',
            lambda: file_response(request, data, "application/x-ndjson", f"{table}.ndjson"),
        )


class ReplayView(ApiView):
    may_be_sealed = True
    parameters = ("board", "seat", "first")

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "board", BOARD_SCHEMA, description="Number of the board. Default: the table's first."
            ),
            OpenApiParameter(
                "seat", SEAT_SCHEMA, description="Return only this seat's observations. Default: all seats."
            ),
        ],
        responses=schema_of(ReplayOut),
    )
    def get(self, request: Request, table: str) -> HttpResponseBase:
        """Get the states of one board.

        Computed from the record; 423 while sealed.
        """
        board, seat = (
            integer_parameter(request, "board", 1, MAX_BOARD),
            integer_parameter(request, "seat", 1, MAX_SEAT),
        )
        first = first_parameter(request)
        instance = table_get(table, request.user)
        record = record_of(instance, request.user)

        def answer() -> Response:
            return Response(rows_part(replay_out(table, record, board, seat), "steps", first))

        return conditional_response(
            request, etag_of("replay", instance.record_sha256, board, seat, first), answer
        )


class TableViewDataView(ApiView):
    may_be_sealed = True
    parameters = ("board",)

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "board",
                BOARD_SCHEMA,
                description="Only this board. Default: all; for views above 200 kB, the table's first.",
            )
        ],
        responses=schema_of(ViewOut),
    )
    def get(self, request: Request, table: str) -> HttpResponseBase:
        """Get the view of a table.

        Everything needed to display the play, for programs that do not know the rules; 423 while sealed.
        """
        board = integer_parameter(request, "board", 1, MAX_BOARD)
        instance = table_get(table, request.user)
        data = view_of(instance, request.user, board)
        return conditional_response(
            request,
            etag_of("view", instance.view_sha256, board),
            lambda: HttpResponse(data, content_type="application/json"),
        )


class LogView(AccountView):
    may_be_sealed = True
    content_negotiation_class = AnyContentType
    parameters = ("seat",)

    @extend_schema(
        parameters=[SEAT_PARAMETER],
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request, table: str) -> HttpResponseBase:
        """Get the standard error of a bot.

        For the owner of the seat's bot and staff; 423 while sealed.
        """
        seat = seat_parameter(request)
        instance = table_get(table, request.user)
        sha256 = seat_of_owner(instance, seat, request.user).log_sha256
        return conditional_response(
            request,
            f'"{sha256}"' if sha256 else etag_of(table, seat, instance.state, instance.record_sha256),
            lambda: file_response(
                request,
                log_of(instance, seat, request.user),
                "text/plain; charset=utf-8",
                f"{table}-seat{seat}.log",
            ),
        )


class TimingsView(AccountView):
    may_be_sealed = True
    content_negotiation_class = AnyContentType
    parameters = ("seat",)

    @extend_schema(
        parameters=[SEAT_PARAMETER],
        responses={(200, "application/x-ndjson", OCTET_STREAM): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, table: str) -> HttpResponseBase:
        """Get the times of a seat's decisions.

        One line of JSON per decision, with the bot's remarks. For its owner and staff.
        """
        seat = seat_parameter(request)
        instance = table_get(table, request.user)
        seat_of_owner(instance, seat, request.user, of_times=True)
        return conditional_response(
            request,
            etag_of("timings", instance.timings_sha256, seat),
            lambda: file_response(
                request,
                seat_timings(instance, seat),
                "application/x-ndjson",
                f"{table}-seat{seat}-times.ndjson",
            ),
        )
