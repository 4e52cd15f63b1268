"""Tables with a faulty bot, and what is kept of its faults."""

from __future__ import annotations

import json

from referee.record_walk import walk
from referee.reproduce import fault_file, spent_by_decision
from tests.referee import speakers
from tests.referee.orders import make_order, play

ORIGIN = {"tournament": "Autumn", "table": "t1", "bot": "aya/one", "version": "3"}


def faulty(misbehave, *, seat=1, at=(7,), others=speakers.Seeded, **order):
    """A table at which one seat misbehaves: the order, the seat's report, the record, the timings."""
    table = make_order(**order)
    seats = [seat_order.seat for seat_order in table.seats]
    bots = {number: others() for number in seats}
    bots[seat] = misbehave if not at else speakers.Sometimes(misbehave, at=at)
    report, store = play(bots, **order)
    kept = store.blobs
    return table, report.seats[seat - 1], kept[report.record_sha256], kept[report.timings_sha256]


def made(misbehave, *, seat=1, which=0, **how):
    """The file of one fault of such a table, as bytes."""
    table, report, record, timings = faulty(misbehave, seat=seat, **how)
    return fault_file(
        table,
        seat,
        report.faults[which],
        record,
        origin=ORIGIN,
        spent_ms=spent_by_decision(timings, report),
    )


def decisions_of(record, seat):
    """All decisions with a choice: board, number on the board, action."""
    lines = [json.loads(line) for line in record.splitlines()]
    found, counts = [], {}
    for position in walk(lines):
        for act in position.acts:
            if act.seat == seat:
                turn = counts[position.board.number] = counts.get(position.board.number, -1) + 1
                if len(position.state.legal(seat)) > 1:
                    found.append((position.board.number, turn, act.action))
    return found
