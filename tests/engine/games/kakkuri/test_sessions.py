"""Games of several deals: who deals next, passing the deal, the end.

Source: docs/rules/kakkuri.md#players-stones-dealer, #session.
"""

import random

import pytest

from engine import Board, IllegalAction
from tests.engine.games.kakkuri.games import KAKKURI, LEAGUE, PLAIN, mixed
from tests.engine.games.kakkuri.positions import deck_for, first_seed, play_out
from tests.refusals import refusal
from tests.strategies import play

THREE = {1: "", 2: "AS AD AH", 3: ""}
PLAIN_HANDS = {1: "3S 4S 5S 6S 7S 8S", 2: "3H 4H 5H 6H 7H 8H", 3: "3D 4D 5D 6D 7D 8D"}


def game(hands_by_deal, dealers, seats=3, **options):
    """A game whose first deals give these hands; ``dealers`` are those who will deal them."""
    decks = tuple(
        deck_for(hands, dealer, "JS" if "JS" not in str(hands) else "")
        for hands, dealer in zip(hands_by_deal, dealers, strict=True)
    )
    ruleset = LEAGUE.replace(seats=seats, **options)
    return KAKKURI.start(ruleset, Board("game", 1, first_seed(ruleset, dealers[0]), decks))


def kinds(state):
    return [event.kind for event in state.happened_since(None)]


def events_of(state, kind):
    return [event.recorded() for event in state.happened_since(None) if event.kind == kind]


def test_the_winner_deals_next_whatever_the_win():
    rng = random.Random(3)
    for number in range(30):
        ruleset = PLAIN.replace(seats=rng.randint(2, 8), hands=6, box_empty=rng.choice(["free_lead", "dead"]))
        state = play(KAKKURI, ruleset, Board("game", 1, str(number)), mixed(rng)).last
        deals, ends = events_of(state, "deal"), events_of(state, "deal_end")
        assert [deal["deal"] for deal in deals] == [end["deal"] for end in ends] == [1, 2, 3, 4, 5, 6]
        for deal, end, following in zip(deals, ends, deals[1:], strict=False):
            assert following["dealer"] == (end["winner"] or [deal["dealer"]])[0]
        assert len({tuple(deal["deck"]) for deal in deals}) == 6


def test_stones_go_on_from_deal_to_deal():
    state = game([THREE, PLAIN_HANDS], [1, 2], hands=2)
    assert state.observe(1)["stones"] == {"1": 17, "2": 26, "3": 17}
    state = play_out(state, "2:DROP 3:DROP")
    assert state.to_act == ()
    assert state.outcome().stones == {1: -3 + 2, 2: 6 - 1, 3: -3 - 1}
    assert state.outcome().deals == ({1: -3, 2: 6, 3: -3}, {1: 2, 2: -1, 3: -1})


def test_deals_won_without_play_are_passed_over_in_one_answer():
    state = game([PLAIN_HANDS, {1: "AS AD AH", 2: "", 3: ""}, THREE, PLAIN_HANDS], [1, 1, 1, 2], hands=4)
    assert (state.to_act, state.observe(1)["deal"]) == ((1,), 1)
    before = play_out(state, "1:PASS 2:DROP")
    after = before.apply(3, "DROP")
    assert [event.kind for event in after.happened_since(before)] == [
        *("act", "deal_end", "deal", "utazu", "deal_end", "deal", "utazu", "deal_end", "deal", "turned")
    ]
    assert (after.to_act, after.observe(1)["deal"]) == ((2,), 4)


def test_a_game_may_be_over_at_its_first_state():
    decks = [THREE, THREE]
    state = game(decks, [1, 2], hands=2)
    assert (state.to_act, state.phase) == ((), "over")
    assert state.outcome().stones == {1: -6, 2: 12, 3: -6}
    assert "the board is over" in str(refusal(IllegalAction, state.apply, 1, "PASS"))


def test_very_many_deals_may_pass_without_play():
    deck = deck_for(THREE, 2)
    first = deck_for(THREE, 1)
    ruleset = LEAGUE.replace(seats=3, hands=3000)
    state = KAKKURI.start(ruleset, Board("game", 1, first_seed(ruleset, 1), (first, *(deck,) * 2999)))
    assert state.outcome().stones == {1: -9000, 2: 18000, 3: -9000}


