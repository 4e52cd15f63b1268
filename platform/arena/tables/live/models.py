"""Abstract model of a table outside of events: its row is authoritative, a service runs it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone

from arena.common.ids import public_id_field
from engine.game import BoardKind


class LiveTable(models.Model):
    """A table whose deals come from its own secret, and whose past is stored action by action.

    A service claims it; if the service dies, another one starts its bots again and continues.
    """

    KIND: ClassVar[str]
    """Word for the kind of table in its order and in the derivation of its key."""
    OPEN_SEAT_SHA256: ClassVar[str]
    """Placeholder in records for the bundle of a seat without a sandboxed bot."""

    public_id = public_id_field()
    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    ruleset = models.JSONField()
    seats = models.JSONField()
    """One per seat: ``{"seat", "label", "strength", "version"}``; the last two are null without a sandboxed
    bot.
    """
    first_board = models.PositiveSmallIntegerField(default=1)
    secret = models.BinaryField(max_length=32, editable=False)
    """Determines all deals; confidential until the end."""
    commitment = models.CharField(max_length=64)
    seed_id = models.CharField(max_length=16)
    """Public id used to derive the seeds: of this table, or of the table whose cards are dealt again."""
    bundles = models.JSONField()
    """SHA-256 of the bundles whose digest is used to derive the seeds."""
    actions = models.JSONField(default=list)
    """All actions in order: ``[[seat, action], ...]``."""
    length = models.PositiveIntegerField(default=0)
    substituted = models.JSONField(default=list)
    """Actions that the referee chose for a seat: ``[[n, verdict], ...]``, n from 0."""
    claimed_by = models.CharField(max_length=80, blank=True)
    """Claim of the service that runs the table; empty without one."""
    claimed_until = models.DateTimeField(null=True, blank=True)
    """Expiry of the claim; null: the table can be claimed at once."""
    failures = models.PositiveSmallIntegerField(default=0)
    """Failed runs since the last progress."""
    cpu_ms = models.PositiveBigIntegerField(default=0)
    """CPU time of all sandboxed bots, including the field."""
    result = models.JSONField(null=True, blank=True)
    """After the end: ``{"boards": [{"number", "stones": {"1": 2, ...}}], "substituted": [n, ...]}``."""
    record_sha256 = models.CharField(max_length=64, blank=True)
    view_sha256 = models.CharField(max_length=64, blank=True)
    failure_reason = models.CharField(max_length=500, blank=True)
    """Reason for the failure, for its players; empty unless failed."""
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def row(self) -> LiveTable:
        """The table itself, for code that also takes its view from one seat."""
        return self

    @property
    def board_kind(self) -> BoardKind:
        return "deal"

    @property
    def board_count(self) -> int:
        return 1
