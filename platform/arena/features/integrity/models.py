"""Models: conduct read from closed board sets, reports and their findings, rulings on pairs."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from arena.accounts.models import User
from arena.competition.models import Entry, Tournament
from arena.features.ratings.models import LiftableRuling, RatingList
from arena.matches.models import Adjudication, BoardSet, Table


class TableDelays(models.Model):
    table = models.OneToOneField(Table, on_delete=models.CASCADE, primary_key=True, related_name="delays")
    timings_sha256 = models.CharField(max_length=64, blank=True)
    """Hash of the timings that were read; a replayed table has other timings."""
    is_missing = models.BooleanField(default=False)
    """Whether the timings are no longer stored."""
    delays = models.JSONField(default=dict)
    """Sorted board numbers by member key (``arena.features.integrity.conduct.member_key``)."""

    class Meta:
        verbose_name_plural = "table delays"

    def __str__(self) -> str:
        return f"delays at {self.table}"


class BoardSetConduct(models.Model):
    """Scores and conduct of a closed board set, as input of reports."""

    board_set = models.OneToOneField(BoardSet, on_delete=models.CASCADE, related_name="conduct")
    stale_mark = models.CharField(max_length=16, blank=True)
    """A new value each time the tables may have changed; empty after they are read."""
    scores = models.BinaryField(default=b"")
    """Board scores by entry, ``league.rating.packing``; empty before the first reading."""
    conduct = models.JSONField(default=list)
    """A list of ``arena.features.integrity.conduct.FixtureConduct``."""
    tables = models.PositiveIntegerField(default=0)
    """Finished tables of these fixtures."""
    tables_missing = models.PositiveIntegerField(default=0)
    """Tables whose timings are no longer stored."""

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["id"], condition=~Q(stale_mark=""), name="conduct_stale_idx")]

    def __str__(self) -> str:
        return f"conduct in {self.board_set}"


class Report(models.Model):
    """Findings on a rating list or an event. Recomputed after each change of the input."""

    list = models.OneToOneField(RatingList, null=True, on_delete=models.CASCADE, related_name="integrity")
    tournament = models.OneToOneField(
        Tournament, null=True, on_delete=models.CASCADE, related_name="integrity"
    )
    stale_mark = models.CharField(max_length=16, blank=True)
    """A new value each time the input may have changed; empty if the report is current."""
    revision = models.PositiveIntegerField(default=0)
    """Number of times the report was computed; 0 before the first."""
    list_revision = models.PositiveIntegerField(default=0)
    """Revision of the list it is based on; 0 for events."""
    computed_at = models.DateTimeField(null=True)
    cpu_ms = models.PositiveIntegerField(default=0)
    """CPU time of the tests. Expensive reports are recomputed less often."""
    sets = models.PositiveIntegerField(default=0)
    """Closed board sets it is based on."""
    fixtures = models.PositiveIntegerField(default=0)
    pairs = models.PositiveIntegerField(default=0)
    """Tested pairs; at tables with three or more sides, each counts twice."""
    tables = models.PositiveIntegerField(default=0)
    """Tables with stored timings."""
    tables_missing = models.PositiveIntegerField(default=0)
    """Tables whose timings are no longer stored."""
    finding_count = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-computed_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(list__isnull=True, tournament__isnull=False)
                | Q(list__isnull=False, tournament__isnull=True),
                name="report_subject_check",
            )
        ]
        indexes = [models.Index(fields=["id"], condition=~Q(stale_mark=""), name="report_stale_idx")]

    def __str__(self) -> str:
        return f"integrity of {self.list or self.tournament}"


class Finding(models.Model):
    """A test result that stands out, about one or two entries or versions."""

    class Subject(models.TextChoices):
        RESULTS = "results", "board scores against what strengths say"
        FORFEITS = "forfeits", "forfeits by opponent"
        DELAYS = "delays", "delays before answers"
        RULINGS = "rulings", "rulings by persons with an interest"

    class Kind(models.TextChoices):
        DUEL = "duel", "one won more from the other than strengths say"
        TRANSFER = "transfer", "at larger tables one won and the other lost more than strengths say"
        ALLIANCE = "alliance", "at larger tables both together won more, or less, than strengths say"
        AGAINST = "against", "one did it against the other more often than against others"
        RECEIVED = "received", "all its opponents together did it more often against one"
        FREQUENT = "frequent", "one did it more often than the rest of the field"
        RULED = "ruled", "its owner, or an account linked to its owner, ruled"

    class Link(models.TextChoices):
        """Link between the account that ruled and the owner of the entry."""

        SAME = "same", "it has or had the entry itself"
        PAIR = "pair", "their bots formed a pair in a tournament"
        BUNDLE = "bundle", "they alone uploaded the same bundle"

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="findings", db_index=False)
    number = models.PositiveSmallIntegerField()
    """Within the report, from 1: results first, in the order of the tests."""
    subject = models.CharField(max_length=8, choices=Subject.choices)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    entry = models.CharField(max_length=20, blank=True)
    """Public id of the version (lists) or entry (events) that gained, forfeited or delayed answers."""
    other = models.CharField(max_length=20, blank=True)
    """Public id of the other one; for ``received``, of the one against which opponents did it."""
    with_other_partners = models.BooleanField(default=False)
    """Whether the finding concerns play with changing partners."""
    residual = models.FloatField(null=True)
    """For results: stones per board beyond the prediction from strengths."""
    error = models.FloatField(null=True)
    """Standard error of ``residual``."""
    observed = models.PositiveIntegerField(null=True)
    """For forfeits and delays: fixtures with a forfeit or delay."""
    meetings = models.PositiveIntegerField()
    """Fixtures between the two."""
    expected = models.FloatField(null=True)
    """Expected value of ``observed`` by chance."""
    boards = models.PositiveIntegerField()
    """Boards that both played against each other; for forfeits and delays, the boards with one."""
    p = models.FloatField(null=True)
    """Null for rulings, which are not tested."""
    q = models.FloatField(null=True)
    """Expected share of false findings among all tests with at most this ``p``; null for rulings."""
    unusual_boards = models.JSONField(default=list)
    """Boards to inspect: {board_set, fixture, board, stones}; for results, the largest first."""
    adjudicator = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="+")
    """For rulings: the account that ruled; ``entry`` is the entry, ``observed`` the number of rulings."""
    link = models.CharField(max_length=8, choices=Link.choices, blank=True)
    """For rulings: link between the adjudicator and the entry."""
    fixtures = models.JSONField(default=list)
    """For rulings: public ids of the fixtures ruled on."""

    class Meta:
        ordering = ["report", "number"]
        constraints = [models.UniqueConstraint(fields=["report", "number"], name="finding_number_unique")]

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of {self.report}"


class IntegrityProgress(models.Model):
    """Progress along the closing order of board sets, and the lease of the report maker; a single row."""

    closed_seq = models.PositiveBigIntegerField(default=0)
    """All sets up to this one are registered."""
    rulings_at = models.DateTimeField(null=True)
    """Last comparison of rulings with the reports; repeated because accounts may be linked later."""
    busy_until = models.DateTimeField(null=True)
    """Expiry of the lease; null if no process makes reports."""

    class Meta:
        verbose_name_plural = "integrity progress"

    def __str__(self) -> str:
        return f"up to {self.closed_seq}"


class PairRuling(LiftableRuling):
    """A ruling that voids the fixtures of two entries of an event, and its lifting."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="pair_rulings")
    first = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    second = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    """The entry with the higher key."""
    adjudications = models.ManyToManyField(Adjudication, related_name="pair_rulings")

    class Meta(LiftableRuling.Meta):
        constraints = [
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="pair_ruling_order_check"),
            models.CheckConstraint(condition=~Q(reason=""), name="pair_ruling_reason_check"),
            models.UniqueConstraint(
                fields=["tournament", "first", "second"],
                condition=Q(lifted_at__isnull=True),
                name="pair_ruling_pair_unique",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first} and {self.second}: {self.reason}"
