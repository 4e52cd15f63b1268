"""Single deals whose every entry is known: swaps, three aces, the seat that is out, returns, drops."""

import pytest

from tests.engine.games.kakkuri.positions import deck_for
from tests.viewer.agreement import agreed_view
from tests.viewer.answers import EIGHT, THREE_ACES, said
from tests.viewer.records import recorded
from viewer.mat import seat_roles
from viewer.texts import ENGLISH


def deal_of(hands, *answers, box="", dealer=1, **options):
    """The view's deal of one deal board dealt by seat ``dealer``."""
    options = {"seats": len(hands), "fuwaru": False, **options}
    decks = (deck_for(hands, dealer, box),)
    table = recorded("kakkuri", "deal", (dealer,), decks=decks, options=options, choose=said(*answers))
    view = agreed_view(table, has_decks=True)
    return view["boards"][0]["deals"][0]


def plain(items):
    """Entries without their times, and without the mark of forced answers."""
    return [{key: value for key, value in item.items() if key not in ("us", "only")} for item in items]


def test_only_who_deals_is_said_to_deal():
    deal = {"dealers": [1, 3], "dealer": 1, "leaders": [2, 4]}
    assert [seat_roles(deal, seat, ENGLISH) for seat in (1, 2, 3)] == [["deals"], ["may lead"], []]
    del deal["dealer"]
    assert [seat_roles(deal, seat, ENGLISH) for seat in (1, 2, 3)] == [["deals"], ["may lead"], ["deals"]]
    assert [seat_roles({"dealer": 1}, seat, ENGLISH) for seat in (1, 2)] == [["dealer"], []]


def test_three_aces_end_a_deal_before_any_card():
    deal = deal_of(THREE_ACES)
    assert (deal["before"], deal["steps"]) == ([{"k": "utazu", "s": 2}], [])
    assert deal["end"] == {"how": "utazu", "winner": [2], "stones": {"1": -3, "2": 6, "3": -3}}


def test_with_eight_seats_the_holder_of_the_three_of_clubs_is_out_and_its_hand_is_the_box():
    deal = deal_of(EIGHT)
    assert deal["before"] == [{"k": "out", "s": 1}]
    assert deal["box"] == 6
    assert deal["hands"]["1"] == ["3C", "5C", "6C", "7C", "8C", "9C"]
    start, first = deal["steps"][:2]
    assert (start["k"], start["box"], start["a"] in deal["hands"]["1"]) == ("turned", 5, True)
    assert first["s"] == 2, "the seat that is out deals, so the next one begins"


def test_turns_laps_returns_and_the_card_that_is_turned_up():
    hands = {1: "4S 9S 9H JS JH JD", 2: "3H 5H 6H 7H 8H 4H", 3: "5D 6D 7D 8D 3D 4D"}
    deal = deal_of(hands, "1:4S@4", "1:PASS", "2:PASS", "3:PASS", "1:TURN", "1:PASS", "2:DROP", box="3S QS")
    assert plain(deal["steps"])[:8] == [
        {"k": "turned", "a": "3S", "f": 3, "may": [4], "box": 29},
        {"k": "meld", "s": 1, "a": "4S@4", "c": ["4S"], "f": 4, "may": [5], "left": 5, "turn": 1, "lap": 1},
        {"k": "pass", "s": 1, "turn": 1, "lap": 1},
        {"k": "pass", "s": 2, "turn": 2, "lap": 1},
        {"k": "pass", "s": 3, "turn": 3, "lap": 1, "back": True},
        {"k": "turn", "s": 1, "turn": 4, "lap": 2},
        {"k": "turned", "a": "QS", "f": 11, "may": [12], "box": 28},
        {"k": "pass", "s": 1, "turn": 4, "lap": 2},
    ]
    assert plain(deal["steps"])[8] == {"k": "drop", "s": 2, "turn": 5, "lap": 2, "pot": 1}


def test_a_return_that_must_turn_a_card_lets_nothing_follow_before():
    hands = {1: "4S 9S 9H JS JH JD", 2: "3H 5H 6H 7H 8H 4H"}
    deal = deal_of(hands, "1:4S@4", "1:PASS", "2:PASS", "1:TURN", "1:PASS", box="3S QS", turn_forced=True)
    assert (deal["steps"][3]["back"], deal["steps"][3]["may"]) == (True, [])


def test_passes_that_cost_a_stone_fill_the_pot():
    hands = {1: "4S 9S 9H JS JH JD", 2: "3H 5H 6H 7H 8H 4H"}
    deal = deal_of(hands, "1:4S@4", "1:PASS", "2:PASS", "1:TURN", "1:PASS", box="3S QS", pass_penalty=True)
    assert [step.get("pot") for step in deal["steps"]][2:7] == [None, 1, None, None, 2]


def test_an_empty_box_lets_anything_follow():
    steps = deal_of(EIGHT)["steps"]
    free = next(step for step in steps if step.get("back") and "may" in step)
    assert (free["may"], steps[steps.index(free) - 1].get("box", 0)) == (list(range(1, 13)), 0)
    assert max(step["turn"] for step in steps if step["k"] == "turn") > 1


@pytest.mark.parametrize(("wild_mode", "follow"), [("named", 4), ("reset", 12)])
def test_a_wild_card_counts_as_what_it_is_named(wild_mode, follow):
    hands = {1: "AC 9S 9H JS JH JD", 2: "3H 5H 6H 7H 8H 4H"}
    action = f"AC@{follow}"
    deal = deal_of(hands, f"1:{action}", "1:PASS", box="3S QS", wild_mode=wild_mode)
    step = deal["steps"][1]
    assert (step["a"], step["c"], step["f"], len(step["may"])) == (
        action,
        ["AC"],
        follow,
        1 if follow == 4 else 12,
    )


@pytest.mark.parametrize("preset", ["etori.simple", "etori.simple6", "etori.meiji"])
def test_etori_names_the_seat_that_deals(preset):
    view = agreed_view(recorded(preset, "deal", (1, 2, 3)))
    for board in view["boards"]:
        deal = board["deals"][0]
        assert deal["dealer"] in deal["dealers"]
        assert {item["k"] for item in deal["before"]} <= {"lead"}
