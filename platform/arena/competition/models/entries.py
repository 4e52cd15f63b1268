"""Entries of a tournament, invitations, and the fields of stages."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils import timezone

from arena.common.ids import public_id_field
from arena.common.notes import note_text
from arena.competition.models.tournaments import Stage, Tournament
from arena.roster.models import BotVersion, Player


class Entry(models.Model):
    """A version, or a pair of versions, registered in a tournament."""

    class Status(models.TextChoices):
        PENDING = "pending", "waits for the partner's consent"
        ENTERED = "entered"
        WITHDRAWN = "withdrawn", "taken back before the field was fixed"
        LEFT = "left", "left or was taken out after the field was fixed"

    ACTIVE = (Status.PENDING, Status.ENTERED)

    public_id = public_id_field()
    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries", db_index=False)
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="entries", db_index=False)
    partner_version = models.ForeignKey(
        BotVersion,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="partner_entries",
        db_index=False,
    )
    """Plays the higher seat of the pair; null = ``version`` plays both."""
    copy = models.PositiveSmallIntegerField(default=0, editable=False)
    """Number of earlier entries of the same version: one version may fill several sides of a table."""
    seed = models.PositiveSmallIntegerField(null=True, blank=True)
    """Seed set by the organiser; entries without one follow by lot."""
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.ENTERED)
    status_note = models.JSONField(default=dict, blank=True)
    """``arena.common.notes.Note``: why it was withdrawn or declined, or why it left."""
    status_at = models.DateTimeField(default=timezone.now)
    left_stage = models.PositiveSmallIntegerField(null=True, blank=True)
    left_round = models.PositiveSmallIntegerField(null=True, blank=True)
    """Last round of that stage in which it was paired; 0 = it left before the first."""
    accepts_partners = models.BooleanField(default=False)
    """Its owner consents to changing partners, as a movement requires."""
    is_organiser_entry = models.BooleanField(default=False)
    """One of its owners is an organiser; shown wherever the entry is listed."""
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "version", "copy"],
                condition=Q(status="entered", partner_version__isnull=True),
                name="entry_version_unique",
            ),
            models.CheckConstraint(
                condition=~Q(status="left") | Q(left_stage__isnull=False, left_round__isnull=False),
                name="entry_left_check",
            ),
        ]
        # They find the newest entry without reading the others.
        indexes = [
            models.Index(fields=["player", "id"], name="entry_player_idx"),
            models.Index(fields=["version", "id"], name="entry_version_idx"),
            models.Index(
                fields=["partner_version", "id"],
                condition=Q(partner_version__isnull=False),
                name="entry_partner_idx",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.tournament}"

    @property
    def status_reason(self) -> str:
        return note_text(self.status_note)

    def owners(self) -> list[Player]:
        if self.partner_version is None or self.partner_version.bot.owner_id == self.player_id:
            return [self.player]
        return [self.player, self.partner_version.bot.owner]

    def versions(self) -> list[BotVersion]:
        """Return the versions in the order of the seats: one that plays all seats, or two."""
        return [self.version] if self.partner_version is None else [self.version, self.partner_version]

    @property
    def bot_name(self) -> str:
        return " + ".join(version.bot.name for version in self.versions())


class StageEntry(models.Model):
    """The position of an entry in the field of a stage. Never changed: entries that leave keep it."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="stage_entries")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="stage_entries")
    position = models.PositiveSmallIntegerField()
    origin = models.PositiveSmallIntegerField(null=True, blank=True)
    """Its group in the previous stage, from 1; null without groups."""

    class Meta:
        ordering = ["stage", "position"]
        verbose_name_plural = "stage entries"
        constraints = [
            models.UniqueConstraint(fields=["stage", "entry"], name="stage_entry_unique"),
            models.UniqueConstraint(fields=["stage", "position"], name="stage_entry_position_unique"),
            models.CheckConstraint(condition=Q(position__gte=1), name="stage_entry_position_check"),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.entry}"


class Invitation(models.Model):
    """Permission for a player to enter a tournament for invited players, and to see it if it is private."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="invitations")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="invitations")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "player"], name="invitation_player_unique")
        ]

    def __str__(self) -> str:
        return f"{self.player} to {self.tournament}"
