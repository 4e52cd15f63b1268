"""The ordered table of groups, of brackets, and of individuals who partner each other."""

import re
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import StandingsError
from league.scoring import FixtureOutcome
from league.standings import TIE_BREAKS, standings


def met(first, second, won):
    return FixtureOutcome((first, second), {first: Fraction(won), second: Fraction(-won)})


def pairs(first, second, won):
    """Two pairs met, of which the first won by so much."""
    totals = {**dict.fromkeys(first, Fraction(won)), **dict.fromkeys(second, Fraction(-won))}
    return FixtureOutcome((*first, *second), totals, per_side=2)


def everybody(group, won=1):
    """Each beats those named after it."""
    return [met(first, other, won) for first, other in combinations(group, 2)]


LOTS = {name: f"{number:02d}" for number, name in enumerate("abcdefgh")}


def order(rows):
    return [(row.entry, row.rank, row.decided_by) for row in rows]


def test_all_first_of_a_group_stand_before_all_second():
    fixtures = [*everybody("abc", 1), *everybody("def", 5)]
    rows = standings("abcdef", fixtures, tie_breaks=["board_score_difference"], groups=["abc", "def"])
    assert order(rows) == [
        ("d", 1, ""),
        ("a", 2, "board_score_difference"),
        ("b", 3, "place"),
        ("e", 3, ""),
        ("c", 5, "place"),
        ("f", 6, "board_score_difference"),
    ]
    values = {row.entry: row.values for row in rows}
    assert [values[name]["group"] for name in "abcdef"] == [1, 1, 1, 2, 2, 2]
    assert [values[name]["place"] for name in "abcdef"] == [1, 2, 3, 1, 2, 3]


def test_what_decided_within_the_group_is_named_too():
    fixtures = [*everybody("abc"), met("d", "e", 1), met("e", "f", 1), met("f", "d", 3)]
    rows = standings(
        "abcdef", fixtures, tie_breaks=["head_to_head", "board_score_difference"], groups=["abc", "def"]
    )
    values = {row.entry: row.values for row in rows}
    assert [values[name]["place_by"] for name in "abc"] == [None, "match_points", "match_points"]
    assert [values[name]["place_by"] for name in "fed"] == [
        None,
        "board_score_difference",
        "board_score_difference",
    ]
    assert values["d"]["head_to_head"] == 2, "within the group, though others of other groups are level"
    assert list(values["a"]) == [
        "group",
        "place",
        "place_by",
        "score_per_fixture",
        "match_points",
        "head_to_head",
        "board_score_difference",
    ]


def test_who_is_level_with_another_group_keeps_the_values_of_its_own():
    fixtures = [
        *(met("a", "b", 1), met("b", "c", 2), met("c", "a", 3)),
        *(met("d", "e", 1), met("e", "f", 2), met("f", "d", 3)),
    ]
    rows = standings(
        "abcdef", fixtures, tie_breaks=["head_to_head", "board_score_difference"], groups=["abc", "def"]
    )
    assert [row.rank for row in rows] == [1, 1, 1, 1, 5, 5]
    assert {row.values["head_to_head"] for row in rows} == {2}


def test_groups_of_different_sizes_are_compared_by_what_a_fixture_brought():
    """The second of four has 4 points of 3 fixtures, the second of three 2 of 2, and so per fixture less."""
    rows = standings("abcdefg", [*everybody("abcd"), *everybody("efg", 9)], groups=["abcd", "efg"], lots=LOTS)
    seconds = [row for row in rows if row.values["place"] == 2]
    assert [row.entry for row in seconds] == ["b", "f"]
    assert [row.values["score_per_fixture"] for row in seconds] == [Fraction(4, 3), 1]
    assert seconds[1].decided_by == "score_per_fixture"
    # As many points and better ones, but of a fixture more.
    fixtures = [met("a", "b", 1), met("a", "c", 1), met("a", "d", 1), met("b", "c", 9), met("b", "d", 0)]
    rows = standings(
        "abcdefg",
        [*fixtures, met("c", "d", 0), met("e", "f", 0), met("e", "g", 1), met("f", "g", 1)],
        groups=["abcd", "efg"],
        lots=LOTS,
    )
    assert [row.entry for row in rows if row.values["place"] == 2] == ["f", "b"]


def test_progress_comes_before_the_score():
    rows = standings(
        "abc",
        [met("a", "b", 1), met("b", "c", 1), met("a", "c", 1)],
        tie_breaks=[],
        progress={"a": 0, "b": 2, "c": 1},
    )
    assert order(rows) == [("b", 1, ""), ("c", 2, "progress"), ("a", 3, "progress")]
    assert rows[0].values == {"progress": 2, "match_points": 2}


