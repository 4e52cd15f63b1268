"""Notes on Kakkuri: which decisions are judged, and which costs are named."""

import pytest

from analysis.games.kakkuri import NOTES
from analysis.games.kakkuri.comparing import ERRORS, LEAST_COST
from analysis.games.kakkuri.decisions import deals_decided
from analysis.notes import notes_bytes, notes_of_record
from analysis.work import Cancelled, Work
from engine import replay
from engine.kernel import shedding_kind, shedding_line, shedding_position_of
from tests.engine.games.kakkuri.positions import deck_for
from tests.viewer.records import recorded
from viewer.build import view_of

GUESS = {"nodes": None, "deals": 125}
"""Limits for tests in which the size of a cost does not matter."""
FEW = {"nodes": None, "deals": 1000}
FILLED = {
    2: {2: ""},
    4: {2: "", 3: "", 4: ""},
    # The hand with 3C is the box, its first card the start card.
    8: {2: "3S 3H 3C 9S JS QS", **dict.fromkeys(range(3, 9), "")},
}


def sensible(rng, state, seat):
    if state.phase != "turn":
        return "KEEP"
    return shedding_line(shedding_position_of(state), 1, 1, "rules")[0][0]


def played(seats, hand, answers):
    """A deal in which seat 1 has this hand and begins, on a three, with these answers."""
    said = iter(answers)

    def choose(rng, state, seat):
        return next(said, None) or sensible(rng, state, seat) if seat == 1 else sensible(rng, state, seat)

    box = "" if seats == 8 else "3S"
    deck = deck_for({1: hand, **FILLED[seats]}, 1, box)
    return recorded("kakkuri.league", decks=(deck,), options={"seats": seats}, choose=choose).record


def noted(record, limits=None, **options):
    return notes_of_record(record, limits, decks_from_seed=False, **options)


@pytest.mark.parametrize("seats", [2, 4, 8])
def test_a_pass_instead_of_going_out_is_a_mistake(seats):
    (deal,) = noted(played(seats, "4H 5D 6S 7C 8H 9D", ["PASS"]), FEW)["deals"]
    note = deal["steps"]["1"]
    assert note["kind"] == "mistake"
    assert note["average"]["best"] == ["4H@4"]
    assert note["average"]["loss"] > max(0.3, 10 * note["average"]["error"])
    assert note["average"]["deals"] >= 1000


@pytest.mark.parametrize("seats", [2, 4, 8])
def test_going_out_costs_nothing(seats):
    answers = ["4H@4", "5D@5", "6S@6", "7C@7", "8H@8", "9D@9"]
    (deal,) = noted(played(seats, "4H 5D 6S 7C 8H 9D", answers), FEW)["deals"]
    # Before each card, the turn could also end.
    assert deal["judged"] == {"1": 6}
    assert deal["steps"] == {}


def test_equivalent_actions_are_proposed_together():
    record = played(2, "4H 4D 5S 6C 7H 8D", ["PASS"])
    assert noted(record, GUESS)["deals"][0]["steps"]["1"]["average"]["best"] == ["4H@4", "4D@4"]


def random_record(seats=3, kind="game", **options):
    return recorded(
        "kakkuri",
        kind,
        options={"seats": seats, "hands": 3, **options},
        faults={(1, 4): "OUT_OF_TIME", (2, 5): "ILLEGAL_ACTION"},
    ).record


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {}),
        (4, {"deal_pass": True}),
        (8, {}),
        (3, {"pass_penalty": True, "turn_forced": True}),
        (5, {"wild_in_sansoku": True, "wild_mode": "reset", "box_empty": "dead"}),
    ],
)
def test_indices_are_those_of_the_view_and_the_referee_is_not_judged(seats, options):
    record = random_record(seats, **options)
    replayed, (board_view,) = replay(record), view_of(record)["boards"]
    decided = list(deals_decided(replayed, replayed.boards[0]))
    assert [deal.deal for deal in decided] == [deal["deal"] for deal in board_view["deals"]]
    referee = 0
    for deal, deal_view in zip(decided, board_view["deals"], strict=True):
        by_index = {decision.step: decision for decision in deal.decisions}
        for index, entry in enumerate(deal_view["steps"]):
            referee += entry.get("by") == "referee"
            if index in by_index:
                decision = by_index[index]
                assert (entry["s"], entry.get("by")) == (decision.seat, None)
                assert entry.get("a", entry["k"].upper()) == decision.action
                assert len({*map(shedding_kind, decision.state.legal(decision.seat))}) > 1
            elif entry["k"] == "meld" and "by" not in entry:
                # The only kind of action that was legal.
                assert "back" not in entry
    assert referee == 2


def test_named_costs_are_above_the_bars_and_belong_to_judged_seats():
    record = random_record(4, hands=2)
    replayed = replay(record)
    named = 0
    dealt = deals_decided(replayed, replayed.boards[0])
    for decided, deal in zip(dealt, noted(record, GUESS)["deals"], strict=True):
        decisions = {str(decision.step): decision for decision in decided.decisions}
        assert deal["declarations"] == {}
        assert sum(deal["judged"].values()) == len(decisions)
        for index, note in deal["steps"].items():
            named += 1
            decision, average = decisions[index], note["average"]
            assert (note["seat"], note["action"]) == (decision.seat, decision.action)
            assert average["loss"] >= max(LEAST_COST, ERRORS * average["error"] - 0.002)
            assert {*average["best"]} <= {*decision.state.legal(decision.seat)} - {decision.action}
    assert named > 3, "random players waste stones"


def test_equal_records_have_equal_notes_and_other_records_other_draws():
    record = random_record(2, "deal")
    assert notes_bytes(noted(record, GUESS)) == notes_bytes(noted(record, GUESS))
    replayed = replay(record)
    first, other = (
        list(NOTES.deals(replayed, replayed.boards[0], Work(label, GUESS))) for label in ("a", "b")
    )
    assert first != other


def test_without_deals_nothing_is_judged():
    for deal in noted(random_record(), {"nodes": None, "deals": 0})["deals"]:
        assert (deal["from"], deal["value"], deal["steps"], deal["judged"]) == (None, None, {}, {})


@pytest.mark.parametrize("after", [0, 1, 40])
def test_a_cancelled_analysis_stops_at_once(after):
    class Cancel:
        asked = 0

        def is_set(self):
            self.asked += 1
            return self.asked > after

    cancel = Cancel()
    with pytest.raises(Cancelled):
        noted(random_record(8), cancel=cancel)
    assert cancel.asked <= after + 2, "the kernel returns, and the analysis with it"
