"""Rounds of a seeded event: opened by the usual services, then played as far as the event's state
requires.
"""

from __future__ import annotations

import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import F

from arena.competition.deals import board_seeds
from arena.competition.models import Round, Stage
from arena.matches.board_results import format_results
from arena.matches.models import BoardSet, Fixture, Table, TableSeat
from arena.matches.rounds import round_open
from arena.standings.services import round_scores_build
from arena.standings.stages import field_of, opened_rounds_of, stage_so_far
from benchmarks.seeding.draw import SeededRandom
from benchmarks.seeding.tables import LEVEL, TablePool
from league.formats import format_named

BATCH = 1000
WORKER = "seeded"
TOLERANT = ("round_robin", "heats", "swiss", "groups")
"""Formats that tolerate a void fixture."""
VOID_ODDS = 400
"""Fixtures of closed rounds per void fixture."""
QUARANTINE_ODDS = 4
"""Running tables per quarantined table."""
LOST = {"code": "heartbeat_lost"}
CUT = {"code": "event_cancelled"}
CHANGED = {
    Fixture: ("state", "note", "done_at"),
    Table: (
        *("state", "attempt", "fence", "worker", "note", "published_at", "started_at", "finished_at"),
        *(
            "lease_until",
            "heartbeat_at",
            "progress_at",
            "boards_done",
            "decisions",
            "record_sha256",
            "view_sha256",
        ),
        *("sandbox_level", "engine_version", "compact_results"),
    ),
    TableSeat: ("verdict", "forfeited", "decisions", "cpu_ms", "wall_ms", "peak_bytes", "faults"),
}
"""Columns in which a played row differs from a new one."""


class RoundResult(NamedTuple):
    fixtures: int
    """Number of fixtures without byes."""
    cpu_ms: int


class RoundWriter:
    def __init__(self, stage: Stage, draw: SeededRandom) -> None:
        self._stage = stage
        self._draw = draw
        self._format = format_named(stage.format)
        self._so_far = stage_so_far(stage, field_of(stage), ())

    def is_last(self, number: int) -> bool:
        stage = self._so_far
        return self._format.round_count(len(stage.entries), stage.options, sides=stage.sides) == number

    def write(self, number: int, opened_at: datetime.datetime, minutes: int, how: str) -> RoundResult | None:
        """Write the next round (``closed``, ``open`` or ``cut``); None after the last."""
        pairings = self._format.next_round(self._so_far)
        if not pairings:
            return None
        with transaction.atomic():
            played = round_open(self._stage, number, pairings)
            Round.objects.filter(pk=played.pk).update(opened_at=opened_at)
            may_void = self._stage.format in TOLERANT
            cpu_ms = _RoundPlay(played, self._draw, opened_at, minutes * 60).play(how, may_void=may_void)
            if how != "open":
                closed_at = opened_at + datetime.timedelta(minutes=minutes)
                Round.objects.filter(pk=played.pk).update(state=Round.State.CLOSED, closed_at=closed_at)
                BoardSet.objects.filter(round=played).update(state=BoardSet.State.CLOSED, closed_at=closed_at)
                round_scores_build(played)
        (opened,) = opened_rounds_of(self._stage, since=number)
        self._so_far = self._so_far._replace(rounds=(*self._so_far.rounds, opened.fixtures))
        return RoundResult(sum(len(pairing) > 1 for pairing in pairings), cpu_ms)


