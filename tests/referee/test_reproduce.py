"""A bot put into the very position of a fault: it hears what was heard, and what it does is told."""

from __future__ import annotations

import dataclasses
import json

import pytest

from referee.contract import Clock, Verdict
from referee.inprocess import InProcessDriver
from referee.reproduce import fault_file, read_fault_file, reproduce, spent_by_decision
from tests.referee import speakers
from tests.referee.faulty import ORIGIN, faulty
from tests.referee.orders import make_order, play


def without_clock(lines):
    """Lines as plain values, and the bank each request told."""
    messages = [json.loads(line) for line in lines]
    return messages, [line.pop("clock")["bank_ms"] for line in messages if line["type"] == "request"]


def again(make, *, seat=1, which=0, other=None, has_clock=True, **order):
    """A table with a faulty bot at one seat; its fault tried with a new bot of the same make, or another.

    Gives what came of it, the lines heard then and now, and the file.
    """
    table = make_order(**order)
    then = speakers.Heard(make())
    bots = {seat_order.seat: speakers.Seeded() for seat_order in table.seats}
    report, store = play({**bots, seat: then}, **order)
    mine = report.seats[seat - 1]
    spent = spent_by_decision(store.blobs[report.timings_sha256], mine) if has_clock else None
    record = store.blobs[report.record_sha256]
    fault = mine.faults[which]
    file = read_fault_file(fault_file(table, seat, fault, record, origin=ORIGIN, spent_ms=spent))
    now = speakers.Heard((other or make)())
    found = reproduce(file, InProcessDriver(now, file.limits))
    if fault.request is not None:
        then.lines = then.lines[: then.lines.index(fault.request.encode()) + 1]
    return found, then.lines, now.lines, file


class Counting(speakers.Seeded):
    """Keeps state between turns: what it plays depends on all it was asked, and so does its fault."""

    def __init__(self, fault_at=20, misbehave=speakers.crash, **ready):
        super().__init__()
        self.ready = {"type": "ready", **ready}
        self.fault_at = fault_at
        self.misbehave = misbehave
        self.memory = 0

    def on_request(self, request):
        self.memory = (31 * self.memory + sum(map(ord, str(request["observation"])))) % 10007
        if self.requests == self.fault_at:
            return self.misbehave(request, speakers.encoded({"id": request["id"], "action": "?"}))
        legal = request["legal"]
        return speakers.encoded({"id": request["id"], "action": legal[self.memory % len(legal)]})


