"""The bots of a table start side by side, and what one of them does at its start costs no other."""

from __future__ import annotations

import dataclasses
import os
import time

import pytest

from referee.bundle import import_archive
from referee.contract import Clock, SeatOrder, Verdict
from referee.driver import DriverFault, ExitReason, Reply
from referee.errors import PlatformFault
from referee.execute import execute, sandboxed_driver
from referee.inprocess import InProcessDriver
from referee.table import PARALLEL_START_MS, play_table
from tests.referee.orders import Store, make_order, play, silent_progress
from tests.referee.speakers import Honest, encoded

HONEST = b"""
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}')
    elif message["type"] == "request":
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}))
"""


class Told(InProcessDriver):
    """Writes down when it is started, told something and waited for."""

    def __init__(self, seat, diary, speak=None):
        super().__init__(speak or Honest())
        self.seat = seat
        self.diary = diary

    def start(self):
        self.diary.append(("start", self.seat))
        super().start()

    def post(self, line):
        self.diary.append(("post", self.seat))
        super().post(line)

    def collect(self, **limits):
        self.diary.append(("collect", self.seat))
        return super().collect(**limits)


class Late(Told):
    """Needs longer than it is given to be ready, some times over, and uses ``cpu_ms`` each time."""

    def __init__(self, seat, diary, times, cpu_ms=100.0):
        super().__init__(seat, diary)
        self.times = times
        self.cpu_ms = cpu_ms
        self.limits = []

    def collect(self, **limits):
        if len(self.limits) <= self.times:
            self.limits.append(limits)
        if len(self.limits) <= self.times:
            self.diary.append(("wait", self.seat))
            wall_ms = limits["wall_limit_ms"]
            raise DriverFault(ExitReason.TURN_WALL, "", cpu_ms=self.cpu_ms, wall_ms=wall_ms)
        return super().collect(**limits)


class Breaks(InProcessDriver):
    """Cannot be had."""

    def __init__(self, at):
        super().__init__(Honest())
        self.at = at

    def start(self):
        self._break("start")
        super().start()

    def post(self, line):
        self._break("post")
        super().post(line)

    def collect(self, **limits) -> Reply:
        self._break("collect")
        return super().collect(**limits)

    def _break(self, where):
        if where == self.at:
            raise DriverFault(ExitReason.INFRA, f"no process to {where}")


def seated(**special):
    diary = []
    drivers = {seat: Told(seat, diary) for seat in range(1, 5)}
    for name, make in special.items():
        seat = int(name.removeprefix("seat"))
        drivers[seat] = make(seat, diary)
    return drivers, diary


def table(drivers, **order):
    return play_table(make_order(boards=1, **order), drivers, silent_progress, Store().keep)


class TestTheOrderOfThings:
    def test_all_are_started_then_all_are_greeted_then_each_is_waited_for(self):
        drivers, diary = seated()
        table(drivers)
        seats = range(1, 5)
        assert diary[:12] == [(what, seat) for what in ("start", "post", "collect") for seat in seats]

    def test_one_who_is_late_is_waited_for_once_the_others_are_ready(self):
        drivers, diary = seated(seat2=lambda *where: Late(*where, times=1))
        report = table(drivers)
        waits = [(what, seat) for what, seat in diary[8:] if what != "post"]
        assert waits[:5] == [("collect", 1), ("wait", 2), ("collect", 3), ("collect", 4), ("collect", 2)]
        assert [seat.verdict for seat in report.seats] == [Verdict.OK] * 4

    def test_the_table_moves_once_all_are_ready_or_have_failed(self):
        drivers, diary = seated(seat2=lambda *where: Late(*where, times=2))
        play_table(
            make_order(boards=1, attempt=2),
            drivers,
            silent_progress,
            Store().keep,
            once_ready=lambda: diary.append(("once ready", None)),
        )
        assert diary.count(("once ready", None)) == 1
        before = diary[: diary.index(("once ready", None))]
        assert before.count(("wait", 2)) == 2
        assert [seat for what, seat in before if what == "post"] == [1, 2, 3, 4]


class TestTheBudget:
    def test_whoever_is_late_beside_the_others_has_the_whole_of_it_alone(self):
        drivers, _ = seated(seat1=lambda *where: Late(*where, times=1, cpu_ms=700.0))
        table(drivers)
        beside, alone = drivers[1].limits
        assert beside["wall_limit_ms"] <= PARALLEL_START_MS
        assert alone["wall_limit_ms"] == 3000
        assert (beside["cpu_limit_ms"], alone["cpu_limit_ms"]) == (3000, 2300)

    def test_side_by_side_takes_no_longer_than_the_budget_itself(self):
        drivers, _ = seated(seat1=lambda *where: Late(*where, times=1))
        table(drivers, clock=Clock(start_wall_ms=200))
        beside, alone = drivers[1].limits
        assert beside["wall_limit_ms"] <= 200 == alone["wall_limit_ms"]

    def test_all_share_the_time_side_by_side(self):
        class Waits(Late):
            def collect(self, **limits):
                time.sleep(min(limits["wall_limit_ms"] / 1e3, 0.05))
                return super().collect(**limits)

        drivers, _ = seated(
            seat1=lambda *where: Waits(*where, times=1), seat2=lambda *where: Waits(*where, times=1)
        )
        table(drivers, clock=Clock(start_wall_ms=20))
        assert drivers[1].limits[0]["wall_limit_ms"] > 0
        assert drivers[2].limits[0]["wall_limit_ms"] == 0

    def test_who_is_still_not_ready_forfeits_with_the_time_of_both_waits(self):
        drivers, _ = seated(seat3=lambda *where: Late(*where, times=2))
        report = table(drivers)
        seat = report.seats[2]
        assert (seat.verdict, seat.forfeited, seat.decisions) == (Verdict.OUT_OF_TIME, True, 0)
        (fault,) = seat.faults
        assert fault.phase == "start"
        assert fault.clock["used_cpu_ms"] == 200
        assert 3000 < fault.clock["used_wall_ms"] <= 3000 + PARALLEL_START_MS
        assert fault.clock["used_wall_ms"] == fault.clock["limit_wall_ms"]
        assert [other.verdict for other in report.seats if other.seat != 3] == [Verdict.OK] * 3

    def test_hardly_any_cpu_in_both_waits_is_no_excuse(self):
        drivers, _ = seated(seat3=lambda *where: Late(*where, times=2, cpu_ms=0.0))
        assert table(drivers).seats[2].verdict is Verdict.OUT_OF_TIME


