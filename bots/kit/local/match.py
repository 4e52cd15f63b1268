"""Plan of a match on this machine: boards, tables and seating. Plain values.

Boards are divided into batches, each played once per rotation. With more than two sides, each batch uses the
next circular order of the sides; enough batches cover complete cycles of orders, so that every side follows
every other side equally often. Batches equal those of the server if these have at least ten deals; smaller
batches are avoided, because starting a bot takes as long as several deals.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bots.kit.local.sides import Contender
from bots.sdk import Bot
from engine import Rules, Seat
from league.fairness import local_board_seed
from league.rotation import Lineup, circular_orders, rotations, table_chunks
from referee.bundle import Bundle
from referee.clocks import decisions_bound
from referee.contract import (
    BoardOrder,
    Clock,
    FaultPolicy,
    Limits,
    SeatOrder,
    TableOrder,
    table_wall_limit_s,
)

MIN_BATCH_DEALS = 10
"""Minimum deals of a batch, if the match has so many."""


class GivenBoard(NamedTuple):
    order: BoardOrder
    origin: str
    """Where the board is in its file."""


class LocalMatch(NamedTuple):
    """All settings that determine a match, except randomness of the bots."""

    rules: Rules
    contenders: tuple[Contender, ...]
    boards: int
    seed: str
    clock: Clock = Clock()
    limits: Limits = Limits()
    fault_policy: FaultPolicy = FaultPolicy.SUBSTITUTE
    given: tuple[GivenBoard, ...] = ()
    """Boards of a file; the seed then determines only the random numbers of the bots."""
    source: str = ""
    """File of the given boards."""
    lost_by: str = ""
    """Bot for whose losses the given boards were selected."""
    makers: Mapping[str, Callable[[], Bot]] = {}
    """Functions that make the bots without a bundle, by hash; each is called once per seat and table."""

    @property
    def bundles(self) -> dict[str, Bundle]:
        """Bots by the hash of their bundle."""
        return {bundle.sha256: bundle for each in self.contenders for bundle in each.bundles}

    @property
    def runtimes(self) -> set[str]:
        """Runtimes of all bots with a bundle."""
        bundles = self.bundles.items()
        return {bundle.manifest.runtime for sha256, bundle in bundles if sha256 not in self.makers}


class BoardBatch(NamedTuple):
    """Consecutive boards of a match, counted from 1. Given boards keep the numbers of their file."""

    number: int
    first_board: int
    boards: int

    @property
    def last_board(self) -> int:
        return self.first_board + self.boards - 1


class MatchTable(NamedTuple):
    number: int
    batch: BoardBatch
    rotation: int
    seating: dict[Seat, int]
    order: TableOrder


def board_batches(match: LocalMatch) -> list[BoardBatch]:
    rules = match.rules
    board = [BoardOrder(1, rules.kind, "")]
    increments_ms = match.clock.increment_cpu_ms * decisions_bound(rules.game, rules.ruleset, board)
    count = len(
        table_chunks(
            boards=match.boards,
            seats=rules.game.seats(rules.ruleset),
            cpu_ms_per_board=match.clock.bank_cpu_ms([rules.kind]) + increments_ms,
        )
    )
    if rules.kind == "deal":
        count = min(count, max(1, match.boards // MIN_BATCH_DEALS))
    cycle = len(circular_orders(len(rules.sides)))
    if count > cycle:
        count -= count % cycle
    size, longer = divmod(match.boards, count)
    cut, first = [], 1
    for number in range(count):
        cut.append(BoardBatch(number, first, size + (number < longer)))
        first = cut[-1].last_board + 1
    return _cut_at_descents(cut, match.given) if match.given else cut


def _cut_at_descents(cut: Sequence[BoardBatch], given: Sequence[GivenBoard]) -> list[BoardBatch]:
    """Cut batches where the board numbers do not ascend, as they have to at a table."""
    firsts = [
        board
        for batch in cut
        for board in range(batch.first_board, batch.last_board + 1)
        if board == batch.first_board or given[board - 1].order.number <= given[board - 2].order.number
    ]
    ends = [*firsts[1:], len(given) + 1]
    return [
        BoardBatch(number, first, end - first)
        for number, (first, end) in enumerate(zip(firsts, ends, strict=True))
    ]


def match_tables(match: LocalMatch, cut: Sequence[BoardBatch] | None = None) -> Iterator[MatchTable]:
    sides = match.rules.sides
    orders = circular_orders(len(sides))
    for batch in board_batches(match) if cut is None else cut:
        positions = orders[batch.number % len(orders)]
        lineups = [
            Lineup(str(position), tuple(bundle.sha256 for bundle in match.contenders[position].bundles))
            for position in positions
        ]
        for rotation, places in enumerate(rotations(lineups, sides)):
            yield MatchTable(
                batch.number * len(sides) + rotation,
                batch,
                rotation,
                {assigned.seat: int(assigned.entry) for assigned in places},
                _order(match, batch, rotation, {assigned.seat: assigned.version for assigned in places}),
            )


def _order(match: LocalMatch, batch: BoardBatch, rotation: int, versions: dict[Seat, str]) -> TableOrder:
    rules, clock = match.rules, match.clock
    boards = tuple(
        match.given[number - 1].order
        if match.given
        else BoardOrder(number, rules.kind, local_board_seed(match.seed, number))
        for number in range(batch.first_board, batch.last_board + 1)
    )
    bundles = match.bundles
    name = f"boards {batch.first_board}-{batch.last_board}, rotation {rotation + 1}"
    return TableOrder(
        table=name,
        attempt=1,
        game=rules.game.key,
        preset=rules.ruleset.preset,
        ruleset=rules.ruleset.as_dict(),
        boards=boards,
        seats=tuple(
            SeatOrder(seat, sha256, bundles[sha256].manifest.runtime, bundles[sha256].manifest.entry_point)
            for seat, sha256 in sorted(versions.items())
        ),
        clock=clock,
        limits=match.limits,
        fault_policy=match.fault_policy,
        # Follows from the seed, so that bots that draw lots draw the same ones again.
        key=hashlib.sha256(f"rensho-play/1|{match.seed}|{batch.first_board}|{rotation}".encode()).hexdigest(),
        wall_limit_s=table_wall_limit_s(
            clock,
            [board.kind for board in boards],
            len(versions),
            decisions_bound(rules.game, rules.ruleset, boards),
        ),
    )
