"""Tables of a fixture: the seats of each rotation, so that every entry holds every hand once, and the boards.

Two sides have two tables with the sides exchanged, three pairs three. A free-for-all of n has the n rotations
of one circular order, which changes between rounds (``circular_orders``).

Source: docs/contracts.md#seating-and-results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from league.errors import SeatingError
from league.orders import circular_orders

__all__ = [
    "TABLE_CPU_MS",
    "Lineup",
    "Side",
    "TableSeat",
    "circular_orders",
    "mixed_rotations",
    "rotations",
    "seatings",
    "table_chunks",
    "versions_by_seat",
]

TABLE_CPU_MS = 60_000
"""Exclusive maximum of the CPU time of all seats of a table, so that no unit of work runs too long."""

Side = tuple[int, ...]
"""Seats that win and lose together, ascending: a pair, or one seat in a free-for-all."""


class Lineup(NamedTuple):
    """Versions that play for an entry."""

    entry: str
    versions: tuple[str, ...]
    """One version for every seat of its side, or one per seat, the first in the lowest seat."""


class TableSeat(NamedTuple):
    seat: int
    entry: str
    version: str


def seatings(sides: int) -> list[tuple[int, ...]]:
    """Return, for each rotation, the position (from 0) of the entry on each side.

    >>> seatings(2)
    [(0, 1), (1, 0)]
    >>> seatings(3)
    [(0, 1, 2), (2, 0, 1), (1, 2, 0)]
    """
    if sides < 2:
        raise SeatingError(f"a table has two sides or more, not {sides}")
    return [tuple((side - rotation) % sides for side in range(sides)) for rotation in range(sides)]


def rotations(lineups: Sequence[Lineup], sides: Sequence[Side]) -> list[tuple[TableSeat, ...]]:
    """Return the tables of a fixture: for each rotation, every seat with entry and version, by seat.

    Lineups are in the order of the pairing, sides in the order of the game. Raise ``SeatingError`` unless
    there is one entry per side, each once, and versions fill the sides.
    """
    if len(lineups) != len(sides):
        raise SeatingError(f"{len(lineups)} entries for a table of {len(sides)} sides")
    names = [lineup.entry for lineup in lineups]
    if len(set(names)) != len(names):
        raise SeatingError(f"an entry cannot meet itself: {', '.join(names)}")
    tables = []
    for positions in seatings(len(sides)):
        places = [
            TableSeat(seat, lineups[position].entry, version)
            for side, position in zip(sides, positions, strict=True)
            for seat, version in zip(side, versions_by_seat(lineups[position], len(side)), strict=True)
        ]
        tables.append(tuple(sorted(places)))
    return tables


def mixed_rotations(players: Sequence[tuple[str, str]], sides: Sequence[Side]) -> list[tuple[TableSeat, ...]]:
    """Return the tables of a fixture whose entries each hold one seat: for each rotation every seat, by seat.

    ``players`` are (entry, version), side by side as in the pairing. Partners stay together; the first entry
    of a side holds its lower seat. Raise ``SeatingError`` unless there is one player per seat and sides are
    equal.
    """
    sizes = {len(side) for side in sides}
    if len(sizes) != 1:
        raise SeatingError(f"partners are mixed among sides of one size, not of {sorted(sizes)} seats")
    per_side = sizes.pop()
    if len(players) != per_side * len(sides):
        raise SeatingError(f"{len(players)} players for {len(sides)} sides of {per_side} seats")
    names = [entry for entry, _ in players]
    if len(set(names)) != len(names):
        raise SeatingError(f"an entry cannot meet itself: {', '.join(names)}")
    partners = [players[start : start + per_side] for start in range(0, len(players), per_side)]
    return [
        tuple(
            sorted(
                TableSeat(seat, entry, version)
                for side, position in zip(sides, positions, strict=True)
                for seat, (entry, version) in zip(side, partners[position], strict=True)
            )
        )
        for positions in seatings(len(sides))
    ]


def versions_by_seat(lineup: Lineup, seats: int) -> tuple[str, ...]:
    """Return the version per seat, lowest first. Raise ``SeatingError`` for several, but not one each."""
    if len(lineup.versions) == 1:
        return lineup.versions * seats
    if len(lineup.versions) != seats:
        raise SeatingError(f"entry {lineup.entry} has {len(lineup.versions)} versions for {seats} seats")
    return lineup.versions


def table_chunks(*, boards: int, seats: int, cpu_ms_per_board: int) -> list[tuple[int, int]]:
    """Divide the boards of one rotation into tables: first board, from 1, and number of boards.

    ``cpu_ms_per_board`` is the limit of one seat on one board: its bank and its increments. There are as few
    tables as possible, with sizes that differ by at most one. A single board above ``TABLE_CPU_MS`` is a
    separate table.

    >>> table_chunks(boards=20, seats=4, cpu_ms_per_board=780)
    [(1, 10), (11, 10)]
    """
    if boards < 1 or seats < 1 or cpu_ms_per_board < 0:
        raise ValueError(f"nothing to cut: {boards} boards, {seats} seats, {cpu_ms_per_board} ms a board")
    board_cpu_ms = seats * cpu_ms_per_board
    most = boards if board_cpu_ms == 0 else max(1, (TABLE_CPU_MS - 1) // board_cpu_ms)
    tables = -(-boards // most)
    size, longer = divmod(boards, tables)
    chunks = []
    first = 1
    for number in range(tables):
        count = size + (number < longer)
        chunks.append((first, count))
        first += count
    return chunks
