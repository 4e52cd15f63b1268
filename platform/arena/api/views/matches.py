"""Endpoints: fixtures, tables and boards, and an organiser's decisions about them."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.answers.boards import BoardContentKey, BoardOut, board_content_key, board_out
from arena.api.answers.fixtures import FixtureDetail, fixture_detail_out, fixture_out
from arena.api.answers.tables import TableOut, table_out, table_row
from arena.api.base.caching import cached_response_by_content
from arena.api.base.dry_runs import rollback_if_dry_run
from arena.api.base.parts import first_parameter, rows_part
from arena.api.base.problems import explain_conflicts
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ActionView, ApiView, ListView
from arena.api.list_filters import AnyFixtureFilter, TableFilter
from arena.api.serializers.matches import AdjudicationIn, RequiredReason
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.fixture_selectors import fixtures_listed, table_detail, tables_listed
from arena.matches.leases import table_retry
from arena.matches.models import Fixture, Table
from arena.matches.reruns import table_rerun
from arena.matches.selectors import board_set_get, require_board_visible, table_get
from arena.roster.selectors import version_get
from arena.standings.selectors import fixture_detail


class FixtureView(ApiView):
    @extend_schema(responses=schema_of(FixtureDetail))
    def get(self, request: Request, fixture: str) -> HttpResponseBase:
        """Get a fixture.

        Includes its board scores once its boards are unsealed.
        """
        return self.respond(fixture_detail_out, fixture_detail(fixture, request.user))


class AdjudicateView(AccountView):
    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=AdjudicationIn, responses={201: schema_of(FixtureDetail)})
    def post(self, request: Request, fixture: str) -> Response:
        """Adjudicate a fixture.

        forfeit, draw, void, or lift to restore the result as played. An open fixture is done then, and its
        unfinished tables become void. Rounds that are already paired stay. In an elimination, the last
        fixture of a replayed match decides it: adjudicate the replay to decide the match. Adjudicating an
        earlier fixture changes the scores only.
        """
        data = validated_body(AdjudicationIn, request)
        instance = fixture_detail(fixture, request.user)
        tournament = instance.tournament
        with explain_conflicts(tournament, self.user), rollback_if_dry_run(self.is_dry_run):
            fixture_adjudicate(instance, self.user, data["kind"], data["entries"], data["reason"])
            if not self.is_dry_run:
                tournament_advance(tournament)
            return self.created(fixture_detail_out, fixture_detail(fixture, request.user), "fixture", fixture)


class TableDetailView(ApiView):
    @extend_schema(responses=schema_of(TableOut))
    def get(self, request: Request, table: str) -> HttpResponseBase:
        """Get a table.

        Its progress while it is played, its results once unsealed.
        """
        return self.respond(table_out, table_detail(table, request.user))


class TableActionView(ActionView):
    @extend_schema(responses={202: schema_of(TableOut)})
    def post(self, request: Request, table: str) -> Response:
        """Run the action, advance the tournament, and return the table; in a dry run, as it would be."""
        instance = table_get(table, request.user)
        tournament = instance.fixture.board_set.round.stage.tournament
        with explain_conflicts(tournament, self.user), rollback_if_dry_run(self.is_dry_run):
            self.service(instance, self.user, **validated_body(self.body, request))
            if not self.is_dry_run:
                tournament_advance(tournament)
            return self.created(table_out, table_detail(table, request.user), "table", table, status=202)


class TableRetryView(TableActionView):
    """Retry a quarantined table.

    It waits for a worker again.
    """

    service = staticmethod(table_retry)


class TableRerunView(TableActionView):
    """Play a finished table again.

    From the start, unless a later round already depends on it.
    """

    body = RequiredReason
    service = staticmethod(table_rerun)


class BoardView(ApiView):
    may_be_sealed = True
    parameters = ("first",)

    @extend_schema(responses=schema_of(BoardOut))
    def get(self, request: Request, board_set: str, number: int) -> HttpResponseBase:
        """Get the results of a board at all tables.

        Board scores, best first, and the result of every seat; 423 while sealed.
        """
        instance = board_set_get(board_set, request.user)
        require_board_visible(instance, number, request.user)

        def build(key: BoardContentKey) -> Response:
            return Response(rows_part(board_out(key, instance, number), "results", first_parameter(request)))

        tournament = instance.round.stage.tournament
        return cached_response_by_content(
            request, tournament, lambda key: board_content_key(key, instance, number), build
        )


class FixtureListView(ListView):
    """Fixtures of all visible tournaments, newest first."""

    write = staticmethod(fixture_out)
    filterset_class = AnyFixtureFilter

    def rows(self) -> QuerySet[Fixture]:
        return fixtures_listed(self.request.user)


class TableListView(ListView):
    """Tables of all visible tournaments, newest first."""

    write = staticmethod(table_row)
    filterset_class = TableFilter

    def rows(self) -> QuerySet[Table]:
        return tables_listed(self.request.user)


class VersionTableListView(TableListView):
    """Tables at which a version played, newest first."""

    def rows(self) -> QuerySet[Table]:
        """Of visible tournaments."""
        version = version_get(self.kwargs["version"], self.request.user)
        return tables_listed(self.request.user, version)
