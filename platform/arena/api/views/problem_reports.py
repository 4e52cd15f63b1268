"""Endpoints: reports of problems, which entrants write and organisers answer."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from arena.accounts.models import ApiToken
from arena.api.answers.problem_reports import ProblemReportOut, problem_report_out
from arena.api.base.dry_runs import rollback_if_dry_run
from arena.api.base.problems import explain_conflicts
from arena.api.base.serializers import validated_body
from arena.api.base.shapes import schema_of
from arena.api.base.views import AccountView, ListView
from arena.api.serializers.problem_reports import ProblemReportIn, ReportAnswerIn
from arena.competition.models import ProblemReport
from arena.competition.problem_reports import report_close, report_get, report_open, reports_visible_to
from arena.competition.selectors import entry_get, tournament_get


class ProblemReportListView(AccountView, ListView):
    """Reports of problems in a tournament."""

    write = staticmethod(problem_report_out)
    write_parameters = ("dry_run",)
    page_ordering = "-id"

    def rows(self) -> QuerySet[ProblemReport]:
        """Newest first. The organiser and staff get all, others those of their own entries."""
        return reports_visible_to(tournament_get(self.kwargs["tournament"], self.user), self.user)

    @extend_schema(request=ProblemReportIn, responses={201: schema_of(ProblemReportOut)})
    def post(self, request: Request, tournament: str) -> Response:
        """Report a problem to the organiser.

        For an entry of yours, while the tournament is running, paused or provisional. An entry can have
        one open report.
        """
        data = validated_body(ProblemReportIn, request)
        instance = tournament_get(tournament, self.user)
        entry = entry_get(instance, data["entry"])
        with explain_conflicts(instance, self.user), rollback_if_dry_run(self.is_dry_run):
            report = report_open(entry, self.user, data["text"])
            return self.created(problem_report_out, report, "problem-reports", tournament)


class ProblemReportCloseView(AccountView):
    write_scope = ApiToken.Scope.ORGANISE
    write_parameters = ("dry_run",)

    @extend_schema(request=ReportAnswerIn, responses=schema_of(ProblemReportOut))
    def post(self, request: Request, tournament: str, report: str) -> Response:
        """Answer and close a report of a problem.

        For the organiser and staff.
        """
        data = validated_body(ReportAnswerIn, request)
        instance = tournament_get(tournament, self.user)
        closed = report_get(instance, report, self.user)
        with explain_conflicts(instance, self.user), rollback_if_dry_run(self.is_dry_run):
            report_close(closed, self.user, data["answer"])
            return self.respond(problem_report_out, closed)
