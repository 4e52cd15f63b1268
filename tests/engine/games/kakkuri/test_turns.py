"""Turns: passing, turning up, dropping, three pairs, the turn that comes back.

Source: docs/rules/kakkuri.md#sansoku, #turns.
"""

import pytest

from engine import IllegalAction
from engine.games.kakkuri.turns import FREE, MUST_TURN, RETURN, TURNED
from tests.engine.games.kakkuri.games import KAKKURI, LEAGUE, PLAIN
from tests.engine.games.kakkuri.positions import board_with, play_out, position
from tests.refusals import refusal

HAND = "6S 6H 9D JC QS KD"


def passed_round(state, *seats):
    for seat in seats:
        state = state.apply(seat, "PASS")
    return state


def four(**options):
    """Four players with nothing that follows the start card, a jack; seat 1 deals."""
    hands = {
        1: "3S 4S 5S 6S 7S 8S",
        2: "3H 4H 5H 6H 7H 8H",
        3: "3D 4D 5D 6D 7D 8D",
        4: "AS AH 4C 5C 6C 7C",
    }
    return KAKKURI.start(LEAGUE.replace(seats=4, **options), board_with(hands, box="JS 2S"))


def test_T65_who_has_played_may_not_drop():
    state = position({1: "5H 9S", 2: HAND}, 4, before={1: "3S"})
    assert "DROP" not in state.legal(1)
    assert "played" in str(refusal(IllegalAction, state.apply, 1, "DROP"))


def test_T66_a_turn_that_comes_back_with_nothing_to_play():
    state = position({1: "7H 9S", 2: HAND}, 4, turn=RETURN, box="3S 4S 5S", before={1: "3H"})
    assert state.legal(1) == ("TURN",)
    assert "box card" in str(refusal(IllegalAction, state.apply, 1, "PASS"))


def test_T67_after_turning_up_one_may_pass():
    state = position({1: "7H 9S", 2: HAND}, 4, turn=RETURN, box="3S 4S 5S", before={1: "3H"})
    assert state.apply(1, "TURN").legal(1) == ("PASS",)


def test_T68_the_turn_comes_back_to_an_empty_box():
    state = position({1: "5H 9S", 2: HAND}, 7, turn=RETURN | FREE, box="", before={1: "3H"})
    assert state.legal(1) == ("5H@5", "9S@9")
    assert "play first" in str(refusal(IllegalAction, state.apply, 1, "PASS"))
    assert "empty" in str(refusal(IllegalAction, state.apply, 1, "TURN"))
    assert state.apply(1, "5H@5").legal(1) == ("PASS",)


def test_T69_the_dealer_drops_and_the_next_seat_takes_its_place():
    state = four().apply(1, "DROP")
    seen = state.observe(2)
    assert (state.to_act, seen["last"], seen["return_turn"]) == ((2,), 2, False)
    assert "PASS" in state.legal(2)
    state = passed_round(state, 2, 3, 4)
    assert (state.to_act, state.observe(2)["return_turn"]) == ((2,), True)
    assert "PASS" not in state.legal(2)
    assert "TURN" in state.legal(2)


def test_the_place_of_the_last_to_play_may_be_passed_on_twice():
    state = play_out(four(), "1:DROP 2:DROP")
    assert (state.to_act, state.observe(3)["last"], state.observe(3)["return_turn"]) == ((3,), 3, False)
    state = passed_round(state, 3, 4)
    assert state.observe(3)["return_turn"] is True


def test_another_seat_that_drops_leaves_the_turn_coming_back():
    state = play_out(four(), "1:PASS 2:DROP 3:PASS 4:DROP")
    assert (state.to_act, state.observe(1)["last"], state.observe(1)["return_turn"]) == ((1,), 1, True)


def test_the_last_to_play_drops_in_the_turn_that_came_back():
    state = play_out(four(), "1:PASS 2:PASS 3:PASS 4:PASS 1:DROP")
    assert (state.to_act, state.observe(2)["return_turn"]) == ((2,), False)


def test_a_meld_makes_its_seat_the_last_to_play():
    state = position({1: "7H 9S", 2: "5H 6H", 3: HAND}, 4)
    state = play_out(state, "1:PASS 2:5H@5 2:PASS")
    assert (state.observe(1)["last"], state.observe(1)["follow"]) == (2, 5)
    state = passed_round(state, 3, 1)
    assert (state.to_act, state.observe(2)["return_turn"]) == ((2,), True)


def test_passing_is_soft():
    state = position({1: "5S 9S", 2: "8H 6H", 3: "4H 7D"}, 3)
    state = play_out(state, "1:PASS 2:PASS 3:4H@4 3:PASS 1:5S@5 1:PASS 2:6H@6")
    assert state.observe(2)["plays"][-1] == [2, "6H@6"]


