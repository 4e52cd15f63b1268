"""The ordered table: each tie-break, which value decided, and that arrival does not matter."""

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
    """A fixture the first entry won by this many stones of board score."""
    return FixtureOutcome((first, second), {first: Fraction(won), second: Fraction(-won)})


def table(entries, fixtures, *tie_breaks, **options):
    return standings(entries, fixtures, tie_breaks=tie_breaks, **options)


def order(rows):
    return [(row.entry, row.rank, row.decided_by) for row in rows]


def test_match_points_order_the_table():
    rows = table("abc", [met("a", "b", 1), met("b", "c", 1), met("a", "c", 1)])
    assert order(rows) == [("a", 1, ""), ("b", 2, "match_points"), ("c", 3, "match_points")]
    assert [(r.played, r.wins, r.draws, r.losses) for r in rows] == [(2, 2, 0, 0), (2, 1, 0, 1), (2, 0, 0, 2)]


def test_total_board_score_can_order_it_instead():
    fixtures = [met("a", "b", 1), met("b", "c", 9), met("a", "c", 1)]
    rows = table("abc", fixtures, scoring="board_score")
    assert order(rows) == [("b", 1, ""), ("a", 2, "board_score"), ("c", 3, "board_score")]
    assert rows[0].values == {"board_score": Fraction(8)}


def test_thirds_of_a_stone_stay_thirds():
    rows = table("ab", [met("a", "b", Fraction(1, 3))])
    assert [row.board_score for row in rows] == [Fraction(1, 3), Fraction(-1, 3)]


# a and b are level on 4 points, c and d on 2; b beat a, though a has the better board scores.
LEVEL = [
    met("b", "a", 1),
    met("a", "c", 9),
    met("a", "d", 9),
    met("c", "b", 1),
    met("b", "d", 1),
    met("d", "c", 1),
]


def test_head_to_head_decides_among_those_level():
    rows = table("abcd", LEVEL, "head_to_head")
    assert order(rows) == [
        ("b", 1, ""),
        ("a", 2, "head_to_head"),
        ("d", 3, "match_points"),
        ("c", 4, "head_to_head"),
    ]
    assert rows[0].values["head_to_head"] == 2
    assert rows[1].values["head_to_head"] == 0


# a to d are level on 5 points; among them a has 5, b 3, c and d 2. c beat d, who has the better boards.
LEVEL_TWICE = [
    met("a", "b", 1),
    met("a", "c", 1),
    met("a", "d", 0),
    met("b", "c", 1),
    met("b", "d", 0),
    met("c", "d", 1),
    met("x", "a", 1),
    met("b", "x", 1),
    met("c", "x", 1),
    met("c", "x", 0),
    met("d", "x", 9),
    met("d", "x", 0),
]


def test_head_to_head_listed_twice_starts_again_among_those_then_level():
    once = table("abcdx", LEVEL_TWICE, "head_to_head", "board_score_difference")
    assert order(once)[2:4] == [("d", 3, "head_to_head"), ("c", 4, "board_score_difference")]
    twice = table("abcdx", LEVEL_TWICE, "head_to_head", "head_to_head", "board_score_difference")
    assert order(twice)[:4] == [
        ("a", 1, ""),
        ("b", 2, "head_to_head"),
        ("c", 3, "head_to_head"),
        ("d", 4, "head_to_head_2"),
    ]
    assert [row.values["head_to_head"] for row in twice[:4]] == [5, 3, 2, 2]
    assert [row.values["head_to_head_2"] for row in twice] == [None, None, 2, 0, None]
    later = table("abcdx", LEVEL_TWICE, "head_to_head", "wins", "head_to_head")
    assert list(later[0].values)[-2:] == ["wins", "head_to_head_2"]


def test_head_to_head_does_not_apply_unless_all_met_equally_often():
    fixtures = [met("a", "b", 1), met("b", "c", 1), met("c", "d", 1), met("d", "a", 1)]
    rows = table("abcd", fixtures, "head_to_head", "board_score_difference")
    assert [row.values["head_to_head"] for row in rows] == [None] * 4
    assert [row.rank for row in rows] == [1, 1, 1, 1]
    assert [row.decided_by for row in rows] == [""] * 4


def test_head_to_head_does_not_apply_where_nobody_met():
    rows = table("abxy", [met("a", "x", 1), met("b", "y", 1)], "head_to_head")
    assert [row.values["head_to_head"] for row in rows] == [None] * 4


