"""The table of a season, from final standings alone."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from league.errors import StandingsError
from league.season import (
    FinalStanding,
    SeasonPlace,
    SeasonRules,
    SeasonTournament,
    season_table,
    tournament_places,
)
from tests.refusals import refusal

RULES = SeasonRules()


def finishes(names: str, *, by_lot: str = "", left: str = "") -> list[FinalStanding]:
    """A stage in this order; of ``by_lot`` only the lot told each from the one above."""
    return [
        FinalStanding(name, name, rank, name in by_lot, name in left) for rank, name in enumerate(names, 1)
    ]


def points(placed: tuple[SeasonPlace, ...]) -> dict[str, Fraction]:
    return {each.competitor: each.points for each in placed}


def test_places_get_points_and_later_ones_none() -> None:
    placed = tournament_places([finishes("abcdefghij")], RULES)
    assert points(placed) == dict(zip("abcdefgh", map(Fraction, RULES.points), strict=True))
    assert [each.place for each in placed] == list(range(1, 9))


def test_whom_only_the_lot_parts_shares_the_points_at_the_end_of_them_too() -> None:
    placed = tournament_places([finishes("abcdefghij", by_lot="cdij")], RULES)
    assert points(placed)["b"] == points(placed)["c"] == points(placed)["d"] == Fraction(8 + 6 + 5, 3)
    assert points(placed)["h"] == points(placed)["i"] == points(placed)["j"] == Fraction(1, 3)
    assert [(each.place, each.shared_by) for each in placed if each.competitor in "hij"] == [(8, 3)] * 3
    assert sum(points(placed).values()) == sum(RULES.points)


def test_who_came_further_is_placed_first_and_a_lot_about_that_ties_nobody() -> None:
    # In the groups b, c and d were level, and b and c went on to the final.
    placed = tournament_places([finishes("cb"), finishes("abcdef", by_lot="cd")], RULES)
    assert [(each.competitor, each.place, each.shared_by) for each in placed] == [
        ("c", 1, 1),
        ("b", 2, 1),
        ("a", 3, 1),
        ("d", 4, 1),
        ("e", 5, 1),
        ("f", 6, 1),
    ]


def test_who_left_keeps_the_place_and_gets_nothing() -> None:
    placed = tournament_places([finishes("abc", left="b")], RULES)
    assert points(placed) == {"a": 10, "c": 6}


def tournament(name: str, order: str) -> SeasonTournament:
    return SeasonTournament(name, tournament_places([finishes(order)], RULES))


def test_the_best_count_and_equal_points_are_parted_by_better_places() -> None:
    tournaments = [
        tournament("1", "abc"),
        tournament("2", "abc"),
        tournament("3", "cab"),
        tournament("4", "cba"),
    ]
    table = season_table(tournaments, RULES)
    # Three of four count: 10 + 10 + 8 for a; 6 + 10 + 10 for c; 8 + 8 + 8 for b.
    assert [(row.rank, row.competitor, row.points) for row in table] == [
        (1, "a", 28),
        (2, "c", 26),
        (3, "b", 24),
    ]
    dropped = [
        (row.competitor, result.tournament) for row in table for result in row.results if not result.counts
    ]
    assert dropped == [("a", "4"), ("c", "2"), ("b", "3")]
    rules = SeasonRules((3, 2, 1), 0)
    table = season_table(
        [
            SeasonTournament(str(number), tournament_places([finishes(order)], rules))
            for number, order in enumerate(("abc", "cba"))
        ],
        rules,
    )
    assert [(row.rank, row.competitor) for row in table] == [(1, "a"), (1, "c"), (3, "b")]


def test_the_order_of_events_does_not_matter() -> None:
    draw = random.Random("seasons")
    names = list("abcdefghijkl")
    tournaments = []
    for number in range(11):
        draw.shuffle(names)
        order = "".join(names)
        tournaments.append(
            SeasonTournament(str(number), tournament_places([finishes(order, by_lot=order[3:5])], RULES))
        )
    before = {(row.rank, row.competitor, row.points) for row in season_table(tournaments, RULES)}
    for _ in range(5):
        draw.shuffle(tournaments)
        assert {(row.rank, row.competitor, row.points) for row in season_table(tournaments, RULES)} == before


def test_what_is_twice_is_refused() -> None:
    assert "tournament" in str(
        refusal(StandingsError, season_table, [tournament("1", "ab"), tournament("1", "ba")], RULES)
    )
    with pytest.raises(StandingsError, match="standings"):
        tournament_places([[FinalStanding("1", "a", 1), FinalStanding("2", "b", 1)]], RULES)


def test_two_entries_of_a_competitor_get_the_points_of_the_better_one() -> None:
    placed = tournament_places([[FinalStanding("1", "a", 1), FinalStanding("2", "a", 2)]], RULES)
    (row,) = season_table([SeasonTournament("1", placed)], RULES)
    assert (row.points, len(row.results)) == (10, 1)
