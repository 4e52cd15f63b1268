"""Models: remote bots, their versions with the state of their connection, tables, and seats at tables."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils import timezone

from arena.common.ids import public_id_field
from arena.common.names import KEY_CHARACTERS
from arena.roster.models import Player
from arena.tables.live.models import LiveTable

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


REMOTE_SHA256 = hashlib.sha256(b"rensho-remote/1").hexdigest()
"""Placeholder in records for the bundle of a remote seat."""


class RemoteBot(models.Model):
    """A bot without a bundle. It is not a ``roster.Bot``, so it cannot enter events."""

    public_id = public_id_field()
    owner = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="remote_bots")
    name = models.CharField(max_length=60)
    name_key = models.CharField(max_length=KEY_CHARACTERS, editable=False)
    """``name_folded`` of the name."""
    game = models.CharField(max_length=20)
    created_at = models.DateTimeField(default=timezone.now)
    paused_at = models.DateTimeField(null=True, blank=True)
    """When the site stopped to give it tables, because it disconnected often; null unless paused."""
    pause_note = models.JSONField(default=dict, blank=True)
    """``arena.common.notes.Note``: why it is paused."""
    unpaused_at = models.DateTimeField(null=True, blank=True)
    """When its owner last unpaused it; disconnections at earlier tables do not count any more."""
    retired_at = models.DateTimeField(null=True, blank=True)
    """When its owner withdrew it; null while it may play."""

    class Meta:
        ordering = ["-id"]
        verbose_name = "remote bot"
        constraints = [
            models.UniqueConstraint(fields=["owner", "name_key"], name="remote_bot_name_key_unique")
        ]

    def __str__(self) -> str:
        return self.name


class RemoteVersion(models.Model):
    """A version that its author declares; the site cannot know what program answers for it."""

    public_id = public_id_field()
    bot = models.ForeignKey(RemoteBot, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=60, blank=True)
    """The author's name of the version."""
    created_at = models.DateTimeField(default=timezone.now)

    generation = models.PositiveIntegerField(default=0)
    """Number of streams so far; the stream with this number is the valid one."""
    connected_at = models.DateTimeField(null=True, blank=True)
    """Start of the last stream; null without one."""
    attended_at = models.DateTimeField(null=True, blank=True)
    """When a web process last held its stream. Stale, without ``disconnected_at``: the web process died."""
    disconnected_at = models.DateTimeField(null=True, blank=True)
    """When its client closed the last stream; null while it is open, or if its web process died."""
    alive_at = models.DateTimeField(null=True, blank=True)
    """When its client last said that it is alive."""
    ladder = models.CharField(max_length=40, blank=True)
    """Preset of the ladder for which it asks for rated tables; empty: none."""
    is_slow = models.BooleanField(default=False)
    """Whether it asks for the slow clock."""
    max_tables = models.PositiveSmallIntegerField(default=1)
    """Number of tables at once that its client accepts."""
    accepts = models.JSONField(default=list)
    """Kinds of invitations that it accepts by itself: ``bots``, ``people``."""

    class Meta:
        ordering = ["-id"]
        verbose_name = "remote version"
        constraints = [
            models.UniqueConstraint(fields=["bot", "number"], name="remote_version_number_unique"),
        ]
        indexes = [models.Index(fields=["alive_at"], name="remote_version_alive_idx")]

    def __str__(self) -> str:
        return f"{self.bot.name} v{self.number}"


class RemoteTable(LiveTable):
    """One deal with remote bots, at least one, and at most one person. House bots have the other seats."""

    class State(models.TextChoices):
        """starting -> playing -> played -> finished; failed from all but finished."""

        STARTING = "starting", "its bots are being started"
        PLAYING = "playing"
        PLAYED = "played", "the same cards are played by house bots"
        FINISHED = "finished"
        FAILED = "failed", "ended by a fault of the platform; the deal is void"

    ACTIVE = (State.STARTING, State.PLAYING)
    KIND = "remote"
    OPEN_SEAT_SHA256 = REMOTE_SHA256

    state = models.CharField(max_length=10, choices=State.choices, default=State.STARTING)
    is_rated = models.BooleanField()
    """Rated tables have exactly one remote seat."""
    is_slow = models.BooleanField(default=False)
    rated_version = models.ForeignKey(
        RemoteVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="rated_tables"
    )
    """The version of the remote seat of a rated table; null if unrated."""
    score = models.FloatField(null=True, blank=True)
    """Stones of the rated version, or its forfeit, less the mean of the field; null until ``finished``."""
    is_forfeit = models.BooleanField(default=False)
    """Whether the rated version forfeited, by leaving the table or by faults."""
    field = models.JSONField(null=True, blank=True)
    """The same deal with house bots in the remote seat: ``[{"label", "stones"}, ...]``; null until then."""

    class Meta:
        ordering = ["-id"]
        verbose_name = "remote table"
        constraints = [
            models.CheckConstraint(
                condition=Q(is_rated=True, rated_version__isnull=False)
                | Q(is_rated=False, rated_version__isnull=True, score__isnull=True),
                name="remote_table_rated_check",
            )
        ]
        indexes = [
            models.Index(
                fields=["claimed_until"],
                condition=Q(state__in=("starting", "playing", "played")),
                name="remote_table_unfinished_idx",
            ),
            models.Index(
                fields=["preset", "is_slow", "rated_version"],
                condition=Q(score__isnull=False),
                name="remote_table_rated_idx",
            ),
        ]

    if TYPE_CHECKING:
        remote_seats: RelatedManager[RemoteSeat]

    def __str__(self) -> str:
        return f"remote table {self.public_id}"

    @property
    def page(self) -> str:
        return f"/remote/tables/{self.public_id}"


