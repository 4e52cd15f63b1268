"""Ladders, their seasons and rounds, and the versions placed on them."""

from __future__ import annotations

from typing import NamedTuple

from django.db import models
from django.db.models import F, Q

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.common.notes import note_text
from arena.competition.models import Tournament
from arena.roster.models import Bot, BotVersion


class LadderRef(NamedTuple):
    """What a ladder is called, and where it is: columns of ``Ladder``."""

    public_id: str
    preset: str
    seats: int
    has_choice_of_seats: bool

    @property
    def name(self) -> str:
        """See ``Ladder.name``."""
        return f"{self.preset}:{self.seats}" if self.has_choice_of_seats else self.preset

    @property
    def page(self) -> str:
        """See ``Ladder.page``."""
        return f"/ladders/{self.public_id}"


class Ladder(models.Model):
    """Where versions play the rules of a preset at tables of so many seats, for as long as they stay."""

    class State(models.TextChoices):
        """Both alternate, as the installation's settings say."""

        ACTIVE = "active"
        OFF = "off", "not played here any more; its seasons stay readable"

    public_id = public_id_field()
    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    board_kind = models.CharField(max_length=4, choices=[("deal", "deal boards"), ("game", "game boards")])
    seats = models.PositiveSmallIntegerField()
    """At a table."""
    has_choice_of_seats = models.BooleanField(default=False)
    """Whether the preset has ladders for other numbers of seats as well."""
    boards = models.PositiveSmallIntegerField()
    """Of a round."""
    cpu_s_per_day = models.PositiveIntegerField()
    """Seconds of CPU that its bots may use within 24 hours."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.ACTIVE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["preset", "board_kind", "seats"], name="ladder_once"),
            models.CheckConstraint(condition=Q(boards__gte=2), name="ladder_has_boards"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def ref(self) -> LadderRef:
        """What it is called, and where it is."""
        return LadderRef(self.public_id, self.preset, self.seats, self.has_choice_of_seats)

    @property
    def name(self) -> str:
        """Preset, and seats where there is a choice of them, such as ``kakkuri.league:5``."""
        return self.ref.name

    @property
    def page(self) -> str:
        """Path of its page on this site."""
        return self.ref.page


class LadderSeason(models.Model):
    """A stretch of time whose rounds are rated together."""

    class State(models.TextChoices):
        """running -> ending -> archived."""

        RUNNING = "running", "rounds are drawn"
        ENDING = "ending", "its last round is played or rated"
        ARCHIVED = "archived", "its final table is fixed"

    public_id = public_id_field()
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="seasons")
    name = models.CharField(max_length=20)
    """Such as ``2026-Q4``."""
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    """No round of it is drawn from then on."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.RUNNING)
    archived_at = models.DateTimeField(null=True)
    final = models.JSONField(default=list)
    """The final table: the lines of its list of ratings as they were then."""

    class Meta:
        ordering = ["ladder", "-begins_at"]
        constraints = [
            models.UniqueConstraint(fields=["ladder", "name"], name="season_once"),
            models.UniqueConstraint(
                fields=["ladder"], condition=Q(state="running"), name="season_running_once"
            ),
            models.CheckConstraint(condition=Q(ends_at__gt=F("begins_at")), name="season_has_length"),
        ]

    def __str__(self) -> str:
        return f"{self.ladder} {self.name}"


class Placement(models.Model):
    """A version on a ladder, from the day it was put there until it left."""

    class Left(models.TextChoices):
        """Why it left."""

        SUPERSEDED = "superseded", "another version of the same bot took its place"
        IDLE = "idle", "it forfeited every table of its last rounds"
        SUSPENDED = "suspended", "the version was suspended"
        RETIRED = "retired", "the version was retired"
        TAKEN_OFF = "taken_off", "its owner or an operator took it off"
        ACCOUNT_CLOSED = "account_closed", "the account of its owner was closed"

    public_id = public_id_field()
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="placements")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="placements")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="placements")
    placed_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    """Null: the system, as of house bots."""
    since = models.DateTimeField()
    left_at = models.DateTimeField(null=True)
    left_reason = models.CharField(max_length=14, choices=Left.choices, blank=True)
    """Empty while it is on the ladder."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["ladder", "bot"], condition=Q(left_at__isnull=True), name="bot_placed_once"
            ),
            models.CheckConstraint(
                condition=Q(left_at__isnull=True, left_reason="")
                | Q(left_at__isnull=False) & ~Q(left_reason=""),
                name="placement_left_for_a_reason",
            ),
        ]
        indexes = [
            models.Index(fields=["ladder"], condition=Q(left_at__isnull=True), name="placed_now"),
        ]

    def __str__(self) -> str:
        return f"{self.version} on {self.ladder}"


class LadderRound(models.Model):
    """A round of a season: a small tournament, and why its fixtures are those they are."""

    class State(models.TextChoices):
        """open -> counted -> dropped, or open -> dropped."""

        OPEN = "open", "being played"
        COUNTED = "counted", "its boards are closed and rated"
        DROPPED = "dropped", "cancelled; it leaves no trace in the ratings"

    class Kind(models.TextChoices):
        """How opponents were chosen (``league.rating.ladder``)."""

        FLOOR = "floor", "by lot, as everybody's first rounds"
        OVERLAP = "overlap", "where the order is least sure"
        UNIFORM = "uniform", "by lot"

    public_id = public_id_field()
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="rounds")
    """That of its season; here as well, so that the database refuses a second open one."""
    season = models.ForeignKey(LadderSeason, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    """Within the season, from 1; a dropped one keeps its number."""
    kind = models.CharField(max_length=8, choices=Kind.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    tournament = models.OneToOneField(Tournament, on_delete=models.PROTECT, related_name="ladder_round")
    drawn_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    note = models.JSONField(default=dict)
    """Why it was dropped."""
    contenders = models.JSONField(default=list)
    """Public ids of the versions that were on the ladder as it was drawn, sorted."""
    contenders_digest = models.CharField(max_length=64)
    """Of the bundles of all contenders, as a field digest: what the lot follows from besides the secret."""
    left_over = models.JSONField(default=list)
    """Public ids of the contenders in no fixture, sorted: they come first in the next round."""
    pairings = models.JSONField(default=list)
    """By fixture: {versions, kind, pairs: a list of {version, other, difference, error, gain}}."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["season", "number"], name="ladder_round_number_once"),
            models.UniqueConstraint(
                fields=["ladder"], condition=Q(state="open"), name="ladder_round_open_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.season} round {self.number}"

    @property
    def reason(self) -> str:
        """Why it was dropped; may be empty."""
        return note_text(self.note)
