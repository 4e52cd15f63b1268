"""Heats: who meets, who sits out and who sits beside whom come out even, round after round."""

import re
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import FormatError
from league.formats import format_named
from league.formats.heats import default_rounds
from league.orders import circular_orders
from league.scoring import FixtureOutcome
from league.stage import StageState

HEATS = format_named("heats")


def names(count):
    return tuple(f"e{k:03d}" for k in range(count))


def drawn(entries, sides, rounds=None):
    """The pairings of every round of a stage."""
    stage = StageState(tuple(entries), {} if rounds is None else {"rounds": rounds}, (), sides)
    pairings = []
    while (heats := HEATS.next_round(stage)) is not None:
        assert not HEATS.is_complete(stage)
        pairings.append(heats)
        done = tuple(FixtureOutcome(p, None if len(p) == 1 else dict.fromkeys(p, Fraction())) for p in heats)
        stage = stage._replace(rounds=(*stage.rounds, done))
    assert HEATS.is_complete(stage)
    return pairings


def spread(counts, keys):
    """How far apart the most and the least frequent are."""
    found = [counts[key] for key in keys]
    return max(found) - min(found)


def sit_outs(rounds):
    return Counter(pairing[0] for heats in rounds for pairing in heats if len(pairing) == 1)


def meetings(rounds):
    return Counter(
        frozenset(two)
        for heats in rounds
        for pairing in heats
        if len(pairing) > 1
        for two in combinations(pairing, 2)
    )


def right_neighbours(rounds):
    return Counter(
        pair
        for heats in rounds
        for heat in heats
        if len(heat) > 1
        for pair in zip(heat, (*heat[1:], heat[0]), strict=True)
    )


@pytest.mark.parametrize("sides", range(2, 9))
def test_as_many_entries_as_sides_play_the_circular_orders_over_and_over(sides):
    entries = names(sides)
    cycle = circular_orders(sides)
    rounds = drawn(entries, sides, 2 * len(cycle))
    assert rounds == [(tuple(entries[place] for place in order),) for order in cycle * 2]
    assert len(drawn(entries, sides)) == len(cycle)


FIELDS = [(7, 3), (8, 7), (10, 4), (13, 6), (15, 2), (16, 5), (17, 8), (30, 7), (61, 4)]


@pytest.mark.parametrize(("count", "sides"), FIELDS)
def test_every_round_has_as_many_full_heats_as_fit_and_nobody_twice(count, sides):
    entries = names(count)
    for heats in drawn(entries, sides, 5):
        assert [len(pairing) for pairing in heats] == [sides] * (count // sides) + [1] * (count % sides)
        assert sorted(entry for pairing in heats for entry in pairing) == sorted(entries)
        assert all(heat[0] == min(heat) for heat in heats)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("count", "sides"), FIELDS)
def test_sit_outs_differ_by_one_at_most_after_any_round(count, sides):
    entries = names(count)
    rounds = drawn(entries, sides, 12)
    for end in range(1, len(rounds) + 1):
        assert spread(sit_outs(rounds[:end]), entries) <= 1


# docs/scores.md shows these rounds, and promises the bounds below.
def test_a_worked_example_seven_entries_in_heats_of_three():
    rounds = drawn("ABCDEFG", 3)
    assert [" ".join("-".join(pairing) for pairing in heats) for heats in rounds] == [
        "A-C-E B-D-F G",
        "A-E-D B-C-G F",
        "A-B-G C-F-D E",
        "A-C-B E-F-G D",
        "A-G-F B-D-E C",
        "B-F-E C-D-G A",
        "A-D-F C-E-G B",
    ]
    assert set(sit_outs(rounds).values()) == {1}


MEETINGS_APART = {2: 2, 3: 2, 4: 2, 5: 3, 6: 4, 7: 4, 8: 5}
NEIGHBOURS_APART = 3


@pytest.mark.sampled(4)
@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("sides", "count"),
    [
        (sides, count)
        for sides in MEETINGS_APART
        for count in (*range(sides, 3 * sides + 1), 5 * sides, 5 * sides + 2)
    ],
)
def test_meetings_and_neighbours_stay_together_over_a_stage(sides, count):
    entries = names(count)
    rounds = drawn(entries, sides)
    assert spread(meetings(rounds), map(frozenset, combinations(entries, 2))) <= MEETINGS_APART[sides]
    assert spread(right_neighbours(rounds), permutations(entries, 2)) <= NEIGHBOURS_APART
    assert len(set(sit_outs(rounds).values())) <= 1


