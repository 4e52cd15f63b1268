"""What the pages of the games draw and count is what the engine says."""

from __future__ import annotations

import pytest

from arena.web.base.documents import examples
from engine import preset_named
from engine.cards import KAKKURI_PACK, PICTURES
from engine.games.kakeya.scoring import PAYMENTS as STONES
from engine.games.kakeya.scoring import RENSHO, SPECULATION, trick_winner
from engine.games.kakkuri.melds import card_values, meld_table
from engine.games.kakkuri.scoring import PAYMENTS as ENDS

VALUES = card_values("JQK")


@pytest.mark.parametrize("trick", [*examples.KAKEYA, examples.SPECULATION], ids=lambda trick: trick.cards[0])
def test_a_trick_has_the_winner_that_is_marked(trick: examples.TrickExample) -> None:
    rensho = SPECULATION if trick is examples.SPECULATION else RENSHO[trick.trump]
    assert trick_winner(trick.cards, trick.trump, rensho) == trick.winner
    assert sum(card in PICTURES for card in trick.cards) == trick.pictures


def test_the_pictures_and_what_they_pay() -> None:
    assert (set(examples.PICTURES), len(examples.PICTURES)) == (set(PICTURES), 16)
    assert [row[1:] for row in examples.STANDARD] == list(STONES["standard"].values())
    for preset, stones in (("kakeya4", 5), ("kakeya6", 5), ("etori.simple", 5), ("kakkuri", 20)):
        game, ruleset = preset_named(preset)
        assert game.starting_stones(ruleset) == stones
    _, meiji = preset_named("etori.meiji")
    assert (meiji.as_dict()["hands"], meiji.as_dict()["meiji_trump"]) == (12, "cycle_cdh")


@pytest.mark.parametrize("turn", examples.TURNS, ids=lambda turn: turn.follow)
def test_raised_cards_are_those_that_may_follow(turn: examples.TurnExample) -> None:
    melds = meld_table("JQK", "named", wild_in_sansoku=False)
    listed = melds.listed(KAKKURI_PACK.mask(turn.hand), VALUES[turn.follow])
    alone = {meld.partition("@")[0] for meld in listed}
    assert {card for card in alone if "+" not in card} == set(turn.may)


@pytest.mark.parametrize("run", examples.RUNS, ids=lambda run: run.follow)
def test_a_run_goes_out_with_six_cards(run: examples.RunExample) -> None:
    melds = meld_table("JQK", "named", wild_in_sansoku=False)
    hand, follow = list(run.cards), VALUES[run.follow]
    assert len(set(hand)) == 6
    assert run.follow not in hand
    for meld in run.melds:
        assert meld in melds.listed(KAKKURI_PACK.mask(hand), follow)
        cards, _, value = meld.partition("@")
        follow = int(value)
        hand = [card for card in hand if card not in cards.split("+")]
    assert hand == []


def test_an_end_costs_what_the_page_says() -> None:
    named = {name: stones for _, name, stones in examples.ENDS}
    assert named | {"lone": 0} == ENDS