class TestReproduced:
    @pytest.mark.sampled(4)
    @pytest.mark.parametrize("ready", [{}, {"events": True}, {"skip_forced": True}])
    @pytest.mark.parametrize(
        "order",
        [
            {"seat": 1, "boards": 3},
            {"seat": 4, "boards": 3},
            {"seat": 6, "preset": "kakeya6", "boards": 6},
            {"seat": 2, "preset": "kakeya4", "kind": "game", "boards": 1},
            {"seat": 3, "preset": "etori.meiji", "kind": "game", "boards": 1},
            {"seat": 2, "preset": "kakkuri", "boards": 6},
        ],
        ids=str,
    )
    def test_the_bot_hears_every_line_it_heard_then(self, order, ready):
        found, then, now, file = again(lambda: Counting(24, **ready), **order)
        assert found.is_same
        assert found.is_reached
        assert found.verdict is Verdict.CRASHED
        assert found.deviations == ()
        assert now[-1] == file.fault.request.encode()
        (told_then, banks_then), (told_now, banks_now) = without_clock(then), without_clock(now)
        assert told_now == told_then
        assert found.asked == 23
        # The banks are kept to the microsecond at each turn.
        assert all(abs(a - b) <= 1 for a, b in zip(banks_then, banks_now, strict=True))

    def test_a_fault_on_a_later_board_and_of_a_simultaneous_decision(self):
        for at in range(1, 60):
            found, _, now, file = again(lambda at=at: Counting(at), boards=3)
            assert found.is_same
            if file.fault.board > 1 and len(list(file.positions())[-1].state.to_act) > 1:
                break
        else:
            pytest.fail("no such decision")
        assert found.board == file.fault.board
        assert json.loads(now[-1])["observation"]["to_act"] != [1]

    def test_after_earlier_faults_the_same_requests_come_and_the_fallbacks_count(self):
        def make():
            return speakers.Sometimes(speakers.garbage, at=(5, 9, 14))

        found, then, now, _ = again(make, which=2)
        assert found.is_same
        assert found.decision == 14
        assert without_clock(now)[0] == without_clock(then)[0]
        assert found.deviations == ()

    def test_the_answer_to_a_request_that_was_timed_out_comes_late_again(self):
        class Late(Counting):
            """Answers its fifth request with the sixth, and fails at the ninth."""

            def on_request(self, request):
                answer = super().on_request(request)
                if self.requests == 5:
                    self.owed = answer
                    return None
                return self.owed + b"\n" + answer if self.requests == 6 else answer

        found, then, now, _ = again(lambda: Late(9), which=1)
        assert found.is_same
        assert without_clock(now)[0] == without_clock(then)[0]

    def test_a_fault_at_the_start(self):
        found, _, now, _ = again(lambda: speakers.NotReady(b'{"type":"go"}'))
        assert (found.is_same, found.verdict, found.decision) == (True, Verdict.PROTOCOL, 0)
        assert [json.loads(line)["type"] for line in now] == ["hello"]
        found, *_ = again(lambda: speakers.NotReady(b'{"type":"go"}'), other=speakers.Honest)
        assert (found.is_same, found.verdict, found.action) == (False, Verdict.OK, None)
        assert json.loads(found.answer)["type"] == "ready"

    def test_out_of_time(self):
        clock = Clock(decision_cpu_cap_ms=40, bank_cpu_ms_per_deal_board=2000)

        def make():
            return speakers.Sometimes(speakers.too_slow, at=(8,))

        found, *_ = again(make, clock=clock)
        assert (found.is_same, found.verdict) == (True, Verdict.OUT_OF_TIME)
        assert found.limit_cpu_ms == 40
        assert found.cpu_ms > 40
        found, *_ = again(make, other=speakers.Honest, clock=clock)
        assert found.verdict is Verdict.OK
        assert 0 < found.cpu_ms < 40

    def test_a_slow_machine_is_given_time_on_the_way(self):
        clock = Clock(decision_cpu_cap_ms=40, bank_cpu_ms_per_deal_board=2000)

        def slow_on_the_way():
            return speakers.Sometimes(speakers.too_slow, at=(3,))

        found, *_ = again(lambda: Counting(8), other=slow_on_the_way, clock=clock)
        assert found.is_reached
        assert not [deviation for deviation in found.deviations if deviation.verdict is not Verdict.OK]

    def test_where_it_ran_out_of_time_on_the_way_it_does_so_again(self):
        clock = Clock(decision_cpu_cap_ms=40, bank_cpu_ms_per_deal_board=2000)

        def make():
            return speakers.Sometimes(speakers.too_slow, at=(3, 8))

        found, then, now, file = again(make, which=1, clock=clock)
        assert file.fault.decision == 8
        assert found.deviations == ()
        assert without_clock(now)[0] == without_clock(then)[0]

    def test_a_bot_whose_wall_clock_time_was_spent_is_asked_all_the_same(self):
        table, report, record, _ = faulty(speakers.garbage)
        fault = report.faults[0]
        clock = {**fault.clock, "limit_wall_ms": 0.0}
        fault = dataclasses.replace(fault, verdict=Verdict.OUT_OF_TIME, answer=None, clock=clock)
        file = read_fault_file(fault_file(table, 1, fault, record, origin={}))
        found = reproduce(file, InProcessDriver(speakers.Honest(), file.limits))
        assert found.verdict is Verdict.OK
        assert found.limit_wall_ms > 0

    def test_a_clock_nobody_knows_is_estimated(self):
        found, then, now, _ = again(lambda: Counting(20), has_clock=False)
        assert found.is_same
        assert not found.is_clock_known
        (told_then, banks_then), (told_now, banks_now) = without_clock(then), without_clock(now)
        assert told_now == told_then
        assert abs(banks_then[-2] - banks_now[-2]) < 5
        assert banks_now[-1] == banks_then[-1]

    def test_the_request_is_the_very_line_whatever_the_clock_would_say_now(self):
        _, _, _, file = again(lambda: Counting(20))
        line = file.fault.request.replace('"bank_ms":', '"bank_ms":9')
        fault = dataclasses.replace(file.fault, request=line)
        bot = speakers.Heard(Counting(20))
        reproduce(dataclasses.replace(file, fault=fault), InProcessDriver(bot, file.limits))
        assert bot.lines[-1] == line.encode()

    def test_a_bot_that_never_says_it_is_ready(self):
        found, *_ = again(lambda: speakers.NotReady(None), attempt=2)
        assert (found.is_same, found.verdict) == (True, Verdict.OUT_OF_TIME)


