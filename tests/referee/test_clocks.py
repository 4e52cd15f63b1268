"""The arithmetic of time: banks, increments, caps, walls, and the limits that follow for a whole table."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import game_named
from referee.bundle import import_archive
from referee.clocks import (
    DECISIONS_IF_UNBOUNDED,
    SeatClock,
    decisions_bound,
    process_cpu_limit_s,
)
from referee.contract import BoardOrder, Clock, Verdict, table_wall_limit_s
from referee.driver import DriverFault, ExitReason
from referee.execute import execute
from referee.inprocess import InProcessDriver
from referee.table import play_table
from tests.referee.orders import Store, make_order, silent_progress
from tests.referee.speakers import Honest, SkipsForced

DEALS = [BoardOrder(number, "deal", "s") for number in (1, 2)]
GAMES = [BoardOrder(1, "game", "s")]


def test_the_bank_is_of_the_whole_table():
    assert SeatClock(Clock(), DEALS).bank_ms == 1000
    assert SeatClock(Clock(), GAMES).bank_ms == 5000


def test_a_decision_may_use_bank_and_increment_but_never_more_than_the_cap():
    limits = SeatClock(Clock(), DEALS).begin()
    assert limits.cpu_ms == 1020
    assert limits.wall_ms == 5 * 1020 + 1000
    assert SeatClock(Clock(), GAMES).begin().cpu_ms == 2000


def test_what_is_not_used_is_saved_and_what_is_used_is_gone():
    clock = SeatClock(Clock(), DEALS)
    clock.begin()
    clock.charge(5, 5)
    assert clock.bank_ms == 1015
    clock.begin()
    clock.charge(1035, 1035)
    assert clock.bank_ms == 0
    assert clock.begin().cpu_ms == 20


def test_overdrawing_leaves_an_empty_bank_not_a_debt():
    clock = SeatClock(Clock(), DEALS)
    clock.begin()
    clock.charge(5000, 0)
    assert clock.bank_ms == 0


def test_a_negative_time_adds_nothing():
    clock = SeatClock(Clock(), DEALS)
    limits = clock.begin()
    bank_ms = clock.bank_ms
    clock.charge(-5000, -60_000)
    assert clock.bank_ms == bank_ms
    # All of the wall bank is spent, and no more than that.
    clock.charge(bank_ms, 3 * bank_ms + 10_000)
    assert clock.begin() == (20, 60, True)
    assert limits.cpu_ms <= bank_ms


def test_the_wall_bank_is_three_times_the_cpu_granted_and_ten_seconds():
    clock = SeatClock(Clock(), DEALS)
    clock.begin()
    clock.charge(0, 3 * 1020 + 10_000 - 1)
    last = clock.begin()
    assert last.is_last_wall
    assert last.wall_ms == 1 + 3 * 20
    clock.charge(0, last.wall_ms + 3 * 20)
    assert clock.begin().wall_ms <= 0


def test_waiting_twice_for_one_answer_has_one_limit():
    clock = SeatClock(Clock(), DEALS)
    first = clock.begin()
    rest = first.reduced_by(300, 700)
    assert (rest.cpu_ms, rest.wall_ms) == (first.cpu_ms - 300, first.wall_ms - 700)


def test_the_kernel_limit_lies_above_everything_the_clock_can_grant():
    assert process_cpu_limit_s(Clock(), DEALS, 28) == 6  # 3 + 1 + 0.56 + 1, rounded up


def test_games_without_a_cap_have_a_bound_all_the_same():
    game = game_named("kakeya")
    assert decisions_bound(game, game.ruleset("kakeya4"), DEALS) == 28
    assert decisions_bound(game, game.ruleset("kakeya4"), GAMES) == DECISIONS_IF_UNBOUNDED


@given(
    st.integers(1, 64),
    st.integers(0, 500),
    st.lists(st.tuples(st.floats(0, 3000), st.floats(0, 20_000)), max_size=60),
)
def test_no_seat_can_reach_the_tables_wall_limit(boards, increment_ms, uses):
    clock = Clock(increment_cpu_ms=increment_ms)
    deals = [BoardOrder(number, "deal", "s") for number in range(1, boards + 1)]
    seat = SeatClock(clock, deals)
    wall_ms = cpu_ms = 0.0
    decisions = 0
    for cpu, wall in uses:
        limits = seat.begin()
        decisions += 1
        if limits.wall_ms <= 0:
            break
        cpu, wall = min(cpu, limits.cpu_ms), min(wall, limits.wall_ms)
        seat.charge(cpu, wall)
        wall_ms, cpu_ms = wall_ms + wall, cpu_ms + cpu
    assert wall_ms + clock.start_wall_ms < 1000 * table_wall_limit_s(clock, ["deal"] * boards, 1, decisions)
    assert cpu_ms + clock.start_wall_ms < 1000 * process_cpu_limit_s(clock, deals, decisions)


class Metered(InProcessDriver):
    """Says that each answer took so much, whatever it did, and keeps the limits it was given."""

    def __init__(self, speak=None, *, cpu_ms=0.0, wall_ms=0.0, late_at=()):
        super().__init__(speak or Honest())
        self.cpu_ms = cpu_ms
        self.wall_ms = wall_ms
        self.late_at = late_at
        self.limits = []

    def collect(self, **limits):
        self.limits.append((limits["cpu_limit_ms"], limits["wall_limit_ms"]))
        reply = super().collect(cpu_limit_ms=1e9, wall_limit_ms=1e9)
        if len(self.limits) == 1:  # ready
            return reply._replace(cpu_ms=900.0, wall_ms=900.0)
        if self.wall_ms > limits["wall_limit_ms"]:
            raise DriverFault(ExitReason.TURN_WALL, "", wall_ms=limits["wall_limit_ms"])
        if len(self.limits) - 1 in self.late_at:
            self._said = reply.line + b"\n" + self._said if self._said else reply.line
            raise DriverFault(ExitReason.TURN_CPU, "", cpu_ms=self.cpu_ms, wall_ms=self.wall_ms)
        return reply._replace(cpu_ms=self.cpu_ms, wall_ms=self.wall_ms)


def metered_table(first, *, boards=2, **order):
    drivers = {1: first} | {seat: InProcessDriver(Honest()) for seat in (2, 3, 4)}
    return play_table(make_order(boards=boards, **order), drivers, silent_progress, Store().keep)


class TestAtATable:
    """What docs/contracts.md#clocks-faults-verdicts says, sentence by sentence."""

    def banks(self, driver):
        """What each request told of the bank."""
        requests = [message for message in driver._speak.heard if message["type"] == "request"]
        return [request["clock"]["bank_ms"] for request in requests]

    def test_each_request_tells_what_is_left_and_each_wait_has_what_it_allows(self):
        driver = Metered(cpu_ms=30.0, wall_ms=40.0)
        metered_table(driver)
        banks = self.banks(driver)
        assert banks[:4] == [1000, 990, 980, 970]
        assert driver.limits[1:-1] == [
            (min(bank + 20, 2000), 5 * min(bank + 20, 2000) + 1000) for bank in banks
        ]

    def test_the_cap_holds_however_full_the_bank_is(self):
        driver = Metered()
        metered_table(driver, boards=20)
        assert {cpu_ms for cpu_ms, _ in driver.limits[1:-1]} == {2000}
        assert self.banks(driver)[0] == 10_000

    def test_the_start_is_not_charged_to_the_bank_but_reported(self):
        driver = Metered(cpu_ms=1.0)
        report = metered_table(driver, boards=1)
        assert self.banks(driver)[0] == 500
        assert driver.limits[0][0] == 3000
        assert report.seats[0].wall_ms == 900

    def test_what_a_busy_machine_took_is_in_no_limit_but_in_the_timings(self):
        class MachineDelay(Metered):
            def collect(self, **limits):
                return super().collect(**limits)._replace(machine_delay_ms=self.wall_ms - 1.0)

        driver, store, reports = MachineDelay(wall_ms=3000.0), Store(), []
        drivers = {1: driver} | {seat: InProcessDriver(Honest()) for seat in (2, 3, 4)}
        order = make_order(boards=1)
        report = play_table(order, drivers, lambda *progress: reports.append(progress), store.keep)
        seat = report.seats[0]
        assert (seat.verdict, seat.faults) == (Verdict.OK, ())
        assert seat.wall_ms == 900 + 3000 * seat.decisions > 10_000 + 3 * 20 * seat.decisions
        times = [line for line in store.lines(report.timings_sha256)[1:] if line["seat"] == 1]
        assert {(line["wall_us"], line["machine_delay_us"]) for line in times} == {(3_000_000, 2_999_000)}
        assert reports[0][2] == 0
        assert reports[-1][2] == pytest.approx((seat.decisions + 1) * 2.999)

    def test_a_late_line_leaves_the_wait_for_the_answer_what_the_bot_has_not_used(self):
        class MachineDelay(Metered):
            def collect(self, **limits):
                try:
                    return super().collect(**limits)
                except DriverFault as fault:
                    fault.machine_delay_ms = 70.0
                    raise

        driver = MachineDelay(wall_ms=100.0, cpu_ms=30.0, late_at={3})
        report = metered_table(driver)
        assert report.seats[0].faults[0].clock["used_wall_ms"] == 30

    def test_a_decision_that_is_not_asked_brings_no_increment(self):
        asked, skipping = Metered(Honest()), Metered(SkipsForced())
        for driver in (asked, skipping):
            metered_table(driver, boards=1)
        assert len(self.banks(skipping)) < len(self.banks(asked))
        assert self.banks(skipping) == self.banks(asked)[: len(self.banks(skipping))]

    def test_a_decision_that_was_late_is_charged_and_its_answer_discarded_without_fault(self):
        driver = Metered(cpu_ms=30.0, late_at={3})
        report = metered_table(driver)
        (fault,) = report.seats[0].faults
        assert (fault.verdict, fault.decision) == (Verdict.OUT_OF_TIME, 3)
        assert fault.clock["bank_ms"] == 980
        assert fault.clock["limit_cpu_ms"] == 1000
        # The late line cost 30 ms, and so did the answer behind it.
        assert self.banks(driver)[:5] == [1000, 990, 980, 970, 930]
        assert driver.limits[4:6] == [(990, 5950), (960, 5950)]
        assert not report.seats[0].forfeited

    def test_the_wall_bank_grows_with_every_increment_and_ends_in_a_forfeit(self):
        driver = Metered(wall_ms=1000.0)
        report = metered_table(driver, boards=1, clock=Clock(bank_cpu_ms_per_deal_board=100))
        walls = [wall_ms for _, wall_ms in driver.limits[1:]]
        bank_ms = 3 * 100 + 10_000
        expected, spent = [], 0
        for number in range(1, len(walls) + 1):
            cpu_ms = 100 + 20 * number
            expected.append(min(5 * cpu_ms + 1000, bank_ms + 3 * 20 * number - spent))
            spent += 1000
        assert walls == expected
        seat = report.seats[0]
        assert (seat.verdict, seat.forfeited) == (Verdict.OUT_OF_TIME, True)
        assert len(walls) == seat.decisions == 11
        assert seat.wall_ms == 900 + 10_000 + 960
        assert "whole table" in seat.faults[0].reason

    @pytest.mark.parametrize("kind", ["deal", "game"])
    def test_the_kernels_limit_is_that_of_the_order(self, kind):
        limits_s = []

        def factory(order, seat, folder, cpu_limit_s):
            limits_s.append(cpu_limit_s)
            return InProcessDriver(Honest())

        bot = import_archive(b"pass", "bot.py")
        order = make_order(boards=2, kind=kind, options={"hand_cap": 4} if kind == "game" else None)
        seats = tuple(dataclasses.replace(seat, bundle_sha256=bot.sha256) for seat in order.seats)
        order = dataclasses.replace(order, seats=seats)
        report = execute(order, lambda _: bot.data, Store().keep, silent_progress, factory)
        assert report.platform_fault is None
        most = max(seat.decisions for seat in report.seats)
        granted_ms = 3000 + order.clock.bank_cpu_ms([kind] * 2) + 20 * most + 1000
        assert len(set(limits_s)) == 1
        assert limits_s[0] * 1000 >= granted_ms
