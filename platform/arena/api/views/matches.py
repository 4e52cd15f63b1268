"""Fixtures, tables, records, logs and boards."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.caching import download, etag_of, unless_known
from arena.api.permissions import SignedIn
from arena.api.selectors import published_seeds
from arena.api.serializers.base import Body, Nothing, checked
from arena.api.serializers.matches import BoardOut, FixtureDetail, TableOut
from arena.api.views.base import AnyType, View
from arena.jobs.flow import tournament_advance
from arena.matches.leases import table_retry
from arena.matches.models import Fixture
from arena.matches.selectors import (
    board_results,
    board_set_get,
    fixture_get,
    log_of,
    record_of,
    seat_of_owner,
    table_get,
)


class OneFixture(View):
    """A fixture."""

    @extend_schema(responses=FixtureDetail)
    def get(self, request: Request, fixture: str) -> HttpResponseBase:
        """Show a fixture; its board scores once its boards are unsealed."""
        found = fixture_get(fixture, request.user)
        if found.board_set.is_sealed or found.state not in Fixture.DONE:
            return self.answer(FixtureDetail, found)
        etag = etag_of(found.public_id, found.state, found.done_at)
        return unless_known(request, etag, lambda: self.answer(FixtureDetail, found))


class OneTable(View):
    """A table."""

    @extend_schema(responses=TableOut)
    def get(self, request: Request, table: str) -> Response:
        """Show a table: its progress while it plays, its results once unsealed."""
        return self.answer(TableOut, table_get(table, request.user))


class Record(View):
    """The record of a table."""

    content_negotiation_class = AnyType

    @extend_schema(responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def get(self, request: Request, table: str) -> HttpResponseBase:
        """Get the record, one JSON line an event; 423 while sealed."""
        found = table_get(table, request.user)
        data = record_of(found, request.user)
        return unless_known(
            request,
            f'"{found.record_sha256}"',
            lambda: download(data, "application/x-ndjson", f"{table}.ndjson"),
        )


class LogQuery(Body):
    """Whose log."""

    seat = serializers.IntegerField(min_value=1, max_value=64)


class Log(View):
    """What a bot wrote to standard error."""

    permission_classes = (SignedIn,)
    content_negotiation_class = AnyType
    parameters = ("seat",)

    @extend_schema(
        parameters=[OpenApiParameter("seat", int, required=True)],
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request, table: str) -> HttpResponseBase:
        """Get the log of a seat; its owner's and staff's, 423 while sealed."""
        query = LogQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        seat = query.validated_data["seat"]
        found = table_get(table, request.user)
        sha256 = seat_of_owner(found, seat, request.user).log_sha256
        return unless_known(
            request,
            f'"{sha256}"' if sha256 else etag_of(table, seat, found.state),
            lambda: download(
                log_of(found, seat, request.user), "text/plain; charset=utf-8", f"{table}-seat{seat}.log"
            ),
        )


class Retry(View):
    """A second chance for a quarantined table."""

    permission_classes = (SignedIn,)
    write_scope = ApiToken.Scope.ORGANISE

    @extend_schema(request=Nothing, responses={202: TableOut})
    def post(self, request: Request, table: str) -> Response:
        """Send a quarantined table back to wait for a worker."""
        checked(Nothing, request)
        found = table_get(table, request.user)
        table_retry(found, self.user)
        tournament_advance(found.fixture.board_set.round.stage.tournament)
        return self.answer(TableOut, table_get(table, request.user), 202)


class Board(View):
    """A board."""

    @extend_schema(responses=BoardOut)
    def get(self, request: Request, board_set: str, number: int) -> HttpResponseBase:
        """Show how a board went at every table; 423 while sealed."""
        found = board_set_get(board_set, request.user)
        results = board_results(found, number, request.user)
        seeds = published_seeds(found)
        shown = {
            "board_set": found.public_id,
            "number": number,
            "kind": found.kind,
            "seed": seeds[str(number)] if seeds else None,
            "results": results,
        }
        if found.is_sealed:
            return self.answer(BoardOut, shown)
        etag = etag_of(found.public_id, number, found.closed_at)
        return unless_known(request, etag, lambda: self.answer(BoardOut, shown))
