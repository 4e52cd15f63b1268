"""A decision without a fault, as a file: a bot put there gets the lines of the table and is asked again."""

from __future__ import annotations

import json

import pytest

from referee.contract import Verdict
from referee.errors import FaultFileInvalid
from referee.inprocess import InProcessDriver
from referee.position_file import RecordedDecision, position_file
from referee.reproduce import read_fault_file, reproduce
from tests.referee import speakers
from tests.referee.faulty import ORIGIN, decisions_of
from tests.referee.orders import make_order, play


class Ready(speakers.Seeded):
    def __init__(self, **ready):
        super().__init__()
        self.ready = {"type": "ready", **ready}


@pytest.mark.parametrize("ready", [{}, {"events": True}, {"skip_forced": True}])
@pytest.mark.parametrize(
    "order",
    [{"boards": 3}, {"preset": "kakkuri", "boards": 3}, {"preset": "kakeya4", "kind": "game", "boards": 1}],
    ids=str,
)
def test_the_bot_gets_the_lines_of_the_table_and_answers_again(order, ready):
    table, seat = make_order(**order), 2
    then = speakers.Heard(Ready(**ready))
    bots = {each.seat: speakers.Seeded() for each in table.seats}
    report, store = play({**bots, seat: then}, **order)
    record, timings = store.blobs[report.record_sha256], store.blobs[report.timings_sha256]
    board, turn, action = decisions_of(record, seat)[-3]
    where = RecordedDecision(board, turn, action, "It cost 2 stones")
    file = read_fault_file(
        position_file(table, report.seats[seat - 1], where, record, timings, origin=ORIGIN)
    )
    assert file.fault.verdict is Verdict.OK
    assert json.loads(file.fault.answer)["action"] == action
    now = speakers.Heard(Ready(**ready))
    found = reproduce(file, InProcessDriver(now, file.limits))
    assert (found.is_reached, found.verdict, found.action, found.deviations) == (True, Verdict.OK, action, ())
    heard = [json.loads(line) for line in now.lines if b'"request"' in line]
    asked = [json.loads(line) for line in then.lines if b'"request"' in line][: len(heard)]
    for line, before in zip(heard, asked, strict=True):
        assert abs(line.pop("clock")["bank_ms"] - before.pop("clock")["bank_ms"]) <= 1
        assert line == before


def test_what_the_record_does_not_have():
    table = make_order(boards=1)
    report, store = play({each.seat: speakers.Seeded() for each in table.seats}, boards=1)
    record = store.blobs[report.record_sha256]
    board, turn, action = decisions_of(record, 1)[0]
    for wrong in ((board, 99, action), (board + 1, turn, action), (board, turn, "??")):
        with pytest.raises(FaultFileInvalid, match="no decision"):
            position_file(table, report.seats[0], RecordedDecision(*wrong, ""), record, b"", origin=ORIGIN)
