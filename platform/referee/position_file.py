"""Position files: a decision without a fault as ``rensho-fault/1``, to ask a bot again in that position.

The verdict of such a file is OK, and its answer is the recorded action.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import islice

from engine.game import Action, Seat
from engine.record import Line
from engine.wire import Tokens, request_line
from referee.clocks import SeatClock
from referee.contract import Fault, SeatReport, TableOrder, Verdict
from referee.errors import FaultFileInvalid
from referee.fault_file import fault_document, record_lines, spent_by_decision
from referee.record_walk import RecordPosition, walk


@dataclasses.dataclass(frozen=True)
class RecordedDecision:
    """A decision of a seat: the ``turn``-th on its board, from 0."""

    board: int
    turn: int
    action: Action | None
    """The recorded action, to verify; None if it is not known."""
    reason: str
    """One sentence about it, printed by ``rensho reproduce``."""


def position_file(
    order: TableOrder,
    report: SeatReport,
    decision: RecordedDecision,
    record: bytes,
    timings: bytes,
    *,
    origin: Mapping[str, str],
) -> bytes:
    """Return the document for a decision of a seat's bot, from the table's order and complete record.

    Without ``timings`` (empty), a reproduction starts with a full bank. Raise ``FaultFileInvalid`` if the
    record has no such decision, or the referee made it.
    """
    lines = record_lines(record)
    located = _find(lines, report, decision)
    spent = spent_by_decision(timings, report) if timings else None
    fault = _decided(order, report.seat, decision, located, spent)
    return fault_document(
        order,
        report.seat,
        fault,
        lines[: located.position.lines],
        origin=origin,
        spent_ms=spent,
        skips_forced=located.skips_forced,
    )


@dataclasses.dataclass(frozen=True)
class _Located:
    position: RecordPosition
    action: Action
    number: int
    """Number of the request at the table, from 1."""
    skips_forced: bool


def _find(lines: Sequence[Line], report: SeatReport, decision: RecordedDecision) -> _Located:
    """Return where the decision was made, or raise ``FaultFileInvalid``."""
    seat = report.seat
    match: tuple[RecordPosition, Action, int, int] | None = None
    decisions = choices = on_board = by_bot = 0
    for position in walk(lines):
        if seat not in position.state.to_act or not position.acts:
            continue
        act = next(act for act in position.acts if act.seat == seat)
        has_choice = len(position.state.legal(seat)) > 1
        decisions += 1
        choices += has_choice
        by_bot += act.verdict is None
        if position.board.number == decision.board:
            is_same = decision.action in (None, act.action) and act.verdict is None
            if on_board == decision.turn and is_same:
                match = position, act.action, decisions, choices
            on_board += 1
    if match is None:
        raise FaultFileInvalid(
            f"the record has no decision {decision.turn + 1} of the bot at seat {seat} on board "
            f"{decision.board} with this action"
        )
    # A bot that does not skip forced decisions gets a request for each of its answers and faults.
    skips_forced = report.decisions < by_bot + sum(fault.decision > 0 for fault in report.faults)
    position, action, number, choice_number = match
    return _Located(position, action, choice_number if skips_forced else number, skips_forced)


def _decided(
    order: TableOrder,
    seat: Seat,
    decision: RecordedDecision,
    located: _Located,
    spent: Sequence[float] | None,
) -> Fault:
    clock = SeatClock(order.clock, order.boards)
    times = [*(spent or ()), *[0.0] * located.number][: located.number]
    for cpu_ms in times[:-1]:
        clock.begin()
        clock.charge(cpu_ms, 0.0)
    bank_ms = clock.bank_ms
    limits = clock.begin()
    state = located.position.state
    legal = state.legal(seat)
    request_id = next(islice(Tokens(order.key).request_ids(seat), located.number - 1, None))
    request = request_line(
        request_id,
        state.phase,
        legal,
        state.observe_text(seat, legal),
        bank_ms=int(bank_ms),
        increment_ms=order.clock.increment_cpu_ms,
    )
    return Fault(
        verdict=Verdict.OK,
        reason=decision.reason,
        board=decision.board,
        decision=located.number,
        phase=state.phase,
        request=request.decode("ascii"),
        answer=f'{{"id":"{request_id}","action":"{located.action}"}}',
        log_tail="",
        clock={
            "bank_ms": round(bank_ms, 3),
            "limit_cpu_ms": round(limits.cpu_ms, 3),
            "used_cpu_ms": round(times[-1], 3),
            "limit_wall_ms": round(limits.wall_ms, 3),
            "used_wall_ms": 0.0,
        },
        fingerprint="",
        action=None,
    )
