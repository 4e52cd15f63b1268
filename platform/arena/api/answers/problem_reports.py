"""Responses: reports of problems."""

from __future__ import annotations

import datetime
from typing import TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.competition.models import ProblemReport


class ProblemReportOut(TypedDict):
    """A problem reported by an entrant; open until it is answered."""

    id: str
    entry: str
    reporter: str
    text: str
    created_at: datetime.datetime
    answer: str
    closed_at: datetime.datetime | None
    closed_by: str | None


def problem_report_out(report: ProblemReport, _: Request) -> ProblemReportOut:
    return build_shape(
        ProblemReportOut,
        report,
        entry=report.entry.public_id,
        reporter=report.reporter.username,
        closed_by=report.closed_by.username if report.closed_by else None,
    )
