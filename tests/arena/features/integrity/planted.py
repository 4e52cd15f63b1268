"""Events whose tables have the results, forfeits and times a test plants, by the services of the site."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from typing import NamedTuple

from arena.common.blobs import blob_put
from arena.competition.models import Entry, Tournament
from arena.jobs.flow import tournament_advance
from arena.matches.models import Table
from arena.matches.results import table_finish
from engine.lines import format_line
from referee.contract import BoardSeatResult, SeatReport, TableReport, Verdict
from tests.arena.play import claimed, waiting

SPREAD = 0.7
ANSWERS = 12
"""Of each seat on each board of the times."""

Stones = Callable[[str, str], float]
"""How much the first of two entries, by public id, wins from the second a board, on the mean."""
Does = Callable[[str, str], bool]
"""Whether the first of two does it when it meets the second."""


class Planted(NamedTuple):
    """What is to be found in an event; by chance alone otherwise."""

    gives: Stones = lambda first, second: 0.0
    forfeits: Does = lambda entry, other: False
    delays: Does = lambda entry, other: False


def fill(tournament: Tournament, planted: Planted, rounds: int) -> Tournament:
    """Have so many rounds of an event played with these results; records stand for nothing."""
    rng = random.Random("planted results")
    record, timings = blob_put(b"no record", "record"), {}
    for _ in range(rounds):
        tournament_advance(tournament)
        for table in sorted(waiting(tournament), key=lambda row: row.pk):
            lease = claimed(table)
            seats = {row.seat: row.entry for row in table.seats.select_related("entry").order_by("seat")}
            here = seats[1]
            there = next(entry for entry in seats.values() if entry != here)
            doing = tuple(
                (
                    planted.forfeits(entry.public_id, other.public_id),
                    planted.delays(entry.public_id, other.public_id),
                )
                for entry, other in ((here, there), (there, here))
            )
            is_slow = {seat: doing[entry != here][1] for seat, entry in seats.items()}
            key = tuple(sorted(is_slow.items()))
            if key not in timings:
                timings[key] = times_of(is_slow, table)
            mean = planted.gives(here.public_id, there.public_id)
            won = [round(rng.gauss(mean, SPREAD)) for _ in range(table.board_count)]
            report = report_of(table, lease.order.attempt, seats, here, won, record, timings[key])
            gone = {seat for seat, entry in seats.items() if doing[entry != here][0]}
            assert table_finish(lease.table_id, lease.fence, forfeited(report, gone))
        tournament_advance(tournament)
    tournament.refresh_from_db()
    return tournament


def report_of(
    table: Table,
    attempt: int,
    seats: dict[int, Entry],
    here: Entry,
    won: list[int],
    record: str,
    timings: str,
) -> TableReport:
    """Of a table where ``here`` won so much on each board."""
    return TableReport(
        table=table.public_id,
        attempt=attempt,
        record_sha256=record,
        timings_sha256=timings,
        results=tuple(
            BoardSeatResult(board, seat, stones if entry == here else -stones, Verdict.OK)
            for board, stones in enumerate(won, table.first_board)
            for seat, entry in seats.items()
        ),
        seats=tuple(SeatReport(seat, Verdict.OK, False, 1, 1, 1, 0, (), None) for seat in sorted(seats)),
        platform_fault=None,
        sandbox_level="FULL1",
        engine_version="test",
    )


def forfeited(report: TableReport, gone: set[int]) -> TableReport:
    """The report, with these seats forfeiting the table."""
    seats = tuple(
        SeatReport(row.seat, Verdict.CRASHED, True, 1, 1, 1, 0, (), None) if row.seat in gone else row
        for row in report.seats
    )
    return dataclasses.replace(report, seats=seats)


def times_of(is_slow: dict[int, bool], table: Table) -> str:
    """Times in which slow seats wait 40 ms before a third of their answers; the hash under which they are
    stored."""
    lines: list[dict[str, object]] = [{"format": "rensho-timings/1"}]
    for board in range(table.first_board, table.first_board + table.board_count):
        for seat, waits in is_slow.items():
            for n in range(1, ANSWERS + 1):
                idle_us = 40_000 if waits and n % 3 == 0 else 400
                lines.append({"board": board, "seat": seat, "n": n, "cpu_us": 900, "wall_us": 900 + idle_us})
    return blob_put(b"".join(map(format_line, lines)), "timings")
