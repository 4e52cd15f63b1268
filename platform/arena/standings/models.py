"""What follows from settled fixtures: board scores and the ordered table. Rebuilt, never edited."""

from __future__ import annotations

from fractions import Fraction

from django.db import models
from django.db.models import Q

from arena.competition.models import Entry, Round, Stage, Tournament
from arena.matches.models import BoardSet, Fixture


class BoardScore(models.Model):
    """The mean of an entry's results on one board over the tables of the rotation: an exact fraction."""

    fixture = models.ForeignKey(Fixture, on_delete=models.CASCADE, related_name="scores")
    board = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="scores")
    numerator = models.IntegerField()
    denominator = models.PositiveIntegerField()

    class Meta:
        ordering = ["fixture", "board", "entry"]
        constraints = [
            models.UniqueConstraint(fields=["fixture", "board", "entry"], name="board_score_once"),
            models.CheckConstraint(condition=Q(denominator__gte=1), name="board_score_is_a_fraction"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} on board {self.board}: {self.value}"

    @property
    def value(self) -> Fraction:
        """The score in stones."""
        return Fraction(self.numerator, self.denominator)


class FixtureScore(models.Model):
    """An entry's total over the boards of a fixture: what standings are made of. An exact fraction."""

    fixture = models.ForeignKey(Fixture, on_delete=models.CASCADE, related_name="totals")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="totals")
    numerator = models.IntegerField()
    denominator = models.PositiveIntegerField()

    class Meta:
        ordering = ["fixture", "entry"]
        constraints = [
            models.UniqueConstraint(fields=["fixture", "entry"], name="fixture_score_once"),
            models.CheckConstraint(condition=Q(denominator__gte=1), name="fixture_score_is_a_fraction"),
        ]

    def __str__(self) -> str:
        return f"{self.entry} in {self.fixture}: {self.value}"

    @property
    def value(self) -> Fraction:
        """The sum of board scores in stones."""
        return Fraction(self.numerator, self.denominator)


class BoardFigures(models.Model):
    """What the fixtures of a round made of one board: the largest board score, and how far they differed.

    A row for every board on which a fixture has scores, made again with the scores (``standings.figures``).
    """

    tournament = models.ForeignKey(
        Tournament, on_delete=models.CASCADE, related_name="figures", db_index=False
    )
    """That of its board set; here as well, so that lists of a tournament need no sorting."""
    board_set = models.ForeignKey(BoardSet, on_delete=models.CASCADE, related_name="figures")
    board = models.PositiveSmallIntegerField()
    fixtures = models.PositiveIntegerField()
    """With scores on it."""
    best_fixture = models.ForeignKey(Fixture, on_delete=models.CASCADE, related_name="+", db_index=False)
    best_entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+", db_index=False)
    """Who has the largest board score, and where: of equal ones the first of the first fixture."""
    best_numerator = models.IntegerField()
    best_denominator = models.PositiveIntegerField()
    mean_numerator = models.BigIntegerField()
    mean_denominator = models.PositiveBigIntegerField()
    """The mean size of a board score, plus and minus alike: an exact fraction, in stones."""
    swing = models.FloatField()
    """The largest board score, to order by."""
    spread = models.FloatField()
    """The mean size, to order by."""

    class Meta:
        ordering = ["board_set", "board"]
        verbose_name_plural = "board figures"
        constraints = [
            models.UniqueConstraint(fields=["board_set", "board"], name="figures_once_per_board"),
            models.CheckConstraint(
                condition=Q(best_denominator__gte=1, mean_denominator__gte=1),
                name="figures_are_fractions",
            ),
        ]
        indexes = [
            models.Index(fields=["-swing", "-board_set", "board"], name="swings"),
            models.Index(fields=["tournament", "-swing", "-board_set", "board"], name="swings_of_tournament"),
            models.Index(
                fields=["tournament", "-spread", "-board_set", "board"], name="spreads_of_tournament"
            ),
        ]

    def __str__(self) -> str:
        return f"board {self.board} of {self.board_set.round}"

    @property
    def best(self) -> Fraction:
        """The largest board score, in stones."""
        return Fraction(self.best_numerator, self.best_denominator)

    @property
    def mean(self) -> Fraction:
        """The mean size of a board score, in stones."""
        return Fraction(self.mean_numerator, self.mean_denominator)


class StandingRow(models.Model):
    """One entry's line in the standings of one stage."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="standings")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="standings")
    rank = models.PositiveSmallIntegerField()
    """From 1; the lot leaves no two equal."""
    values = models.JSONField()
    """Every value that can order the table, by name; fractions as ``n/d`` text. In a stage of groups also
    ``group`` and ``place`` (within it), where the format has it ``progress``; numbers from 1."""
    decided_by = models.CharField(max_length=30, blank=True)
    """The first value that differs from the row above; empty on top."""

    class Meta:
        ordering = ["stage", "rank"]
        constraints = [
            models.UniqueConstraint(fields=["stage", "entry"], name="standing_once_per_entry"),
            models.UniqueConstraint(fields=["stage", "rank"], name="standing_rank_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.entry}"


class PastTable(models.Model):
    """The standings of a stage after one of its rounds, see ``standings.past_standings``."""

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="past_table")
    scored = models.CharField(max_length=16)
    """Another text each time scores of the round are made."""
    key = models.CharField(max_length=64, blank=True, db_index=True)
    """A digest of all that the rows follow from; empty: they are to be made."""
    rows = models.BinaryField(default=b"")
    """Compressed JSON: the key of the entry, rank, what decided it, and values, best first."""

    class Meta:
        ordering = ["round"]

    def __str__(self) -> str:
        return f"the table after {self.round}"


class LuckOfSet(models.Model):
    """What the fixtures of a board set say of luck (``standings.luck``)."""

    board_set = models.OneToOneField(BoardSet, on_delete=models.CASCADE, related_name="luck")
    due = models.CharField(max_length=16, blank=True, db_index=True)
    """Another text each time scores of the set are made; empty once the rest follows from them."""
    fixtures = models.PositiveIntegerField(default=0)
    """How many say anything."""
    degrees = models.PositiveIntegerField(default=0)
    """Of freedom, over fixtures and sides."""
    boards = models.JSONField(null=True)
    """For each board what it adds to the variances without duplicate play and as played; null before it was
    made."""

    class Meta:
        ordering = ["board_set"]
        verbose_name_plural = "luck of board sets"

    def __str__(self) -> str:
        return f"luck in {self.board_set}"


class EventLuck(models.Model):
    """How much luck duplicate play took out of an event so far."""

    tournament = models.OneToOneField(Tournament, on_delete=models.CASCADE, related_name="luck")
    is_told = models.BooleanField()
    """Whether there is a factor; else too little was played."""
    found = models.JSONField()
    """``league.luck.Luck`` or ``TooFew``, by name."""

    class Meta:
        verbose_name_plural = "luck of events"

    def __str__(self) -> str:
        return f"luck in {self.tournament}"