@pytest.mark.parametrize("at", ["start", "post", "collect"])
def test_one_that_cannot_be_started_ends_the_others(at):
    drivers = {seat: InProcessDriver(Honest()) for seat in (1, 2, 4)} | {3: Breaks(at)}
    with pytest.raises(PlatformFault, match=at):
        play_table(make_order(boards=1), drivers, silent_progress, Store().keep)
    assert not any(driver.is_alive for driver in drivers.values())


def test_a_fault_at_the_start_leaves_the_bank_of_the_others_alone():
    speakers = {seat: Honest() for seat in (1, 2, 4)}
    play({**speakers, 3: lambda line: encoded({"type": "redy"})}, boards=1)
    assert speakers[1].heard[1]["clock"]["bank_ms"] == 500


@pytest.mark.full
class TestInTheSandbox:
    SPECIAL = (
        ("never ready", b"while True: input()", Verdict.OUT_OF_TIME),
        ("crashes", b"raise ValueError('no book')", Verdict.CRASHED),
        ("floods before hello", b"import os\nwhile True: os.write(1, b'spam' * 3000)", Verdict.OVER_OUTPUT),
        ("leaves", b"pass", Verdict.CRASHED),
        ("loads for ever", b"while True: pass", Verdict.OUT_OF_TIME),
        ("logs much", b"import sys\nsys.stderr.write('x' * 300_000)\n" + HONEST, Verdict.OK),
        ("takes its time", b"import time\ntime.sleep(1.2)\n" + HONEST, Verdict.OK),
    )

    def carry_out(self, *programs, factory=sandboxed_driver, **changes):
        bundles = [import_archive(program, "bot.py") for program in programs]
        order = make_order(preset="kakkuri", options={"seats": len(bundles)}, boards=1, attempt=2, **changes)
        order = dataclasses.replace(
            order,
            seats=tuple(
                SeatOrder(seat, bundle.sha256, "python/1", "bot.py")
                for seat, bundle in enumerate(bundles, start=1)
            ),
        )
        by_hash = {bundle.sha256: bundle.data for bundle in bundles}
        return execute(order, by_hash.__getitem__, Store().keep, silent_progress, factory)

    def test_each_gets_its_own_verdict_and_the_table_is_played(self):
        before = os.sched_getaffinity(0)
        report = self.carry_out(HONEST, *[program for _, program, _ in self.SPECIAL])
        assert report.platform_fault is None
        assert report.seats[0].verdict is Verdict.OK
        found = {name: report.seats[n].verdict for n, (name, _, _) in enumerate(self.SPECIAL, start=1)}
        assert found == {name: verdict for name, _, verdict in self.SPECIAL}
        assert sum(result.stones for result in report.results) == 0
        assert os.sched_getaffinity(0) == before

    def test_one_whose_sandbox_fails_ends_the_others(self, tmp_path):
        def factory(order, seat, folder, cpu_limit_s):
            return sandboxed_driver(
                order, seat, tmp_path / "missing" if seat.seat == 3 else folder, cpu_limit_s
            )

        report = self.carry_out(*[HONEST] * 4, factory=factory)
        assert "table t1, seat 3" in report.platform_fault
        assert report.seats == ()

    def test_while_they_play_all_share_one_core(self, staged, monkeypatch):
        log = b"print(os.sched_getaffinity(0), file=sys.stderr)"
        program = (
            b"import os, sys\n"
            + log
            + HONEST.replace(b"    elif", b"        continue\n    " + log + b"\n    if")
        )
        store = Store()
        bundle = import_archive(program, "bot.py")
        order = make_order(boards=1)
        order = dataclasses.replace(
            order, seats=tuple(dataclasses.replace(seat, bundle_sha256=bundle.sha256) for seat in order.seats)
        )
        # Other tables of this machine, which may hold its cores just now, reserve them elsewhere.
        monkeypatch.setattr("referee.cores.stage_root", lambda: staged)
        free = os.sched_getaffinity(0)
        report = execute(order, lambda _: bundle.data, store.keep, silent_progress)
        assert report.platform_fault is None
        logs = [store.blobs[seat.log_sha256].decode().splitlines() for seat in report.seats]
        assert {log[0] for log in logs} == {str(free)}
        assert all(seat.verdict is Verdict.OK for seat in report.seats)
        assert {line for log in logs for line in log[1:]} == {str({min(free)})}
