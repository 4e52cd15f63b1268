"""Playing orders straight through the engine: real records and reports without a process in sight."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from arena.common.blobs import blob_get, blob_put
from arena.competition.models import Entry, Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.jobs.flow import table_done, tournament_advance
from arena.matches.leases import Lease, table_claim
from arena.matches.models import Table
from arena.matches.results import table_finish
from engine import Board, RecordWriter, State, game_named
from engine.lines import format_line
from engine.wire import Tokens, request_line
from referee.contract import BoardSeatResult, Clock, Fault, SeatReport, TableOrder, TableReport, Verdict
from referee.faults import fingerprint
from tests import factories
from viewer.banks import Bank
from viewer.build import view_bytes, view_of

WORKER = "test:1:1"


def choice(order: TableOrder, board: int, step: int, bundle: str, legal: tuple[str, ...]) -> str:
    """A deterministic bot that differs by bundle."""
    seed = f"{order.key}|{board}|{step}|{bundle}".encode()
    return legal[int(hashlib.sha256(seed).hexdigest(), 16) % len(legal)]


def a_fault(
    order: TableOrder, board: int, state: State, seat: int, decision: int, verdict: Verdict, log: str
) -> Fault:
    """What the referee would report of a seat that failed in this position."""
    line = request_line(
        Tokens(order.key).request_id(seat, decision),
        state.phase,
        state.legal(seat),
        state.observe_text(seat),
        bank_ms=1000,
        increment_ms=20,
    )
    return Fault(
        verdict=verdict,
        reason="the bot did what it must not",
        board=board,
        decision=decision,
        phase=state.phase,
        request=line.decode(),
        answer=None if verdict is Verdict.CRASHED else '{"action":"nonsense"}',
        log_tail=log,
        clock={
            "bank_ms": 1000.0,
            "limit_cpu_ms": 1020.0,
            "used_cpu_ms": 7.5,
            "limit_wall_ms": 6100.0,
            "used_wall_ms": 9.0,
        },
        fingerprint=fingerprint(verdict, state.phase, log),
        action=state.fallback(seat),
    )


def a_start_fault(verdict: Verdict = Verdict.OUT_OF_TIME, log: str = "") -> Fault:
    """What the referee would report of a bot that never said it was ready."""
    return Fault(
        verdict=verdict,
        reason="it did not get ready",
        board=0,
        decision=0,
        phase="start",
        request=None,
        answer=None,
        log_tail=log,
        clock={
            "bank_ms": 0.0,
            "limit_cpu_ms": 3000.0,
            "used_cpu_ms": 2000.0,
            "limit_wall_ms": 3000.0,
            "used_wall_ms": 3001.0,
        },
        fingerprint=fingerprint(verdict, "start", log),
        action=None,
    )


def played(
    order: TableOrder,
    forfeiting: frozenset[int] = frozenset(),
    faulty: frozenset[int] = frozenset(),
    log: str = "KeyError: 'QH'",
    at: int = 1,
    keep: Callable[[bytes, str], str] = blob_put,
) -> TableReport:
    """The report of an order; bots of ``forfeiting`` seats never answer, the referee plays for them.

    Bots of ``faulty`` seats answer the request of their decision ``at`` with nonsense. ``log`` is the last
    line both write. ``keep`` stores bytes of a kind.
    """
    game = game_named(order.game)
    ruleset = game.ruleset(order.preset, order.ruleset)
    bundles = {seat.seat: seat.bundle_sha256 for seat in order.seats}
    writer = RecordWriter(game, ruleset, bundles)
    results: list[BoardSeatResult] = []
    decisions = dict.fromkeys(bundles, 0)
    verdicts = {seat: Verdict.CRASHED if seat in forfeiting else Verdict.OK for seat in bundles}
    board_verdicts = dict(verdicts)
    faults: dict[int, list[Fault]] = {seat: [] for seat in bundles}
    timings: list[dict[str, object]] = [{"format": "rensho-timings/1"}]
    for board_order in order.boards:
        board = Board(board_order.kind, board_order.number, board_order.seed)
        state = game.start(ruleset, board)
        writer.start_board(board, state)
        step = 0
        while state.to_act:
            before, substituted = state, {}
            for seat in state.to_act:
                step += 1
                decisions[seat] += 1
                if seat in forfeiting:
                    action, substituted[seat] = before.fallback(seat), str(Verdict.CRASHED)
                    if decisions[seat] == 1:
                        crash = a_fault(order, board_order.number, before, seat, 1, Verdict.CRASHED, log)
                        faults[seat].append(crash)
                elif seat in faulty and decisions[seat] == at:
                    illegal = Verdict.ILLEGAL_ACTION
                    faults[seat].append(a_fault(order, board_order.number, before, seat, at, illegal, log))
                    verdicts[seat] = board_verdicts[seat] = illegal
                    action, substituted[seat] = before.fallback(seat), str(Verdict.ILLEGAL_ACTION)
                else:
                    action = choice(order, board_order.number, step, bundles[seat], before.legal(seat))
                    n = decisions[seat]
                    timings.append(
                        {
                            "board": board_order.number,
                            "seat": seat,
                            "n": n,
                            "cpu_us": 1000 * seat + n,
                            "wall_us": 2000 + n,
                        }
                    )
                state = state.apply(seat, action)
            writer.add(before, state, substituted)
        writer.end_board(state)
        outcome = state.outcome()
        assert outcome is not None
        results += [
            BoardSeatResult(board_order.number, seat, stones, board_verdicts[seat])
            for seat, stones in outcome.stones.items()
        ]
        board_verdicts = {seat: Verdict.CRASHED if seat in forfeiting else Verdict.OK for seat in bundles}
    record = writer.end(sorted(forfeiting), {seat: str(verdict) for seat, verdict in verdicts.items()})
    return TableReport(
        table=order.table,
        attempt=order.attempt,
        record_sha256=keep(record, "record"),
        timings_sha256=keep(b"".join(map(format_line, timings)), "timings"),
        results=tuple(results),
        seats=tuple(
            SeatReport(
                seat, verdicts[seat], seat in forfeiting, decisions[seat], 1, 1, 0, tuple(faults[seat]), None
            )
            for seat in sorted(bundles)
        ),
        platform_fault=None,
        sandbox_level="FULL1",
        engine_version="test",
        runtime_artifacts={seat.runtime: seat.runtime_sha256 for seat in order.seats if seat.runtime_sha256},
    )


def claimed(table: Table) -> Lease:
    """A lease on a table that must be free."""
    lease = table_claim(table.pk, WORKER)
    assert lease is not None, table.state
    return lease


def play_table(
    table: Table,
    forfeiting: frozenset[int] = frozenset(),
    faulty: frozenset[int] = frozenset(),
    **how: Any,
) -> None:
    """Claim, play and finish one table."""
    lease = claimed(table)
    assert table_finish(lease.table_id, lease.fence, played(lease.order, forfeiting, faulty, **how))


def waiting(tournament: Tournament) -> list[Table]:
    """Its tables that no worker has."""
    return list(
        Table.objects.filter(
            state=Table.State.WAITING, fixture__board_set__round__stage__tournament=tournament
        )
    )


def play_out(tournament: Tournament) -> Tournament:
    """Play every table of every round, as the workers would."""
    tournament_advance(tournament)
    while tables := waiting(tournament):
        for table in tables:
            play_table(table)
            table_done(tournament.public_id)
    tournament.refresh_from_db()
    return tournament


def seats_of(table: Table, entry: Entry) -> frozenset[int]:
    """Where an entry sits at a table."""
    return frozenset(table.seats.filter(entry=entry).values_list("seat", flat=True))


def begun(entries: int, *, accepts_partners: bool = False, **fields: object) -> Tournament:
    """A tournament of so many players, one entry each, with its first round open."""
    tournament = factories.an_open_tournament(**fields)
    consent = {"accepts_partners": True} if accepts_partners else {}
    for owner in factories.players(entries):
        factories.an_entry(tournament, owner, **consent)
    return started(tournament)


def started(tournament: Tournament) -> Tournament:
    """Locked and started, its first round open."""
    tournament_lock(tournament, tournament.organiser)
    tournament_start(tournament, tournament.organiser)
    tournament_advance(tournament)
    tournament.refresh_from_db()
    return tournament


def expected_view(table: Table) -> bytes:
    """The view of a table, from what is stored of it."""
    clock = Clock(**table.tournament.clock)
    start_ms = clock.bank_cpu_ms([table.fixture.board_set.kind] * table.board_count)
    faults = {
        row.seat: [round(1000 * fault["clock"]["used_cpu_ms"]) for fault in row.faults if fault["decision"]]
        for row in table.seats.all()
    }
    bank = Bank(1000 * start_ms, 1000 * clock.increment_cpu_ms, faults)
    return view_bytes(view_of(blob_get(table.record_sha256), blob_get(table.timings_sha256), bank=bank))
