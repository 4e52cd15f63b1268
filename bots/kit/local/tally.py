"""Running results of a match: board scores, faults and decision times, in whatever order tables end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from bots.kit.local.match import BoardBatch, LocalMatch
from bots.kit.local.pool import FinishedTable
from engine import Seat
from league.intervals import Interval, mean_interval
from league.scoring import board_scores, forfeit_stones, table_result
from referee.contract import Fault, SeatReport, Verdict
from referee.seat import START_PHASE

CONFIDENCE = 0.95
_TIMING_STEP_US = 10
"""Resolution of decision times in microseconds, which bounds the memory for a million decisions."""


class FirstFault(NamedTuple):
    fault: Fault
    seat: Seat
    rotation: int
    batch: BoardBatch
    log_sha256: str | None


class SideResult:
    def __init__(self) -> None:
        self.scores: list[Fraction] = []
        """Board scores in stones, in board order."""
        self.faults: Counter[Verdict] = Counter()
        self.first_fault: FirstFault | None = None
        self.forfeits = 0
        self.decisions = 0
        self._times: Counter[int] = Counter()

    @property
    def interval(self) -> Interval | None:
        """Average board score with its 95% interval; None without boards."""
        return mean_interval(self.scores, CONFIDENCE) if self.scores else None

    @property
    def median_ms(self) -> float | None:
        """Median CPU time of a decision in ms; None without timings."""
        half, count = self._times.total() / 2, 0
        for step in sorted(self._times):
            count += self._times[step]
            if count >= half:
                return step * _TIMING_STEP_US / 1000
        return None

    @property
    def max_ms(self) -> float | None:
        """Maximum CPU time of a decision in ms; None without timings."""
        return max(self._times) * _TIMING_STEP_US / 1000 if self._times else None

    def add_time(self, cpu_us: int) -> None:
        self._times[round(cpu_us / _TIMING_STEP_US)] += 1


class Tally:
    """Collects tables. A batch counts when all its rotations and all earlier batches are complete."""

    def __init__(self, match: LocalMatch) -> None:
        self.match = match
        self.sides = [SideResult() for _ in match.contenders]
        self.boards_done = 0
        """Number of scored boards, from the first board on."""
        self.records: list[str] = []
        """Hashes of the records, in table order."""
        self._waiting: dict[int, list[FinishedTable]] = {}
        self._next_batch = 0
        self._has_started: set[int] = set()
        """Positions of contenders that started at some table."""

    def add(self, played: FinishedTable) -> tuple[int, FirstFault] | None:
        """Add a table. Returns position and fault of a contender that has never started, if any."""
        self._waiting.setdefault(played.table.batch.number, []).append(played)
        failed: dict[int, FirstFault] = {}
        for seat in played.report.seats:
            position = played.table.seating[seat.seat]
            if seat.faults and seat.faults[0].phase == START_PHASE:
                failed.setdefault(position, first_fault(played, seat))
            else:
                self._has_started.add(position)
        never = sorted(set(failed) - self._has_started)
        return (never[0], failed[never[0]]) if never else None

    def score_next(self) -> bool:
        """Score the next batch if it is complete. Returns whether it was."""
        if len(self._waiting.get(self._next_batch, ())) < len(self.sides):
            return False
        batch = sorted(self._waiting.pop(self._next_batch), key=lambda each: each.table.number)
        self._next_batch += 1
        for played in batch:
            self._count_faults(played)
        self._score(batch)
        return True

    def _score(self, tables: Sequence[FinishedTable]) -> None:
        rules = self.match.rules
        results = []
        for played in tables:
            report, seating = played.report, played.table.seating
            results.append(
                table_result(
                    played.table.rotation,
                    {seat: str(position) for seat, position in seating.items()},
                    [(result.board, result.seat, result.stones) for result in report.results],
                    [seat.seat for seat in report.seats if seat.forfeited],
                )
            )
            self.records.append(report.record_sha256 or "")
        scores = board_scores(results, forfeit_stones(rules.kind, rules.forfeit_stones))
        for _, by_entry in sorted(scores.items()):
            for position, side in enumerate(self.sides):
                side.scores.append(by_entry[str(position)])
        self.boards_done += len(scores)

    def _count_faults(self, played: FinishedTable) -> None:
        table, report = played.table, played.report
        for position in {table.seating[seat.seat] for seat in report.seats if seat.forfeited}:
            self.sides[position].forfeits += 1
        for seat in report.seats:
            side = self.sides[table.seating[seat.seat]]
            side.decisions += seat.decisions
            side.faults.update(fault.verdict for fault in seat.faults)
            if seat.faults and side.first_fault is None:
                side.first_fault = first_fault(played, seat)
        timings = played.blobs.get(report.timings_sha256 or "", b"")
        for line in timings.splitlines()[1:]:
            timing = json.loads(line)
            self.sides[table.seating[timing["seat"]]].add_time(timing["cpu_us"])


def first_fault(played: FinishedTable, seat: SeatReport) -> FirstFault:
    table = played.table
    return FirstFault(seat.faults[0], seat.seat, table.rotation, table.batch, seat.log_sha256)
