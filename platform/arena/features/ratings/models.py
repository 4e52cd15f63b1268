"""Models: rating lists, their board sets and lines, changes of lines, and rulings on pairs."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from arena.accounts.models import User
from arena.common.ids import public_id_field
from arena.matches.models import BoardSet
from arena.roster.models import BotVersion


class RatingList(models.Model):
    """A list of comparable versions: those that played the same rules in the same season."""

    class Kind(models.TextChoices):
        TOURNAMENTS = "tournaments", "all public tournaments of a quarter"
        LADDER = "ladder", "a season of a ladder"

    public_id = public_id_field()
    kind = models.CharField(max_length=11, choices=Kind.choices)
    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    """Rules of the list; only the number of seats may differ from the preset."""
    board_kind = models.CharField(max_length=4, choices=[("deal", "deal boards"), ("game", "game boards")])
    seats = models.PositiveSmallIntegerField()
    season = models.CharField(max_length=20)
    """For events, the closing quarter in UTC, such as ``2026-Q4``; for ladders, the season's name."""
    ladder_season = models.CharField(max_length=16, blank=True)
    """Public id of the ladder season; empty for events."""
    revision = models.PositiveIntegerField(default=0)
    """Number of times the lines were computed."""
    computed_at = models.DateTimeField(null=True)
    digest = models.CharField(max_length=64, blank=True)
    """SHA-256 of the lines; equal for equal sets, on one machine with one lock file."""
    sets = models.PositiveIntegerField(default=0)
    fixtures = models.PositiveIntegerField(default=0)
    boards = models.PositiveIntegerField(default=0)
    """Distinct boards of all sets."""
    rated = models.PositiveIntegerField(default=0)
    unrated = models.PositiveIntegerField(default=0)
    unexplained_sd = models.FloatField(default=0.0)
    """Standard deviation, in stones, of the part of a fixture's mean that strengths do not explain."""
    reference = models.ForeignKey(
        BotVersion, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    """The version that the differences of the lines are relative to: house greedy; null if it is unrated."""
    reference_partner = models.CharField(max_length=5, blank=True, default="", db_default="")
    """Column of the reference's line; empty without one."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "preset", "board_kind", "seats", "season"],
                condition=Q(kind="tournaments"),
                name="rating_list_season_unique",
            ),
            models.UniqueConstraint(
                fields=["ladder_season"], condition=Q(kind="ladder"), name="rating_list_ladder_unique"
            ),
            models.CheckConstraint(
                condition=Q(kind="tournaments", ladder_season="") | Q(kind="ladder") & ~Q(ladder_season=""),
                name="rating_list_ladder_check",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.preset} {self.season}"

    @property
    def page(self) -> str:
        return f"/ratings/{self.public_id}"


class RatedSet(models.Model):
    """A closed board set in a list, with its scores as input of the fit."""

    list = models.ForeignKey(RatingList, on_delete=models.CASCADE, related_name="rated_sets")
    board_set = models.ForeignKey(BoardSet, on_delete=models.CASCADE, related_name="rated_in")
    stale_mark = models.CharField(max_length=16, blank=True)
    """A new value each time the scores may have changed; empty once the lines include them."""
    scores = models.BinaryField(default=b"")
    """``league.rating.packing``; empty before the first reading."""
    fixtures = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["list", "board_set"]
        constraints = [
            models.UniqueConstraint(fields=["list", "board_set"], name="rated_set_board_set_unique")
        ]
        indexes = [models.Index(fields=["list"], condition=~Q(stale_mark=""), name="rated_set_stale_idx")]

    def __str__(self) -> str:
        return f"{self.board_set} in {self.list}"


class LiftableRuling(models.Model):
    """A ruling on a pair. Only the fields of its lifting change after creation."""

    public_id = public_id_field()
    reason = models.CharField(max_length=300)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    lift_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        abstract = True
        ordering = ["-id"]


class ExcludedPair(LiftableRuling):
    """A ruling that excludes the fixtures between two versions from a list, and its lifting."""

    list = models.ForeignKey(RatingList, on_delete=models.CASCADE, related_name="excluded_pairs")
    first = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    """The version with the higher key."""
    fixtures = models.PositiveIntegerField()

    class Meta(LiftableRuling.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="excluded_pair_order_check"),
            models.CheckConstraint(condition=~Q(reason=""), name="excluded_pair_reason_check"),
            models.UniqueConstraint(
                fields=["list", "first", "second"],
                condition=Q(lifted_at__isnull=True),
                name="excluded_pair_unique",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} and {self.second} in {self.list}"


class RatingProgress(models.Model):
    """Progress along the closing order of board sets; a single row."""

    closed_seq = models.PositiveBigIntegerField(default=0)
    """All sets up to this one are in their lists of events."""

    class Meta:
        verbose_name_plural = "rating progress"

    def __str__(self) -> str:
        return f"up to {self.closed_seq}"


class Line(models.Model):
    """Contents of a line of a list."""

    class Partner(models.TextChoices):
        SELF = "self", "with itself as partner, or alone"
        OTHER = "other", "with other versions as partners"

    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+", db_index=False)
    partner = models.CharField(max_length=5, choices=Partner.choices)
    estimate = models.FloatField(null=True)
    """Stones per board relative to the average rated line; null if not comparable (yet)."""
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    """``low`` and ``high`` are the ends of the 95% interval."""
    standard_error = models.FloatField(null=True)
    rank = models.PositiveIntegerField(null=True)
    """Among the rated lines of the column, from 1."""
    rank_low = models.PositiveIntegerField(null=True)
    rank_high = models.PositiveIntegerField(null=True)
    fixtures = models.PositiveIntegerField()
    boards = models.PositiveIntegerField()
    degrees = models.PositiveIntegerField()
    """Degrees of freedom of the interval; 0 without one."""
    difference = models.FloatField(null=True)
    """Stones per board more than the reference line; 0 for the reference itself, null without one."""
    difference_low = models.FloatField(null=True)
    difference_high = models.FloatField(null=True)
    """``difference_low`` and ``difference_high`` are the ends of the 95% interval of the difference."""
    difference_error = models.FloatField(null=True)
    """Standard error of the difference; 0 for the reference itself."""
    reasons = models.JSONField(default=list)

    class Meta:
        abstract = True

    FIGURES = ("estimate", "low", "high", "standard_error", "rank", "rank_low", "rank_high")
    DIFFERENCE = ("difference", "difference_low", "difference_high", "difference_error")
    COUNTS = ("fixtures", "boards", "degrees")

    @property
    def is_rated(self) -> bool:
        return self.estimate is not None

    def values(self) -> tuple[Any, ...]:
        names = (*self.FIGURES, *self.DIFFERENCE, *self.COUNTS, "reasons")
        return tuple(getattr(self, name) for name in names)


class Rating(Line):
    """A current line of a list. Lines are replaced as a whole, never edited."""

    list = models.ForeignKey(RatingList, on_delete=models.CASCADE, related_name="lines", db_index=False)
    lines_after = models.PositiveIntegerField(default=0)
    """Number of lines after this one. Order: by column, rated lines best first, then the others."""

    class Meta:
        ordering = ["-list", "-lines_after"]
        constraints = [
            models.UniqueConstraint(fields=["list", "version", "partner"], name="rating_line_unique"),
        ]
        indexes = [
            models.Index(fields=["-list", "-lines_after"], name="rating_order_idx"),
            models.Index(fields=["version"], name="rating_version_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.list}"


class RatingChange(Line):
    """A line after a board set was closed or rescored. Append-only."""

    class Cause(models.TextChoices):
        """Change of the board set."""

        CLOSED = "closed"
        RESCORED = "rescored", "its scores changed after it was closed"

    list = models.ForeignKey(RatingList, on_delete=models.CASCADE, related_name="changes", db_index=False)
    cause = models.CharField(max_length=8, choices=Cause.choices)
    board_set = models.ForeignKey(
        BoardSet, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=timezone.now)
    reference = models.ForeignKey(
        BotVersion, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    """The reference of the list at that time; null without one, and for changes stored before 1.1.0."""

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["list", "version", "id"], name="rating_change_line_idx"),
            models.Index(fields=["version", "id"], name="rating_change_version_idx"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.list}, {self.created_at:%Y-%m-%d %H:%M}"
