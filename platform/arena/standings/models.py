"""What follows from settled fixtures: board scores and the ordered table. Rebuilt, never edited."""

from __future__ import annotations

from fractions import Fraction

from django.db import models
from django.db.models import Q

from arena.competition.models import Entry, Stage
from arena.matches.models import Fixture


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
