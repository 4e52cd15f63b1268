"""Trump proposals.

Source: docs/rules/kakeya.md#trump-decision, T35-T37, D5-D7.
"""

import pytest

from engine import Board, IllegalAction
from engine.cards import PICTURES
from tests.engine.games.kakeya.positions import KAKEYA, PLAIN, play_out, position
from tests.refusals import refusal

FIRST = KAKEYA.start(PLAIN, Board("game", 1, "demo"))


@pytest.mark.parametrize(
    ("answers", "trump"),
    [
        pytest.param("2:KEEP 4:KEEP", "S", id="T35-both-keep"),
        pytest.param("2:KEEP 4:H", "H", id="T35-one-change"),
        pytest.param("2:H 4:H", "H", id="T35-two-equal-changes"),
        pytest.param("2:D 4:H", "D", id="T36"),
        pytest.param("2:S 4:KEEP", "S", id="current-suit-means-keep"),
        pytest.param("2:S 4:C", "C", id="current-suit-does-not-stop-a-change"),
    ],
)
def test_first_deal(answers, trump):
    state = play_out(FIRST, answers)
    assert state.observe(1)["trump"] == trump
    proposals = dict(answer.split(":") for answer in answers.split())
    assert all(state.observe(seat)["proposals"] == proposals for seat in (1, 2, 3, 4))


def next_deal(number):
    """The deal ``number`` + 1 of a game, which 1&3 deal since they lost the one before; trumps are spades."""
    hands = {1: "2H", 2: "AC", 3: "3H", 4: "4H"}
    pictures = " ".join(sorted(PICTURES - {"AC"}))
    last_trick = position("S", hands, kind="game", number=number, stones=(5, 5), captured=("", pictures))
    state = play_out(last_trick, "1:2H 2:AC 3:3H 4:4H")
    seen = state.observe(1)
    assert (seen["deal"], seen["dealers"], seen["trump"]) == (number + 1, [1, 3], "S")
    assert (state.phase, state.to_act) == ("trump", (1, 3))
    return state


@pytest.mark.parametrize("answers", ["1:C 3:H", "3:H 1:C"])
@pytest.mark.parametrize(
    ("number", "trump"),
    [pytest.param(2, "H", id="T37"), (3, "C"), (4, "H"), (5, "C")],
)
def test_T37_on_even_deals_the_higher_seat_decides_on_odd_ones_the_lower(number, trump, answers):
    state = play_out(next_deal(number - 1), answers)
    assert state.phase == "lead"
    assert [state.observe(seat)["trump"] for seat in (1, 2, 3, 4)] == [trump] * 4
    deal = [event.recorded() for event in state.happened_since(None) if event.kind == "deal"][-1]
    assert (deal["deal"], deal["trump"]) == (number, trump)


def test_T37_agreeing_dealers_need_no_precedence():
    for answers, trump in (("1:C 3:KEEP", "C"), ("1:KEEP 3:C", "C"), ("1:S 3:H", "H"), ("1:H 3:S", "H")):
        assert play_out(next_deal(1), answers).observe(2)["trump"] == trump


def test_only_the_dealers_are_asked_before_any_card_is_seen():
    assert FIRST.phase == "trump"
    assert FIRST.to_act == (2, 4)
    assert FIRST.legal(2) == FIRST.legal(4) == ("KEEP", "S", "H", "D", "C")
    assert FIRST.legal(1) == ()
    assert all(FIRST.observe(seat)["hand"] == [] for seat in (1, 2, 3, 4))
    assert r"'KEEP' by seat 1" in str(refusal(IllegalAction, FIRST.apply, 1, "KEEP"))
    assert "KEEP, S, H, D, C" in str(refusal(IllegalAction, FIRST.apply, 2, "AS"))


def test_trump_acts_come_before_the_deal_and_its_trump_is_the_one_in_force():
    events = [event.recorded() for event in play_out(FIRST, "4:H 2:S").happened_since(None)]
    assert events[:2] == [
        {"e": "act", "phase": "trump", "seat": 2, "action": "S"},
        {"e": "act", "phase": "trump", "seat": 4, "action": "H"},
    ]
    assert (events[2]["e"], events[2]["trump"]) == ("deal", "H")


def test_a_fixed_trump_is_not_asked_for():
    ruleset = PLAIN.replace(trump_fixed="C")
    for kind in ("deal", "game"):
        state = KAKEYA.start(ruleset, Board(kind, 1, "demo"))
        assert (state.phase, state.observe(1)["trump"], state.observe(1)["rensho"]) == ("lead", "C", "AS")