def test_equal_progress_is_told_apart_as_ever():
    rows = standings("abc", everybody("cba"), tie_breaks=[], progress={"a": 1, "b": 1, "c": 0})
    assert order(rows) == [("b", 1, ""), ("a", 2, "match_points"), ("c", 3, "progress")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"progress": {"a": 1}}, "entry b "),
        ({"groups": ["a"]}, "entry b "),
        ({"groups": ["ab", "b"]}, "entry b "),
        ({"groups": ["ab", "c"]}, "entry c "),
    ],
)
def test_parts_that_do_not_fit_the_entries_are_refused(options, message):
    with pytest.raises(StandingsError, match=re.escape(message)):
        standings("ab", [], tie_breaks=[], **options)


def test_partners_both_get_what_their_side_won():
    rows = standings("abcd", [pairs("ab", "cd", 3)], tie_breaks=["buchholz", "sonneborn_berger", "wins"])
    line = {row.entry: row for row in rows}
    assert [line[name].match_points for name in "abcd"] == [2, 2, 0, 0]
    assert [line[name].board_score for name in "abcd"] == [3, 3, -3, -3]
    assert [(line[name].wins, line[name].losses, line[name].played) for name in "ac"] == [
        (1, 0, 1),
        (0, 1, 1),
    ]
    assert [line[name].values["buchholz"] for name in "ac"] == [0, 2], "the mean of the two opponents"


def test_partners_are_no_opponents():
    fixtures = [pairs("ab", "cd", 1), pairs("ac", "bd", 1), pairs("ad", "bc", 1)]
    rows = standings("abcd", fixtures, tie_breaks=["head_to_head"])
    assert rows[0].entry == "a"
    level = {row.entry: row.values["head_to_head"] for row in rows[1:]}
    assert level == dict.fromkeys("bcd", 4), "each of the three met both others twice, and won half of it"


def test_a_bye_of_an_individual_is_a_win():
    rows = standings("abcde", [pairs("ab", "cd", 0), FixtureOutcome(("e",))], tie_breaks=[])
    assert (rows[0].entry, rows[0].match_points, rows[0].wins) == ("e", 2, 1)


@st.composite
def seasons(draw):
    """Entries in groups, some progress, and fixtures of every shape inside the groups and between."""
    entries = [f"e{number}" for number in range(draw(st.integers(4, 9)))]
    fixtures = []
    for _ in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["duel", "pairs", "heat", "bye", "void", "open"]))
        drawn = draw(st.permutations(entries))
        won = Fraction(draw(st.integers(-4, 4)), 2)
        if kind == "pairs":
            fixtures.append(pairs(drawn[:2], drawn[2:4], won))
        elif kind == "heat":
            fixtures.append(
                FixtureOutcome(tuple(drawn[:3]), dict(zip(drawn, (won, -won, Fraction()), strict=False)))
            )
        elif kind == "bye":
            fixtures.append(FixtureOutcome((drawn[0],)))
        elif kind == "duel":
            fixtures.append(met(drawn[0], drawn[1], won))
        else:
            fixtures.append(FixtureOutcome(tuple(drawn[:2]), is_void=kind == "void"))
    cut = draw(st.integers(1, len(entries) - 1))
    groups = draw(st.sampled_from([(), (entries[:cut], entries[cut:])]))
    progress = draw(st.none() | st.fixed_dictionaries({entry: st.integers(0, 3) for entry in entries}))
    return entries, fixtures, groups, progress


@given(seasons(), st.sampled_from(["match_points", "board_score"]), st.data())
def test_the_order_of_arrival_does_not_matter(season, scoring, data):
    entries, fixtures, groups, progress = season
    lots = {entry: f"{number * 7 % 10}" for number, entry in enumerate(entries)}
    options = {"scoring": scoring, "lots": lots, "progress": progress}
    shuffled = standings(
        data.draw(st.permutations(entries)),
        data.draw(st.permutations(fixtures)),
        groups=[data.draw(st.permutations(group)) for group in groups],
        **options,
    )
    assert shuffled == standings(entries, fixtures, groups=groups, **options)


@given(seasons())
def test_the_value_that_decided_is_shown_and_differs(season):
    entries, fixtures, groups, progress = season
    lots = {entry: entry for entry in entries}
    rows = standings(entries, fixtures, lots=lots, groups=groups, progress=progress)
    assert [row.rank for row in rows] == list(range(1, len(entries) + 1))
    for above, row in pairwise(rows):
        better, worse = above.values[row.decided_by], row.values[row.decided_by]
        assert better < worse if row.decided_by in ("lot", "place") else better > worse
        assert set(TIE_BREAKS) <= set(row.values)
