"""The rounds of a ladder: the floor, overlap and lot in turn, who may meet whom, and the reasons given."""

import math
import random
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import RatingError
from league.rating.fixtures import set_scores
from league.rating.ladder import (
    FLOOR_ROUNDS,
    LadderContender,
    StrengthEstimates,
    estimate_strengths,
    next_round,
    round_kind,
)
from tests import chance
from tests.league.rating.fields import board_scores, duel, names, season


def level(count):
    """Nobody has played."""
    return estimate_strengths([], names(count))


def contenders(count, rounds=10, owners=None):
    return [LadderContender(name, owners and owners[at], rounds) for at, name in enumerate(names(count))]


def entries_of(drawn):
    return [frozenset(fixture.entries) for fixture in drawn.fixtures]


def test_before_anybody_has_played_all_are_level():
    found = level(3)
    assert found.strengths.tolist() == [0, 0, 0]
    assert found.variances == pytest.approx(0.49 * np.eye(3))


def test_an_outlook_is_a_ladders_fit():
    rng = random.Random(1)
    sets = season(dict.fromkeys(names(8), 0.0), 6, 8, rng)
    found = estimate_strengths(sets, [*names(4), "new"])
    assert found.entries == (*names(4), "new")
    assert found.strengths[-1] == 0
    assert found.variances[-1, -1] > 5 * found.variances[0, 0]
    # Two with 24 boards have the inverse (25 24; 24 25) / 49, and these scores a variance of 4/7.
    scores = [1, 0, 2, 1, 0, 0, 0, 0]
    two = estimate_strengths(
        [one for at in "fgh" for one in set_scores(at, [duel(at, "a", "b", scores)])], "ab"
    )
    assert two.strengths == pytest.approx([12 / 49, -12 / 49])
    assert two.variances == pytest.approx(4 / 7 / 49 * np.array([[25, 24], [24, 25]]))


def test_rounds_by_overlap_and_by_lot_take_turns_after_the_floor():
    drawn = [
        next_round(contenders(8, rounds), level(8), {}, rounds=rounds, lot=random.Random(1))
        for rounds in range(7)
    ]
    assert [one.kind for one in drawn] == [round_kind(rounds) for rounds in range(7)]
    assert [{fixture.kind for fixture in one.fixtures} for one in drawn] == [
        {"floor"},
        {"floor"},
        {"floor"},
        {"overlap"},
        {"uniform"},
        {"overlap"},
        {"uniform"},
    ]


def test_an_overlap_round_takes_the_largest_gains_first():
    strengths = np.array([0.0, 0.02, 1.0, 1.5])
    outlook = StrengthEstimates(tuple(names(4)), strengths, np.eye(4) * 0.02)
    drawn = next_round(contenders(4), outlook, {}, rounds=3, lot=random.Random(1))
    assert entries_of(drawn) == [frozenset(("e000", "e001")), frozenset(("e002", "e003"))]
    (pair,) = drawn.fixtures[1].pairs
    assert (pair.entry, pair.other, pair.difference, pair.error) == ("e002", "e003", -0.5, pytest.approx(0.2))
    # Phi(-2.5) = 0.00621, times the error, by the cost of both.
    assert pair.gain == pytest.approx(0.0062097 * 0.2 / 2, rel=1e-4)


def test_what_costs_more_must_tell_more():
    outlook = StrengthEstimates(tuple(names(4)), np.zeros(4), np.eye(4) * 0.02)
    dear = [one._replace(cost=10.0 if one.entry == "e001" else 1.0) for one in contenders(4)]
    drawn = next_round(dear, outlook, {}, rounds=3, lot=random.Random(1), most_fixtures=1)
    assert "e001" not in drawn.fixtures[0].entries
    assert drawn.fixtures[0].pairs[0].gain == pytest.approx(0.5 * 0.2 / 2)


def test_near_neighbours_come_before_distant_ones_with_larger_gains():
    # Thirty entries of one strength and two unknown ones far away: the unknown are nobody's neighbours.
    n = 32
    strengths = np.array([0.001 * at for at in range(30)] + [3.0, 3.001])
    variances = np.diag([0.0001] * 30 + [25.0, 25.0])
    drawn = next_round(
        contenders(n),
        StrengthEstimates(tuple(names(n)), strengths, variances),
        {},
        rounds=3,
        lot=random.Random(2),
    )
    assert frozenset(("e030", "e031")) in entries_of(drawn)
    assert len(drawn.fixtures) == 16


