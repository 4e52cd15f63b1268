"""Winning and following. Source: RULES.md 2.7, vectors T1-T14."""

import pytest

from engine import IllegalAction
from engine.cards import PICTURES
from engine.games.kakeya.scoring import trick_winner
from tests.engine.games.kakeya.positions import position

TRICKS = {
    "T1": ("S", "7H KH 2H AH", 4, 2),
    "T2": ("S", "AH 2S KH 3H", 2, 2),
    "T3": ("S", "AH 2S AC 9S", 3, 2),
    "T4": ("S", "AC KC 3S 2C", 1, 2),
    "T5": ("H", "AS KS 2H AH", 1, 3),
    "T6": ("H", "AH 3H AS KH", 3, 3),
    "T7": ("H", "9D AC KC QS", 1, 3),
    "T8": ("D", "AC KC 3D TD", 4, 2),
    "T9": ("S", "QC AS JC AC", 4, 4),
    "T10": ("C", "KS AS AC 2C", 2, 3),
}


@pytest.mark.parametrize(("trump", "cards", "winner", "pictures"), TRICKS.values(), ids=TRICKS)
def test_trick_winner(trump, cards, winner, pictures):
    played = cards.split()
    assert trick_winner(played, trump) + 1 == winner
    assert len(PICTURES & set(played)) == pictures


@pytest.mark.parametrize(("trump", "cards", "winner", "pictures"), TRICKS.values(), ids=TRICKS)
def test_the_same_at_the_table(trump, cards, winner, pictures):
    played = cards.split()
    state = before = position(trump, dict(enumerate(played, start=1)))
    for seat, card in enumerate(played, start=1):
        state = state.apply(seat, card)
    trick = next(event for event in state.happened_since(before) if event.kind == "trick")
    assert trick.public == {"n": 13, "pictures": pictures, "winner": winner}


@pytest.mark.parametrize(
    ("trump", "hand", "led", "legal"),
    [
        pytest.param("S", "AC 5H KS 2S", "9C", "AC", id="T11"),
        pytest.param("S", "AC 7C 5H", "9C", "7C AC", id="T12"),
        pytest.param("H", "AC 7C 5H", "9C", "7C AC", id="T12-hearts"),
        pytest.param("H", "AS 4H 9D", "2S", "AS", id="T13"),
        pytest.param("S", "AC KD 3S", "2H", "3S KD AC", id="T14"),
        pytest.param("H", "AC KD 3S", "2H", "3S KD AC", id="T14-hearts"),
    ],
)
def test_following(trump, hand, led, legal):
    count = len(hand.split())
    filler = [["2D", "3D", "4D", "5D"], ["JS", "QS", "JC", "QC"], ["JD", "QD", "JH", "QH"]]
    others = {seat: " ".join(cards[:count]) for seat, cards in zip((3, 4), filler[1:], strict=True)}
    leader = " ".join([led, *filler[0][: count - 1]])
    state = position(trump, {1: leader, 2: hand, **others}).apply(1, led)
    assert state.to_act == (2,)
    assert state.legal(2) == tuple(legal.split())
    for card in set(hand.split()) - set(legal.split()):
        with pytest.raises(IllegalAction, match=f"illegal action '{card}' by seat 2: must follow"):
            state.apply(2, card)


def test_a_leader_may_play_anything_trump_and_rensho_too():
    state = position("S", {1: "2S 3H 4D AC", 2: "5S 5H 5D 5C", 3: "6S 6H 6D 6C", 4: "7S 7H 7D 7C"})
    assert state.legal(1) == ("2S", "3H", "4D", "AC")
    assert state.apply(1, "AC").legal(2) == ("5C",)


def test_the_winner_leads_and_play_goes_to_the_right():
    state = position("S", {1: "2H 9D", 2: "3H 8D", 3: "AH 7D", 4: "4H 6D"}, leader=4)
    for seat, card in ((4, "4H"), (1, "2H"), (2, "3H"), (3, "AH")):
        assert state.to_act == (seat,)
        state = state.apply(seat, card)
    assert state.to_act == (3,)
    assert state.observe(1)["tricks"][-1] == {"leader": 4, "cards": ["4H", "2H", "3H", "AH"], "winner": 3}
    assert state.observe(1)["pictures"] == {"1": ["AH"], "2": []}