def test_head_to_head_does_not_apply_where_some_met_twice():
    drawn = [("a", "b"), ("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]
    rows = table("abcd", [met(first, second, 0) for first, second in drawn], "head_to_head")
    assert [row.match_points for row in rows] == [3, 3, 3, 1]
    assert [row.values["head_to_head"] for row in rows] == [None] * 4


def test_those_nothing_separates_share_a_rank_in_the_order_of_their_names():
    assert order(table("cab", [])) == [("a", 1, ""), ("b", 1, ""), ("c", 1, "")]


def test_a_void_fixture_takes_head_to_head_away():
    void = FixtureOutcome(("a", "b"), is_void=True)
    rows = table("abc", [void, met("a", "c", 1), met("b", "c", 2)], "head_to_head", "board_score_difference")
    assert order(rows) == [("b", 1, ""), ("a", 2, "board_score_difference"), ("c", 3, "match_points")]


def test_buchholz_counts_the_opponents_scores():
    fixtures = [met("a", "x", 1), met("b", "y", 1), met("x", "z", 1)]
    rows = table("abxyz", fixtures, "buchholz")
    values = {row.entry: row.values["buchholz"] for row in rows}
    assert values == {"a": 2, "b": 0, "x": 2, "y": 2, "z": 2}
    assert order(rows)[:3] == [("a", 1, ""), ("x", 1, ""), ("b", 3, "buchholz")]


def test_sonneborn_berger_counts_the_beaten_in_full_and_the_drawn_by_half():
    fixtures = [met("a", "b", 1), met("a", "c", 0), met("b", "c", 1)]
    values = {row.entry: row.values["sonneborn_berger"] for row in table("abc", fixtures, "sonneborn_berger")}
    assert values == {"a": Fraction(2) + Fraction(1, 2), "b": 1, "c": Fraction(3, 2)}


def test_board_score_difference_decides():
    rows = table("abc", [met("a", "b", 1), met("b", "c", 2), met("c", "a", 5)], "board_score_difference")
    assert order(rows) == [
        ("c", 1, ""),
        ("b", 2, "board_score_difference"),
        ("a", 3, "board_score_difference"),
    ]


def test_wins_decide():
    drawn = [met("a", "c", 0), met("a", "d", 0)]
    rows = table("abcd", [*drawn, met("b", "c", 1), met("d", "b", 1)], "wins")
    assert [entry for entry, _, _ in order(rows)] == ["d", "b", "a", "c"]
    assert rows[2].decided_by == "wins"


def test_the_lower_lot_comes_first():
    rows = table("abc", [], "lot", lots={"a": "c0", "b": "00", "c": "7f"})
    assert order(rows) == [("b", 1, ""), ("c", 2, "lot"), ("a", 3, "lot")]
    assert rows[0].values_json() == {"match_points": "0", "lot": "00"}


def test_fractions_are_written_exactly():
    fixture = met("a", "b", Fraction(7, 2))
    assert table("ab", [fixture], scoring="board_score")[0].values_json() == {"board_score": "7/2"}


def test_a_bye_is_a_win_without_an_opponent():
    rows = table("ab", [FixtureOutcome(("a",))], "buchholz", "wins")
    assert rows[0].entry == "a"
    assert rows[0].values == {"match_points": 2, "buchholz": 0, "wins": 1}
    assert (rows[0].played, rows[0].board_score) == (1, 0)


def test_what_is_void_or_unfinished_counts_for_nobody():
    rows = table("ab", [FixtureOutcome(("a", "b"), is_void=True), FixtureOutcome(("a", "b"))])
    assert order(rows) == [("a", 1, ""), ("b", 1, "")]
    assert [row.played for row in rows] == [0, 0]


def test_a_draw_margin_makes_draws():
    rows = table("ab", [met("a", "b", 1)], draw_margin=2)
    assert [(row.match_points, row.draws) for row in rows] == [(1, 1), (1, 1)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: table("ab", [], scoring="elo"), "'elo'"),
        (lambda: table("ab", [], "coin"), "'coin'"),
        (lambda: table("ab", [], "wins", "wins"), "named twice"),
        (lambda: table("ab", [], *["head_to_head"] * 3), "named three times"),
        (lambda: table("aa", []), "entered twice"),
        (lambda: table("ab", [], "lot", lots={"a": "0"}), "entry b "),
        (lambda: table("ab", [met("a", "c", 1)]), "entry c "),
    ],
)
def test_what_cannot_be_ordered_is_refused(call, message):
    with pytest.raises(StandingsError, match=re.escape(message)):
        call()


def test_no_entries_make_an_empty_table():
    assert table("", []) == []


@st.composite
def seasons(draw):
    """Entries, a lot for each, and some fixtures between them: played, void, unfinished or byes."""
    entries = [f"e{k}" for k in range(draw(st.integers(2, 6)))]
    fixtures = []
    for first, second in combinations(entries, 2):
        for _ in range(draw(st.integers(0, 2))):
            kind = draw(st.sampled_from(["played", "played", "played", "void", "open", "bye"]))
            if kind == "played":
                fixtures.append(met(first, second, draw(st.integers(-2, 2)) / Fraction(2)))
            elif kind == "bye":
                fixtures.append(FixtureOutcome((first,)))
            else:
                fixtures.append(FixtureOutcome((first, second), is_void=kind == "void"))
    return entries, fixtures, {entry: f"{draw(st.integers(0, 99)):02d}{entry}" for entry in entries}


@given(seasons(), st.data())
def test_the_order_of_arrival_does_not_matter(season, data):
    entries, fixtures, lots = season
    shuffled = standings(
        data.draw(st.permutations(entries)),
        data.draw(st.permutations(fixtures)),
        lots=dict(reversed(lots.items())),
    )
    assert shuffled == standings(entries, fixtures, lots=lots)


@given(seasons(), st.sampled_from(["match_points", "board_score"]))
def test_every_value_is_shown_and_the_deciding_one_named(season, scoring):
    entries, fixtures, lots = season
    rows = standings(entries, fixtures, scoring=scoring, lots=lots)
    criteria = [scoring, *TIE_BREAKS]
    assert [row.rank for row in rows] == list(range(1, len(entries) + 1))
    for above, row in pairwise(rows):
        assert list(row.values) == criteria
        at = criteria.index(row.decided_by)
        if row.decided_by != "head_to_head":
            assert all(
                above.values[name] == row.values[name] for name in criteria[:at] if name != "head_to_head"
            )
        better, worse = above.values[row.decided_by], row.values[row.decided_by]
        assert better < worse if row.decided_by == "lot" else better > worse


@given(seasons())
def test_board_scores_sum_to_zero_and_each_duel_gives_two_points(season):
    entries, fixtures, lots = season
    rows = standings(entries, fixtures, lots=lots)
    assert sum(row.board_score for row in rows) == 0
    counted = [f for f in fixtures if f.is_done and not f.is_void]
    assert sum(row.match_points for row in rows) == 2 * len(counted)
