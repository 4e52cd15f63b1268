"""What a view says is left of the banks, held against the clock of the referee."""

import json

import pytest

from referee.clocks import SeatClock
from referee.contract import BoardOrder, Clock
from tests.viewer.records import recorded
from viewer.banks import Bank
from viewer.build import view_of

BOARDS = (BoardOrder(1, "deal", ""), BoardOrder(2, "deal", ""))
FAULT_US = 7_000
SHORT = Clock(increment_cpu_ms=1, bank_cpu_ms_per_deal_board=10, decision_cpu_cap_ms=2000)


def left(table, clock, seat, last_board):
    """The bank of the referee's clock after a board, which takes the same times in the same order."""
    lines = map(json.loads, table.timings.splitlines()[1:])
    times = {line["n"]: line for line in lines if line["seat"] == seat}
    kept = SeatClock(clock, BOARDS)
    for number in range(1, max(times) + 1):
        if times.get(number, {"board": 1})["board"] <= last_board:
            kept.begin()
            kept.charge(times[number]["cpu_us"] / 1000 if number in times else FAULT_US / 1000, 0)
    return round(kept.bank_ms * 1000)


@pytest.mark.parametrize("preset", ["kakeya4", "kakkuri"])
@pytest.mark.parametrize("clock", [Clock(), SHORT], ids=["usual", "soon empty"])
def test_banks_after_a_deal_are_those_of_the_referees_clock(preset, clock):
    faults = {(2, 1): "OUT_OF_TIME"}
    table = recorded(preset, boards=(1, 2), faults=faults, skipping=(3,))
    bank = Bank(
        1000 * clock.bank_cpu_ms(["deal", "deal"]), 1000 * clock.increment_cpu_ms, {2: [FAULT_US], 1: []}
    )
    view = view_of(table.record, table.timings, bank=bank)
    for board in view["boards"]:
        deal = board["deals"][0]
        assert deal["bank"] == {
            str(seat): left(table, clock, seat, board["board"]) for seat in range(1, view["seats"] + 1)
        }


def test_nobody_charges_a_seat_that_has_forfeited():
    faults = {(2, 1): "CRASHED", (2, 2): "CRASHED"}
    table = recorded("kakeya4", boards=(1, 2), faults=faults, forfeits={2: 3})
    view = view_of(table.record, table.timings, bank=Bank(1_000_000, 20_000, {2: [FAULT_US] * 2}))
    times = [json.loads(line) for line in table.timings.splitlines()[1:]]
    used = [line["cpu_us"] for line in times if line["seat"] == 2]
    assert len(used) == 1, "the answer between the faults and the forfeit"
    assert [board["deals"][0]["bank"]["2"] for board in view["boards"]] == [
        1_000_000 + 3 * 20_000 - 2 * FAULT_US - used[0]
    ] * 2


def test_without_times_there_are_no_banks():
    view = view_of(recorded("kakeya4").record, bank=Bank(1_000_000, 20_000, {}))
    assert "bank" not in view["boards"][0]["deals"][0]
