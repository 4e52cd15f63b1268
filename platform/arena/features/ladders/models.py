"""Models: ladders, seasons, rounds and placements."""

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
    """Name and page of a ladder, built from columns of ``Ladder`` without loading the row."""

    public_id: str
    preset: str
    seats: int
    has_choice_of_seats: bool

    @property
    def name(self) -> str:
        """Preset, with the seats if the preset has several ladders, such as ``kakkuri.league:5``."""
        return f"{self.preset}:{self.seats}" if self.has_choice_of_seats else self.preset

    @property
    def page(self) -> str:
        return f"/ladders/{self.public_id}"


class Ladder(models.Model):
    """A competition without an end, in which placed versions play one preset with a number of seats."""

    class State(models.TextChoices):
        """Follows the settings of the installation, in both directions."""

        ACTIVE = "active"
        OFF = "off", "not played here any more; its seasons stay readable"

    public_id = public_id_field()
    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    board_kind = models.CharField(max_length=4, choices=[("deal", "deal boards"), ("game", "game boards")])
    seats = models.PositiveSmallIntegerField()
    has_choice_of_seats = models.BooleanField(default=False)
    """Whether the preset has ladders for other numbers of seats too."""
    boards = models.PositiveSmallIntegerField()
    """Boards per round."""
    cpu_s_per_day = models.PositiveIntegerField()
    """CPU-seconds of all its bots within 24 hours."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.ACTIVE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["preset", "board_kind", "seats"], name="ladder_preset_unique"),
            models.CheckConstraint(condition=Q(boards__gte=2), name="ladder_boards_check"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def ref(self) -> LadderRef:
        return LadderRef(self.public_id, self.preset, self.seats, self.has_choice_of_seats)

    @property
    def name(self) -> str:
        return self.ref.name

    @property
    def page(self) -> str:
        return self.ref.page


class LadderSeason(models.Model):
    """A period whose rounds are rated together."""

    class State(models.TextChoices):
        """running -> ending -> archived."""

        RUNNING = "running", "rounds are drawn"
        ENDING = "ending", "its last round is played or rated"
        ARCHIVED = "archived", "its final table is fixed"

    public_id = public_id_field()
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="seasons")
    name = models.CharField(max_length=20)
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    """No round is drawn after this."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.RUNNING)
    archived_at = models.DateTimeField(null=True)
    final = models.JSONField(default=list)
    """Final table: the lines of the rating list when the season was archived."""

    class Meta:
        ordering = ["ladder", "-begins_at"]
        constraints = [
            models.UniqueConstraint(fields=["ladder", "name"], name="season_name_unique"),
            models.UniqueConstraint(
                fields=["ladder"], condition=Q(state="running"), name="season_running_unique"
            ),
            models.CheckConstraint(condition=Q(ends_at__gt=F("begins_at")), name="season_ends_at_check"),
        ]

    def __str__(self) -> str:
        return f"{self.ladder} {self.name}"


class Placement(models.Model):
    """A version on a ladder, from its placement until it left."""

    class LeftReason(models.TextChoices):
        SUPERSEDED = "superseded", "another version of the same bot took its place"
        IDLE = "idle", "it forfeited every table of its last rounds"
        SUSPENDED = "suspended", "the version was suspended"
        RETIRED = "retired", "the version was retired"
        TAKEN_OFF = "taken_off", "its owner or an operator took it off"
        ACCOUNT_INACTIVE = "account_inactive", "the account of its owner was deleted or disabled"

    public_id = public_id_field()
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="placements")
    bot = models.ForeignKey(Bot, on_delete=models.PROTECT, related_name="placements")
    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="placements")
    placed_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    """Null for house bots, which the system places."""
    placed_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)
    left_reason = models.CharField(max_length=20, choices=LeftReason.choices, blank=True)
    """Empty while it is on the ladder."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["ladder", "bot"], condition=Q(left_at__isnull=True), name="placement_bot_unique"
            ),
            models.CheckConstraint(
                condition=Q(left_at__isnull=True, left_reason="")
                | Q(left_at__isnull=False) & ~Q(left_reason=""),
                name="placement_left_reason_check",
            ),
        ]
        indexes = [
            models.Index(fields=["ladder"], condition=Q(left_at__isnull=True), name="placement_current_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.version} on {self.ladder}"


class LadderRound(models.Model):
    """A round of a season, played as a small tournament, with the reasons for its fixtures."""

    class State(models.TextChoices):
        """open -> counted -> dropped, or open -> dropped."""

        OPEN = "open", "being played"
        COUNTED = "counted", "its boards are closed and rated"
        DROPPED = "dropped", "cancelled; it leaves no trace in the ratings"

    class Kind(models.TextChoices):
        """Method of choosing opponents (``league.rating.ladder``)."""

        FLOOR = "floor", "by lot, as everybody's first rounds"
        OVERLAP = "overlap", "where the order is least sure"
        UNIFORM = "uniform", "by lot"

    public_id = public_id_field()
    ladder = models.ForeignKey(Ladder, on_delete=models.PROTECT, related_name="rounds")
    """Ladder of the season; repeated here so that the database rejects a second open round."""
    season = models.ForeignKey(LadderSeason, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveIntegerField()
    """Within the season, from 1; dropped rounds keep their numbers."""
    kind = models.CharField(max_length=8, choices=Kind.choices)
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    tournament = models.OneToOneField(Tournament, on_delete=models.PROTECT, related_name="ladder_round")
    drawn_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    note = models.JSONField(default=dict)
    contenders = models.JSONField(default=list)
    """Sorted public ids of the versions on the ladder at the time of the draw."""
    contenders_digest = models.CharField(max_length=64)
    """Field digest of the contenders' bundles. With the secret, it determines the lot."""
    unpaired = models.JSONField(default=list)
    """Sorted public ids of contenders without a fixture; the next round pairs them first."""
    pairings = models.JSONField(default=list)
    """One per fixture: {versions, kind, pairs: a list of {version, other, difference, error, gain}}."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["season", "number"], name="ladder_round_number_unique"),
            models.UniqueConstraint(
                fields=["ladder"], condition=Q(state="open"), name="ladder_round_open_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.season} round {self.number}"

    @property
    def reason(self) -> str:
        return note_text(self.note)
