"""The arithmetic of time: banks, increments, caps, walls, and the limits that follow for a whole table."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine import game_named
from referee.clocks import (
    DECISIONS_IF_UNBOUNDED,
    SeatClock,
    decisions_bound,
    process_cpu_limit_s,
)
from referee.contract import BoardOrder, Clock, table_wall_limit_s

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
    rest = first.less(300, 700)
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
