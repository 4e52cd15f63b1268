"""Values derived from settled fixtures: scores, standings and luck. Rebuilt, never edited."""

from __future__ import annotations

from fractions import Fraction

from django.db import models
from django.db.models import Q

from arena.competition.models import Entry, Round, Stage, Tournament
from arena.matches.models import BoardSet, Fixture
from arena.standings.board_values import parse_values


class FixtureScore(models.Model):
    """Scores of an entry on the boards of a fixture and their total, as exact fractions.

    A board score is the mean of the entry's results on the board over the tables of the rotation.
    """

    fixture = models.ForeignKey(Fixture, on_delete=models.CASCADE, related_name="totals", db_index=False)
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="totals")
    numerator = models.IntegerField()
    denominator = models.PositiveIntegerField()
    board_values = models.TextField(blank=True)
    """Board scores as ``standings.board_values`` formats them."""

    class Meta:
        ordering = ["fixture", "entry"]
        constraints = [
            models.UniqueConstraint(fields=["fixture", "entry"], name="fixture_score_unique"),
            models.CheckConstraint(condition=Q(denominator__gte=1), name="fixture_score_fraction_check"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} in {self.fixture}: {self.value}"

    @property
    def value(self) -> Fraction:
        return Fraction(self.numerator, self.denominator)

    @property
    def boards(self) -> dict[int, Fraction]:
        """Board scores by board."""
        return parse_values(self.board_values)


class BoardFigures(models.Model):
    """Statistics of a board over the fixtures of a round, rebuilt with the scores."""

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="figures", db_index=False
    )
    """Tournament of its board set, repeated here so that its lists need no joins."""
    board_set = models.ForeignKey(BoardSet, on_delete=models.CASCADE, related_name="figures", db_index=False)
    board = models.PositiveSmallIntegerField()
    fixtures = models.PositiveIntegerField()
    best_fixture = models.ForeignKey(Fixture, on_delete=models.CASCADE, related_name="+", db_index=False)
    best_entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+", db_index=False)
    """Entry and fixture with the largest board score; of equal ones the first of the first fixture."""
    best_numerator = models.IntegerField()
    best_denominator = models.PositiveIntegerField()
    mean_numerator = models.BigIntegerField()
    mean_denominator = models.PositiveBigIntegerField()
    """Mean of the absolute board scores in stones, as an exact fraction."""
    swing = models.FloatField()
    spread = models.FloatField()

    class Meta:
        ordering = ["board_set", "board"]
        verbose_name_plural = "board figures"
        constraints = [
            models.UniqueConstraint(fields=["board_set", "board"], name="figures_board_unique"),
            models.CheckConstraint(
                condition=Q(best_denominator__gte=1, mean_denominator__gte=1),
                name="figures_fraction_check",
            ),
        ]
        indexes = [
            models.Index(fields=["-swing", "-board_set", "board"], name="figures_swing_idx"),
            # A tournament's lists sort a few hundred rows; two more indexes would take 240 bytes per table.
            models.Index(fields=["tournament"], name="figures_tournament_idx"),
        ]

    def __str__(self) -> str:
        return f"board {self.board} of {self.board_set.round}"

    @property
    def best(self) -> Fraction:
        return Fraction(self.best_numerator, self.best_denominator)

    @property
    def mean(self) -> Fraction:
        return Fraction(self.mean_numerator, self.mean_denominator)


class StandingRow(models.Model):
    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="standings", db_index=False)
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="standings")
    rank = models.PositiveSmallIntegerField()
    """From 1, without ties, since the lot decides last."""
    values = models.JSONField()
    """All values that can order the standings, by name; fractions as text ``n/d``. Some stages also have
    ``group``, ``place`` (within the group) or ``progress``, from 1.
    """
    decided_by = models.CharField(max_length=30, blank=True)
    """First value that differs from the row above; empty in the first row."""

    class Meta:
        ordering = ["stage", "rank"]
        constraints = [
            models.UniqueConstraint(fields=["stage", "entry"], name="standing_entry_unique"),
            models.UniqueConstraint(fields=["stage", "rank"], name="standing_rank_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.entry}"


class PastStandings(models.Model):
    """The standings of a stage after one of its rounds (``standings.past_standings``)."""

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="past_standings")
    scored = models.CharField(max_length=16)
    """Random text that changes each time scores of the round are rebuilt."""
    key = models.CharField(max_length=64, blank=True, db_index=True)
    """Digest of everything that the rows depend on; empty if they have to be computed."""
    rows = models.BinaryField(default=b"")
    """Compressed JSON, best first: key of the entry, rank, deciding value, and values."""

    class Meta:
        ordering = ["round"]

    def __str__(self) -> str:
        return f"standings after {self.round}"


class BoardSetLuck(models.Model):
    """Contribution of a board set to the luck of an event (``standings.luck``)."""

    board_set = models.OneToOneField(BoardSet, on_delete=models.CASCADE, related_name="luck")
    stale_mark = models.CharField(max_length=16, blank=True)
    """Random text that changes when scores of the set are rebuilt; empty once computed."""
    fixtures = models.PositiveIntegerField(default=0)
    degrees = models.PositiveIntegerField(default=0)
    """Degrees of freedom, over fixtures and sides."""
    boards = models.JSONField(null=True)
    """Contributions to the variances without duplicate play and as played; null before computed."""

    class Meta:
        ordering = ["board_set"]
        verbose_name_plural = "luck of board sets"
        indexes = [models.Index(fields=["id"], condition=~Q(stale_mark=""), name="board_set_luck_stale_idx")]

    def __str__(self) -> str:
        return f"luck in {self.board_set}"


class TournamentLuck(models.Model):
    """The luck that duplicate play has removed from an event so far."""

    tournament = models.OneToOneField(Tournament, on_delete=models.CASCADE, related_name="luck")
    has_factor = models.BooleanField()
    """Whether there is a factor; else too few fixtures were played."""
    values = models.JSONField()
    """Fields of ``league.luck.Luck`` or ``TooFew``."""

    class Meta:
        verbose_name_plural = "luck of events"

    def __str__(self) -> str:
        return f"luck in {self.tournament}"
