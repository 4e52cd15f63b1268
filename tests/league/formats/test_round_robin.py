"""Everybody meets everybody, in the order of the Berger tables."""

import re
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairing_core.roundrobin import round_robin as independent_tables

from league.errors import FormatError
from league.formats import all_formats, format_named
from league.formats.round_robin import MAX_ENTRIES
from league.scoring import FixtureOutcome
from league.stage import Caption, StageState
from tests.chance import examples
from tests.league.formats.simulated import met, names, shuffled, up_to
from tests.league.formats.simulated import play as play_through

ROUND_ROBIN = format_named("round_robin")


def play(entries, options):
    """All rounds of a stage, each fixture drawn; checks at each step that it is not complete too early."""
    stage = StageState(tuple(entries), options)
    drawn = []
    while (pairings := ROUND_ROBIN.next_round(stage)) is not None:
        assert not ROUND_ROBIN.is_complete(stage)
        drawn.append(pairings)
        done = tuple(
            FixtureOutcome(p, dict.fromkeys(p, Fraction()) if len(p) == 2 else None) for p in pairings
        )
        stage = stage._replace(rounds=(*stage.rounds, done))
    assert ROUND_ROBIN.is_complete(stage)
    return drawn


# Source: FIDE Handbook C.05, annex 1.
BERGER = {
    4: ["1-4 2-3", "4-3 1-2", "2-4 3-1"],
    6: ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"],
    8: [
        "1-8 2-7 3-6 4-5",
        "8-5 6-4 7-3 1-2",
        "2-8 3-1 4-7 5-6",
        "8-6 7-5 1-4 2-3",
        "3-8 4-2 5-1 6-7",
        "8-7 1-6 2-5 3-4",
        "4-8 5-3 6-2 7-1",
    ],
}


@pytest.mark.parametrize("n", BERGER)
def test_rounds_follow_the_published_tables(n):
    drawn = play([str(k) for k in range(1, n + 1)], {})
    assert [" ".join("-".join(p) for p in pairings) for pairings in drawn] == BERGER[n]


@pytest.mark.parametrize("n", [-1, 0, 1, MAX_ENTRIES + 1])
def test_a_number_that_cannot_play_has_no_rounds(n):
    for asked in (ROUND_ROBIN.round_count, ROUND_ROBIN.max_fixtures):
        with pytest.raises(FormatError, match=f"takes 2 to {MAX_ENTRIES} entries, not {n}"):
            asked(n, {})


@pytest.mark.sampled(4)
@pytest.mark.parametrize("n", range(2, 41))
def test_rounds_are_those_of_an_independent_library(n):
    drawn = play(list(range(1, n + 1)), {"cycles": 2})
    theirs = independent_tables(n, double=True)
    assert [set(pairings) for pairings in drawn] == [
        {tuple(entry for entry in board if entry is not None) for board in boards} for boards in theirs
    ]


@examples(40)
@given(st.integers(2, 16), st.sampled_from([1, 2]), st.integers(0, 2**32), st.sampled_from([0.02, 0.3]))
def test_who_leaves_gives_byes_and_everybody_else_meets_as_before(n, cycles, seed, leave):
    options = {"cycles": cycles}
    stage, left_before = play_through("round_robin", names(n), options, seed=seed, leave=leave, void=0.1)
    full = play(names(n), options)
    for drawn in stage.rounds:
        pairings = {fixture.entries for fixture in drawn if not fixture.is_bye}
        assert any(pairings <= set(planned) for planned in full)
    if len(stage.present) > 1:
        meetings = [f.entries for f in met(stage) if set(f.entries) <= set(stage.present)]
        assert sorted(meetings) == sorted(
            pairing
            for planned in full
            for pairing in planned
            if len(pairing) == 2 and set(pairing) <= set(stage.present)
        )
    for number, (drawn, left) in enumerate(zip(stage.rounds, left_before, strict=True), 1):
        assert {entry for fixture in drawn for entry in fixture.entries} == set(names(n)) - left
        again = shuffled(up_to(stage, number, left_before), seed)
        assert ROUND_ROBIN.next_round(again) == tuple(fixture.entries for fixture in drawn)


