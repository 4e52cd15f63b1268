"""Standings of fixtures of more than two entries: match points, sit-outs and every tie-break."""

from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from league.formats import format_named
from league.scoring import FixtureOutcome, bye_points, duel_points
from league.stage import StageState
from league.standings import standings


def heat(**totals):
    return FixtureOutcome(tuple(totals), {entry: Fraction(total) for entry, total in totals.items()})


def table(entries, fixtures, *tie_breaks, sides=3, **options):
    return standings(entries, fixtures, tie_breaks=tie_breaks, sides=sides, **options)


def values(rows, name):
    return {row.entry: row.values[name] for row in rows}


def test_a_heat_gives_points_against_each_other_entry():
    (first, second, third) = table("abc", [heat(a=5, b=-1, c=-4)])
    assert (first.entry, first.match_points, first.wins, first.losses) == ("a", 4, 2, 0)
    assert (second.entry, second.match_points, second.wins, second.losses) == ("b", 2, 1, 1)
    assert (third.entry, third.match_points, third.played) == ("c", 0, 1)


# docs/scores.md works this example out: four entries in heats of three, each sits out once.
EXAMPLE = [
    heat(a=3, b=0, c=-3),
    FixtureOutcome(("d",)),
    heat(a=2, b=-1, d=-1),
    FixtureOutcome(("c",)),
    heat(a=-2, c=-2, d=4),
    FixtureOutcome(("b",)),
    heat(b=3, c=-1, d=-2),
    FixtureOutcome(("a",)),
]


def test_the_worked_example():
    rows = table("abcd", EXAMPLE, "head_to_head", "sonneborn_berger", "board_score_difference", "wins")
    assert [(row.entry, row.match_points, row.board_score) for row in rows] == [
        ("a", 11, 3),
        ("b", 9, 2),
        ("d", 7, 1),
        ("c", 5, -6),
    ]
    assert [(row.played, row.wins, row.draws, row.losses) for row in rows] == [
        (4, 4, 3, 1),
        (4, 3, 3, 2),
        (4, 2, 3, 3),
        (4, 1, 3, 4),
    ]
    assert all(row.match_points == 2 * row.wins + row.draws for row in rows)


def test_a_sit_out_is_worth_what_a_fixture_gives_on_average():
    for sides in range(3, 9):
        assert bye_points(sides) == duel_points(Fraction(), Fraction()) * (sides - 1)
    assert bye_points(2) == bye_points() == 2


def test_sitting_out_more_often_changes_no_tie_break_of_those_level():
    # a and x are level on everything but that x sat out where a drew with two others who drew too.
    fixtures = [heat(a=0, b=0, c=0), FixtureOutcome(("x",))]
    rows = table("abcx", fixtures, "buchholz", "sonneborn_berger", "board_score_difference")
    assert [row.match_points for row in rows] == [2, 2, 2, 2]
    assert values(rows, "buchholz") == dict.fromkeys("abcx", 4)
    assert values(rows, "sonneborn_berger") == dict.fromkeys("abcx", 2)
    assert [row.rank for row in rows] == [1, 1, 1, 1]


def test_a_sit_out_is_no_opponent_beaten_but_a_bye_of_two_sides_is():
    rows = table("ab", [FixtureOutcome(("a",))], "wins")
    assert (rows[0].values["wins"], rows[0].draws, rows[0].match_points) == (0, 2, 2)
    rows = table("ab", [FixtureOutcome(("a",))], "wins", sides=2)
    assert (rows[0].values["wins"], rows[0].draws, rows[0].match_points) == (1, 0, 2)


def test_head_to_head_does_not_apply_where_those_level_met_unequally():
    fixtures = [heat(a=3, b=1, c=-4), heat(b=4, c=0, d=-4), heat(a=-4, c=0, d=4)]
    rows = table("abcd", fixtures, "head_to_head")
    assert values(rows, "match_points") == {"b": 6, "a": 4, "d": 4, "c": 4}
    # a, c and d are level; a met c twice and d once.
    assert values(rows, "head_to_head") == dict.fromkeys("abcd")


