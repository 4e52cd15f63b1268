"""Lists of ratings, the board sets they are made of, their lines, and how the lines came about."""

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
    """Versions that are compared with each other: all who played the same rules in the same season."""

    class Kind(models.TextChoices):
        """Whose board sets."""

        EVENTS = "events", "all public events of a quarter"
        LADDER = "ladder", "a season of a ladder"

    public_id = public_id_field()
    kind = models.CharField(max_length=6, choices=Kind.choices)
    game = models.CharField(max_length=20)
    preset = models.CharField(max_length=40)
    """Its rules as they are; only the number of seats may be another."""
    board_kind = models.CharField(max_length=4, choices=[("deal", "deal boards"), ("game", "game boards")])
    seats = models.PositiveSmallIntegerField()
    """At a table."""
    season = models.CharField(max_length=20)
    """Of events the quarter in which a set was closed, in UTC, such as ``2026-Q4``; of a ladder its season's
    name."""
    ladder_season = models.CharField(max_length=16, blank=True)
    """Public id of the ladder's season; empty of events."""
    revision = models.PositiveIntegerField(default=0)
    """Goes up each time the lines are made."""
    made_at = models.DateTimeField(null=True)
    digest = models.CharField(max_length=64, blank=True)
    """SHA-256 of its lines: the same sets give the same one, on one machine with one lock file."""
    sets = models.PositiveIntegerField(default=0)
    fixtures = models.PositiveIntegerField(default=0)
    boards = models.PositiveIntegerField(default=0)
    """Different ones, over all sets."""
    rated = models.PositiveIntegerField(default=0)
    """Lines with a rating."""
    unrated = models.PositiveIntegerField(default=0)
    misfit = models.FloatField(default=0.0)
    """Standard deviation in stones of what strengths do not explain of a fixture's mean."""

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "preset", "board_kind", "seats", "season"],
                condition=Q(kind="events"),
                name="list_once_per_quarter",
            ),
            models.UniqueConstraint(
                fields=["ladder_season"], condition=Q(kind="ladder"), name="list_once_per_ladder_season"
            ),
            models.CheckConstraint(
                condition=Q(kind="events", ladder_season="") | Q(kind="ladder") & ~Q(ladder_season=""),
                name="list_of_a_ladder_names_its_season",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.preset} {self.season}"

    @property
    def page(self) -> str:
        """Path of its page on this site."""
        return f"/ratings/{self.public_id}"


class RatedSet(models.Model):
    """A closed board set in a list, and its scores as the fit takes them."""

    list = models.ForeignKey(RatingList, on_delete=models.CASCADE, related_name="rated_sets")
    board_set = models.ForeignKey(BoardSet, on_delete=models.CASCADE, related_name="rated_in")
    due = models.CharField(max_length=16, blank=True)
    """Another text each time its scores may have changed; empty once the lines follow from them."""
    scores = models.BinaryField(default=b"")
    """``league.rating.packing``; empty before they were read."""
    fixtures = models.PositiveIntegerField(default=0)
    """That count."""

    class Meta:
        ordering = ["list", "board_set"]
        constraints = [models.UniqueConstraint(fields=["list", "board_set"], name="set_once_per_list")]
        indexes = [models.Index(fields=["list"], condition=~Q(due=""), name="rated_set_due")]

    def __str__(self) -> str:
        return f"{self.board_set} in {self.list}"


class LiftableRuling(models.Model):
    """Who decided on a pair, when and why, and who lifted it. Only its lifting is ever written again."""

    public_id = public_id_field()
    reason = models.CharField(max_length=300)
    actor = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    lift_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        abstract = True
        ordering = ["-id"]


