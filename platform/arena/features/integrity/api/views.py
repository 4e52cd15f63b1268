"""Reports on results that do not fit, for staff and organisers, and rulings on pairs."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.base.dry_runs import rehearsed
from arena.api.base.filters import Filters, FlagFilter, IdFilter
from arena.api.base.problems import explain_conflicts
from arena.api.base.serializers import checked
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, Listing
from arena.api.serializers.matches import Because
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
from arena.features.ratings.models import LeftOutPair
from arena.features.ratings.selectors import list_get
from arena.features.ratings.tasks import ratings_request
from arena.jobs.flow import tournament_advance


class ReportFilter(Filters):
    """Filters of reports."""

    list = IdFilter("list__public_id", help_text="On this list of ratings.")
    tournament = IdFilter("tournament__public_id", help_text="On this event.")
    flagged = FlagFilter(method="filter_flagged", help_text="true: those in which something stands out.")

    def filter_flagged(self, rows: QuerySet[Report], name: str, wanted: bool) -> QuerySet[Report]:
        """The filter by findings."""
        return reports_flagged(rows, is_flagged=wanted)


class Reports(AccountView, Listing):
    """Reports, the latest first."""

    write = staticmethod(report_row)
    filterset_class = ReportFilter
    page_ordering = ("-made_at", "-id")

    def rows(self) -> QuerySet[Report]:
        """Staff get all of them, organisers those of their own events."""
        return reports_visible_to(self.user)


class ListReport(AccountView):
    """The report on a list."""

    @extend_schema(responses=schema_of(ReportDetail))
    def get(self, request: Request, list: str) -> Response:
        """Show what stands out in a list of ratings.

        For staff. Nothing follows from it by itself: it names boards to look at.
        """
        found = list_get(list)
        report = report_of_list(found, self.user)
        return self.answer(report_detail, ReportWithRulings(report, pairs.rulings_on(found)))


class EventReport(AccountView):
    """The report on an event."""

    @extend_schema(responses=schema_of(ReportDetail))
    def get(self, request: Request, tournament: str) -> Response:
        """Show what stands out in an event.

        For its organiser and staff. Of its closed board sets alone.
        """
        found = tournament_get(tournament, self.user)
        report = report_of_event(found, self.user)
        return self.answer(report_detail, ReportWithRulings(report, pair_rulings(found)))


class PublicRulings(Listing):
    """The pairs left out of a list of ratings."""

    is_same_for_all = True
    write = staticmethod(pair_ruling_out)
    page_ordering = "-id"

    def rows(self) -> QuerySet[LeftOutPair]:
        """The latest first, with who decided it and why; lifted ones too."""
        return pairs.rulings_on(list_get(self.kwargs["list"]))


class EventRulings(AccountView):
    """A ruling on a pair of an event."""

    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=EntryPairIn, responses={201: schema_of(PairRulingOut)})
    def post(self, request: Request, tournament: str) -> Response:
        """Rule that the fixtures of two entries are void.

        All that rounds have drawn so far, but for those ruled on before; an adjudication each.
        """
        wanted = checked(EntryPairIn, request)
        found = tournament_get(tournament, self.user)
        with explain_conflicts(found, self.user), rehearsed(self.is_dry_run):
            made = pair_void(found, self.user, wanted["entries"], wanted["reason"])
            ruling = pair_ruling_get(found, made.public_id)
            if not self.is_dry_run:
                tournament_advance(found)
            return self.made(pair_ruling_out, ruling, "integrity-event", tournament)


class EventRulingLift(AccountView):
    """The lifting of a ruling on a pair of an event."""

    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=Because, responses=schema_of(PairRulingOut))
    def post(self, request: Request, tournament: str, ruling: str) -> Response:
        """Lift a ruling on a pair of an event.

        Its fixtures count as played, but for those ruled on since or not played to their end.
        """
        wanted = checked(Because, request)
        found = tournament_get(tournament, self.user)
        require_organiser(self.user, found)
        held = pair_ruling_get(found, ruling)
        with explain_conflicts(found, self.user), rehearsed(self.is_dry_run):
            pair_lift(held, self.user, wanted["reason"])
            if not self.is_dry_run:
                tournament_advance(found)
            return self.answer(pair_ruling_out, pair_ruling_get(found, ruling))


class ListRulings(AccountView):
    """A ruling on a pair of a list."""

    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=VersionPairIn, responses={201: schema_of(PairRulingOut)})
    def post(self, request: Request, list: str) -> Response:
        """Leave the fixtures of two versions out of a list of ratings.

        For staff. Events keep their results; the list is made again without these fixtures.
        """
        wanted = checked(VersionPairIn, request)
        found = list_get(list)
        with rehearsed(self.is_dry_run):
            made = pairs.pair_leave_out(found, self.user, wanted["versions"], wanted["reason"])
            ruling = pairs.ruling_get(found, made.public_id)
            if not self.is_dry_run:
                ratings_request()
            return self.made(pair_ruling_out, ruling, "rating-list-rulings", list)


class ListRulingLift(AccountView):
    """The lifting of a ruling on a pair of a list."""

    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=Because, responses=schema_of(PairRulingOut))
    def post(self, request: Request, list: str, ruling: str) -> Response:
        """Let the fixtures of a pair count in a list of ratings again.

        For staff.
        """
        wanted = checked(Because, request)
        found = list_get(list)
        pairs.require_staff(self.user)
        held = pairs.ruling_get(found, ruling)
        with rehearsed(self.is_dry_run):
            pairs.pair_lift(held, self.user, wanted["reason"])
            if not self.is_dry_run:
                ratings_request()
            return self.answer(pair_ruling_out, pairs.ruling_get(found, ruling))