@pytest.mark.parametrize(
    ("count", "sides", "rounds", "most"),
    [(200, 7, 12, 1), (100, 4, 20, 1), pytest.param(196, 7, 28, 2, marks=pytest.mark.full), (49, 7, 8, 1)],
)
def test_in_a_large_field_nobody_meets_much_more_often_than_needed(count, sides, rounds, most):
    met = meetings(drawn(names(count), sides, rounds))
    assert max(met.values()) == most


@given(st.integers(2, 8), st.integers(0, 192))
def test_the_usual_number_of_rounds_lets_all_sit_out_and_meet_alike(sides, more):
    count = sides + more
    rounds = HEATS.round_count(count, {}, sides=sides)
    assert rounds == default_rounds(count, sides)
    assert rounds * (count % sides) % count == 0
    assert rounds >= len(circular_orders(sides))
    met = rounds * (count // sides) * sides * (sides - 1)
    assert met >= count * (count - 1)
    assert rounds <= max(count, 2 * len(circular_orders(sides)))
    assert HEATS.round_count(count, {"rounds": 3}, sides=sides) == 3


def test_a_round_follows_from_who_met_and_not_from_results():
    stage = StageState(names(10), {"rounds": 9}, (), 4)
    first = HEATS.next_round(stage)
    going_on = tuple(FixtureOutcome(pairing) for pairing in first)
    void = tuple(FixtureOutcome(pairing, is_void=True) for pairing in first)
    won = tuple(FixtureOutcome(p, {e: Fraction(k) for k, e in enumerate(p)}) for p in first)
    seconds = {HEATS.next_round(stage._replace(rounds=(outcomes,))) for outcomes in (going_on, void, won)}
    assert len(seconds) == 1
    assert not HEATS.is_complete(stage._replace(rounds=(going_on,) * 9))


@pytest.mark.parametrize(("count", "sides"), [(9, 3), (10, 4)])
def test_the_names_of_entries_do_not_matter(count, sides):
    entries, others = names(count), tuple(reversed(names(count)))
    other_of = dict(zip(entries, others, strict=True))
    assert drawn(others, sides, 6) == [
        tuple(tuple(other_of[entry] for entry in heat) for heat in heats)
        for heats in drawn(entries, sides, 6)
    ]


def test_who_left_is_forgotten_and_who_remains_plays_on():
    stage = StageState(names(10), {"rounds": 9}, (), 3)
    for _ in range(3):
        outcomes = tuple(FixtureOutcome(pairing) for pairing in HEATS.next_round(stage))
        stage = stage._replace(rounds=(*stage.rounds, outcomes))
    left = stage._replace(entries=tuple(entry for entry in names(10) if entry not in ("e000", "e004")))
    pairings = HEATS.next_round(left)
    assert sorted(entry for pairing in pairings for entry in pairing) == sorted(left.entries)
    assert [len(pairing) for pairing in pairings] == [3, 3, 1, 1]
    before = sit_outs([[f.entries for f in played_round] for played_round in left.rounds])
    assert all(before[pairing[0]] == 0 for pairing in pairings[2:])


@pytest.mark.parametrize(
    ("options", "field", "message"),
    [
        ({"rounds": 0}, {"sides": 7}, "rounds of heats"),
        ({"rounds": 501}, {"sides": 7}, "not 501"),
        ({"rounds": True}, {"sides": 7}, "not True"),
        ({"rounds": "3"}, {"sides": 7}, "not '3'"),
        ({"cycles": 2}, {"sides": 7}, "'cycles'"),
        ({}, {"sides": 9}, "heats are of"),
        ({}, {"sides": 7, "entries": 6}, "heats of 7"),
        ({}, {"sides": 7, "entries": 1001}, "not 1001"),
    ],
)
def test_what_cannot_be_played_is_refused(options, field, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        HEATS.validate(options, **field)
