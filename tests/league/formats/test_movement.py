"""Individual movement: partners, opponents and sit-outs come out even; who leaves breaks no schedule."""

import re
from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import FormatError
from league.formats import format_named
from league.movement_tables import FIRST_ROUNDS
from league.movements import first_round, moore_round, movement
from league.scoring import FixtureOutcome
from league.stage import StageState
from tests.chance import examples
from tests.league.formats.simulated import met, names, play, shuffled, up_to

MOVEMENT = format_named("movement")


def counts(rounds, entries):
    """How often every two were partners, how often opponents, and who sat out how often."""
    partners, opponents = (Counter({frozenset(two): 0 for two in combinations(entries, 2)}) for _ in range(2))
    sat_out = Counter(dict.fromkeys(entries, 0))
    for tables in rounds:
        for table in tables:
            sides = [table[at : at + 2] for at in range(0, len(table), 2)]
            partners.update(frozenset(side) for side in sides)
            opponents.update(
                frozenset(p) for side, other in combinations(sides, 2) for p in product(side, other)
            )
        seated = [entry for table in tables for entry in table]
        assert len(seated) == len(set(seated))
        sat_out.update(set(entries) - set(seated))
    return partners, opponents, sat_out


def extremes(counted):
    return min(counted.values()), max(counted.values())


# What docs/formats.md promises.
@pytest.mark.parametrize("n", [n for n in range(4, 49) if n % 4 in (0, 1)] + [53, 61, 73, 89, 97])
def test_whole_tables_or_one_over_partner_all_once_and_oppose_all_twice(n):
    partners, opponents, sat_out = counts(movement(n, 2), range(n))
    assert extremes(partners) == (1, 1)
    assert extremes(opponents) == (2, 2)
    assert extremes(sat_out) == (n % 4, n % 4)


@pytest.mark.parametrize("n", [6, 7, 12, 13, 19])
def test_three_sides_in_whole_tables_or_one_over_partner_all_once_and_oppose_all_four_times(n):
    partners, opponents, sat_out = counts(movement(n, 3), range(n))
    assert extremes(partners) == (1, 1)
    assert extremes(opponents) == (4, 4)
    assert extremes(sat_out) == (n % 6, n % 6)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("sides", "n"),
    [(2, n) for n in (*range(4, 40), 50, 51, 99)] + [(3, n) for n in (*range(6, 24), 40)],
)
def test_any_number_comes_out_even(sides, n):
    rounds = movement(n, sides)
    partners, opponents, sat_out = counts(rounds, range(n))
    assert all(len(tables) == n // (2 * sides) for tables in rounds)
    assert max(partners.values()) <= 2
    assert extremes(opponents)[1] - extremes(opponents)[0] <= (2 if n in FIRST_ROUNDS[sides] else 4)
    assert extremes(sat_out) == (n % (2 * sides),) * 2
    for end in range(1, len(rounds)):
        low, high = extremes(counts(rounds[:end], range(n))[2])
        assert high - low <= 3


@pytest.mark.parametrize(("sides", "n"), [(s, n) for s in FIRST_ROUNDS for n in FIRST_ROUNDS[s]])
def test_a_known_first_round_fills_its_tables(sides, n):
    places = [place for table in first_round(n, sides) for place in table]
    assert len(places) == len(set(places)) == n - n % (2 * sides)
    assert set(places) <= set(range(n))


def test_moores_construction_by_hand():
    assert moore_round(13) == ((1, 12, 8, 5), (2, 11, 3, 10), (4, 9, 6, 7))


@examples(40)
@given(st.integers(4, 30), st.integers(0, 2**32), st.sampled_from([0, 0.02, 0.1]), st.integers(1, 40))
def test_played_out_partners_stay_even_and_a_table_that_lacks_a_player_is_not_played(n, seed, leave, rounds):
    stage, left_before = play(
        "movement", names(n), {"rounds": rounds}, seed=seed, leave=leave, void=0.1, per_side=2
    )
    planned = [
        {p for p in pairings if len(p) > 1}
        for pairings in MOVEMENT.schedule(stage._replace(left=frozenset()))
    ]
    for number, (drawn, left) in enumerate(zip(stage.rounds, left_before, strict=True), 1):
        tables = {fixture.entries for fixture in drawn if not fixture.is_bye}
        assert any(tables == {t for t in plan if not left & set(t)} for plan in planned)
        assert {entry for fixture in drawn for entry in fixture.entries} == set(names(n)) - left
        again = shuffled(up_to(stage, number, left_before), seed)
        assert MOVEMENT.next_round(again) == tuple(fixture.entries for fixture in drawn)
    if not leave:
        assert len(stage.rounds) == rounds
        partners, _, sat_out = counts(
            [[f.entries for f in d if not f.is_bye] for d in stage.rounds], names(n)
        )
        assert extremes(partners)[1] <= -(-rounds // len(movement(n, 2)))
        assert extremes(sat_out)[1] - extremes(sat_out)[0] <= 3


def test_three_sides_of_two():
    stage, _ = play("movement", names(13), sides=3, per_side=2)
    assert {len(fixture.entries) for fixture in met(stage)} == {6}
    assert len(stage.rounds) == 13


def test_the_display_names_the_winning_side_by_its_first():
    stage = StageState(tuple("abcde"), {}, per_side=2)
    pairing = MOVEMENT.next_round(stage)[0]
    totals = dict(zip(pairing, (-1, -1, 1, 1), strict=True))
    stage = stage._replace(rounds=((FixtureOutcome(pairing, totals, per_side=2),),))
    (section,) = MOVEMENT.display(stage).sections
    assert section.columns[0].slots[0] == (1, 1, pairing, pairing[2], ())
    assert len(section.columns) == 5


@pytest.mark.parametrize(
    ("options", "field", "message"),
    [
        ({}, {"per_side": 1}, "this game has 2 of 1"),
        ({}, {"sides": 7}, "this game has 7 of 2"),
        ({}, {"entries": 3}, "movement of 2"),
        ({}, {"sides": 3, "entries": 5}, "movement of 3"),
        ({}, {"entries": 101}, "not 101"),
        ({"rounds": 0}, {}, "rounds of movement"),
        ({"cycles": 1}, {}, "'cycles'"),
    ],
)
def test_what_cannot_be_played_is_refused(options, field, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        MOVEMENT.validate(options, **{"per_side": 2, **field})