def test_new_entries_play_first_and_by_lot():
    field = [
        *contenders(8),
        LadderContender("new1", None, 0),
        LadderContender("new2", None, FLOOR_ROUNDS - 1),
    ]
    outlook = estimate_strengths([], [one.entry for one in field])
    drawn = next_round(field, outlook, {}, rounds=3, lot=random.Random(1), most_fixtures=2)
    assert {name for fixture in drawn.fixtures for name in fixture.entries} >= {"new1", "new2"}
    assert drawn.fixtures[0].kind == "floor"
    whole = next_round(field, outlook, {}, rounds=3, lot=random.Random(3))
    assert {f.kind for f in whole.fixtures if {"new1", "new2"} & set(f.entries)} == {"floor"}
    assert {f.kind for f in whole.fixtures if not {"new1", "new2"} & set(f.entries)} == {"overlap"}


@pytest.mark.parametrize("rounds", [3, 4])
def test_who_was_unpaired_comes_first(rounds):
    for seed in range(20):
        drawn = next_round(
            contenders(7), level(7), {}, rounds=rounds, lot=random.Random(seed), most_fixtures=2
        )
        assert len(drawn.unpaired) == 3
        after = next_round(
            [one._replace(was_unpaired=one.entry in drawn.unpaired) for one in contenders(7)],
            level(7),
            {},
            rounds=rounds,
            lot=random.Random(seed),
            most_fixtures=3,
        )
        assert not set(after.unpaired) & set(drawn.unpaired)


def test_the_budget_bounds_a_round():
    for most in range(5):
        drawn = next_round(contenders(8), level(8), {}, rounds=4, lot=random.Random(1), most_fixtures=most)
        assert len(drawn.fixtures) == most
        assert len(drawn.unpaired) == 8 - 2 * most


def test_entries_of_one_owner_never_meet_and_the_houses_meet_everybody():
    owners = ["aya"] * 4 + ["ben"] * 3 + [None]
    for rounds in (3, 4):
        for seed in range(30):
            drawn = next_round(
                contenders(8, 10, owners), level(8), {}, rounds=rounds, lot=random.Random(seed)
            )
            assert len(drawn.fixtures) == 4
            for fixture in drawn.fixtures:
                had = [owners[int(name[1:])] for name in fixture.entries]
                assert None in had or len(set(had)) == 2
    alone = next_round(contenders(4, 10, ["aya"] * 4), level(4), {}, rounds=4, lot=random.Random(1))
    assert (alone.fixtures, alone.unpaired) == ((), tuple(names(4)))


def test_an_opponent_met_too_often_waits_until_others_have_been_met():
    met = dict.fromkeys(combinations(names(6), 2), 1)
    met["e000", "e001"] = 2
    for seed in range(30):
        drawn = next_round(contenders(6), level(6), met, rounds=4, lot=random.Random(seed))
        assert frozenset(("e000", "e001")) not in entries_of(drawn)
    # Nobody else is there: the least-met may meet whatever was.
    two = next_round(contenders(2), level(2), {("e000", "e001"): 50}, rounds=4, lot=random.Random(1))
    assert len(two.fixtures) == 1
    # After fifteen rounds a second meeting is allowed even where most were never met.
    once = {("e000", at): 1 for at in names(6)[1:4]}
    early = {
        fixture
        for seed in range(40)
        for fixture in entries_of(
            next_round(contenders(6), level(6), once, rounds=4, lot=random.Random(seed))
        )
    }
    late = {
        fixture
        for seed in range(40)
        for fixture in entries_of(
            next_round(contenders(6), level(6), once, rounds=16, lot=random.Random(seed))
        )
    }
    assert frozenset(("e000", "e001")) not in early
    assert frozenset(("e000", "e001")) in late


