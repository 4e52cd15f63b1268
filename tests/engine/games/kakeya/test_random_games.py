"""Whole games of every preset at random end as they should.

Source: docs/rules/kakeya.md#end-of-a-game, #length-and-deal-cap; docs/rules/etori.md#simplified-etori,
#meiji-etori.
"""

import random
from collections import Counter

import pytest

from engine import Board
from tests.engine.games.kakeya.positions import KAKEYA, events_of
from tests.strategies import play, random_choice

GAMES = 60


def games(preset):
    ruleset = KAKEYA.presets[preset]
    for n in range(GAMES):
        board = Board("game", 1, f"{preset} {n}")
        yield ruleset, play(KAKEYA, ruleset, board, random_choice(random.Random(n))).last


@pytest.mark.sampled(3)
@pytest.mark.parametrize("preset", KAKEYA.presets)
def test_every_game_ends_with_stones_gone_or_deals_done(preset):
    for ruleset, last in games(preset):
        outcome = last.outcome()
        sides = KAKEYA.sides(ruleset)
        stones = [[ruleset.stones or 0 for _ in sides]]
        for deal in outcome.deals:
            stones.append([had + deal[side[0]] for had, side in zip(stones[-1], sides, strict=True)])
        assert [outcome.stones[side[0]] for side in sides] == [
            end - start for end, start in zip(stones[-1], stones[0], strict=True)
        ]
        if preset == "etori.meiji":
            assert len(outcome.deals) == 12
            continue
        assert all(min(had) > 0 for had in stones[:-1])
        assert min(stones[-1]) <= 0 or len(outcome.deals) == ruleset.hand_cap == 60
        assert min(stones[-1]) >= (-3 if ruleset.debt else 0)
        assert sum(had <= 0 for had in stones[-1]) <= 1


@pytest.mark.parametrize("preset", ["kakeya6", "kakeya6.nakayoshi"])
def test_a_draw_of_two_pairs_leaves_the_loser_with_an_odd_debt(preset):
    """Fifteen stones in all: equal highest needs a loser at -1 or -3.

    Source: docs/rules/kakeya.md#end-of-a-game.
    """
    ends = [sorted(last.outcome().stones[seat] + 5 for seat in (1, 2, 3)) for _, last in games(preset)]
    draws = [stones for stones in ends if stones[1] == stones[2]]
    assert draws
    assert all(stones[0] in (-1, -3) for stones in draws)


def test_where_losers_pay_what_they_have_three_pairs_with_fifteen_stones_never_draw():
    for _, last in games("etori.simple6"):
        *_, second, first = sorted(last.outcome().stones[seat] for seat in (1, 2, 3))
        assert second < first


@pytest.mark.sampled(3)
@pytest.mark.parametrize("preset", ["kakeya4", "kakeya6", "etori.simple", "etori.simple6"])
def test_every_deal_moves_stones_between_two_pairs(preset):
    for _, last in games(preset):
        for end in events_of(last, "deal_end"):
            moved = Counter(end["stones"].values())
            due = max(moved)
            assert 1 <= due <= 4
            assert moved[due] == moved[-due] == 2
