"""Winning and following.

Source: docs/rules/kakeya.md#play, D10, T1-T15; docs/rules/etori.md#meiji-etori, T44.
"""

import pytest

from engine import IllegalAction
from engine.cards import PICTURES
from engine.games.kakeya.scoring import trick_winner
from tests.engine.games.kakeya.positions import (
    MEIJI,
    PLAIN,
    SIMPLE,
    SIX,
    events_of,
    play_out,
    position,
)
from tests.refusals import refusal

FREE = PLAIN.replace(rensho_free=True)

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
        with pytest.raises(IllegalAction, match=f"'{card}' by seat 2.*follow"):
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


def test_T15_rensho_free_may_be_played_although_able_to_follow():
    hands = {1: "3H 4D 5D", 2: "AC 7H 2D", 3: "KS QS JS", 4: "9D 8D 7D"}
    strict = position("S", hands).apply(1, "3H")
    free = position("S", hands, ruleset=FREE).apply(1, "3H")
    assert (strict.legal(2), free.legal(2)) == (("7H",), ("7H", "AC"))
    assert "hearts" in str(refusal(IllegalAction, strict.apply, 2, "AC"))
    assert "hearts" in str(refusal(IllegalAction, free.apply, 2, "2D"))
    done = play_out(free, "2:AC 3:KS 4:9D")
    assert done.to_act == (2,)
    assert done.observe(1)["pictures"] == {"1": [], "2": ["KS", "AC"]}


@pytest.mark.parametrize(
    ("trump", "hand", "led", "legal"),
    [
        pytest.param("S", "AC 7H 2D", "9C", "AC", id="the-only-card-of-the-suit-is-forced"),
        pytest.param("S", "AC 7C 2D", "9C", "7C AC", id="its-own-suit-led"),
        pytest.param("H", "AS 7H AC", "9H", "AS 7H", id="hearts-the-other-black-ace-follows"),
        pytest.param("S", "AS 7H AC", "9H", "7H AC", id="spades-the-ace-of-trumps-follows"),
        pytest.param("S", "AC 7S 2D", "9H", "7S 2D AC", id="void-anything"),
    ],
)
def test_rensho_free(trump, hand, led, legal):
    hands = {1: f"{led} 3D 4D", 2: hand, 3: "KS QS JS", 4: "KD QD JD"}
    state = position(trump, hands, ruleset=FREE).apply(1, led)
    assert state.legal(2) == tuple(legal.split())


@pytest.mark.parametrize("trump", "SHDC")
def test_in_meiji_etori_the_ace_of_spades_beats_everything(trump):
    assert position(trump, {1: "2H", 2: "3H", 3: "4H", 4: "5H"}, ruleset=MEIJI).deal.rensho == "AS"


def test_T44_speculation_beats_trumps():
    before = position("C", {1: "KS", 2: "2C", 3: "AS", 4: "5S"}, ruleset=MEIJI)
    state = play_out(before, "1:KS 2:2C 3:AS 4:5S")
    assert events_of(state, "trick") == [{"e": "trick", "n": 13, "pictures": 2, "winner": 3}]
    assert trick_winner(["KS", "2C", "AS", "5S"], "C", "AS") + 1 == 3


def test_in_meiji_etori_the_ace_of_clubs_is_plain_even_under_spades():
    hands = {1: "2C", 2: "AC", 3: "2S", 4: "KC"}
    kakeya, meiji = (position("S", hands, ruleset=ruleset) for ruleset in (PLAIN, MEIJI))
    ends = [play_out(state, "1:2C 2:AC 3:2S 4:KC") for state in (kakeya, meiji)]
    assert [events_of(end, "trick")[0]["winner"] for end in ends] == [2, 3]


@pytest.mark.parametrize("trump", "SHDC")
def test_speculation_follows_suit(trump):
    hands = {1: "2S 3D", 2: "AS 4H", 3: "KS QS", 4: "9D 8D"}
    assert position(trump, hands, ruleset=MEIJI).apply(1, "2S").legal(2) == ("AS",)


@pytest.mark.parametrize("ruleset", [SIMPLE, *(r.replace(direction="left") for r in (PLAIN, MEIJI))])
def test_to_the_left_the_seat_before_plays_next(ruleset):
    state = position("S", {1: "2H 9D", 2: "3H 8D", 3: "AH 7D", 4: "4H 6D"}, leader=2, ruleset=ruleset)
    for seat, card in ((2, "3H"), (1, "2H"), (4, "4H"), (3, "AH")):
        assert state.to_act == (seat,)
        trick = state.observe(1)["trick"]
        state = state.apply(seat, card)
    assert trick == [[2, "3H"], [1, "2H"], [4, "4H"]]
    assert state.to_act == (3,)
    assert state.observe(1)["direction"] == "left"
    assert state.observe(1)["tricks"][-1] == {"leader": 2, "cards": ["3H", "2H", "4H", "AH"], "winner": 3}


@pytest.mark.parametrize(("direction", "order"), [("right", (5, 1, 2, 4)), ("left", (5, 4, 2, 1))])
def test_play_passes_over_the_resting_pair(direction, order):
    ruleset = SIX.replace(direction=direction)
    hands = {1: "2H 9D", 2: "3H 8D", 4: "AH 7D", 5: "4H 6D"}
    state = position("S", hands, leader=5, ruleset=ruleset)
    for seat in order:
        assert state.to_act == (seat,)
        assert [other for other in range(1, 7) if state.legal(other)] == [seat]
        state = state.apply(seat, hands[seat].split()[0])
    assert state.to_act == (4,)
    assert state.observe(3)["pictures"] == {"1": ["AH"], "2": []}
