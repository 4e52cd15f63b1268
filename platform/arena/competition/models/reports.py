"""Problem reports from entrants to the organiser of an event."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.competition.models.entries import Entry


class ProblemReport(models.Model):
    """A problem reported for an entry, and the organiser's answer, which closes the report."""

    MAX_LENGTH = 2000

    public_id = public_id_field()
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="problem_reports")
    reporter = models.ForeignKey(User, on_delete=models.PROTECT, related_name="problem_reports")
    text = models.TextField(max_length=MAX_LENGTH)
    created_at = models.DateTimeField(auto_now_add=True)
    answer = models.TextField(max_length=MAX_LENGTH, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.PROTECT, related_name="problem_reports_closed"
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["entry"], condition=Q(closed_at__isnull=True), name="problem_report_open_unique"
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, closed_by__isnull=True, answer="")
                | (Q(closed_at__isnull=False, closed_by__isnull=False) & ~Q(answer="")),
                name="problem_report_answer_check",
            ),
        ]

    def __str__(self) -> str:
        return f"report {self.public_id} of {self.entry}"
