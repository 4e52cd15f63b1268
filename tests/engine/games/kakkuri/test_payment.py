"""Who pays whom.

Source: docs/rules/kakkuri.md#looking, #payment, T70-T77.
"""

import pytest

from engine.cards import KAKKURI_PACK
from engine.games.kakkuri import scoring
from engine.games.kakkuri.standing import Standing
from engine.games.kakkuri.turns import FREE, RETURN
from tests.engine.games.kakkuri.games import KAKKURI, LEAGUE
from tests.engine.games.kakkuri.positions import board_with, deck_for, play_out, position

SEVEN = {1: "5H", 2: "6S", 3: "6H", 4: "6D", 5: "6C", 6: "7S", 7: "7H"}
LAST_SIX = {**SEVEN, 1: "5H 6S 7S 8S 9S JS", 2: "3S", 6: "3H"}
IN_ONE_TURN = "1:5H@5 1:6S@6 1:7S@7 1:8S@8 1:9S@9 1:JS@10"


def ending(state):
    """``how`` and stones by seat of a deal that is over."""
    event = state.happened_since(None)[-1].public
    assert (state.to_act, event["winner"]) == ((), [1] if event["winner"] else [])
    assert state.outcome().stones == {int(seat): won for seat, won in event["stones"].items()}
    return event["how"], list(event["stones"].values())


def test_T70_an_ordinary_win():
    state = position(SEVEN, 4, before={1: "4H"}, dropped=(3,))
    assert ending(state.apply(1, "5H@5")) == ("ordinary", [6, -1, -1, -1, -1, -1, -1])


def test_T71_guri():
    state = position(LAST_SIX, 4, dropped=(3,))
    assert ending(play_out(state, IN_ONE_TURN)) == ("guri", [11, -2, -1, -2, -2, -2, -2])


def test_guri_under_dropped_pay():
    """Source: docs/rules/kakkuri.md#options, D50."""
    state = position(LAST_SIX, 4, dropped=(3,), options={"dropped_pay": True})
    assert ending(play_out(state, IN_ONE_TURN)) == ("guri", [13, -2, -3, -2, -2, -2, -2])


def test_guri_under_dropped_pay_costs_the_holder_of_the_three_of_clubs_nothing():
    hands = {**LAST_SIX, 8: "3C"}
    state = position(hands, 4, dropped=(3,), options={"dropped_pay": True})
    assert state.observe(1)["out"] == [8]
    assert ending(play_out(state, IN_ONE_TURN)) == ("guri", [13, -2, -3, -2, -2, -2, -2, 0])


def test_an_ordinary_win_costs_the_dropped_nothing_more():
    state = position(SEVEN, 4, before={1: "4H"}, dropped=(3,), options={"dropped_pay": True})
    assert ending(state.apply(1, "5H@5")) == ("ordinary", [6, -1, -1, -1, -1, -1, -1])


def dealt(seats, hands, *, box="", dealer=1, seed="position", ruleset=LEAGUE):
    """The first state of a deal in which seats hold these cards."""
    hands = {seat: hands.get(seat, "") for seat in range(1, seats + 1)}
    return KAKKURI.start(ruleset.replace(seats=seats), board_with(hands, dealer, box, seed=seed))


def test_T72_utazu():
    state = dealt(7, {4: "AS AD AH 5S 6S 7S"})
    assert state.to_act == ()
    assert state.outcome().stones == {1: -3, 2: -3, 3: -3, 4: 18, 5: -3, 6: -3, 7: -3}
    assert [event.recorded() for event in state.happened_since(None)][1:] == [
        {"e": "utazu", "seat": 4},
        {
            "e": "deal_end",
            "deal": 1,
            "how": "utazu",
            "stones": {"1": -3, "2": -3, "3": -3, "4": 18, "5": -3, "6": -3, "7": -3},
            "winner": [4],
        },
    ]
    assert state.observe(4)["hand"] == ["AS", "5S", "6S", "7S", "AH", "AD"]


