"""API views of integrity reports, for staff and organisers, and of rulings on pairs."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.base.dry_runs import rollback_if_dry_run
from arena.api.base.filters import FlagFilter, IdFilter, ListFilters
from arena.api.base.problems import explain_conflicts
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ListView
from arena.api.serializers.matches import RequiredReason
from arena.competition.selectors import require_organiser, tournament_get
from arena.features.integrity.api.answers import (
    PairRulingOut,
    ReportDetail,
    ReportWithRulings,
    pair_ruling_out,
    report_detail,
    report_row,
)
from arena.features.integrity.api.serializers import EntryPairIn, VersionPairIn
from arena.features.integrity.models import Report
from arena.features.integrity.rulings import pair_lift, pair_ruling_get, pair_rulings, pair_void
from arena.features.integrity.selectors import (
    report_of_event,
    report_of_list,
    reports_flagged,
    reports_visible_to,
)
from arena.features.ratings import pairs
from arena.features.ratings.models import ExcludedPair
from arena.features.ratings.selectors import list_get
from arena.features.ratings.tasks import ratings_request
from arena.jobs.flow import tournament_advance


class ReportFilter(ListFilters):
    list = IdFilter("list__public_id", help_text="Id of the rating list.")
    tournament = IdFilter("tournament__public_id", help_text="Id of the tournament.")
    has_findings = FlagFilter(method="filter_flagged", help_text="true: only reports with findings.")

    def filter_flagged(self, rows: QuerySet[Report], name: str, is_flagged: bool) -> QuerySet[Report]:
        return reports_flagged(rows, is_flagged=is_flagged)


class Reports(AccountView, ListView):
    """Reports, newest first."""

    write = staticmethod(report_row)
    filterset_class = ReportFilter
    page_ordering = ("-computed_at", "-id")

    def rows(self) -> QuerySet[Report]:
        """Staff get all reports, organisers the reports on their own events."""
        return reports_visible_to(self.user)


class ListReport(AccountView):
    @extend_schema(responses=schema_of(ReportDetail))
    def get(self, request: Request, list: str) -> Response:
        """Show the report on a rating list.

        For staff. A report has no consequences by itself: it names boards to inspect.
        """
        rating_list = list_get(list)
        report = report_of_list(rating_list, self.user)
        return self.respond(report_detail, ReportWithRulings(report, pairs.rulings_on(rating_list)))


class EventReport(AccountView):
    @extend_schema(responses=schema_of(ReportDetail))
    def get(self, request: Request, tournament: str) -> Response:
        """Show the report on an event.

        For its organiser and staff. Based only on the event's closed board sets.
        """
        event = tournament_get(tournament, self.user)
        report = report_of_event(event, self.user)
        return self.respond(report_detail, ReportWithRulings(report, pair_rulings(event)))


class PublicRulings(ListView):
    """The pairs excluded from a rating list."""

    is_same_for_everyone = True
    write = staticmethod(pair_ruling_out)
    page_ordering = "-id"

    def rows(self) -> QuerySet[ExcludedPair]:
        """Newest first, with actor and reason; includes lifted rulings."""
        return pairs.rulings_on(list_get(self.kwargs["list"]))


class EventRulings(AccountView):
    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=EntryPairIn, responses={201: schema_of(PairRulingOut)})
    def post(self, request: Request, tournament: str) -> Response:
        """Void the fixtures of two entries.

        Covers all fixtures drawn so far, except those with an earlier ruling; creates one adjudication
        per fixture.
        """
        data = validated_body(EntryPairIn, request)
        event = tournament_get(tournament, self.user)
        with explain_conflicts(event, self.user), rollback_if_dry_run(self.is_dry_run):
            created = pair_void(event, self.user, data["entries"], data["reason"])
            ruling = pair_ruling_get(event, created.public_id)
            if not self.is_dry_run:
                tournament_advance(event)
            return self.created(pair_ruling_out, ruling, "integrity-event", tournament)


class EventRulingLift(AccountView):
    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=RequiredReason, responses=schema_of(PairRulingOut))
    def post(self, request: Request, tournament: str, ruling: str) -> Response:
        """Lift a ruling on a pair of an event.

        Its fixtures count as played, except those with a later ruling or unfinished tables.
        """
        data = validated_body(RequiredReason, request)
        event = tournament_get(tournament, self.user)
        require_organiser(self.user, event)
        pair_ruling = pair_ruling_get(event, ruling)
        with explain_conflicts(event, self.user), rollback_if_dry_run(self.is_dry_run):
            pair_lift(pair_ruling, self.user, data["reason"])
            if not self.is_dry_run:
                tournament_advance(event)
            return self.respond(pair_ruling_out, pair_ruling_get(event, ruling))


class ListRulings(AccountView):
    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=VersionPairIn, responses={201: schema_of(PairRulingOut)})
    def post(self, request: Request, list: str) -> Response:
        """Exclude the fixtures of two versions from a rating list.

        For staff. Events keep their results; the list is recomputed without these fixtures.
        """
        data = validated_body(VersionPairIn, request)
        rating_list = list_get(list)
        with rollback_if_dry_run(self.is_dry_run):
            created = pairs.pair_leave_out(rating_list, self.user, data["versions"], data["reason"])
            ruling = pairs.ruling_get(rating_list, created.public_id)
            if not self.is_dry_run:
                ratings_request()
            return self.created(pair_ruling_out, ruling, "rating-list-rulings", list)


class ListRulingLift(AccountView):
    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=RequiredReason, responses=schema_of(PairRulingOut))
    def post(self, request: Request, list: str, ruling: str) -> Response:
        """Include the fixtures of a pair in a rating list again.

        For staff.
        """
        data = validated_body(RequiredReason, request)
        rating_list = list_get(list)
        pairs.require_staff(self.user)
        pair_ruling = pairs.ruling_get(rating_list, ruling)
        with rollback_if_dry_run(self.is_dry_run):
            pairs.pair_lift(pair_ruling, self.user, data["reason"])
            if not self.is_dry_run:
                ratings_request()
            return self.respond(pair_ruling_out, pairs.ruling_get(rating_list, ruling))
