"""The pool of played scores is what its bots play, and simulated seasons are drawn from it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.pool import PARTS, pool_fixtures
from benchmarks.pool.play import KAKEYA, KAKKURI, OF_KAKEYA, TABLES_OF_KAKKURI, board_scores
from benchmarks.simulated import SeasonCase, SimulatedField, pair_by_lot, pair_round_robin


@pytest.mark.parametrize("bots", [("rules", "greedy"), ("rules", "r_void"), ("r_e25", "g_e30")])
def test_scores_of_kakeya_are_those_that_its_bots_play(bots: tuple[str, str]) -> None:
    (fixture,) = (one for one in pool_fixtures() if one.bots == bots)
    again = [board_scores(KAKEYA, number, bots) for number in range(1, 4)]
    assert (fixture.scores[:3] * PARTS).tolist() == again


def test_scores_of_kakkuri_are_those_that_its_bots_play() -> None:
    (fixture,) = (one for one in pool_fixtures() if one.bots == TABLES_OF_KAKKURI[0])
    assert (fixture.scores[:1] * PARTS).tolist() == [board_scores(KAKKURI, 1, TABLES_OF_KAKKURI[0])]


def test_every_fixture_is_there_and_sums_to_nothing() -> None:
    pairs = len(OF_KAKEYA) * (len(OF_KAKEYA) - 1) // 2
    assert len(pool_fixtures()) == pairs + len(TABLES_OF_KAKKURI)
    assert all((one.scores.sum(axis=1) == 0).all() for one in pool_fixtures())
    assert len({len(one.scores) for one in pool_fixtures()}) == 1


@pytest.mark.parametrize("sides", [2, 4])
def test_boards_of_a_simulated_season_have_the_mean_that_strengths_say(sides: int) -> None:
    case = SeasonCase("mean", 8, 1, 4000, sides=sides)
    field = SimulatedField(case, np.random.default_rng(1))
    met = pair_by_lot(field)
    found = field.round(0, met)
    own = field.strengths[met]
    expected = sides / (sides - 1) * (own - own.mean(axis=1, keepdims=True))
    assert found.scores.mean(axis=1) / found.parts == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("entries", [8, 9])
def test_everybody_meets_everybody_once(entries: int) -> None:
    rounds = [pair_round_robin(entries, number).tolist() for number in range(entries - 1 + entries % 2)]
    pairs = [frozenset(pair) for met in rounds for pair in met]
    assert len(set(pairs)) == len(pairs) == entries * (entries - 1) // 2
    assert all(len({at for pair in met for at in pair}) == entries - entries % 2 for met in rounds)
