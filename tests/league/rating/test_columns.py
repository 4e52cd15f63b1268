"""The lines of a rating, and sets as bytes."""

from __future__ import annotations

import random

import pytest

from league.rating.columns import rating_lines
from league.rating.fixtures import PlayedFixture, SetScores, partner_columns, set_scores
from league.rating.packing import pack_sets, unpack_sets
from league.rating.table import rate


def mixed_sets() -> list[SetScores]:
    """Three versions as pairs with themselves, and in turn with each other; two shapes, and a lone set."""
    draw = random.Random("mixed sets")
    names = ["ada", "bob", "cyd", "dot"]
    found = []
    for number in range(6):
        fixtures = []
        for place, (a, b) in enumerate([("ada", "bob"), ("cyd", "dot"), ("bob", "cyd"), ("ada", "dot")]):
            rest = [name for name in names if name not in (a, b)]
            for kind, sides in (("p", ((a, a), (b, b))), ("s", ((a, b), tuple(rest)))):
                won = [draw.randint(-2, 2) + (names.index(b) - names.index(a)) for _ in range(8)]
                fixtures.append(
                    PlayedFixture(
                        f"{kind}{number}{place}",
                        tuple(partner_columns(side) for side in sides),
                        [(score, -score) for score in won],
                    )
                )
        found += set_scores(f"set{number}", fixtures)
    return found


def test_each_column_has_ranks_of_its_own() -> None:
    lines = rating_lines(rate(mixed_sets(), entries=["zoe"], is_guarded=False))
    for partner in ("self", "other"):
        column = [line for line in lines if line.partner == partner and line.figures is not None]
        if not column:
            continue
        estimates = [line.figures.estimate for line in column if line.figures]
        assert estimates == sorted(estimates, reverse=True)
        assert [line.figures.rank for line in column if line.figures] == list(range(1, len(column) + 1))
        for line in column:
            assert line.figures is not None
            assert line.figures.rank_low <= line.figures.rank <= line.figures.rank_high <= len(column)
    assert {(line.version, line.partner) for line in lines if line.figures is None} >= {("zoe", "self")}


def test_with_one_column_the_ranks_are_those_of_the_fit() -> None:
    draw = random.Random("one column")
    names = ["ada", "bob", "cyd"]
    sets = []
    for number in range(3):
        for place, (a, b) in enumerate([("ada", "bob"), ("bob", "cyd"), ("ada", "cyd")]):
            won = [draw.randint(-2, 2) for _ in range(8)]
            played = PlayedFixture(f"f{number}{place}", ((a,), (b,)), [(score, -score) for score in won])
            sets += set_scores(f"set{number}{place}", [played])
    ratings = rate(sets)
    rows = {row.entry: row for row in ratings.rows}
    assert sorted(rows) == names
    for line in rating_lines(ratings):
        row = rows[line.version]
        assert line.figures is not None
        assert line.figures == (
            row.estimate,
            row.low,
            row.high,
            row.standard_error,
            row.rank,
            row.rank_low,
            row.rank_high,
        )
        assert (line.fixtures, line.boards, line.degrees) == (row.fixtures, row.boards, row.degrees)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_sets_come_back_from_their_bytes(is_reversed: bool) -> None:
    sets = mixed_sets()
    given = sets[::-1] if is_reversed else sets
    packed = pack_sets(given)
    assert packed == pack_sets(sets)
    again = unpack_sets(packed)
    assert pack_sets(again) == packed
    assert {one.board_set for one in again} == {one.board_set for one in sets}
    assert rate(again, is_guarded=False).rows == rate(sets, is_guarded=False).rows