def test_a_round_in_which_nobody_would_meet_is_passed_over():
    stage = StageState(tuple("abcd"), {}, left=frozenset("ab"))
    assert ROUND_ROBIN.next_round(stage) == (("d", "c"),) or ROUND_ROBIN.next_round(stage) == (("c", "d"),)
    over = stage._replace(rounds=((FixtureOutcome(ROUND_ROBIN.next_round(stage)[0], is_void=True),),))
    assert ROUND_ROBIN.next_round(over) is None
    assert ROUND_ROBIN.is_complete(over)
    assert ROUND_ROBIN.is_complete(stage._replace(left=frozenset("abc")))


def test_the_display_shows_rounds_played_and_to_come():
    stage = StageState(tuple("abc"), {}, ((FixtureOutcome(("b", "c")), FixtureOutcome(("a",))),))
    (section,) = ROUND_ROBIN.display(stage).sections
    assert [column.title for column in section.columns] == [Caption("round", n) for n in (1, 2, 3)]
    assert section.columns[0].slots == (
        (1, 1, ("b", "c"), None, (Caption("playing"),)),
        (1, 2, ("a",), "a", (Caption("bye"),)),
    )
    assert section.columns[1].slots == (
        (None, None, ("a", "b"), None, ()),
        (None, None, ("c",), None, (Caption("bye"),)),
    )


@given(st.integers(2, 23), st.sampled_from([1, 2]))
def test_every_two_meet_once_a_cycle_and_nobody_plays_twice_a_round(n, cycles):
    entries = [f"e{k}" for k in range(n)]
    drawn = play(entries, {"cycles": cycles})
    assert len(drawn) == ROUND_ROBIN.round_count(n, {"cycles": cycles})
    for pairings in drawn:
        assert sorted(entry for pairing in pairings for entry in pairing) == sorted(entries)
    meetings = [frozenset(p) for pairings in drawn for p in pairings if len(p) == 2]
    assert sorted(map(sorted, meetings)) == sorted(
        sorted(c) for c in combinations(entries, 2) for _ in range(cycles)
    )
    byes = [p[0] for pairings in drawn for p in pairings if len(p) == 1]
    assert sorted(byes) == (sorted(entries * cycles) if n % 2 else [])


def test_the_second_cycle_exchanges_the_sides():
    drawn = play(["a", "b", "c", "d"], {"cycles": 2})
    assert [tuple(reversed(p)) for p in drawn[0]] == list(drawn[3])
    assert len({p for pairings in drawn for p in pairings}) == 12


def test_a_round_can_be_drawn_while_the_one_before_goes_on_but_completes_nothing():
    going_on = (FixtureOutcome(("a", "b")),)
    stage = StageState(("a", "b"), {"cycles": 2}, (going_on,))
    assert ROUND_ROBIN.next_round(stage) == (("b", "a"),)
    assert not ROUND_ROBIN.is_complete(stage._replace(rounds=(going_on, going_on)))


def test_a_void_fixture_is_done():
    void = (FixtureOutcome(("a", "b"), is_void=True),)
    assert ROUND_ROBIN.is_complete(StageState(("a", "b"), {}, (void,)))


@pytest.mark.parametrize(
    ("options", "field", "message"),
    [
        ({"cycles": 3}, {}, "cycles of round_robin"),
        ({"cycles": True}, {}, "not True"),
        ({"cycles": "2"}, {}, "not '2'"),
        ({"cicles": 2}, {}, "'cicles'"),
        ({}, {"entries": 1}, "2 to 200"),
        ({}, {"entries": 201}, "not 201"),
        ({}, {"sides": 3}, "this game has 3: take heats"),
    ],
)
def test_what_cannot_be_played_is_refused(options, field, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        ROUND_ROBIN.validate(options, **field)


@pytest.mark.parametrize("options", [{}, {"cycles": 1}, {"cycles": 2}])
def test_what_can_be_played_is_accepted(options):
    ROUND_ROBIN.validate(options, entries=2, sides=2)


def test_formats_are_found_by_key():
    assert all(key == found.key and found.title for key, found in all_formats().items())
    with pytest.raises(FormatError, match=r"'swish'.*round_robin"):
        format_named("swish")
