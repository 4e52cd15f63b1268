"""Models: events imported from the exports of other sites, and their rounds."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.common.models import StateReasonMixin

MAX_NAME_CHARACTERS = 200


class ImportedEvent(StateReasonMixin):
    """An event of another site. Nothing of this site counts it: no rating, ranking, player or bot."""

    class State(models.TextChoices):
        CHECKING = "checking"
        VERIFIED = "verified"
        REFUSED = "refused"
        """Its archive is not stored."""

    public_id = public_id_field()
    state = models.CharField(max_length=10, choices=State.choices, default=State.CHECKING)
    name = models.CharField(max_length=MAX_NAME_CHARACTERS)
    origin = models.URLField(blank=True)
    """Address of its site, as stated by the account that imported it."""
    origin_id = models.CharField(max_length=MAX_NAME_CHARACTERS)
    """Public id on its site, as the archive states it."""
    sha256 = models.CharField(max_length=64)
    """Hash of the archive as received, which is a blob unless the import was refused."""
    size = models.PositiveBigIntegerField()
    keys = models.JSONField(default=dict, blank=True)
    """Public keys of its site by id, in hex, as given with the archive."""
    commitments = models.JSONField(default=list, blank=True)
    """Digests published by its site before the import, in hex, as given with the archive."""
    imported_by = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="imported_events"
    )
    """None if a command imported it, or the account was deleted."""
    imported_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    """When the running verification began; null if none runs."""
    attempts = models.PositiveSmallIntegerField(default=0)
    verified_at = models.DateTimeField(null=True, blank=True)
    findings = models.JSONField(default=list, blank=True)
    """The first disagreements of a refused import, in English, one sentence each."""
    summary = models.JSONField(default=dict, blank=True)
    """``arena.features.imports.summary.Summary`` of a verified import."""

    class Meta:
        ordering = ["-id"]
        verbose_name = "imported event"
        constraints = [
            models.UniqueConstraint(
                fields=["sha256"], condition=~Q(state="refused"), name="imported_archive_unique"
            )
        ]
        indexes = [
            models.Index(fields=["imported_at"], condition=~Q(state="verified"), name="import_open_idx")
        ]

    def __str__(self) -> str:
        return f"import {self.public_id}"


class ImportedRound(models.Model):
    event = models.ForeignKey(ImportedEvent, on_delete=models.CASCADE, related_name="rounds")
    stage = models.PositiveSmallIntegerField()
    number = models.PositiveIntegerField()
    boards = models.PositiveIntegerField()
    fixtures = models.JSONField()
    """``arena.features.imports.summary.FixtureRow`` of each fixture."""

    class Meta:
        ordering = ["stage", "number"]
        constraints = [
            models.UniqueConstraint(fields=["event", "stage", "number"], name="imported_round_unique")
        ]

    def __str__(self) -> str:
        return f"round {self.number} of stage {self.stage} of {self.event_id}"
