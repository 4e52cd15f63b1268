"""Conduct read from tables of closed board sets, the reports made of it, and rulings on pairs of an event."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from arena.accounts.models import User
from arena.competition.models import Entry, Tournament
from arena.features.ratings.models import LiftableRuling, RatingList
from arena.matches.models import Adjudication, BoardSet, Table


class TableWaits(models.Model):
    """How bots waited before answers at a finished table: read once from its times."""

    table = models.OneToOneField(Table, on_delete=models.CASCADE, primary_key=True, related_name="waits")
    timings_sha256 = models.CharField(max_length=64, blank=True)
    """Of the times it was read from: a table that was played again has others."""
    is_missing = models.BooleanField(default=False)
    """The times are not stored any more."""
    waits = models.JSONField(default=dict)
    """By who waited, as ``arena.features.integrity.conduct`` names them: the boards on which, sorted."""

    class Meta:
        verbose_name_plural = "table waits"

    def __str__(self) -> str:
        return f"waits at {self.table}"


class ReadSet(models.Model):
    """What the tables of a closed board set say, as reports take it."""

    board_set = models.OneToOneField(BoardSet, on_delete=models.CASCADE, related_name="read_set")
    due = models.CharField(max_length=16, blank=True)
    """Another text each time its tables may have changed; empty once they were read."""
    scores = models.BinaryField(default=b"")
    """Its board scores by entry, ``league.rating.packing``; empty before they were read."""
    conduct = models.JSONField(default=list)
    """Every fixture that counts: ``arena.features.integrity.conduct.FixtureConduct``."""
    tables = models.PositiveIntegerField(default=0)
    """Finished tables of these fixtures."""
    tables_missing = models.PositiveIntegerField(default=0)
    """Those whose times are not stored any more."""

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["id"], condition=~Q(due=""), name="read_set_due")]

    def __str__(self) -> str:
        return f"conduct in {self.board_set}"


class Report(models.Model):
    """What stands out in a list of ratings, or in a single event. Made again whenever that changes."""

    list = models.OneToOneField(RatingList, null=True, on_delete=models.CASCADE, related_name="integrity")
    tournament = models.OneToOneField(
        Tournament, null=True, on_delete=models.CASCADE, related_name="integrity"
    )
    due = models.CharField(max_length=16, blank=True)
    """Another text each time what it follows from may have changed; empty: it follows from what there is."""
    revision = models.PositiveIntegerField(default=0)
    """Goes up each time it is made; 0: it was not yet."""
    list_revision = models.PositiveIntegerField(default=0)
    """Of the list it follows from; 0 of an event."""
    made_at = models.DateTimeField(null=True)
    took_ms = models.PositiveIntegerField(default=0)
    """CPU time of the tests: a report that took long is not made again at once."""
    sets = models.PositiveIntegerField(default=0)
    """Closed board sets it follows from."""
    fixtures = models.PositiveIntegerField(default=0)
    pairs = models.PositiveIntegerField(default=0)
    """Pairs that were tested; at tables of three sides or more each counts twice."""
    tables = models.PositiveIntegerField(default=0)
    """Whose times were read."""
    tables_missing = models.PositiveIntegerField(default=0)
    """Whose times are not stored any more."""
    flagged = models.PositiveIntegerField(default=0)
    """Findings."""

    class Meta:
        ordering = ["-made_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(list__isnull=True, tournament__isnull=False)
                | Q(list__isnull=False, tournament__isnull=True),
                name="report_of_a_list_or_an_event",
            )
        ]
        indexes = [models.Index(fields=["id"], condition=~Q(due=""), name="report_due")]

    def __str__(self) -> str:
        return f"integrity of {self.list or self.tournament}"


class Finding(models.Model):
    """What stands out: two entries, or one, and how."""

    class Subject(models.TextChoices):
        """What was counted or measured."""

        RESULTS = "results", "board scores against what strengths say"
        FORFEITS = "forfeits", "forfeits by opponent"
        WAITS = "waits", "waits before answers"
        RULINGS = "rulings", "rulings by persons with an interest"

    class Kind(models.TextChoices):
        """In what way."""

        DUEL = "duel", "one won more from the other than strengths say"
        DUMP = "dump", "at larger tables one won and the other lost more than strengths say"
        GANG = "gang", "at larger tables both together won more, or less, than strengths say"
        AGAINST = "against", "one did it against the other more often than against others"
        RECEIVES = "receives", "all its opponents together did it more often against one"
        OFTEN = "often", "one did it more often than the rest of the field"
        RULED = "ruled", "its owner, or an account linked to its owner, ruled"

    class Link(models.TextChoices):
        """How the account that ruled is linked to the owner of an entry."""

        SAME = "same", "it has or had the entry itself"
        PAIR = "pair", "their bots formed a pair in a tournament"
        BUNDLE = "bundle", "they alone uploaded the same bundle"

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="findings", db_index=False)
    number = models.PositiveSmallIntegerField()
    """Within the report, from 1: results first, in the order in which they were flagged."""
    subject = models.CharField(max_length=8, choices=Subject.choices)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    entry = models.CharField(max_length=20, blank=True)
    """Public id of the version in a list, of the entry in an event; who gained, or who did it."""
    other = models.CharField(max_length=20, blank=True)
    """The same of the other; of ``receives`` the one against whom it was done."""
    is_with_strangers = models.BooleanField(default=False)
    """It is about their play with partners that change."""
    residual = models.FloatField(null=True)
    """Of results: stones a board beyond what strengths say."""
    error = models.FloatField(null=True)
    """Its standard error."""
    seen = models.PositiveIntegerField(null=True)
    """Of forfeits and waits: fixtures in which it was done."""
    meetings = models.PositiveIntegerField()
    """Fixtures in which they met."""
    expected = models.FloatField(null=True)
    """How many of the fixtures there would be by chance."""
    boards = models.PositiveIntegerField()
    """That both played against each other; of forfeits and waits those on which it was done."""
    p = models.FloatField(null=True)
    """Null of rulings, which are no test."""
    q = models.FloatField(null=True)
    """The share of false findings to expect among all tests as unlikely; null of rulings."""
    odd_boards = models.JSONField(default=list)
    """To be looked at: {board_set, fixture, board, stones}, of results the largest first."""
    ruler = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="+")
    """Of rulings: who ruled; ``entry`` is the entry concerned, ``seen`` the number of rulings."""
    link = models.CharField(max_length=8, choices=Link.choices, blank=True)
    """Of rulings: how the ruler is linked to the entry."""
    fixtures = models.JSONField(default=list)
    """Of rulings: public ids of the fixtures ruled on."""

    class Meta:
        ordering = ["report", "number"]
        constraints = [models.UniqueConstraint(fields=["report", "number"], name="finding_number_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of {self.report}"


class SetsSeen(models.Model):
    """How far the closing order of board sets was followed, and whether somebody reads: a single row."""

    closed_seq = models.PositiveBigIntegerField(default=0)
    """All sets up to this one are known."""
    rulings_at = models.DateTimeField(null=True)
    """When all rulings of persons were last compared with the reports: accounts may be linked later."""
    busy_until = models.DateTimeField(null=True)
    """Somebody makes reports until then at most; null: nobody does."""

    class Meta:
        verbose_name_plural = "sets seen"

    def __str__(self) -> str:
        return f"up to {self.closed_seq}"


class PairRuling(LiftableRuling):
    """A ruling that the fixtures of two entries of an event are void, and its lifting."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="pair_rulings")
    first = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    """Of the two that with the higher key."""
    adjudications = models.ManyToManyField(Adjudication, related_name="pair_rulings")
    """What it decided, fixture by fixture."""

    class Meta(LiftableRuling.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="pair_ruling_in_order"),
            models.CheckConstraint(condition=~Q(reason=""), name="pair_ruling_has_reason"),
            models.UniqueConstraint(
                fields=["tournament", "first", "second"],
                condition=Q(lifted_at__isnull=True),
                name="pair_ruled_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} and {self.second}: {self.reason}"