def test_a_turned_card_is_new_to_follow_and_the_turn_goes_on():
    state = position({1: "7H 9S", 2: HAND}, 4, turn=RETURN, box="6D 4S", before={1: "3H"}).apply(1, "TURN")
    seen = state.observe(1)
    assert (seen["follow"], seen["turned_this_turn"], seen["box_size"]) == (6, True, 1)
    assert state.legal(1) == ("PASS", "7H@7")


def test_one_box_card_a_turn_and_none_after_a_meld():
    state = position({1: "5H 7H 9S", 2: HAND}, 4, turn=RETURN, box="6D 4S", before={1: "3H"})
    for actions in ("1:TURN", "1:5H@5"):
        assert "one box card" in str(refusal(IllegalAction, play_out(state, actions).apply, 1, "TURN"))


def test_no_box_card_before_the_turn_has_come_back():
    assert "come back" in str(refusal(IllegalAction, position({1: "5H 7H", 2: HAND}, 4).apply, 1, "TURN"))


def test_the_turn_that_takes_the_last_box_card_may_be_passed():
    state = position({1: "7H 9S", 2: HAND}, 4, turn=RETURN, box="KD", before={1: "3H"}).apply(1, "TURN")
    assert state.legal(1) == ("PASS", "7H@7", "9S@9")
    state = play_out(state, "1:PASS 2:PASS")
    assert state.legal(1) == ("7H@7", "9S@9")


def test_the_first_meld_alone_is_free():
    state = position({1: "5H 9S", 2: HAND}, 7, turn=RETURN | FREE, box="", before={1: "3H"})
    assert "on 5 follows 6" in str(refusal(IllegalAction, play_out, state, "1:5H@5 1:9S@9"))


def test_a_free_lead_under_sansoku_is_any_pair():
    state = position(
        {1: "5H 5D 9S 9C", 2: HAND}, 7, turn=RETURN | FREE, box="", before={1: "KH KD"}, sansoku=(1,)
    )
    assert state.legal(1) == ("5H+5D@5", "9S+9C@9")


def test_dropping_is_the_first_thing_in_a_turn():
    state = position({1: "5H 5D 9S 9C KH KD", 2: HAND}, 4, turn=RETURN, box="2S 3S")
    assert state.legal(1)[:3] == ("TURN", "DROP", "SANSOKU")
    for begun in ("TURN", "SANSOKU"):
        assert "first" in str(refusal(IllegalAction, state.apply(1, begun).apply, 1, "DROP"))


def test_sansoku_may_be_declared_after_turning_up():
    state = position({1: "5H 5D 9S 9C KH KD", 2: HAND}, 4, turn=RETURN, box="2S 3S")
    assert state.apply(1, "TURN").legal(1) == ("PASS", "SANSOKU")
    assert state.apply(1, "SANSOKU").legal(1) == ("TURN", "5H+5D@5")


def test_who_has_declared_may_pass_and_drop_in_a_later_turn():
    state = position({1: "5H 5D 9S 9C KH KD", 2: HAND, 3: HAND}, 7)
    state = play_out(state, "1:SANSOKU 1:PASS 2:PASS")
    assert state.observe(3)["sansoku"] == [1]
    assert play_out(state, "3:PASS").legal(1) == ("TURN", "DROP")
    assert "DROP" in play_out(state, "3:DROP").legal(1)


@pytest.mark.parametrize(
    ("hand", "is_sansoku"),
    [
        ("5H 5D 9S 9C KH KD", True),
        ("5H 5D 5S 5C KH KD", True),
        ("AC AS 2D 2S KH KD", True),
        ("5H 5D 5S 9C KH KD", False),
        ("AC 5D 5S 9C 9D KD", False),
        ("5H 5D 9S 9C KH QD", False),
    ],
)
def test_three_pairs_by_printed_value(hand, is_sansoku):
    state = position({1: hand, 2: HAND}, 7)
    assert ("SANSOKU" in state.legal(1)) == is_sansoku
    if not is_sansoku:
        assert "three pairs" in str(refusal(IllegalAction, state.apply, 1, "SANSOKU"))


def test_sansoku_is_declared_once_and_before_the_first_card():
    state = position({1: "5H 5D 9S 9C KH KD", 2: HAND}, 4)
    assert "declared" in str(refusal(IllegalAction, play_out, state, "1:SANSOKU 1:SANSOKU"))
    assert "played" in str(refusal(IllegalAction, play_out, state, "1:5H@5 1:SANSOKU"))
    assert "only pairs" in str(refusal(IllegalAction, play_out, state, "1:SANSOKU 1:5H@5"))
    assert "under sansoku" in str(refusal(IllegalAction, state.apply, 1, "5H+5D@5"))


PAIRS = "5H 5D 9S 9C KH KD"