def test_head_to_head_applies_where_all_level_met_equally_often():
    fixtures = [heat(a=2, b=1, x=-3), heat(a=-2, x=1, y=1), heat(b=0, x=1, y=-1)]
    rows = table("abxy", fixtures, "head_to_head")
    assert values(rows, "match_points") == {"a": 4, "b": 4, "x": 7, "y": 3}
    assert [(row.entry, row.decided_by, row.values["head_to_head"]) for row in rows[1:3]] == [
        ("a", "match_points", 2),
        ("b", "head_to_head", 0),
    ]


def test_buchholz_and_sonneborn_berger_count_every_opponent_of_a_heat():
    rows = table("abcd", [heat(a=2, b=0, c=-2), heat(a=0, c=0, d=0)], "buchholz", "sonneborn_berger")
    assert values(rows, "match_points") == {"a": 6, "b": 2, "c": 2, "d": 2}
    assert values(rows, "buchholz") == {"a": 2 + 2 + 2 + 2, "b": 6 + 2, "c": 6 + 2 + 6 + 2, "d": 6 + 2}
    assert values(rows, "sonneborn_berger") == {
        "a": 2 + 2 + 1 + 1,  # beat b and c, drew with c and d
        "b": 2,  # beat c
        "c": 3 + 1,  # drew with a and d
        "d": 3 + 1,
    }


def test_board_score_difference_and_total_board_score_take_fractions_of_many_tables():
    fixture = heat(a=Fraction(5, 3), b=Fraction(-2, 3), c=-1)
    rows = table("abc", [fixture], "board_score_difference")
    assert values(rows, "board_score_difference") == {"a": Fraction(5, 3), "b": Fraction(-2, 3), "c": -1}
    rows = table("abc", [fixture], scoring="board_score")
    assert [row.values_json() for row in rows] == [
        {"board_score": "5/3"},
        {"board_score": "-2/3"},
        {"board_score": "-1"},
    ]


@st.composite
def stages(draw):
    """A few rounds of heats as the format draws them: fixtures played, void, unfinished; and sit-outs."""
    sides = draw(st.integers(3, 5))
    entries = tuple(f"e{k}" for k in range(draw(st.integers(sides, sides + 6))))
    stage = StageState(entries, {"rounds": 3}, (), sides)
    while (pairings := format_named("heats").next_round(stage)) is not None:
        fixtures = []
        for pairing in pairings:
            kind = draw(st.sampled_from(["played", "played", "played", "void", "open"]))
            if len(pairing) == 1 or kind == "open":
                fixtures.append(FixtureOutcome(pairing))
            elif kind == "void":
                fixtures.append(FixtureOutcome(pairing, is_void=True))
            else:
                won = [Fraction(draw(st.integers(-3, 3)), sides) for _ in pairing[1:]]
                fixtures.append(FixtureOutcome(pairing, dict(zip(pairing, [*won, -sum(won)], strict=True))))
        stage = stage._replace(rounds=(*stage.rounds, tuple(fixtures)))
    lots = {entry: f"{draw(st.integers(0, 99)):02d}{entry}" for entry in entries}
    return sides, entries, [fixture for round_fixtures in stage.rounds for fixture in round_fixtures], lots


@given(stages(), st.sampled_from(["match_points", "board_score"]), st.data())
def test_the_order_of_arrival_does_not_matter_with_many_sides(stage, scoring, data):
    sides, entries, fixtures, lots = stage
    usual = standings(entries, fixtures, scoring=scoring, lots=lots, sides=sides)
    arrived = standings(
        data.draw(st.permutations(entries)),
        data.draw(st.permutations(fixtures)),
        scoring=scoring,
        lots=dict(reversed(lots.items())),
        sides=sides,
    )
    assert arrived == usual
    assert [row.rank for row in usual] == list(range(1, len(entries) + 1))


@given(stages())
def test_points_add_up_with_many_sides(stage):
    sides, entries, fixtures, lots = stage
    rows = standings(entries, fixtures, lots=lots, sides=sides)
    counted = [fixture for fixture in fixtures if fixture.is_done and not fixture.is_void]
    met = sum(2 * len(list(combinations(fixture.entries, 2))) for fixture in counted)
    out = sum(fixture.is_bye for fixture in counted)
    assert sum(row.match_points for row in rows) == met + out * (sides - 1)
    assert sum(row.board_score for row in rows) == 0
    assert all(row.match_points == 2 * row.wins + row.draws for row in rows)
    assert sum(row.played for row in rows) == sum(len(fixture.entries) for fixture in counted)
