"""The exact sums of a rating: worked cases, and those of the formula."""

import random
from fractions import Fraction

import numpy as np
import pytest

from league.errors import RatingError
from league.rating.equations import FULL_WEIGHT, NormalEquations, misfit_matrix
from league.rating.fixtures import PlayedFixture, build_sample, partner_columns, set_scores, without_fixtures
from league.rating.solve import (
    MAX_BLOCK,
    conjugate_gradients,
    ridge_inverse,
    ridge_solution,
    scaled_condition,
)
from tests.league.rating.fields import duel, names, season
from tests.refusals import refusal


def exact(sample, weights=None):
    """N as a list of rows, and r, with fractions."""
    sums = NormalEquations(sample)
    matrix, parts = sums.matrix(weights)
    right, stones = sums.right_side(weights)
    whole = [[Fraction(int(value), parts) for value in row] for row in matrix.tolist()]
    return whole, [Fraction(value, stones) for value in right.tolist()]


def real(sets):
    return NormalEquations(build_sample(sets)).as_floats()


def test_two_sides_worked_by_hand():
    sample = build_sample(set_scores("s", [duel("f", "a", "b", [1, 2, 0])]))
    assert sample.entries == ("a", "b")
    assert exact(sample) == ([[3, -3], [-3, 3]], [3, -3])


def test_three_sides_worked_by_hand():
    # 3/2 (I - J/3) a board: 1 on the diagonal, -1/2 beside it.
    scores = [(2, -1, -1), (0, 1, -1)]
    sample = build_sample(set_scores("s", [PlayedFixture("f", (("a",), ("b",), ("c",)), scores)]))
    assert exact(sample) == ([[2, -1, -1], [-1, 2, -1], [-1, -1, 2]], [2, 0, -2])


def test_mixed_partners_worked_by_hand():
    # C'PC with halves: 1/4 (+1 on a side, -1 between), times 2 sides / (2 - 1) / 2.
    met = PlayedFixture("f", (("a", "b"), ("c", "d")), [(1, -1), (3, -3)])
    half = Fraction(1, 2)
    row, other = [half, half, -half, -half], [-half, -half, half, half]
    assert exact(build_sample(set_scores("s", [met]))) == ([row, row, other, other], [2, 2, -2, -2])


def test_a_version_that_partners_itself_is_a_side_of_one():
    alone = set_scores("s", [duel("f", "a", "b", [1, 2])])
    twice = PlayedFixture("f", (("a", "a"), ("b", "b", "b")), [(1, -1), (2, -2)])
    assert exact(build_sample(set_scores("s", [twice]))) == exact(build_sample(alone))


def test_sides_of_different_sizes():
    met = PlayedFixture("f", (("a",), ("b", "c")), [(2, -2), (0, 0)])
    matrix, right = exact(build_sample(set_scores("s", [met])))
    assert (matrix, right) == ([[2, -1, -1], [-1, 0.5, 0.5], [-1, 0.5, 0.5]], [2, -1, -1])


def test_partners_have_two_columns():
    assert partner_columns(("a", "a")) == ("a",)
    assert partner_columns(("b", "a")) == ("a+", "b+")


def test_a_set_of_one_board_is_left_out():
    assert set_scores("s", [duel("f", "a", "b", [1])]) == []


def dense(sample, weights=None):
    """N, r and sum of h^2 k^2 C'PC by the formulas as they are written, with fractions."""
    n = len(sample.entries)
    matrix, right = np.zeros((n, n)), np.zeros(n)
    misfit = np.zeros((n, n))
    for number, group in enumerate(sample.groups):
        m, k, p = group.sides, group.boards, group.per_side
        for f in range(len(group.fixtures)):
            h = 1.0 if weights is None else weights[number][f] / FULL_WEIGHT
            c = np.zeros((m, n))
            for side in range(m):
                for member in group.members[f, side]:
                    c[side, member] += 1 / p
            centre = np.eye(m) - 1 / m
            matrix += h * k * m / (m - 1) * c.T @ centre @ c
            right += h * k * c.T @ group.means[f]
            misfit += h * h * k * k * c.T @ centre @ c
    return matrix, right, misfit


@pytest.mark.parametrize(("sides", "per_side"), [(2, 1), (3, 1), (2, 2), (4, 1), (3, 2)])
def test_sums_are_those_of_the_formula(sides, per_side):
    rng = random.Random(5)
    strengths = {name: rng.gauss(0, 0.3) for name in names(13)}
    sample = build_sample(
        season(strengths, 3, 4, rng, sides=sides, per_side=per_side)
        + [
            one._replace(board_set="z", fixtures=tuple("z" + f for f in one.fixtures))
            for one in season(strengths, 1, 3, rng)
        ]
    )
    weights = tuple(
        np.array([rng.randrange(1, FULL_WEIGHT + 1) for _ in group.fixtures], np.int64)
        for group in sample.groups
    )
    for given_weights in (None, weights):
        matrix, right, misfit = dense(sample, given_weights)
        whole, parts = NormalEquations(sample).matrix(given_weights)
        assert whole / parts == pytest.approx(matrix, abs=1e-12)
        assert NormalEquations(sample).as_floats(given_weights)[1] == pytest.approx(right, abs=1e-12)
        assert misfit_matrix(sample, given_weights) == pytest.approx(misfit, abs=1e-12)
        assert (whole.sum(axis=0) == 0).all()


