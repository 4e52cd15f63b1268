"""Accuracy of seats, its interval, and the order of costly decisions."""

import pytest

from analysis.accuracy import BoardCosts, accuracy_of, board_costs, costly_decisions
from analysis.notes import notes_of_record
from tests.analysis.records import FEW_NODES, played_record


def test_costs_are_counted_by_seat_and_board():
    record = played_record("kakeya4", (1, 2, 4))
    notes = notes_of_record(record, FEW_NODES)
    by_seat = board_costs(notes, "set")
    steps = [(deal["board"], step) for deal in notes["deals"] for step in deal["steps"].values()]
    for seat, costs in by_seat.items():
        for one in costs:
            own = [step for board, step in steps if step["seat"] == seat and one.board == f"set:{board}"]
            paid = [step["cost"] for step in own if "cost" in step]
            assert one[1:] == (len(own), len(paid), sum(paid))
    assert sum(one.decisions for costs in by_seat.values() for one in costs) == len(steps)
    assert any(one.costly for costs in by_seat.values() for one in costs)


def test_plays_that_differ_only_on_average_are_no_decisions_of_accuracy():
    step = {"seat": 1, "action": "AS", "average": {"loss": 0.5, "error": 0.1, "deals": 64, "best": ["2S"]}}
    deal = {"board": 1, "deal": 1, "declarations": {}, "steps": {"4": step}}
    assert board_costs({"deals": [deal]}) == {}


def test_accuracy_is_the_mean_cost_per_decision():
    accuracy = accuracy_of([BoardCosts("a", 10, 2, 4), BoardCosts("b", 30, 3, 4), BoardCosts("b", 10, 0, 0)])
    assert (accuracy.decisions, accuracy.boards) == (50, 2)
    assert accuracy.cost == pytest.approx(8 / 50)
    assert accuracy.agreement == pytest.approx(45 / 50)


def test_the_interval_is_over_boards_and_depends_on_the_seed_alone():
    costs = [BoardCosts(f"{number}", 10, number % 3, number % 3) for number in range(60)]
    accuracy = accuracy_of(costs, "seed")
    low, high = accuracy.interval
    assert low < accuracy.cost < high
    # The standard error of the mean of 60 boards, in stones per decision.
    assert high - low == pytest.approx(2 * 1.96 * 0.816 / 60**0.5 / 10, rel=0.15)
    assert accuracy_of(reversed(costs), "seed") == accuracy
    assert accuracy_of(costs, "other").interval != accuracy.interval
    twice = accuracy_of(costs * 4, "seed")
    assert twice.interval == accuracy.interval, "tables of the same boards say nothing new about boards"


def test_too_few_boards_have_no_interval():
    assert accuracy_of([BoardCosts("a", 10, 2, 4)]).interval is None
    assert accuracy_of([]) is None


def test_decisions_are_sorted_by_what_they_cost():
    def step(seat, **note):
        return {"seat": seat, "action": "AS", "values": {"1": ["AS"], "2": ["2S"]}, **note}

    def average(loss):
        return {"average": {"loss": loss, "error": 0.1, "deals": 64, "best": ["2S"]}}

    deal = {
        "board": 2,
        "deal": 1,
        "declarations": {
            "1": {"seat": 3, "action": "DEFER", "values": {"PREFER": 1, "DEFER": -1}, "cost": 2}
        },
        "steps": {
            "3": step(1, cost=1, kind="unlucky", **average(0.0)),
            "8": step(2, cost=1, kind="mistake", **average(0.9)),
            "9": {"seat": 4, "values": {"1": ["AS"], "2": ["2S"]}},
            "10": {"seat": 4, "action": "AS", **average(0.4)},
            "11": step(3, cost=3),
        },
    }
    ordered = costly_decisions({"deals": [deal]})
    assert [(one.is_declaration, one.entry) for one in ordered] == [
        (False, 11),
        (True, 1),
        (False, 8),
        (False, 3),
        (False, 10),
    ]
    assert ordered[2][4:] == (2, "AS", 1, 0.9, "mistake")