def test_a_dead_deal_is_dealt_again_by_the_same_seat_unasked():
    rng = random.Random(5)
    found = 0
    for number in range(200):
        ruleset = LEAGUE.replace(seats=7, hands=3, box_empty="dead", deal_pass=True)
        state = play(KAKKURI, ruleset, Board("game", 1, str(number)), mixed(rng)).last
        events = [event.recorded() for event in state.happened_since(None)]
        for at, event in enumerate(events[:-1]):
            if event.get("how") == "dead" and event["deal"] < 3:
                dealer = [e["dealer"] for e in events[:at] if e["e"] == "deal"][-1]
                assert (events[at + 1]["e"], events[at + 1]["dealer"]) == ("deal", dealer)
                found += 1
    assert found


class TestDealPass:
    """``deal_pass``.

    Source: docs/rules/kakkuri.md#players-stones-dealer, #fallback-actions.
    """

    def asked(self):
        """Seat 2 has won the first deal."""
        return game([THREE], [1], hands=2, deal_pass=True)

    def dealer(self, state):
        return events_of(state, "deal")[-1]["dealer"]

    def test_the_winner_is_asked_first(self):
        state = self.asked()
        seen = state.observe(2)
        assert (state.phase, state.to_act, state.legal(2)) == ("deal", (2,), ("DEAL", "GIVE"))
        assert (seen["deal"], seen["hand"], seen["hand_sizes"], seen["box_size"]) == (
            2,
            [],
            {"1": 0, "2": 0, "3": 0},
            0,
        )
        assert (seen["dealer"], seen["active"], seen["follow"]) == (2, [1, 2, 3], None)
        assert state.fallback(2) == "DEAL"

    @pytest.mark.parametrize(
        ("answers", "dealer"),
        [("2:DEAL", 2), ("2:GIVE 3:DEAL", 3), ("2:GIVE 3:GIVE 1:DEAL", 1), ("2:GIVE 3:GIVE 1:GIVE", 2)],
    )
    def test_who_takes_it_deals_and_else_the_winner(self, answers, dealer):
        state = play_out(self.asked(), answers)
        assert (self.dealer(state), state.observe(1)["dealer"], state.phase) == (dealer, dealer, "turn")

    def test_the_answers_stand_before_the_deal_they_settle(self):
        state = play_out(self.asked(), "2:GIVE 3:DEAL")
        assert kinds(state)[3:6] == ["act", "act", "deal"]
        assert events_of(state, "act")[0] == {"e": "act", "phase": "deal", "seat": 2, "action": "GIVE"}

    def test_nobody_is_asked_on_a_deal_board_or_before_the_first_deal(self):
        ruleset = LEAGUE.replace(deal_pass=True)
        for kind in ("deal", "game"):
            assert KAKKURI.start(ruleset, Board(kind, 1, "plain")).phase == "turn"


class TestTheEnd:
    """Source: docs/rules/kakkuri.md#session."""

    def test_debt_lets_a_game_go_on(self):
        state = game([THREE, PLAIN_HANDS], [1, 2], hands=2, stones=2)
        assert (state.phase, state.observe(1)["stones"]) == ("turn", {"1": -1, "2": 8, "3": -1})

    @pytest.mark.parametrize(("stones", "goes_on"), [(2, False), (3, False), (4, True)])
    def test_bankruptcy_stops_it_at_nothing(self, stones, goes_on):
        state = game([THREE, PLAIN_HANDS], [1, 2], hands=2, stones=stones, bankruptcy="stop")
        assert bool(state.to_act) == goes_on

    def test_a_deal_board_is_one_deal_whatever_the_stones(self):
        deck = deck_for(THREE, 1)
        for options in ({"hands": 9}, {"stones": 1, "bankruptcy": "stop"}):
            state = KAKKURI.start(LEAGUE.replace(seats=3, **options), Board("deal", 1, "x", (deck,)))
            assert state.outcome().deals == ({1: -3, 2: 6, 3: -3},)