def test_strengths_are_those_of_least_squares():
    rng = random.Random(2)
    strengths = {name: rng.gauss(0, 0.3) for name in names(12)}
    for sides, per_side in ((2, 1), (3, 1), (2, 2)):
        sample = build_sample(season(strengths, 9, 4, rng, sides=sides, per_side=per_side))
        rows, values = [], []
        for group in sample.groups:
            for f in range(len(group.fixtures)):
                for side in range(sides):
                    row = np.zeros(12)
                    for s in range(sides):
                        for member in group.members[f, s]:
                            row[member] += (1 if s == side else -1 / (sides - 1)) / per_side
                    for board in range(group.boards):
                        rows.append(row)
                        values.append(group.means[f, side] + group.residuals[f, board, side])
        expected = np.linalg.lstsq(np.array(rows), np.array(values))[0]
        found = ridge_solution(*NormalEquations(sample).as_floats(), 1e-9)
        assert found - found.mean() == pytest.approx(expected - expected.mean(), abs=1e-8)


def test_conjugate_gradients_find_the_same():
    rng = random.Random(3)
    matrix, right = real(season({name: rng.gauss(0, 1) for name in names(60)}, 8, 4, rng))
    assert conjugate_gradients(matrix, right) == pytest.approx(ridge_solution(matrix, right), abs=1e-11)


def chain(count):
    """Everybody met the next one alone: as badly joined as a field can be."""
    return [duel(f"f{at:03}", *names(count + 1)[at : at + 2], [(-1) ** at, 1]) for at in range(count)]


def test_from_a_solution_nearby_the_same_is_found_well_joined_or_not():
    rng = random.Random(3)
    for sets in (
        season({name: rng.gauss(0, 1) for name in names(60)}, 8, 4, rng),
        set_scores("s", chain(59)),
    ):
        matrix, right = real(sets)
        found = ridge_solution(matrix, right)
        near = found + np.array([rng.gauss(0, 0.01) for _ in found])
        assert ridge_solution(matrix, right, near=near) == pytest.approx(found, abs=1e-11)
        assert ridge_solution(matrix, right, near=found) == pytest.approx(found, abs=1e-11)


def test_conjugate_gradients_give_up_after_their_steps():
    matrix, right = real(set_scores("s", chain(59)))
    refusal(RatingError, conjugate_gradients, matrix, right, steps=3)


def test_the_inverse_by_halves_is_the_inverse():
    matrix, _ = real(set_scores("s", chain(2 * MAX_BLOCK + 1)))
    found = ridge_inverse(matrix)
    assert found @ (matrix + np.eye(len(matrix))) == pytest.approx(np.eye(len(matrix)), abs=1e-12)
    assert (found == found.T).all()


def movement(n):
    """All pairs of pairs of an exact movement of n = 4: everybody with everybody once, against both twice."""
    assert n == 4
    return [
        (("e000", "e001"), ("e002", "e003")),
        (("e000", "e002"), ("e001", "e003")),
        (("e000", "e003"), ("e001", "e002")),
    ]


def test_an_exact_movement_is_perfectly_conditioned_and_a_part_of_it_is_not():
    fixtures = [PlayedFixture(f"f{at}", met, [(1, -1), (0, 0)]) for at, met in enumerate(movement(4))]
    matrix, _ = real(set_scores("s", fixtures))
    n = 4
    # (n I - J) / 4 of each board and meeting, here twice over two boards each.
    assert scaled_condition(matrix) == pytest.approx(1, abs=1e-9)
    assert np.diff(np.linalg.eigvalsh(matrix)[1:]) == pytest.approx(np.zeros(n - 2), abs=1e-9)
    assert scaled_condition(real(set_scores("s", fixtures[:2]))[0]) == float("inf")


@pytest.mark.parametrize(
    ("fixtures", "message"),
    [
        ([duel("f", "a", "b", [1, 2]), duel("f", "a", "c", [1, 2])], "fixture f"),
        ([duel("f", "a", "b", [1, 2]), duel("g", "a", "b", [1])], "fixture g"),
        ([PlayedFixture("f", (("a",),), [(0,), (0,)])], "two sides or more"),
        ([PlayedFixture("f", (("a",), ()), [(0, 0), (0, 0)])], "each with a member"),
        ([PlayedFixture("f", (("a",), ("b",)), [(1, -1), (1, 0)])], "board 1"),
        ([PlayedFixture("f", (("a",), ("b",)), [(1, -1), (0,)])], "1 scores for 2 sides"),
    ],
)
def test_scores_that_make_no_sense_are_refused(fixtures, message):
    with pytest.raises(RatingError, match=message):
        set_scores("s", fixtures)


def test_a_fixture_of_two_sets_is_refused():
    with pytest.raises(RatingError, match="given twice"):
        build_sample(
            set_scores("s", [duel("f", "a", "b", [1, 2])]) + set_scores("t", [duel("f", "a", "b", [1, 2])])
        )


def test_scores_too_fine_for_exact_sums_are_refused():
    with pytest.raises(RatingError, match="too fine"):
        build_sample(set_scores("s", [duel("f", "a", "b", [Fraction(2**50 + 1, 2**50), Fraction(1)])]))


def test_fixtures_are_left_out_with_the_entries_that_have_no_other():
    fixtures = [duel("f", "a", "b", [1, 2]), duel("g", "c", "d", [0, 1])]
    left = without_fixtures(set_scores("s", fixtures), ["f"])
    assert exact(build_sample(left)) == exact(build_sample(set_scores("s", fixtures[1:])))
    assert without_fixtures(set_scores("s", fixtures), ["f", "g"]) == []