@chance.examples(60)
@given(
    st.integers(2, 5),
    st.integers(2, 17),
    st.integers(0, 20),
    st.integers(0, 2**32),
)
def test_every_round_keeps_the_rules(sides, count, rounds, seed):
    rng = random.Random(seed)
    owners = [rng.choice(["aya", "ben", "chie", None]) for _ in range(count)]
    field = [
        LadderContender(
            name, owners[at], rng.choice([0, 2, rounds]), rng.random() < 0.3, rng.choice([1.0, 2.5])
        )
        for at, name in enumerate(names(count))
    ]
    strengths = np.array([rng.gauss(0, 0.3) for _ in field])
    outlook = StrengthEstimates(
        tuple(names(count)), strengths, np.diag([rng.uniform(0.001, 0.5) for _ in field])
    )
    met = {pair: rng.choice([0, 0, 1, 2]) for pair in combinations(names(count), 2)}
    drawn = next_round(field, outlook, met, rounds=rounds, lot=random.Random(seed), sides=sides)
    again = next_round(
        rng.sample(field, count),
        outlook,
        dict(reversed(met.items())),
        rounds=rounds,
        lot=random.Random(seed),
        sides=sides,
    )
    assert again == drawn
    seated = Counter(name for fixture in drawn.fixtures for name in fixture.entries)
    assert set(seated.values()) <= {1}
    assert {*seated, *drawn.unpaired} == set(names(count))
    assert not set(seated) & set(drawn.unpaired)
    for fixture in drawn.fixtures:
        assert len(fixture.entries) == sides
        assert len(fixture.pairs) == math.comb(sides, 2)
        for a, b in combinations(fixture.entries, 2):
            had = owners[int(a[1:])], owners[int(b[1:])]
            assert None in had or had[0] != had[1]
        for pair in fixture.pairs:
            assert pair.gain >= 0
            assert pair.error > 0
    if sides == 2:
        free = [one for one in field if one.entry in drawn.unpaired]
        for a, b in combinations(free, 2):
            # Whoever is left may not meet: of one owner, or met before.
            assert (a.owner is not None and a.owner == b.owner) or met[a.entry, b.entry] > 0


def test_a_long_ladder_starves_nobody_and_meets_everybody():
    field, met, left = names(9), Counter(), ()
    played = Counter(dict.fromkeys(field, 0))
    for rounds in range(40):
        standing = [LadderContender(name, None, played[name], name in left) for name in field]
        drawn = next_round(standing, level(9), met, rounds=rounds, lot=random.Random(rounds))
        left = drawn.unpaired
        assert len(left) == 1
        for fixture in drawn.fixtures:
            met[tuple(sorted(fixture.entries))] += 1
            played.update(fixture.entries)
    assert max(played.values()) - min(played.values()) <= 3
    assert min(met[pair] for pair in combinations(field, 2)) >= 1
    assert max(met.values()) <= math.ceil(1.5 * max(played.values()) / 8) + 1


def test_results_order_who_meets():
    """Once strengths are known, overlap rounds bring near ones together and rounds by lot do not."""
    rng = random.Random(5)
    strengths = {name: at / 10 for at, name in enumerate(names(30))}
    sets = season(strengths, 12, 16, rng)
    outlook = estimate_strengths(sets, names(30))
    apart = []
    for rounds in (3, 4):
        drawn = next_round(contenders(30), outlook, {}, rounds=rounds, lot=random.Random(1))
        apart.append(sum(abs(strengths[a] - strengths[b]) for a, b in map(sorted, entries_of(drawn))) / 15)
    assert apart[0] < 0.4 < 0.7 < apart[1]


def test_an_outlook_counts_those_who_left():
    sets = [
        one
        for at, (a, b) in enumerate(pairwise("abcd"))
        for one in set_scores(f"s{at}", [duel(f"f{at}", a, b, [1, 1, 0, 1])])
    ]
    found = estimate_strengths(sets, ["a", "d"])
    assert found.strengths[0] - found.strengths[1] > 0.5
    assert board_scores([0.0, 0.0], 0.0, 1, random.Random(1)) == [[0, 0]]


def test_one_more_than_a_table_seats_is_enough_to_go_on():
    """Three of four have met once: no table of three is without two of them."""
    met = Counter(combinations(names(4)[:3], 2))
    field = [LadderContender(name, None, 1, name == names(4)[3]) for name in names(4)]
    drawn = next_round(field, level(4), met, rounds=1, lot=random.Random(1), sides=3)
    (fixture,) = drawn.fixtures
    assert names(4)[3] in fixture.entries


@pytest.mark.parametrize(
    ("field", "sides", "message"),
    [
        ([LadderContender("z", None, 0)], 2, "z "),
        ([LadderContender("e000", None, 0)] * 2, 2, "a contender once"),
        ([], 1, "two sides or more, not 1"),
    ],
)
def test_a_field_that_cannot_be_paired_is_refused(field, sides, message):
    with pytest.raises(RatingError, match=message):
        next_round(field, level(2), {}, rounds=3, lot=random.Random(1), sides=sides)
