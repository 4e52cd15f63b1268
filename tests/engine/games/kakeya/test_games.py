"""Payment into stones, the end of a game, the next deal.

Source: docs/rules/kakeya.md#rotation, #end-of-a-game, #length-and-deal-cap, T29, T46.
"""

import random

import pytest

from engine import Board
from engine.cards import PICTURES
from tests.engine.games.kakeya.positions import KAKEYA, PLAIN, play_out, position
from tests.strategies import play, random_choice

LAST_TRICK = "1:2H 2:AC 3:3H 4:4H"
HANDS = {1: "2H", 2: "AC", 3: "3H", 4: "4H"}
ALL_BUT_RENSHO = " ".join(sorted(PICTURES - {"AC"}))


def sweep(**conditions):
    """Pair 2&4, dealt Rensho, takes its sixteenth picture in the last trick: worth 4."""
    before = position("S", HANDS, captured=("", ALL_BUT_RENSHO), **conditions)
    return play_out(before, LAST_TRICK)


def test_T29_losers_go_negative_and_the_game_is_over():
    state = sweep(kind="game", stones=(1, 9))
    assert state.to_act == ()
    assert state.observe(1)["stones"] == {"1": -3, "2": 13, "3": -3, "4": 13}
    assert state.outcome().stones == {1: -8, 2: 8, 3: -8, 4: 8}


def test_without_debt_losers_stop_at_nothing():
    state = sweep(kind="game", stones=(1, 9), ruleset=PLAIN.replace(debt=False))
    assert state.observe(1)["stones"] == {"1": 0, "2": 10, "3": 0, "4": 10}
    assert state.happened_since(None)[-1].public["stones"] == {"1": -1, "2": 1, "3": -1, "4": 1}
    assert state.to_act == ()


def test_T46_five_all_at_the_cap_is_a_draw():
    league = KAKEYA.presets["kakeya4.league"]
    before = position(
        "S",
        {1: "2H", 2: "KH", 3: "3H", 4: "4H"},
        kind="game",
        number=60,
        stones=(6, 4),
        ruleset=league,
        captured=(" ".join(sorted(PICTURES)[:6]), " ".join(sorted(PICTURES - {"KH"})[6:])),
    )
    state = play_out(before, "1:2H 2:KH 3:3H 4:4H")
    assert state.to_act == ()
    assert set(state.outcome().stones.values()) == {0}


def test_a_game_goes_on_while_both_pairs_have_stones():
    state = sweep(kind="game", stones=(5, 5))
    assert (state.phase, state.to_act, state.outcome()) == ("trump", (1, 3), None)
    assert state.observe(2)["stones"] == {"1": 1, "2": 9, "3": 1, "4": 9}
    assert (state.observe(2)["deal"], state.observe(2)["leaders"]) == (2, [2, 4])


def test_deal_end_tells_pictures_category_stones_and_winners():
    event = sweep().happened_since(None)[-1]
    assert event.recorded() == {
        "e": "deal_end",
        "deal": 1,
        "category": "R",
        "pictures": {"1": 0, "2": 16},
        "stones": {"1": -4, "2": 4, "3": -4, "4": 4},
        "winner": [2, 4],
    }


@pytest.mark.parametrize("seed", range(20))
def test_roles_and_trumps_pass_from_deal_to_deal(seed):
    ruleset = PLAIN.replace(hand_cap=8)
    game = play(KAKEYA, ruleset, Board("game", 1, str(seed)), random_choice(random.Random(seed)))
    events = [event.recorded() for event in game.last.happened_since(None)]
    deals = [event for event in events if event["e"] == "deal"]
    ends = [event for event in events if event["e"] == "deal_end"]
    assert (deals[0]["dealers"], deals[0]["leaders"]) == ([2, 4], [1, 3])
    for end, following in zip(ends, deals[1:], strict=False):
        assert following["leaders"] == end["winner"]
        assert sorted(following["leaders"] + following["dealers"]) == [1, 2, 3, 4]
    proposals = [event for event in events if event.get("phase") == "trump"]
    assert len(proposals) == 2 * len(deals)
    assert [deal["deal"] for deal in deals] == list(range(1, len(deals) + 1))


@pytest.mark.parametrize("seed", range(20))
def test_a_game_ends_with_the_stones_or_at_the_cap(seed):
    ruleset = PLAIN.replace(hand_cap=8)
    game = play(KAKEYA, ruleset, Board("game", 1, str(seed)), random_choice(random.Random(seed)))
    outcome = game.last.outcome()
    stones = [[5, 5]]
    for deal in outcome.deals:
        stones.append([stones[-1][0] + deal[1], stones[-1][1] + deal[2]])
    assert all(min(pair) > 0 for pair in stones[:-1])
    assert min(stones[-1]) <= 0 or len(outcome.deals) == 8
    assert [outcome.stones[1], outcome.stones[2]] == [stones[-1][0] - 5, stones[-1][1] - 5]


def test_each_deal_of_a_game_has_a_deck_of_its_own():
    ruleset = PLAIN.replace(hand_cap=3, stones=50)
    game = play(KAKEYA, ruleset, Board("game", 1, "demo"), random_choice(random.Random(1)))
    decks = [tuple(e.record["deck"]) for e in game.last.happened_since(None) if e.kind == "deal"]
    assert len(set(decks)) == 3