class TestUndueSansoku:
    """Where ``legal`` does not offer SANSOKU, ``apply`` refuses it. Source: docs/rules/kakkuri.md#sansoku."""

    def refused(self, state, why, seat=1):
        assert "SANSOKU" not in state.legal(seat)
        with pytest.raises(IllegalAction, match=why):
            state.apply(seat, "SANSOKU")

    @pytest.mark.parametrize("turn", [0, RETURN, RETURN | TURNED, RETURN | FREE, RETURN | MUST_TURN])
    @pytest.mark.parametrize("options", [{}, {"wild_in_sansoku": True}], ids=["plain", "wild"])
    def test_by_a_hand_that_is_no_three_pairs_in_any_turn(self, turn, options):
        box = "" if turn & FREE else "2S 3S"
        state = position({1: "5H 5D 9S 9C KH QD", 2: HAND}, 4, turn=turn, box=box, options=options)
        self.refused(state, "the hand is not three pairs")
        state = position({1: PAIRS, 2: HAND}, 4, turn=turn, box=box, options=options)
        assert "SANSOKU" in state.legal(1)

    def test_after_a_card_of_an_earlier_turn(self):
        hands = {1: PAIRS, 2: "6H 8S 8D JC QS 3D"}
        self.refused(play_out(position(hands, 4), "1:5H@5 1:PASS 2:6H@6 2:PASS"), "played")

    def test_after_a_pair_of_an_earlier_turn(self):
        state = play_out(position({1: PAIRS, 2: HAND}, 4), "1:SANSOKU 1:5H+5D@5 1:PASS 2:6S@6 2:PASS")
        self.refused(state, "played")

    def test_after_a_card_of_this_turn(self):
        self.refused(position({1: PAIRS, 2: HAND}, 4).apply(1, "5H@5"), "played")

    def test_twice_in_a_turn_or_in_a_later_one(self):
        state = play_out(position({1: PAIRS, 2: HAND}, 7, box="2S 3S"), "1:SANSOKU")
        self.refused(state, "declared")
        self.refused(play_out(state, "1:PASS 2:PASS"), "declared")
        self.refused(play_out(state, "1:PASS 2:PASS 1:TURN"), "declared")

    def test_in_the_turn_of_another_seat(self):
        state = position({1: PAIRS, 2: "6H 6D 8S 8C QH QD"}, 4)
        self.refused(state, "not this seat's turn", seat=2)
        self.refused(state.apply(1, "PASS"), "not this seat's turn")

    def test_before_anybody_has_looked_and_when_all_is_over(self):
        hands = {1: PAIRS, 2: "4H"}
        state = KAKKURI.start(PLAIN.replace(seats=2), board_with(hands, box="JS"))
        self.refused(state, "answer one of SWAP, KEEP", seat=2)
        state = play_out(state, "2:KEEP 1:DROP")
        assert state.to_act == ()
        self.refused(state, "the board is over")


@pytest.mark.parametrize(
    ("actions", "refused", "why"),
    [
        ("", "2:PASS", "turn"),
        ("", "1:9S@9", "on 4 follows 5"),
        ("", "1:6D@6", "does not hold"),
        ("1:5H@5", "1:5H@5", "does not hold"),
        ("", "1:KEEP", "answer"),
        ("", "1:DEAL", "answer"),
    ],
)
def test_other_refusals_name_the_rule(actions, refused, why):
    state = play_out(position({1: "5H 9S", 2: HAND}, 4), actions)
    with pytest.raises(IllegalAction, match=why):
        play_out(state, refused)


class TestTurnForced:
    """``turn_forced``.

    Source: docs/rules/kakkuri.md#options, #turns, D42.
    """

    def test_nothing_is_played_before_a_card_is_turned_up(self):
        state = passed_round(four(turn_forced=True), 1, 2, 3, 4)
        assert state.legal(1) == ("TURN", "DROP")
        state = state.apply(1, "TURN")
        assert state.legal(1) == ("PASS", "3S@3")

    def test_a_meld_before_is_refused(self):
        state = position({1: "5H 9S", 2: HAND}, 4, turn=RETURN | MUST_TURN, box="6D")
        assert "box card" in str(refusal(IllegalAction, state.apply, 1, "5H@5"))

    def test_an_empty_box_is_a_free_lead(self):
        state = position({1: "5H 9S", 2: HAND}, 4, box="", before={1: "3H"}, options={"turn_forced": True})
        assert passed_round(state, 1, 2).legal(1) == ("5H@5", "9S@9")


class TestFallback:
    """Source: docs/rules/kakkuri.md#fallback-actions."""

    def test_pass_if_legal(self):
        assert position({1: "5H 9S", 2: HAND}, 4).fallback(1) == "PASS"

    def test_else_turn(self):
        assert position({1: "5H 9S", 2: HAND}, 4, turn=RETURN, box="6D").fallback(1) == "TURN"

    def test_else_the_first_meld(self):
        state = position({1: "5H 5D 5S 9S 3D", 2: HAND}, 7, turn=RETURN | FREE, box="")
        assert state.fallback(1) == "3D@3"

    def test_keep_an_unseen_hand(self):
        state = KAKKURI.start(PLAIN, board_with(dict.fromkeys(range(1, 8), "")))
        assert state.fallback(2) == "KEEP"
