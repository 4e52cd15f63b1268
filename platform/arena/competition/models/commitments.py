"""The published queue of commitments, which supplies secrets to events whose field is known at creation."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.db.models import F, Q

from arena.common.models import ReasonMixin
from arena.competition.models.statements import SigningKey
from arena.competition.models.tournaments import Tournament, new_secret


class Commitment(ReasonMixin):
    """A secret whose digest was published under a number before its use was known."""

    class State(models.TextChoices):
        """posted -> taken -> revealed; a burned commitment goes from posted to revealed."""

        POSTED = "posted", "published and free"
        TAKEN = "taken", "deals follow from it"
        REVEALED = "revealed", "its secret is published"

    number = models.PositiveBigIntegerField(unique=True)
    """From 1, without gaps; the lowest free one is taken next."""
    secret = models.BinaryField(max_length=32, default=new_secret, editable=False)
    """Never shown before ``revealed_at``."""
    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of the secret in hex."""
    key = models.ForeignKey(SigningKey, on_delete=models.PROTECT, related_name="commitments")
    signature = models.CharField(max_length=128)
    """Signature of number, digest and ``posted_at`` by the site's key; 128 hex digits."""
    posted_at = models.DateTimeField()
    taken_at = models.DateTimeField(null=True)
    """Equal to ``posted_at`` if the queue was empty and the commitment was posted for its taker."""
    tournament = models.OneToOneField(
        Tournament, null=True, on_delete=models.PROTECT, related_name="queued_commitment"
    )
    revealed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.CheckConstraint(condition=Q(number__gte=1), name="commitment_number_check"),
            models.CheckConstraint(
                condition=Q(taken_at__isnull=True, tournament__isnull=True)
                | Q(taken_at__isnull=False, tournament__isnull=False),
                name="commitment_tournament_check",
            ),
            models.CheckConstraint(
                condition=Q(taken_at__isnull=True) | Q(taken_at__gte=F("posted_at")),
                name="commitment_posted_at_check",
            ),
            models.CheckConstraint(
                condition=Q(note={}) | Q(revealed_at__isnull=False), name="commitment_note_check"
            ),
            models.CheckConstraint(
                condition=Q(revealed_at__isnull=True) | Q(taken_at__isnull=False) | ~Q(note={}),
                name="commitment_unused_note_check",
            ),
        ]
        indexes = [
            models.Index(
                fields=["number"],
                condition=Q(taken_at__isnull=True, revealed_at__isnull=True),
                name="commitment_free_idx",
            ),
        ]

    def __str__(self) -> str:
        return f"commitment {self.number}"

    @property
    def public_id(self) -> str:
        return str(self.number)

    @property
    def state(self) -> str:
        if self.revealed_at is not None:
            return self.State.REVEALED
        return self.State.POSTED if self.taken_at is None else self.State.TAKEN

    @property
    def posted_ahead(self) -> bool | None:
        """Whether it was posted before its tournament was created; None while it is not taken."""
        return None if self.taken_at is None else self.posted_at < self.taken_at

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("a commitment is never deleted")