class _RoundPlay:
    """Plays the tables of a new round, or leaves them in another state."""

    def __init__(self, played: Round, draw: SeededRandom, opened_at: datetime.datetime, seconds: int) -> None:
        self._board_set = played.board_set
        self._random = draw.random
        self._opened_at = opened_at
        self._seconds = seconds
        seeds = board_seeds(played, range(1, self._board_set.boards + 1))
        self._pool = TablePool(played.stage.tournament, seeds)
        self._seats: list[TableSeat] = []

    def play(self, how: str, *, may_void: bool) -> int:
        """Play the round, store the results, and return the CPU time in milliseconds.

        ``how``: all played (``closed``), partly played (``open``), or cancelled (``cut``).
        """
        opened = self._board_set.fixtures.prefetch_related("tables__seats__version")
        fixtures = list(opened.order_by("number"))
        tables = [table for fixture in fixtures for table in fixture.tables.all()]
        for fixture in fixtures:
            if fixture.state == Fixture.State.SETTLED:  # a bye
                fixture.done_at = self._opened_at
            else:
                self._fixture(fixture, self._fate(how, may_void))
        for model, rows in ((Fixture, fixtures), (Table, tables), (TableSeat, self._seats)):
            model._default_manager.bulk_create(
                rows,  # type: ignore[arg-type]
                batch_size=BATCH,
                update_conflicts=True,
                unique_fields=["id"],
                update_fields=CHANGED[model],
            )
        done = Table.objects.filter(fixture__board_set=self._board_set)
        done.filter(finished_at__isnull=False).update(state_at=F("finished_at"))
        done.filter(finished_at__isnull=True).update(state_at=self._opened_at)
        return sum(seat.cpu_ms for seat in self._seats)

    def _fate(self, how: str, may_void: bool) -> str:
        """Draw the state of a fixture: ``played``, ``void``, ``part``, ``waiting`` or ``cut``."""
        if how == "closed":
            return "void" if may_void and self._random.randrange(VOID_ODDS) == 0 else "played"
        if how == "cut":
            return self._random.choice(("played", "cut"))
        return self._random.choices(("played", "part", "waiting"), (4, 3, 3))[0]

    def _fixture(self, fixture: Fixture, fate: str) -> None:
        tables = list(fixture.tables.all())
        if fate == "played":
            forfeited = [self._finish(table) for table in tables]
            fixture.state = Fixture.State.FORFEITED if any(forfeited) else Fixture.State.SETTLED
            fixture.done_at = max(table.finished_at or self._opened_at for table in tables)
        elif fate == "part":
            self._finish(tables[0])
            for table in tables[1:2]:
                self._leave(table)
        elif fate in ("void", "cut"):
            for table in tables:
                table.state = Table.State.VOID
                if fate == "void":
                    table.note, table.attempt = LOST, 3
            fixture.state = Fixture.State.VOID
            fixture.note = CUT if fate == "cut" else {"code": "table_not_played", "why": LOST}
            fixture.done_at = self._opened_at

    def _finish(self, table: Table) -> bool:
        """Play a table. Return whether a bot forfeited it."""
        seats = list(table.seats.all())
        bundles = [seat.version.bundle_sha256 for seat in seats]
        seated = self._pool.table(table.first_board, table.board_count, bundles)
        delay_s = self._random.random() * self._seconds * 0.9
        table.state = Table.State.FINISHED
        table.attempt = 1
        table.fence = f"{self._random.getrandbits(128):032x}"
        table.started_at = self._opened_at + datetime.timedelta(seconds=delay_s)
        table.finished_at = table.started_at + datetime.timedelta(seconds=1 + self._random.random())
        table.published_at = self._opened_at
        table.progress_at = table.heartbeat_at = table.finished_at
        table.boards_done = table.board_count
        table.decisions = seated.decisions
        table.worker = WORKER
        table.record_sha256 = seated.report.record_sha256 or ""
        table.view_sha256 = seated.view_sha256
        table.compact_results = format_results(seated.report.results)
        table.sandbox_level = LEVEL
        table.engine_version = seated.report.engine_version
        for seat, report in zip(seats, seated.report.seats, strict=True):
            seat.verdict = report.verdict
            seat.forfeited = report.forfeited
            seat.decisions = report.decisions
            seat.cpu_ms = 5 + report.decisions // 2
            seat.wall_ms = seat.cpu_ms * 2
            seat.peak_bytes = 9_000_000
            seat.faults = seated.faults.get(seat.seat, [])
        self._seats += seats
        return any(report.forfeited for report in seated.report.seats)

    def _leave(self, table: Table) -> None:
        table.started_at = table.heartbeat_at = table.progress_at = table.published_at = self._opened_at
        table.worker = WORKER
        if self._random.randrange(QUARANTINE_ODDS) == 0:
            table.state, table.attempt, table.note = Table.State.QUARANTINED, 3, LOST
            return
        table.state, table.attempt = Table.State.LEASED, 1
        table.fence = f"{self._random.getrandbits(128):032x}"
        table.lease_until = self._opened_at + datetime.timedelta(minutes=1)
