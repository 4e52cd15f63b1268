"""Page of a tournament's problem reports: entrants create them, organisers answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from arena.accounts.models import User
from arena.competition.models import Entry, ProblemReport, Tournament
from arena.competition.problem_reports import (
    entries_to_report_for,
    report_close,
    report_get,
    report_open,
    reports_visible_to,
)
from arena.competition.selectors import entry_get, may_organise, tournament_get
from arena.web.base.access import (
    account_page,
    collect_service_errors,
    render_form,
    set_choices,
    submitted_data,
)
from arena.web.base.bidi import isolated
from arena.web.base.labels import EntryLabel, entry_label

MAX_REPORTS = 100
"""Maximum reports on the page, latest first."""
REPORTED = _("The organiser has been notified. You will get a notice with the answer.")
ANSWERED = _("The report is closed, and the entrant has been notified.")


class ReportForm(forms.Form):
    entry = forms.ChoiceField(label=_("Your entry"))
    text = forms.CharField(
        label=_("Problem"),
        max_length=ProblemReport.MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_(
            "Name the round, fixture or board. You, your partner, the organiser and staff can read this."
        ),
    )

    def __init__(self, data: QueryDict | None, entries: Sequence[Entry]) -> None:
        super().__init__(data)
        set_choices(self, "entry", [(row.public_id, isolated(row.bot_name)) for row in entries])


class AnswerForm(forms.Form):
    answer = forms.CharField(
        label=_("Answer"),
        max_length=ProblemReport.MAX_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Your decision and the reason. Answering closes the report."),
    )


class ReportLine(NamedTuple):
    report: ProblemReport
    entry: EntryLabel
    form: AnswerForm | None
    """None for viewers who may not answer."""


@account_page()
def event_reports(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    event = tournament_get(public_id, user)
    entries = entries_to_report_for(event, user)
    form = ReportForm(submitted_data(request), entries)
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            entry = entry_get(event, form.cleaned_data["entry"])
            report_open(entry, user, form.cleaned_data["text"])
            messages.success(request, REPORTED)
            return redirect("web:event-reports", public_id=public_id)
    return _page(request, user, event, form)


@account_page()
def report_answer(request: HttpRequest, user: User, public_id: str, report: str) -> HttpResponseBase:
    """Answer a report; GET renders the list of all reports."""
    event = tournament_get(public_id, user)
    report_row = report_get(event, report, user)
    form = AnswerForm(submitted_data(request), prefix=None, auto_id=f"id_{report_row.public_id}_%s")
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            report_close(report_row, user, form.cleaned_data["answer"])
            messages.success(request, ANSWERED)
            return redirect("web:event-reports", public_id=public_id)
    return _page(request, user, event, form, answered=report_row)


def _page(
    request: HttpRequest,
    user: User,
    event: Tournament,
    form: forms.Form,
    answered: ProblemReport | None = None,
) -> HttpResponseBase:
    entries = entries_to_report_for(event, user)
    may_answer = may_organise(user, event)
    lines = []
    for report in reports_visible_to(event, user)[:MAX_REPORTS]:
        answer: Any = None
        if may_answer and report.closed_at is None:
            is_sent = answered is not None and answered.pk == report.pk
            answer = form if is_sent else AnswerForm(auto_id=f"id_{report.public_id}_%s")
        lines.append(ReportLine(report, entry_label(report.entry), answer))
    context = {
        "nav": "tournament",
        "event": event,
        "lines": lines,
        "form": form,
        "report_form": form if isinstance(form, ReportForm) else ReportForm(None, entries),
        "may_report": bool(entries),
    }
    return render_form(request, "web/event_reports.html", context)