class TestAnotherBot:
    def test_a_mended_one_answers_legally(self):
        found, _, _, file = again(lambda: Counting(20), other=lambda: Counting(0))
        assert (found.is_same, found.is_reached, found.verdict) == (False, True, Verdict.OK)
        assert found.action in json.loads(file.fault.request)["legal"]
        assert json.loads(found.answer)["action"] == found.action
        assert found.reason == found.fingerprint == ""
        assert found.deviations == ()

    def test_another_fault_is_not_the_same(self):
        def other():
            return Counting(20, speakers.garbage)

        found, *_ = again(lambda: Counting(20), other=other)
        assert (found.is_same, found.is_reached, found.verdict) == (False, True, Verdict.PROTOCOL)
        assert found.reason
        assert found.answer == "I am thinking ..."

    def test_the_same_verdict_for_another_reason_is_not_the_same(self):
        def misread(request, honest):
            raise KeyError(request["nothing of this name"])

        found, *_ = again(lambda: Counting(20), other=lambda: Counting(20, misread))
        assert (found.is_same, found.is_reached, found.verdict) == (False, True, Verdict.CRASHED)

    def test_the_first_deviation_is_told_and_the_record_counts(self):
        class Other(Counting):
            def choose(self, request):
                return request["legal"][0]

            on_request = speakers.Honest.on_request

        found, then, now, _ = again(lambda: Counting(20), other=Other)
        assert found.verdict is Verdict.OK
        first = found.deviations[0]
        assert first.board == 1
        assert first.played != first.answered
        assert first.verdict is Verdict.OK
        assert first.played_for is None
        assert without_clock(now)[0] == without_clock(then)[0]

    def test_one_that_mends_an_earlier_fault_is_told_so(self):
        def make():
            return speakers.Sometimes(speakers.garbage, at=(5, 9))

        found, *_ = again(make, which=1, other=speakers.Honest)
        assert [(deviation.decision, deviation.played_for) for deviation in found.deviations] == [
            (5, "PROTOCOL")
        ]
        assert found.deviations[0].answered is not None

    def test_one_that_ends_on_the_way_does_not_get_there(self):
        found, *_ = again(lambda: Counting(20), other=lambda: Counting(6))
        assert (found.is_same, found.is_reached) == (False, False)
        assert (found.verdict, found.decision, found.asked) == (Verdict.CRASHED, 6, 6)
        assert found.deviations[-1].decision == 6

    def test_one_that_does_not_start_does_not_get_there(self):
        found, *_ = again(lambda: Counting(20), other=lambda: speakers.NotReady(b"{}"))
        assert (found.is_same, found.is_reached, found.decision) == (False, False, 0)
        assert found.verdict is Verdict.PROTOCOL

    def test_one_that_fails_on_the_way_goes_on(self):
        def other():
            return speakers.Sometimes(speakers.garbage, at=range(3, 10))

        found, *_ = again(lambda: Counting(20), other=other)
        assert found.is_reached
        assert found.verdict is Verdict.OK

    @pytest.mark.parametrize("ready", [{"skip_forced": True}, {"events": True}])
    def test_one_that_wants_to_be_asked_otherwise_is(self, ready):
        found, _, now, _ = again(lambda: Counting(20), other=lambda: Counting(0, **ready))
        assert found.verdict is Verdict.OK
        found, _, now, file = again(lambda: Counting(16, skip_forced=True), other=lambda: Counting(0))
        assert found.verdict is Verdict.OK
        assert found.asked > file.fault.decision - 1
        ids = [json.loads(line)["id"] for line in now if b'"request"' in line]
        assert len(set(ids)) == len(ids)
        assert ids[-1] == file.request_ids[-1]

    def test_one_that_is_not_asked_where_it_has_no_choice(self):
        for at in range(10, 40):
            found, _, _, file = again(
                lambda at=at: Counting(at), other=lambda: Counting(0, skip_forced=True), boards=3
            )
            if len(json.loads(file.fault.request)["legal"]) == 1:
                break
        assert found.is_skipped
        assert found.is_reached
        assert found.verdict is Verdict.OK
        assert [found.action] == json.loads(file.fault.request)["legal"]


def test_the_driver_is_closed_in_any_case():
    _, _, _, file = again(lambda: Counting(4))
    driver = InProcessDriver(speakers.Honest(), file.limits)
    reproduce(file, driver)
    assert not driver.is_alive