class RemoteSeat(models.Model):
    """A remote version or a person on a seat: the pending request, the answers so far, and the clocks."""

    table = models.ForeignKey(RemoteTable, on_delete=models.CASCADE, related_name="remote_seats")
    version = models.ForeignKey(
        RemoteVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="seats"
    )
    person = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.PROTECT, related_name="remote_seats"
    )
    """The person who plays in the browser; null in the seat of a version."""
    seat = models.PositiveSmallIntegerField()
    is_active = models.BooleanField(default=True)
    """Whether the table still asks it: neither over nor forfeited."""
    hello = models.JSONField(default=dict)
    """The ``hello`` of ``rensho/1``; empty until the table has started."""
    events = models.JSONField(default=list)
    """The ``event`` messages between the last answered request and this one."""
    request = models.JSONField(null=True, blank=True)
    """The pending ``request`` of ``rensho/1``; null if none is pending."""
    request_id = models.CharField(max_length=16, blank=True)
    """``id`` of the pending request; empty if none is pending."""
    asked_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True)
    """Answer to the pending request as it came, at most 4,096 bytes; empty until it has come."""
    answered_at = models.DateTimeField(null=True, blank=True)
    """When the web process received ``answer``."""
    answers = models.JSONField(default=list)
    """Settled requests: ``[[id, first 16 hex digits of the answer's SHA-256 or "", charged ms], ...]``; an
    empty digest means that the referee played.
    """
    bank_ms = models.PositiveIntegerField(default=0)
    """Time left before the pending request, with its increment."""
    deadline_at = models.DateTimeField(null=True, blank=True)
    """End of the bank, with the grace, while the clock of the turn runs; null while it stands."""
    left_ms = models.PositiveIntegerField(null=True, blank=True)
    """Time left in the turn while its clock stands; null while it runs, and without a pending request."""
    disconnect_left_ms = models.PositiveIntegerField(default=0)
    """Time left in the disconnect bank, as of ``disconnected_at``."""
    disconnected_at = models.DateTimeField(null=True, blank=True)
    """When the referee noticed that the version is disconnected; null while it is connected."""
    disconnects = models.PositiveSmallIntegerField(default=0)
    """Number of disconnections at this table."""
    verdict = models.CharField(max_length=20, blank=True)
    """Verdict of the seat at the end; empty before."""
    log = models.TextField(blank=True)
    """Debug texts and faults, for the owner, cleaned."""

    class Meta:
        ordering = ["table", "seat"]
        verbose_name = "remote seat"
        constraints = [
            models.UniqueConstraint(fields=["table", "seat"], name="remote_seat_unique"),
            models.UniqueConstraint(fields=["table", "version"], name="remote_seat_version_unique"),
            models.UniqueConstraint(
                fields=["person"], condition=Q(is_active=True), name="remote_seat_person_unique"
            ),
            models.CheckConstraint(
                condition=Q(version__isnull=False, person__isnull=True)
                | Q(version__isnull=True, person__isnull=False),
                name="remote_seat_player_check",
            ),
        ]
        indexes = [
            models.Index(fields=["version"], condition=Q(is_active=True), name="remote_seat_active_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.version or self.person} on seat {self.seat} of {self.table}"


class RemoteInvitation(models.Model):
    """Invitation of a version to an unrated table, by another version or a person; both sides agree."""

    class State(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        DECLINED = "declined"
        EXPIRED = "expired"

    public_id = public_id_field()
    inviting = models.ForeignKey(
        RemoteVersion, null=True, blank=True, on_delete=models.CASCADE, related_name="invitations_sent"
    )
    person = models.ForeignKey(
        Player, null=True, blank=True, on_delete=models.CASCADE, related_name="remote_invitations"
    )
    """The person who invites; null if a version does."""
    invited = models.ForeignKey(RemoteVersion, on_delete=models.CASCADE, related_name="invitations")
    preset = models.CharField(max_length=40)
    is_slow = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    table = models.ForeignKey(RemoteTable, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = "remote invitation"
        constraints = [
            models.UniqueConstraint(
                fields=["inviting", "invited", "preset"],
                condition=Q(state="open"),
                name="remote_invitation_open_unique",
            ),
            models.UniqueConstraint(
                fields=["person", "invited", "preset"],
                condition=Q(state="open"),
                name="remote_invitation_person_unique",
            ),
            models.CheckConstraint(
                condition=Q(inviting__isnull=False, person__isnull=True)
                | Q(inviting__isnull=True, person__isnull=False),
                name="remote_invitation_sender_check",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.inviting or self.person} invites {self.invited}"
