"""A fault kept in a file: what the file holds, and what is refused as one."""

from __future__ import annotations

import dataclasses
import json

import pytest

from referee.contract import FaultPolicy
from referee.errors import FaultFileInvalid
from referee.reproduce import FORMAT, fault_file, read_fault_file, spent_by_decision
from tests.referee import speakers
from tests.referee.faulty import ORIGIN, faulty, made
from tests.referee.orders import make_order, play
from tests.refusals import refusal

FIELDS = 15
"""Of a document, its record left out."""


class TestFile:
    def test_it_holds_what_the_bot_was_told_and_the_record_up_to_there(self):
        table, report, record, timings = faulty(speakers.crash, at=(20,))
        fault = report.faults[0]
        spent = spent_by_decision(timings, report)
        data = fault_file(table, 1, fault, record, origin=ORIGIN, spent_ms=spent)
        file = read_fault_file(data)
        assert json.loads(data)["format"] == FORMAT == "rensho-fault/1"
        assert file.fault == fault
        assert (file.seat, file.runtime, file.entry_point) == (1, "python/1", "bot.py")
        assert file.bundle_sha256 == table.seats[0].bundle_sha256
        assert (file.limits, file.clock, file.fault_policy) == (table.limits, table.clock, table.fault_policy)
        assert file.origin == ORIGIN
        assert len(file.request_ids) == 20
        assert file.request_ids[-1] == json.loads(fault.request)["id"]
        assert len(file.spent_ms) == 19
        assert all(spent > 0 for spent in file.spent_ms)
        last = list(file.positions())[-1]
        assert last.acts == ()
        assert last.board.number == fault.board
        assert last.state.observe(1) == json.loads(fault.request)["observation"]
        lines = [json.loads(line) for line in record.splitlines()]
        assert list(file.record) == lines[: len(file.record)]
        assert lines[len(file.record)]["verdict"] == "CRASHED"

    def test_the_hello_is_the_very_line_of_that_seat(self):
        table = make_order()
        bots = {seat: speakers.Honest() for seat in range(1, 5)}
        bots[3] = speakers.Sometimes(speakers.crash, at=(2,))
        report, store = play(bots)
        record = store.blobs[report.record_sha256]
        file = read_fault_file(fault_file(table, 3, report.seats[2].faults[0], record, origin={}))
        assert json.loads(file.hello) == bots[3].heard[0]
        assert file.spent_ms is None

    def test_labels_of_its_origin_are_made_fit_to_show(self):
        table, report, record, _ = faulty(speakers.crash)
        origin = {"bot": "\x1b[31mred\x1b[0m", "tournament": "x" * 500}
        file = read_fault_file(fault_file(table, 1, report.faults[0], record, origin=origin))
        assert file.origin["bot"] == "red"
        assert len(file.origin["tournament"]) == 200

    def test_neither_key_nor_any_later_board_stands_in_it(self):
        table, report, record, _ = faulty(speakers.crash, at=(2,), boards=3)
        data = fault_file(table, 1, report.faults[0], record, origin=ORIGIN)
        assert table.key.encode() not in data
        assert b"seed-1" in data
        assert b"seed-2" not in data

    def test_reading_and_writing_are_inverse(self):
        data = made(speakers.garbage)
        assert read_fault_file(data).encoded() == data

    def test_each_line_of_the_record_has_its_own_line(self):
        data = made(speakers.garbage)
        assert len(data.splitlines()) == len(read_fault_file(data).record) + FIELDS + 4

    @pytest.mark.parametrize(
        ("preset", "kind"),
        [
            ("kakeya6", "deal"),
            ("kakeya4", "game"),
            ("etori.simple6", "deal"),
            ("etori.meiji", "game"),
            ("kakkuri", "deal"),
        ],
    )
    def test_every_game_and_number_of_seats(self, preset, kind):
        seats = len(make_order(preset=preset, kind=kind).seats)
        data = made(speakers.crash, seat=seats, at=(9,), preset=preset, kind=kind)
        file = read_fault_file(data)
        assert file.seat == seats
        last = list(file.positions())[-1]
        assert last.state.observe(seats) == json.loads(file.fault.request)["observation"]

    def test_a_fault_at_the_start_needs_no_board(self):
        data = made(speakers.NotReady(b"what?"), at=())
        file = read_fault_file(data)
        assert file.is_start
        assert len(file.record) == 1
        assert list(file.positions()) == []

    def test_a_seat_that_skips_forced_decisions_is_counted_so(self):
        class Skips(speakers.Sometimes):
            ready = {"type": "ready", "skip_forced": True}

        data = made(Skips(speakers.garbage, at=(15,)), at=())
        assert read_fault_file(data).skips_forced
        assert not read_fault_file(made(speakers.garbage, at=(15,))).skips_forced


