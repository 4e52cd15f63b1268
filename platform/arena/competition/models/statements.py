"""What an event has published about itself: its statements, the labels they hold, the site's keys."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.db.models import Case, Q, Value, When

from arena.competition.models.tournaments import Tournament


class ImmutableQuerySet(models.QuerySet[Any]):
    """Rows that are made once and stay as they are."""

    def update(self, **changes: Any) -> NoReturn:
        """Never."""
        raise ValueError(f"a {self.model._meta.verbose_name} never changes")

    def delete(self) -> NoReturn:
        """Never."""
        raise ValueError(f"a {self.model._meta.verbose_name} is never deleted")


class SigningKey(models.Model):
    """An Ed25519 key of the site. The private half is kept beside the secrets of the events."""

    number = models.PositiveIntegerField(unique=True)
    """From 1; a new one for each rotation."""
    name = models.CharField(max_length=16, unique=True)
    """First 16 hex digits of the SHA-256 of the public half."""
    public = models.BinaryField(max_length=32, editable=False)
    private = models.BinaryField(max_length=32, editable=False)
    """Shown nowhere: whoever has it can sign as this site."""
    from_at = models.DateTimeField()
    """Since when it signs."""
    until = models.DateTimeField(null=True)
    """Until when it signed; null while it does."""

    class Meta:
        ordering = ["-number"]
        constraints = [
            # Every current key has the same value in this index, every retired one none.
            models.UniqueConstraint(
                Case(When(until__isnull=True, then=Value(1))), name="signing_key_current_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Label(models.Model):
    """A name in the statements of one event, as salted hash; text and salt go when a person's name must."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="labels")
    subject = models.CharField(max_length=40)
    """Whose name: ``event``, ``player/<key>`` or ``bot/<key>``."""
    hash = models.CharField(max_length=64)
    """``league.statements.label_hash`` of salt and text."""
    salt = models.CharField(max_length=32, blank=True)
    """32 hex digits; empty once they are deleted."""
    text = models.CharField(max_length=200, blank=True)
    """The name as it was when it was bound; empty once it is deleted."""

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "subject"], name="label_once"),
            models.CheckConstraint(
                condition=Q(salt="", text="") | (~Q(salt="") & ~Q(text="")), name="label_whole_or_deleted"
            ),
        ]
        indexes = [models.Index(fields=["subject"], name="label_by_subject")]

    def __str__(self) -> str:
        return self.subject


class Statement(models.Model):
    """Something an event bound itself to, signed. Never changed, never deleted."""

    class Kind(models.TextChoices):
        """In the order in which they are made; an event ends with one of the last two."""

        REGISTERED = "registered", "settings and stages, as registration opened"
        LOCKED = "locked", "the entries that play"
        FINAL = "final", "everything, as it ended"
        CANCELLED = "cancelled", "everything, as it was cancelled"

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="statements")
    number = models.PositiveSmallIntegerField()
    """From 1, in the order in which they were made."""
    kind = models.CharField(max_length=10, choices=Kind.choices)
    body = models.TextField()
    """In its canonical form."""
    digest = models.CharField(max_length=64)
    """SHA-256 of the body."""
    key = models.ForeignKey(SigningKey, on_delete=models.PROTECT, related_name="statements")
    signature = models.CharField(max_length=128)
    """128 hex digits."""
    at = models.DateTimeField()

    objects = ImmutableQuerySet.as_manager()

    class Meta:
        ordering = ["tournament", "number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="statement_number_once"),
            models.UniqueConstraint(fields=["tournament", "kind"], name="statement_kind_once"),
            models.UniqueConstraint(
                fields=["tournament"],
                condition=Q(kind__in=("final", "cancelled")),
                name="statement_ending_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.tournament}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store it; raises ValueError if it is stored already."""
        if not self._state.adding:
            raise ValueError("a statement never changes")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Never."""
        raise ValueError("a statement is never deleted")
