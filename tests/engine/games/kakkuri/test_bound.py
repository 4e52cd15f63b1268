"""The most decisions of a seat: a deal that reaches the bound, and players that try to pass it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Board
from engine.games.kakkuri.ruleset import KakkuriRuleset
from tests.chance import examples
from tests.engine.games.kakkuri.games import KAKKURI, LEAGUE, PLAIN, nibbling, played, rulesets, stalling
from tests.engine.games.kakkuri.positions import deck_for, first_seed
from tests.strategies import play

LONGEST = 2
"""The seat that is asked as often as can be: the right neighbour of the dealer, seat 1."""


def decisions(state):
    """How often each seat was asked on a board."""
    acts = [event.public["seat"] for event in state.happened_since(None) if event.kind == "act"]
    return {seat: acts.count(seat) for seat in set(acts)}


def chain(players):
    """Five cards each for all players but LONGEST, one ascending row from the king turned up, seat 1 first.

    The seats come in descending order, so that LONGEST has a turn after every single card.
    """
    ranks = "A23456789JQK"
    row = [ranks[i % 12] + "SHD"[i // 12] for i in range(5 * (players - 1))]
    row = [card if card != "2D" else "2C" for card in row]
    order = [1, *range(players, 2, -1)]
    return {seat: row[5 * i : 5 * i + 5] for i, seat in enumerate(order)}, row


def slowest(players):
    """A deck, and players that make LONGEST decide as often as the rules allow."""
    laid, row = chain(players)
    last = "A23456789JQK".index(row[-1][0]) if row else 11
    first = "A23456789JQK"[(last + 1) % 12] + "C"
    hands = {seat: " ".join(cards) for seat, cards in laid.items()}
    hands[LONGEST] = first

    def choose(state, seat):
        seen, legal = state.observe(seat), state.legal(seat)
        done = len(seen["plays"])
        if state.phase == "deal":
            return "GIVE" if seat != 1 else "DEAL"
        if state.phase == "fuwaru":
            return "KEEP"
        if seat != LONGEST:
            mine = done < len(row) and row[done] in laid[seat] and seen["played_this_turn"] == 0
            # The first card waits for LONGEST to have passed once.
            mine = mine and [LONGEST, 12] in seen["passes"]
            return next(a for a in legal if a.startswith(row[done])) if mine else "PASS"
        if done < len(row) or seen["played_this_turn"] or seen["turned_this_turn"]:
            return "PASS"
        if "TURN" in legal:
            return "TURN"
        return next(a for a in legal if "@" in a and (done > len(row) or a.startswith(first)))

    return hands, choose


def deck_of(hands, dealer):
    """The deck of these hands with a king as start card."""
    return deck_for({seat: hands[seat] for seat in sorted(hands)}, dealer, "KC")


@pytest.mark.parametrize("ruleset", [PLAIN, LEAGUE], ids=["swaps", "no-swaps"])
@pytest.mark.parametrize("seats", range(2, 8))
def test_a_deal_can_reach_the_bound(ruleset, seats):
    ruleset = ruleset.replace(seats=seats)
    hands, choose = slowest(seats)
    board = Board("deal", 1, "slowest", (deck_of(hands, 1),))
    state = play(KAKKURI, ruleset, board, choose).last
    assert decisions(state)[LONGEST] == KAKKURI.decisions_bound(ruleset, "deal")


def test_a_deal_of_eight_can_reach_the_bound_of_seven():
    ruleset = PLAIN.replace(seats=8)
    hands, choose = slowest(7)
    deck = deck_for({**{seat: hands[seat] for seat in range(1, 8)}, 8: "3C KC"}, 1)
    boards = (Board("deal", 1, str(seed), (deck,)) for seed in range(100))
    looked = ((board, KAKKURI.start(LEAGUE.replace(seats=8), board).observe(1)) for board in boards)
    board = next(board for board, seen in looked if seen["turned"] == ["KC"])
    state = play(KAKKURI, ruleset, board, choose).last
    assert decisions(state)[LONGEST] == KAKKURI.decisions_bound(ruleset, "deal")


@pytest.mark.parametrize("seats", range(2, 8))
@pytest.mark.parametrize(
    ("options", "dealers"),
    [
        pytest.param({"fuwaru": True}, (1, 2, 2), id="swaps"),
        pytest.param({"fuwaru": False}, (1, 2, 2), id="no-swaps"),
        pytest.param({"deal_pass": True}, (1, 1, 1), id="passing-the-deal"),
    ],
)
def test_a_game_can_reach_the_bound(seats, options, dealers):
    ruleset = PLAIN.replace(seats=seats, hands=3, **options)
    hands, choose = slowest(seats)
    decks = tuple(deck_of(hands, dealer) for dealer in dealers)
    state = play(KAKKURI, ruleset, Board("game", 1, first_seed(ruleset, 1), decks), choose).last
    assert decisions(state)[LONGEST] == KAKKURI.decisions_bound(ruleset, "game")


def test_the_bound_by_seats():
    deal = [KAKKURI.decisions_bound(PLAIN.replace(seats=n), "deal") for n in range(2, 9)]
    assert deal == [87, 80, 73, 66, 59, 52, 52]
    league = [KAKKURI.decisions_bound(LEAGUE.replace(seats=n), "deal") for n in range(2, 9)]
    assert league == [86, 79, 72, 65, 58, 51, 51]
    assert KAKKURI.decisions_bound(PLAIN, "game") == 50 * 51 + 1
    assert KAKKURI.decisions_bound(PLAIN.replace(deal_pass=True), "game") == 50 * 52 + 49


@examples(300)
@given(played())
def test_no_seat_is_asked_more_often(game):
    bound = KAKKURI.decisions_bound(game.ruleset, game.board.kind)
    assert max(decisions(game.last).values(), default=0) <= bound


@examples(100)
@given(rulesets(), st.integers(1, 8), st.integers(0, 2**32))
def test_stalling_does_not_pass_it(ruleset: KakkuriRuleset, staller, luck):
    """One seat stalls while the others play a card a turn, and drops never shorten the deal."""
    rng = random.Random(luck)
    ways = {staller: stalling(rng)}
    nibble = nibbling(rng)
    ruleset = ruleset.replace(box_empty="free_lead")
    board = Board("deal", staller, str(luck))
    state = play(KAKKURI, ruleset, board, lambda state, seat: ways.get(seat, nibble)(state, seat)).last
    assert max(decisions(state).values(), default=0) <= KAKKURI.decisions_bound(ruleset, "deal")
