"""Reports of problems and their answers."""

from __future__ import annotations

from rest_framework import serializers

from arena.api.base.serializers import Body, PublicId, RowOut
from arena.competition.models import ProblemReport


class ProblemReportIn(Body):
    """A problem to report, and the entry it concerns."""

    entry = serializers.CharField(max_length=16, help_text="One's own.")
    text = serializers.CharField(max_length=ProblemReport.MOST_CHARACTERS, trim_whitespace=False)


class ReportAnswerIn(Body):
    """The answer that closes a report."""

    answer = serializers.CharField(max_length=ProblemReport.MOST_CHARACTERS, trim_whitespace=False)


class ProblemReportOut(RowOut[ProblemReport]):
    """A problem that an entrant reported; open until it is answered."""

    id = PublicId()
    entry = serializers.CharField(source="entry.public_id", read_only=True)
    reporter = serializers.CharField(source="reporter.username", read_only=True)
    closed_by = serializers.CharField(
        source="closed_by.username", read_only=True, allow_null=True, default=None
    )

    class Meta:
        model = ProblemReport
        fields = ("id", "entry", "reporter", "text", "created_at", "answer", "closed_at", "closed_by")