def test_T73_the_holder_of_the_three_of_clubs_neither_pays_nor_receives():
    state = dealt(8, {2: "3C", 5: "AS AD AH"})
    assert state.outcome().stones == {1: -3, 2: 0, 3: -3, 4: -3, 5: 18, 6: -3, 7: -3, 8: -3}
    assert [event.kind for event in state.happened_since(None)] == ["deal", "out", "utazu", "deal_end"]


def test_T74_three_aces_beside_the_three_of_clubs_win_nothing():
    state = dealt(8, {3: "3C AS AD AH 4D 5D"})
    assert [event.kind for event in state.happened_since(None)] == ["deal", "out", "turned"]
    seen = state.observe(3)
    assert (state.to_act, seen["out"], seen["active"]) == ((1,), [3], [1, 2, 4, 5, 6, 7, 8])
    assert set(seen["turned"]) <= {"3C", "AS", "AD", "AH", "4D", "5D"}
    assert (seen["hand"], seen["hand_sizes"]["3"], seen["box_size"]) == ([], 0, 5)


def test_T75_passing_first_does_not_spoil_guri():
    hands = {1: "5H 6S 7S 8S 9S JS", 2: "3H 4H KH KD KS KC", 3: "9H JH QH 9D JD QD"}
    state = play_out(position(hands, 2), "1:PASS 2:3H@3 2:PASS 3:PASS 1:PASS 2:4H@4 2:PASS 3:PASS")
    assert [seat for seat, _ in state.observe(1)["passes"]] == [1, 2, 3, 1, 2, 3]
    assert ending(play_out(state, IN_ONE_TURN)) == ("guri", [4, -2, -2])


def test_T75_nor_does_a_pass_after_turning_up_a_card():
    hands = {1: "5H 6S 7S 8S 9S JS", 2: "9H JH QH KH 3S 3H"}
    state = play_out(position(hands, 2, box="QS 4S"), "1:PASS 2:PASS 1:TURN 1:PASS 2:PASS 1:TURN")
    assert [seat for seat, _ in state.observe(1)["passes"]] == [1, 2, 1, 2]
    assert ending(play_out(state, IN_ONE_TURN)) == ("guri", [2, -2])


def test_T75_nor_does_a_declaration_in_an_earlier_turn():
    state = position({1: "5H 5D 6S 6C 7H 7D", 2: "4H KH KD KS KC 3H"}, 3)
    state = play_out(state, "1:SANSOKU 1:PASS 2:4H@4 2:PASS 1:5H+5D@5 1:6S+6C@6 1:7H+7D@7")
    assert ending(state) == ("guri", [2, -2])


def test_T76_a_card_in_the_first_of_several_turns_spoils_guri():
    hands = {1: "5H 6S 7S 8S 9S JS", 2: "9H JH QH KH 3S 3H"}
    state = play_out(position(hands, 4, box="3C 4S 5S"), "1:5H@5 1:PASS 2:PASS 1:TURN 1:PASS 2:PASS 1:TURN")
    state = play_out(state, "1:PASS 2:PASS 1:TURN 1:6S@6 1:7S@7 1:8S@8 1:9S@9 1:JS@10")
    assert ending(state) == ("ordinary", [1, -1])


def test_T76_a_card_in_an_earlier_turn_spoils_guri():
    state = position({1: "5H 6S 7S 8S 9S JS", 2: "9H JH QH KH 3S 3H"}, 4)
    state = play_out(state, "1:5H@5 1:PASS 2:PASS 1:6S@6 1:7S@7 1:8S@8 1:9S@9 1:JS@10")
    assert ending(state) == ("ordinary", [1, -1])


