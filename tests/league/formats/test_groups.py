"""Groups: dealt like a snake, a round robin in each, played side by side."""

import re
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import FormatError
from league.formats import format_named
from league.formats.groups import snake
from league.stage import Caption, StageState
from tests.chance import examples
from tests.league.formats.simulated import met, names, play

GROUPS = format_named("groups")


def dealt(n, options):
    return GROUPS.groups(StageState(names(n), options))


def test_seeds_are_dealt_to_and_fro():
    assert snake("abcdefghij", 4) == (("a", "h", "i"), ("b", "g", "j"), ("c", "f"), ("d", "e"))


@pytest.mark.parametrize(
    ("n", "options", "sizes"),
    [
        (2, {}, [2]),
        (3, {}, [3]),
        (5, {}, [3, 2]),
        (16, {}, [4, 4, 4, 4]),
        (3, {"size": 2}, [3]),
        (10, {"size": 5}, [5, 5]),
        (11, {"size": 5}, [4, 4, 3]),
        (11, {"groups": 2}, [6, 5]),
    ],
)
def test_sizes_differ_by_one_at_most(n, options, sizes):
    assert sorted(map(len, dealt(n, options)), reverse=True) == sizes


@examples(40)
@given(st.integers(2, 40), st.integers(0, 2**32), st.sampled_from([1, 2]), st.data())
def test_every_two_of_a_group_meet_once_a_cycle_and_strangers_never(n, seed, cycles, data):
    options = {"groups": data.draw(st.integers(1, n // 2)), "cycles": cycles}
    stage, _ = play("groups", names(n), options, seed=seed)
    groups = GROUPS.groups(stage)
    assert sorted(entry for group in groups for entry in group) == sorted(stage.entries)
    pairs = Counter(frozenset(fixture.entries) for fixture in met(stage))
    assert pairs == {frozenset(two): cycles for group in groups for two in combinations(group, 2)}
    assert len(stage.rounds) == GROUPS.round_count(n, options)
    assert len(met(stage)) == GROUPS.max_fixtures(n, options)
    for group in groups:  # nobody has a bye once its own group is done
        byes = Counter(f.entries[0] for drawn in stage.rounds for f in drawn if f.is_bye)
        assert {byes[entry] for entry in group} == {cycles if len(group) % 2 else 0}


@examples(30)
@given(st.integers(4, 24), st.integers(0, 2**32))
def test_who_leaves_gives_byes_in_its_own_group_only(n, seed):
    stage, _ = play("groups", names(n), {"size": 5}, seed=seed, leave=0.1, void=0.1)
    group_of = {entry: number for number, group in enumerate(GROUPS.groups(stage)) for entry in group}
    met_ = {frozenset(fixture.entries) for fixture in met(stage)}
    assert all(len({group_of[entry] for entry in pair}) == 1 for pair in met_)
    for first, other in combinations(stage.present, 2):
        assert (frozenset((first, other)) in met_) == (group_of[first] == group_of[other])


def test_a_section_for_each_group():
    display = GROUPS.display(StageState(names(7), {"groups": 2}))
    assert display.kind == "groups"
    assert [section.title for section in display.sections] == [Caption("group", 1), Caption("group", 2)]
    assert [len(section.columns) for section in display.sections] == [3, 3]
    for section, group in zip(display.sections, dealt(7, {"groups": 2}), strict=True):
        assert {e for column in section.columns for slot in column.slots for e in slot.entries} == set(group)


@pytest.mark.parametrize(
    ("options", "field", "message"),
    [
        ({"groups": 2, "size": 4}, {}, "groups takes"),
        ({"size": 1}, {}, "size of groups"),
        ({"cycles": 3}, {}, "cycles of groups"),
        ({"groups": 4}, {"entries": 7}, "groups must"),
        ({"groups": 1}, {"entries": 101}, "groups must"),
        ({}, {"entries": 1001}, "groups takes"),
        ({}, {"sides": 3}, "groups brings"),
    ],
)
def test_what_cannot_be_played_is_refused(options, field, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        GROUPS.validate(options, **field)