class LeftOutPair(LiftableRuling):
    """A ruling that a list takes no fixture in which two versions met, and its lifting."""

    list = models.ForeignKey(RatingList, on_delete=models.CASCADE, related_name="left_out_pairs")
    first = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    """Of the two that with the higher key."""
    fixtures = models.PositiveIntegerField()
    """How many were left out when it was decided."""

    class Meta(LiftableRuling.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="left_out_pair_in_order"),
            models.CheckConstraint(condition=~Q(reason=""), name="left_out_pair_has_reason"),
            models.UniqueConstraint(
                fields=["list", "first", "second"],
                condition=Q(lifted_at__isnull=True),
                name="pair_left_out_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} and {self.second} in {self.list}"


class ClosedSeen(models.Model):
    """How far the closing order of board sets was followed: a single row."""

    closed_seq = models.PositiveBigIntegerField(default=0)
    """All sets up to this one are in the lists of events they belong to."""

    class Meta:
        verbose_name_plural = "closed seen"

    def __str__(self) -> str:
        return f"up to {self.closed_seq}"


class Line(models.Model):
    """What a line of a list says at some time."""

    class Partner(models.TextChoices):
        """Which strength of the version."""

        SELF = "self", "with itself as partner, or alone"
        STRANGERS = "strangers", "with other versions as partners"

    version = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+", db_index=False)
    partner = models.CharField(max_length=9, choices=Partner.choices)
    estimate = models.FloatField(null=True)
    """Stones a board against the average rated line; null: not comparable (yet)."""
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    """Of its 95 % interval."""
    standard_error = models.FloatField(null=True)
    rank = models.PositiveIntegerField(null=True)
    """Among the rated lines of its column, from 1."""
    rank_low = models.PositiveIntegerField(null=True)
    """The best rank it may have."""
    rank_high = models.PositiveIntegerField(null=True)
    fixtures = models.PositiveIntegerField()
    boards = models.PositiveIntegerField()
    degrees = models.PositiveIntegerField()
    """Of freedom of its interval; 0 without one."""
    reasons = models.JSONField(default=list)
    """Why it is not comparable yet: a list of {code, have, need}."""

    class Meta:
        abstract = True

    FIGURES = ("estimate", "low", "high", "standard_error", "rank", "rank_low", "rank_high")
    COUNTS = ("fixtures", "boards", "degrees")

    @property
    def is_rated(self) -> bool:
        """Whether it has figures."""
        return self.estimate is not None

    def values(self) -> tuple[Any, ...]:
        """All it says, to be compared."""
        return tuple(getattr(self, name) for name in (*self.FIGURES, *self.COUNTS, "reasons"))


class Rating(Line):
    """A line of a list as it is now. Made again as a whole, never edited."""

    list = models.ForeignKey(RatingList, on_delete=models.CASCADE, related_name="lines", db_index=False)
    lines_after = models.PositiveIntegerField(default=0)
    """How many lines of the list come after it: by column, best first, then those not comparable yet."""

    class Meta:
        ordering = ["-list", "-lines_after"]
        constraints = [
            models.UniqueConstraint(fields=["list", "version", "partner"], name="line_once_per_list"),
        ]
        indexes = [
            models.Index(fields=["-list", "-lines_after"], name="lines_in_order"),
            models.Index(fields=["version"], name="lines_of_version"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.list}"


class RatingChange(Line):
    """What a line came to say after a board set was closed or its scores were changed. Append-only."""

    class Cause(models.TextChoices):
        """What happened to the set."""

        CLOSED = "closed"
        RESCORED = "rescored", "its scores changed after it was closed"

    list = models.ForeignKey(RatingList, on_delete=models.CASCADE, related_name="changes", db_index=False)
    cause = models.CharField(max_length=8, choices=Cause.choices)
    board_set = models.ForeignKey(
        BoardSet, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    """The last of the sets that were new to this line, or of those whose scores changed."""
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["list", "version", "id"], name="changes_of_line"),
            models.Index(fields=["version", "id"], name="changes_of_version"),
        ]

    def __str__(self) -> str:
        return f"{self.version} in {self.list}, {self.at:%Y-%m-%d %H:%M}"