def test_T77_a_lone_survivor_takes_the_pot():
    state = position({1: "5H 6S 7S 8S 9S JS", 2: "9H JH QH KH 3S 3H", 3: "9D JD QD KD 3D 4D"}, 4)
    state = play_out(state, "1:PASS 2:DROP 3:DROP")
    assert ending(state) == ("lone", [2, -1, -1])


def test_the_dealer_drops_and_one_is_left():
    state = position({1: "9H JH QH KH 3S 3H", 2: "5H 6S 7S 8S 9S JS"}, 4).apply(1, "DROP")
    assert state.outcome().stones == {1: -1, 2: 1}


def test_a_winner_may_have_paid_before():
    """``pass_penalty``: what it paid comes back with the pot.

    Source: docs/rules/kakkuri.md#options, #payment, D40.
    """
    hands = {1: "5H 6S 7S 8S 9S JS", 2: "9H JH QH KH 3S 3H"}
    state = position(hands, 4, options={"pass_penalty": True}, box="QS 4S")
    state = play_out(state, "1:PASS 2:PASS 1:TURN 1:PASS 2:KH@12 2:PASS")
    assert (state.observe(1)["pot"], state.observe(1)["stones"]) == (3, {"1": 18, "2": 19})
    state = play_out(state, IN_ONE_TURN)
    assert ending(state) == ("guri", [3, -3])


def test_dropping_after_penalties_costs_a_stone_more():
    hands = {1: "5H 6S 7S 8S 9S JS", 2: "9H JH QH KH 3S 3H", 3: "9D JD QD KD 3D 4D"}
    state = position(hands, 4, options={"pass_penalty": True})
    state = play_out(state, "1:PASS 2:PASS 3:PASS 1:DROP 2:DROP")
    assert state.outcome().stones == {1: -2, 2: -2, 3: 4}


def test_nobody_wins_a_dead_deal():
    assert scoring.ending(LEAGUE, "dead", 2, Standing.of((0, 1, 2))) == ("dead", 0, (0, 0, 0))


def test_a_dead_deal_gives_everything_back():
    """``box_empty=dead``.

    Source: docs/rules/kakkuri.md#options, #turns, D47.
    """
    hands = {1: "5H 7S", 2: "9H JH QH KH 3S 3H", 3: "9D JD QD KD 3D 4D"}
    options = {"box_empty": "dead", "pass_penalty": True}
    state = position(hands, 4, before={1: "3C"}, dropped=(2,), box="", options=options)
    state = play_out(state, "1:PASS 3:PASS")
    assert ending(state) == ("dead", [0, 0, 0])
    assert state.happened_since(None)[-1].public["winner"] == []
    assert state.observe(1)["stones"] == {"1": 20, "2": 20, "3": 20}


def test_a_turn_that_does_not_come_back_is_played_with_an_empty_box():
    state = position({1: "5H 7S", 2: "5D 3H"}, 4, before={1: "3C"}, box="", options={"box_empty": "dead"})
    assert play_out(state, "1:PASS 2:5D@5 2:PASS").to_act == (1,)


@pytest.mark.parametrize("turn", [0, RETURN, RETURN | FREE])
def test_going_out_wins_in_any_turn(turn):
    box = "" if turn & FREE else "6D"
    state = position({1: "5H", 2: "6S"}, 4, before={1: "4H"}, turn=turn, box=box)
    assert ending(state.apply(1, "5H@5")) == ("ordinary", [1, -1])


def test_stones_shown_include_what_lies_in_the_pot():
    state = position(SEVEN, 4).apply(1, "DROP")
    seen = state.observe(5)
    assert (seen["stones"]["1"], seen["stones"]["2"], seen["pot"], seen["dropped"]) == (19, 20, 1, [1])
    assert (seen["hand_sizes"]["1"], 1 in seen["active"]) == (0, False)


def test_decks_for_tests_are_whole():
    assert sorted(deck_for({1: "AS", 2: ""}, 1, "KS")) == sorted(KAKKURI_PACK.cards)
