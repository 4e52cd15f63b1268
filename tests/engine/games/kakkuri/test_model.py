"""The engine does what a plain reading of the rules does, in every legal list, event, view and payment.

Source: docs/rules/kakkuri.md.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Board
from engine.games.kakkuri.ruleset import CHOICES, SWITCHES
from tests.chance import examples
from tests.engine.games.kakkuri.games import (
    KAKKURI,
    LEAGUE,
    PLAIN,
    declaring,
    eager,
    mixed,
    rulesets,
    stalling,
    uniform,
)
from tests.engine.games.kakkuri.positions import board_with
from tests.engine.games.kakkuri.table_rules import WILD, Table

MANY = examples(150)


def held_against_the_model(ruleset, board, choose, *, look_every=1):
    """Plays the board in both, comparing at every step; gives how each deal ended."""
    state = KAKKURI.start(ruleset, board)
    table = Table(ruleset, board.kind, board.number, board.seed, board.decks)
    conversation = table.conversation()
    asked = next(conversation, None)
    step = 0
    while True:
        assert state.to_act == ((asked[0],) if asked else ())
        if step % look_every == 0 or not asked:
            for seat in table.seats:
                seen = state.observe(seat)
                assert {name: seen[name] for name in table.view(seat)} == table.view(seat)
        if not asked:
            break
        seat, legal = asked
        assert list(state.legal(seat)) == legal
        action = choose(state, seat)
        state = state.apply(seat, action)
        try:
            asked = conversation.send(action)
        except StopIteration:
            asked = None
        step += 1
    assert [event.recorded() for event in state.happened_since(None)] == table.events
    outcome = state.outcome()
    assert list(outcome.deals) == table.results
    assert outcome.stones == {seat: table.stones[seat] - ruleset.stones for seat in table.seats}
    return [event["how"] for event in table.events if event["e"] == "deal_end"]


@MANY
@given(rulesets(), st.sampled_from(("deal", "game")), st.integers(1, 40), st.integers(0, 2**32))
def test_the_game_goes_as_a_plain_reading_of_the_rules_says(ruleset, kind, number, luck):
    rng = random.Random(luck)
    held_against_the_model(ruleset, Board(kind, number, str(luck)), mixed(rng))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("players", [uniform, stalling, mixed])
def test_every_number_of_players_agrees(seats, players):
    rng = random.Random(seats)
    for number in range(1, 9):
        board = Board("deal", number, f"seats {seats}")
        held_against_the_model(PLAIN.replace(seats=seats), board, players(rng), look_every=5)


def hands_of_pairs(rng, seats):
    """Cards for every seat, two and two: most pairs as printed, some with the wild cards."""
    pairs = []
    for rank in "A23456789JQK":
        suits = rng.sample("SHDC", 4)
        pairs += [[rank + suits[0], rank + suits[1]], [rank + suits[2], rank + suits[3]]]
    rng.shuffle(pairs)
    cards = [card for pair in pairs for card in pair]
    for wild in ("2D", "AC"):
        # A wild card changes places, so that its own pair and another are not printed ones.
        wild_at, other = cards.index(wild), rng.randrange(6 * seats)
        cards[wild_at], cards[other] = cards[other], cards[wild_at]
    return {seat: " ".join(cards[6 * seat - 6 : 6 * seat]) for seat in range(1, seats + 1)}


@MANY
@given(rulesets(), st.integers(0, 2**32))
def test_hands_of_pairs_go_as_a_plain_reading_says(ruleset, luck):
    """Sansoku, which chance alone deals once in hundreds of hands, with and without wild cards in it."""
    rng = random.Random(luck)
    ruleset = ruleset.replace(seats=rng.randint(2, 7), fuwaru=False)
    board = board_with(hands_of_pairs(rng, ruleset.seats))
    held_against_the_model(ruleset, board, declaring(rng))


def test_hands_of_pairs_are_met_with_wild_cards_played_in_them():
    """Without them the agreement above would say little: pairs of each kind."""
    rng = random.Random(3)
    kinds = set()
    for _ in range(60):
        ruleset = LEAGUE.replace(seats=rng.randint(2, 7), wild_in_sansoku=True)
        state = KAKKURI.start(ruleset, board_with(hands_of_pairs(rng, ruleset.seats)))
        while state.to_act:
            (seat,) = state.to_act
            state = state.apply(seat, declaring(rng)(state, seat))
        for event in state.happened_since(None):
            meld = event.public.get("action", "")
            if meld.count("+") == 1:
                cards = meld.partition("@")[0].split("+")
                wilds = sum(card in WILD for card in cards)
                kinds.add((wilds, len({card[0] for card in cards})))
    assert {(0, 1), (1, 1), (1, 2), (2, 2)} <= kinds


def test_the_comparison_meets_every_ending_and_option():
    """Without them the agreement above would say little."""
    rng = random.Random(7)
    found = set()
    for number in range(60):
        options = {name: rng.choice(values) for name, values in CHOICES.items()}
        options |= {name: rng.random() < 0.5 for name in SWITCHES}
        ruleset = PLAIN.replace(seats=rng.randint(2, 8), hands=4, **options)
        board = Board("game", 1, f"endings {number}")
        found.update(held_against_the_model(ruleset, board, mixed(rng), look_every=50))
    for hands in ({1: "4H 5D 6S 7C 8H 9D", 2: ""}, {1: "", 2: "AS AD AH"}):
        board = board_with(hands, box="3S")
        found.update(held_against_the_model(LEAGUE.replace(seats=2), board, eager(rng)))
    assert found == {"ordinary", "guri", "utazu", "lone", "dead"}
