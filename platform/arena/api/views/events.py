"""Endpoints: rounds, fixtures, changes, fairness, statements and exports of a tournament."""

from __future__ import annotations

import io
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.api.answers.fairness import FairnessOut, fairness_out
from arena.api.answers.fixtures import fixture_out, round_out
from arena.api.base.caching import (
    OCTET_STREAM,
    cached_response,
    conditional_response,
    file_headers,
    file_response,
)
from arena.api.base.filters import ListFilters, NumberFilter
from arena.api.base.parts import first_parameter, rows_part
from arena.api.base.shapes import schema_of
from arena.api.base.streaming import file_chunks, ndjson_response, server_iterator
from arena.api.base.views import AnyContentType, ApiView, ListView
from arena.api.list_filters import FixtureFilter
from arena.competition.models import Round, Statement
from arena.competition.selectors import tournament_get
from arena.competition.statements import statement_get
from arena.matches.changes import change_of
from arena.matches.fixture_selectors import fixtures_listed, rounds_of
from arena.matches.models import Fixture
from arena.standings.export import export_lines, tournament_export_file
from arena.streams.live import follow_tournament


class RoundFilter(ListFilters):
    stage = NumberFilter("stage__number")


class RoundListView(ListView):
    """Rounds of a tournament."""

    write = staticmethod(round_out)
    filterset_class = RoundFilter
    page_ordering = ("stage_id", "number")

    def rows(self) -> QuerySet[Round]:
        """In the order of play."""
        return rounds_of(tournament_get(self.kwargs["tournament"], self.request.user))


class TournamentFixtureListView(ListView):
    """Fixtures of a tournament."""

    write = staticmethod(fixture_out)
    filterset_class = FixtureFilter
    page_ordering = "id"

    def rows(self) -> QuerySet[Fixture]:
        """In the order of pairing: by round, then by number."""
        tournament = tournament_get(self.kwargs["tournament"], self.request.user)
        return fixtures_listed(None, tournament)

    def get(  # type: ignore[override]
        self, request: Request, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """List fixtures of a tournament.

        In the order of pairing: by round, then by number.
        """
        return cached_response(
            request, self.kwargs["tournament"], lambda: self.list(request, *args, **kwargs)
        )


class ChangesView(ApiView):
    has_etag = False
    content_negotiation_class = AnyContentType

    @extend_schema(
        responses={
            (200, "text/event-stream"): OpenApiTypes.STR,
            204: OpenApiResponse(description="The tournament is over and will not change any more."),
        }
    )
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Follow the changes of a tournament.

        Server-sent events; each says only that there is something new to fetch.
        """
        instance = tournament_get(tournament, request.user)
        if (change := change_of(instance.pk)) is None or change.is_last:
            return HttpResponse(status=204)
        return follow_tournament(request, request.user, instance.pk, change)


class FairnessView(ApiView):
    parameters = ("first",)

    @extend_schema(responses=schema_of(FairnessOut))
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Get the proof that deals were fixed before play."""
        instance = tournament_get(tournament, request.user)
        return Response(rows_part(fairness_out(instance), "board_sets", first_parameter(request)))


class StatementBodyView(ApiView):
    content_negotiation_class = AnyContentType

    @extend_schema(
        parameters=[
            OpenApiParameter("kind", str, OpenApiParameter.PATH, enum=Statement.Kind.values),
        ],
        responses={(200, "application/json", OCTET_STREAM): OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, tournament: str, kind: str) -> HttpResponseBase:
        """Get the body of a statement.

        The exact canonical bytes: their SHA-256 is the signed digest.
        """
        statement = statement_get(tournament_get(tournament, request.user), kind)
        return conditional_response(
            request,
            f'"{statement.digest}"',
            lambda: file_response(
                request, statement.body.encode(), "application/json", f"{tournament}-{kind}.json"
            ),
        )


class ExportView(ApiView):
    has_etag = False
    content_negotiation_class = AnyContentType
    read_rate = "exports"

    @extend_schema(responses={(200, "application/zip", OCTET_STREAM): OpenApiTypes.BINARY})
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Export a tournament as a zip archive.

        Contains everything unsealed; ``rensho verify`` verifies it.
        """
        file = tournament_export_file(tournament_get(tournament, request.user), request.user)
        length = file.seek(0, io.SEEK_END)
        file.seek(0)
        answer = StreamingHttpResponse(
            server_iterator(request._request, file_chunks(file)),
            **file_headers(request, "application/zip", f"{tournament}.zip"),
        )
        answer["Content-Length"] = str(length)
        return answer


class ExportLinesView(ApiView):
    has_etag = False
    content_negotiation_class = AnyContentType
    read_rate = "exports"

    @extend_schema(responses={(200, "application/x-ndjson", OCTET_STREAM): OpenApiTypes.BINARY})
    def get(self, request: Request, tournament: str) -> HttpResponseBase:
        """Export a tournament as lines of JSON.

        Contains everything unsealed, one object per line, sent while it is read. The last line is {"type":
        "end", "lines": n}. Without it the export is incomplete: fetch it again.
        """
        instance = tournament_get(tournament, request.user)
        return ndjson_response(request, export_lines(instance, request.user), f"{tournament}.ndjson")
