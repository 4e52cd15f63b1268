"""Request bodies: reports of problems."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import RequestBody
from arena.competition.models import ProblemReport


class ProblemReportIn(RequestBody):
    """A problem to report, and the entry that it concerns."""

    entry = serializers.CharField(max_length=16, help_text="An entry of yours.")
    text = serializers.CharField(max_length=ProblemReport.MAX_LENGTH, trim_whitespace=False)


class ReportAnswerIn(RequestBody):
    """The answer that closes a report."""

    answer = serializers.CharField(max_length=ProblemReport.MAX_LENGTH, trim_whitespace=False)