class TestRefused:
    def refused(self, change, match):
        raw = json.loads(made(speakers.garbage))
        change(raw)
        with pytest.raises(FaultFileInvalid, match=match):
            read_fault_file(json.dumps(raw).encode())

    @pytest.mark.parametrize(
        ("data", "match"),
        [
            (b"", "not JSON"),
            (b"\x1f\x8b\x00", "not JSON"),
            (b"[" * 100_000, "not JSON"),
            (b"[]", "JSON"),
            (b"{}", "None"),
            (b'{"format": "rensho-fault/2"}', "rensho-fault/2"),
            (b'{"format": "rensho-fault/1"}', "'fault'"),
        ],
    )
    def test_what_is_no_fault_file(self, data, match):
        with pytest.raises(FaultFileInvalid, match=match):
            read_fault_file(data)

    def test_what_is_damaged(self):
        self.refused(lambda raw: raw.pop("hello"), "'hello' is missing")
        self.refused(lambda raw: raw["limits"].update(wings=2), "wings")
        self.refused(lambda raw: raw["limits"].update(memory_bytes="much"), "memory_bytes is 'much'")
        self.refused(lambda raw: raw["fault"].update(verdict="BAD"), "BAD")
        self.refused(lambda raw: raw.update(record=[]), "no record")
        self.refused(lambda raw: raw.update(record=[1]), "not a whole")
        self.refused(lambda raw: raw.update(origin="Autumn"), "not a whole")
        self.refused(lambda raw: raw.update(origin={"table": 1}), "not a whole")
        self.refused(lambda raw: raw.update(origin={"table": "x" * 201}), "labels")

    def test_numbers_no_clock_can_have(self):
        for number in (float("nan"), float("inf"), 10**400):
            self.refused(lambda raw, n=number: raw["clock"].update(increment_cpu_ms=n), "not a whole")
            self.refused(lambda raw, n=number: raw["fault"]["clock"].update(bank_ms=n), "not a whole")
        self.refused(lambda raw: raw.update(spent_ms=[10**400]), "not a whole")

    @pytest.mark.parametrize("long", ["\x01" * 100_000, ["x"] * 100_000, {"y" * 100_000: 1}])
    def test_what_it_says_at_length_is_quoted_short(self, long):
        for name in ("seat", "hello", "runtime", "entry_point", "clock", "boards", "record"):
            raw = json.loads(made(speakers.garbage))
            raw[name] = long
            assert len(str(refusal(FaultFileInvalid, read_fault_file, json.dumps(raw).encode()))) <= 500

    @pytest.mark.parametrize("name", ["reason", "log_tail", "answer", "request"])
    def test_what_would_move_a_terminal(self, name):
        self.refused(lambda raw: raw["fault"].update({name: "\x1b[2J"}), "control codes")
        self.refused(lambda raw: raw.update(origin={"table": "\x1b[2J"}), "control codes")
        self.refused(lambda raw: raw.update(hello="\x1b[2J"), "control codes")

    def test_a_record_the_rules_contradict(self):
        self.refused(lambda raw: raw["record"].pop(), "ends between two decisions|does not lead")
        self.refused(lambda raw: raw["record"].insert(3, {"e": "act", "seat": 9, "action": "KEEP"}), "line 4")
        self.refused(lambda raw: raw["record"][1].update(seed="other"), "line 3")
        self.refused(lambda raw: raw["record"][0].update(rules_version=99), "rules_version 99")
        self.refused(lambda raw: raw["record"][0].update(preset="poker"), "poker")

    def test_a_request_of_another_position(self):
        def change(raw):
            raw["fault"]["request"] = raw["fault"]["request"].replace('"legal":["', '"legal":["XX","')

        self.refused(change, "differs from the position")
        self.refused(lambda raw: raw["request_ids"].reverse(), "the id of its request")

    def test_a_fault_that_is_not_in_the_record(self):
        table, report, record, _ = faulty(speakers.crash)
        fault = dataclasses.replace(report.faults[0], decision=8)
        with pytest.raises(FaultFileInvalid, match="decision 8 of seat 1"):
            fault_file(table, 1, fault, record, origin={})
        with pytest.raises(FaultFileInvalid, match="seat 9"):
            fault_file(table, 9, report.faults[0], record, origin={})


def test_cpu_by_decision_counts_answers_and_faults():
    _, report, _, timings = faulty(speakers.garbage, at=(3, 5), fault_policy=FaultPolicy.SUBSTITUTE)
    spent = spent_by_decision(timings, report)
    assert len(spent) == report.decisions
    assert spent[2] == report.faults[0].clock["used_cpu_ms"]
    assert all(value > 0 for value in spent)
