"""The rows of one round of a seeded event, collected and then stored kind by kind."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.db.models import F

from arena.competition.deals import sides_by_entry
from arena.competition.models import Entry, Stage, Tournament
from arena.matches.models import BoardResult, BoardSet, Fixture, FixtureEntry, RuntimeSet, Table, TableSeat
from arena.matches.rounds import have_same_owner
from arena.matches.workers import runtime_set
from arena.roster.models import BotVersion
from arena.standings.drawing import BoardValues, position_scores, totals_of
from arena.standings.models import BoardScore, FixtureScore
from benchmarks.seeding.draw import Draw
from benchmarks.seeding.tables import LEVEL, Seated, TablePool

WORKER = "seeded"
VOID_ODDS = 400
"""One fixture in so many of a closed round could not be played."""
QUARANTINE_ODDS = 4
"""One table in so many of those under way has failed too often."""
LOST = "worker lost: no heartbeat within the lease"
CUT = "the tournament was cancelled"


class Seat(NamedTuple):
    """A seat of a rotation: whose it is, by position in the pairing, and which of their versions plays."""

    seat: int
    position: int
    version: int


class Layout(NamedTuple):
    """What all fixtures of a stage have in common."""

    tournament: Tournament
    stage: Stage
    chunks: list[tuple[int, int]]
    limits: dict[int, float]
    """Wall limit in seconds by number of boards."""
    template: Callable[[Sequence[Entry]], list[list[Seat]]]


class RoundRows:
    """Collects a round; ``store`` writes it."""

    def __init__(
        self,
        layout: Layout,
        draw: Draw,
        board_set: BoardSet,
        pool: TablePool,
        opened_at: datetime.datetime,
        seconds: int,
    ) -> None:
        self._layout = layout
        self._draw = draw
        self._board_set = board_set
        self._pool = pool
        self._opened_at = opened_at
        self._seconds = seconds
        self._needs: dict[frozenset[str], RuntimeSet] = {}
        self._values: dict[tuple[tuple[str, ...], ...], BoardValues] = {}
        self._fixtures: list[Fixture] = []
        self._sides: list[FixtureEntry] = []
        self._tables: list[Table] = []
        self._seats: list[TableSeat] = []
        self._results: list[BoardResult] = []
        self._scores: list[BoardScore] = []
        self._totals: list[FixtureScore] = []
        self.outcomes: list[tuple[Mapping[str, Fraction] | None, bool]] = []
        """(totals, is_void) of each fixture, in order."""
        self.cpu_ms = 0

    def fixture(self, number: int, sides: list[Entry], how: str, *, may_void: bool) -> None:
        """One fixture with its tables.

        ``how``: all played (``closed``), as it may look in between (``open``), or broken off (``cut``).
        """
        fixture = Fixture(
            public_id=self._draw.public_id(),
            tournament=self._layout.tournament,
            board_set=self._board_set,
            number=number,
            same_owner=have_same_owner(sides),
        )
        self._fixtures.append(fixture)
        self._sides += [
            FixtureEntry(fixture=fixture, entry_id=entry.pk, position=position, side=side)
            for position, (entry, side) in enumerate(
                zip(sides, sides_by_entry(self._layout.stage, len(sides)), strict=True)
            )
        ]
        if len(sides) == 1:
            self._end(fixture, Fixture.State.SETTLED, self._opened_at)
            self.outcomes.append((None, False))
            return
        fate = self._fate(how, may_void)
        seated = self._play(fixture, sides, fate)
        if fate == "played" and how != "open":
            self._score(fixture, sides, seated)
        else:
            self.outcomes.append((None, fate in ("void", "cut")))

    def _fate(self, how: str, may_void: bool) -> str:
        """``played``, ``void``, ``part``, ``waiting`` or ``cut``."""
        chance = self._draw.random
        if how == "closed":
            return "void" if may_void and chance.randrange(VOID_ODDS) == 0 else "played"
        if how == "cut":
            return chance.choice(("played", "cut"))
        return chance.choices(("played", "part", "waiting"), (4, 3, 3))[0]

    def _play(self, fixture: Fixture, sides: list[Entry], fate: str) -> list[tuple[int, Seated]]:
        """The tables of a fixture as its fate has it; those played, with their rotations."""
        done: list[tuple[int, Seated]] = []
        forfeited = False
        last = self._opened_at
        count = 0
        names = frozenset(version.runtime for entry in sides for version in entry.versions())
        if names not in self._needs:
            self._needs[names] = runtime_set(names)
        for rotation, seats in enumerate(self._layout.template(sides)):
            for first_board, board_count in self._layout.chunks:
                count += 1
                table = Table(
                    public_id=self._draw.public_id(),
                    tournament=self._layout.tournament,
                    fixture=fixture,
                    rotation=rotation,
                    first_board=first_board,
                    board_count=board_count,
                    wall_limit_s=self._layout.limits[board_count],
                    runtimes=self._needs[names],
                )
                self._tables.append(table)
                versions = [_version(sides[seat.position], seat.version) for seat in seats]
                rows = [
                    TableSeat(
                        table=table,
                        seat=seat.seat,
                        entry_id=sides[seat.position].pk,
                        version_id=version.pk,
                        faults=[],
                    )
                    for seat, version in zip(seats, versions, strict=True)
                ]
                self._seats += rows
                if fate == "played" or (fate == "part" and count == 1):
                    bundles = [version.bundle_sha256 for version in versions]
                    seated = self._pool.table(first_board, board_count, bundles)
                    done.append((rotation, seated))
                    self._finish(table, rows, seated)
                    forfeited |= any(seat.forfeited for seat in seated.report.seats)
                    assert table.finished_at is not None
                    last = max(last, table.finished_at)
                elif fate in ("void", "cut"):
                    table.state = Table.State.VOID
                    if fate == "void":
                        table.reason, table.attempt = LOST, 3
                elif fate == "part" and count == 2:
                    self._leave(table)
        if fate == "played":
            self._end(fixture, Fixture.State.FORFEITED if forfeited else Fixture.State.SETTLED, last)
        elif fate in ("void", "cut"):
            fixture.reason = CUT if fate == "cut" else f"a table could not be played: {LOST}"
            self._end(fixture, Fixture.State.VOID, self._opened_at)
        else:
            fixture.state = Fixture.State.OPEN
        return done

    def _finish(self, table: Table, rows: list[TableSeat], seated: Seated) -> None:
        chance = self._draw.random
        table.state = Table.State.FINISHED
        table.attempt = 1
        table.fence = f"{chance.getrandbits(128):032x}"
        table.started_at = self._opened_at + datetime.timedelta(seconds=chance.random() * self._seconds * 0.9)
        table.finished_at = table.started_at + datetime.timedelta(seconds=1 + chance.random())
        table.published_at = self._opened_at
        table.progress_at = table.heartbeat_at = table.finished_at
        table.boards_done = table.board_count
        table.decisions = seated.decisions
        table.worker = WORKER
        table.record_sha256 = seated.report.record_sha256 or ""
        table.sandbox_level = LEVEL
        table.engine_version = seated.report.engine_version
        for row, seat_report in zip(rows, seated.report.seats, strict=True):
            row.verdict = seat_report.verdict
            row.forfeited = seat_report.forfeited
            row.decisions = seat_report.decisions
            row.cpu_ms = 5 + seat_report.decisions // 2
            row.wall_ms = row.cpu_ms * 2
            row.peak_bytes = 9_000_000
            row.faults = seated.faults.get(row.seat, [])
            self.cpu_ms += row.cpu_ms
        self._results += [
            BoardResult(table=table, board=board, seat=seat, stones=stones, verdict=verdict)
            for board, seat, stones, verdict in seated.results
        ]

    def _leave(self, table: Table) -> None:
        """A table somebody seemed to be playing when the picture was taken, or nobody could play."""
        table.started_at = table.heartbeat_at = table.progress_at = table.published_at = self._opened_at
        table.worker = WORKER
        if self._draw.random.randrange(QUARANTINE_ODDS) == 0:
            table.state, table.attempt, table.reason = Table.State.QUARANTINED, 3, LOST
            return
        table.state, table.attempt = Table.State.LEASED, 1
        table.fence = f"{self._draw.random.getrandbits(128):032x}"
        table.lease_until = self._opened_at + datetime.timedelta(minutes=1)

    def _end(self, fixture: Fixture, state: str, at: datetime.datetime) -> None:
        fixture.state = state
        fixture.done_at = at

    def _score(self, fixture: Fixture, sides: list[Entry], seated: list[tuple[int, Seated]]) -> None:
        key = tuple(tuple(version.bundle_sha256 for version in entry.versions()) for entry in sides)
        values = self._values.get(key)
        if values is None:
            template = self._layout.template(sides)
            values = self._values[key] = position_scores(
                self._layout.tournament,
                sides_by_entry(self._layout.stage, len(sides)),
                [
                    (
                        rotation,
                        {seat.seat: seat.position for seat in template[rotation]},
                        [result[:3] for result in played.results],
                        [seat_report.seat for seat_report in played.report.seats if seat_report.forfeited],
                    )
                    for rotation, played in seated
                ],
            )
        self._scores += [
            BoardScore(
                fixture=fixture,
                board=board,
                entry_id=entry.pk,
                numerator=value.numerator,
                denominator=value.denominator,
            )
            for board, by in values.items()
            for entry, value in zip(sides, by, strict=True)
        ]
        totals = totals_of(values, sides)
        self._totals += [
            FixtureScore(
                fixture=fixture,
                entry_id=entry.pk,
                numerator=totals[entry.public_id].numerator,
                denominator=totals[entry.public_id].denominator,
            )
            for entry in sides
        ]
        self.outcomes.append((totals, False))

    def store(self) -> None:
        """Write everything: parents before children."""
        Fixture.objects.bulk_create(self._fixtures)
        FixtureEntry.objects.bulk_create(self._sides)
        Table.objects.bulk_create(self._tables)
        TableSeat.objects.bulk_create(self._seats)
        BoardResult.objects.bulk_create(self._results)
        BoardScore.objects.bulk_create(self._scores)
        FixtureScore.objects.bulk_create(self._totals)
        tables = Table.objects.filter(fixture__board_set=self._board_set)
        tables.filter(finished_at__isnull=False).update(state_at=F("finished_at"))
        tables.filter(finished_at__isnull=True).update(state_at=self._opened_at)


def _version(entry: Entry, number: int) -> BotVersion:
    """The version of an entry that plays the so-manieth seat of its side."""
    versions = entry.versions()
    return versions[number] if len(versions) > 1 else versions[0]
