"""Published statements of an event, the labels in them, and the site's signing keys."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.db.models import Case, Q, Value, When

from arena.competition.models.tournaments import Tournament


class ImmutableQuerySet(models.QuerySet[Any]):
    def update(self, **changes: Any) -> NoReturn:
        raise ValueError(f"a {self.model._meta.verbose_name} never changes")

    def delete(self) -> NoReturn:
        raise ValueError(f"a {self.model._meta.verbose_name} is never deleted")


class SigningKey(models.Model):
    """An Ed25519 key of the site. The private half is stored in the database, like the secrets of events."""

    number = models.PositiveIntegerField(unique=True)
    """From 1; each rotation adds one."""
    name = models.CharField(max_length=16, unique=True)
    """First 16 hex digits of the SHA-256 of the public half."""
    public = models.BinaryField(max_length=32, editable=False)
    private = models.BinaryField(max_length=32, editable=False)
    """Never shown: it allows anyone to sign as this site."""
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-number"]
        constraints = [
            # In this index all current keys have the same value, and retired keys have NULL.
            models.UniqueConstraint(
                Case(When(valid_until__isnull=True, then=Value(1))), name="signing_key_current_unique"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Label(models.Model):
    """A name in the statements of an event, as a salted hash. Text and salt are deleted on request."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="labels")
    subject = models.CharField(max_length=40)
    """Subject of the name: ``event``, ``player/<key>`` or ``bot/<key>``."""
    hash = models.CharField(max_length=64)
    """``league.statements.label_hash`` of salt and text."""
    salt = models.CharField(max_length=32, blank=True)
    """32 hex digits; empty once deleted."""
    text = models.CharField(max_length=200, blank=True)
    """The name when it was bound; empty once deleted."""

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "subject"], name="label_subject_unique"),
            models.CheckConstraint(
                condition=Q(salt="", text="") | (~Q(salt="") & ~Q(text="")), name="label_salt_text_check"
            ),
        ]
        indexes = [models.Index(fields=["subject"], name="label_subject_idx")]

    def __str__(self) -> str:
        return self.subject


class Statement(models.Model):
    """A signed statement of an event. Never changed or deleted."""

    class Kind(models.TextChoices):
        """In order of publication; an event ends with one of the last two."""

        OPENED = "opened", "settings and stages when entry opened"
        LOCKED = "locked", "the entries that play"
        FINAL = "final", "all results, at the end"
        CANCELLED = "cancelled", "everything played, at the cancellation"

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="statements")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    body = models.TextField()
    digest = models.CharField(max_length=64)
    key = models.ForeignKey(SigningKey, on_delete=models.PROTECT, related_name="statements")
    signature = models.CharField(max_length=128)
    published_at = models.DateTimeField()

    objects = ImmutableQuerySet.as_manager()

    class Meta:
        ordering = ["tournament", "number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="statement_number_unique"),
            models.UniqueConstraint(fields=["tournament", "kind"], name="statement_kind_unique"),
            models.UniqueConstraint(
                fields=["tournament"],
                condition=Q(kind__in=("final", "cancelled")),
                name="statement_ending_unique",
            ),
        ]
        indexes = [models.Index(fields=["-published_at", "-id"], name="statement_published_idx")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.tournament}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the statement. Raises ValueError if it is stored already."""
        if not self._state.adding:
            raise ValueError("a statement never changes")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("a statement is never deleted")
