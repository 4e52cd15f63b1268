"""Ratings: estimates, intervals, ranks, differences, who is not comparable yet, and that order is nothing."""

import itertools
import math
import random
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from league.errors import RatingError
from league.intervals import t_quantile
from league.rating.equations import FULL_WEIGHT, NormalEquations, misfit_matrix
from league.rating.fixtures import PlayedFixture, build_sample, set_scores
from league.rating.guards import largest_component
from league.rating.ranks import rank_ranges
from league.rating.solve import ridge_solution
from league.rating.table import rate
from league.rating.weights import fixture_weights, misfits
from tests.league.rating.fields import board_scores, duel, names, season, sets_of, twins
from tests.refusals import refusal


def strengths_of(count, rng, spread=0.3):
    return {name: rng.gauss(0, spread) for name in names(count)}


def bytes_of(found):
    arrays = (found.estimates, found.covariance, found.degrees, found.ranks().lowest, found.ranks().highest)
    return (
        b"".join(array.tobytes() for array in arrays)
        + repr((found.rows, found.unrated, found.weights)).encode()
    )


@pytest.mark.parametrize("is_ladder", [False, True])
@pytest.mark.parametrize(("sides", "per_side"), [(2, 1), (3, 1), (4, 1), (2, 2)])
def test_any_order_of_sets_and_fixtures_gives_the_same_bytes(sides, per_side, is_ladder):
    rng = random.Random(1)
    rounds = []
    for number in range(12):
        order = rng.sample(names(12), 12)
        at = sides * per_side
        met = [
            tuple(tuple(order[t + s * per_side : t + (s + 1) * per_side]) for s in range(sides))
            for t in range(0, 12, at)
        ]
        rounds.append(
            [
                PlayedFixture(
                    f"f{number:02}{t}", some, board_scores([0.0] * sides, 0.7, 4, rng), rng.random() < 0.1
                )
                for t, some in enumerate(met)
            ]
        )
    (group,) = build_sample(sets_of(rounds[::-1])).groups
    assert list(group.fixtures) == sorted(group.fixtures)
    expected = bytes_of(rate(sets_of(rounds), is_ladder=is_ladder))
    for _ in range(3):
        mixed = [
            one
            for number, fixtures in rng.sample(list(enumerate(rounds)), len(rounds))
            for one in set_scores(f"s{number:03}", rng.sample(fixtures, len(fixtures)))
        ]
        assert bytes_of(rate(rng.sample(mixed, len(mixed)), is_ladder=is_ladder)) == expected


def test_two_entries_worked_by_hand():
    # N + 1 has the inverse (25 24; 24 25) / 49 and r is (12, -12), so that theta is 12/49 each way.
    rounds = [[duel(f"f{r}", "a", "b", [1, 0, 2, 1, 0, 0, 0, 0])] for r in range(3)]
    found = rate(sets_of(rounds))
    assert found.estimates == pytest.approx([12 / 49, -12 / 49])
    # Each board adds its distance from 1/2, times 7/8 less: 24 boards, of each set 8/7 x 4 stones squared.
    variance = 3 * 8 / 7 * 4 / 49**2
    assert found.misfit == 0
    assert found.covariance == pytest.approx(variance * np.array([[1, -1], [-1, 1]]))
    assert found.degrees.tolist() == [21, 21]
    best = found.rows[0]
    half = t_quantile(0.975, 21) * math.sqrt(variance)
    assert (best.entry, best.low, best.high) == (
        "a",
        pytest.approx(12 / 49 - half),
        pytest.approx(12 / 49 + half),
    )
    assert (best.fixtures, best.boards, best.rank) == (3, 24, 1)
    apart = found.difference("a", "b")
    assert apart.mean == pytest.approx(24 / 49)
    assert apart.standard_error == pytest.approx(2 * math.sqrt(variance))
    assert found.difference("b", "a").low == pytest.approx(-apart.high)


def by_the_formulas(sample, theta, rated, weights):
    """V and tau^2 as they are written, fixture by fixture and board by board."""
    n, lam = len(sample.entries), 1.0
    whole, parts = NormalEquations(sample).matrix(weights)
    z = np.eye(n) - np.outer(np.ones(n), rated / rated.sum())
    lead = z @ np.linalg.inv(whole / parts + lam * np.eye(n))
    u = np.zeros((sample.boards, n))
    scale = np.concatenate([[k / (k - 1)] * k for k in sample.set_boards])
    squares = noise = count = 0.0
    for number, group in enumerate(sample.groups):
        k, m = group.boards, group.sides
        for f in range(len(group.fixtures)):
            h = 1.0 if weights is None else weights[number][f] / FULL_WEIGHT
            c = np.zeros((m, n))
            for s in range(m):
                for member in group.members[f, s]:
                    c[s, member] += 1 / group.per_side
            for board in range(k):
                u[group.first_board[f] + board] += h * c.T @ group.residuals[f, board]
            rho = group.means[f] - m / (m - 1) * (np.eye(m) - 1 / m) @ c @ theta
            squares += rho @ rho
            noise += (group.residuals[f] ** 2).sum() / (k * (k - 1))
            count += 1
    factor = count / (count - (n - 1) / (m - 1))
    tau2 = m / (m - 1) * max(0.0, squares * factor - noise) / (count * m)
    v1 = sum(k * np.outer(lead @ row, lead @ row) for k, row in zip(scale, u, strict=True))
    return v1 + tau2 * lead @ misfit_matrix(sample, weights) @ lead.T, tau2


@pytest.mark.parametrize("is_ladder", [False, True])
@pytest.mark.parametrize(("sides", "per_side"), [(2, 1), (3, 1), (2, 2)])
def test_intervals_are_those_of_the_formulas(sides, per_side, is_ladder):
    rng = random.Random(8)
    sets = season(strengths_of(12, rng), 14, 4, rng, sides=sides, per_side=per_side, misfit=0.5)
    sample = build_sample(sets)
    weights = fixture_weights(sample) if is_ladder else None
    theta = ridge_solution(*NormalEquations(sample).as_floats(weights))
    found = rate(sets, is_ladder=is_ladder, is_guarded=False)
    covariance, tau2 = by_the_formulas(sample, theta, np.ones(12), weights)
    assert tau2 > 0
    assert found.misfit == pytest.approx(tau2)
    assert found.covariance == pytest.approx(covariance, abs=1e-12)
    assert found.estimates == pytest.approx(theta - theta.mean())


def test_differences_from_a_reference_are_those_of_the_formulas():
    sets = twins("a", "b", ["c", "d", "e", "f"], random.Random(5))
    sample = build_sample(sets)
    theta = ridge_solution(*NormalEquations(sample).as_floats(None))
    covariance, _tau2 = by_the_formulas(sample, theta, np.ones(6), None)
    found = rate(sets)
    differences = found.differences_from("a")
    assert list(differences) == list("abcdef")
    for number, (name, row) in enumerate(differences.items()):
        contrast = np.eye(6)[number] - np.eye(6)[0]
        error = math.sqrt(max(0.0, contrast @ covariance @ contrast))
        half = t_quantile(0.975, row.degrees) * error
        mean = float(theta[number] - theta[0])
        assert row[:4] == pytest.approx((mean, mean - half, mean + half, error), abs=1e-9)
        assert row == pytest.approx(found.difference(name, "a"), abs=1e-12)
    assert differences["a"][:4] == (0.0, 0.0, 0.0, 0.0)
    assert differences["b"].standard_error < 0.6 * found.errors[1]
    with pytest.raises(RatingError):
        found.differences_from("z")


def test_renaming_entries_renames_ratings_and_nothing_else():
    rng = random.Random(4)
    rounds = [
        [
            duel(f"f{r}{t}", f"e{t}", f"e{(t + r) % 4 + 4}", [rng.randint(-2, 2) for _ in range(8)])
            for t in range(4)
        ]
        for r in range(4)
    ]
    renamed = [
        [f._replace(sides=tuple(tuple("z" + str(9 - int(n[1:])) for n in s) for s in f.sides)) for f in some]
        for some in rounds
    ]
    before, after = rate(sets_of(rounds)), rate(sets_of(renamed))
    assert [row.entry for row in after.rows] == ["z" + str(9 - int(row.entry[1:])) for row in before.rows]
    assert sorted(after.estimates) == pytest.approx(sorted(before.estimates))
    assert sorted(after.errors) == pytest.approx(sorted(before.errors))


def test_swapped_sides_and_turned_signs():
    rng = random.Random(6)
    rounds = [
        [duel(f"f{r}", *rng.sample("abcd", 2), [rng.randint(-2, 2) for _ in range(8)]) for r in [str(r)]]
        for r in range(14)
    ]
    mirrored = [
        [f._replace(scores=[tuple(-v for v in row) for row in f.scores]) for f in some] for some in rounds
    ]
    swapped = [
        [f._replace(sides=f.sides[::-1], scores=[row[::-1] for row in f.scores]) for f in some]
        for some in rounds
    ]
    plain = rate(sets_of(rounds))
    assert rate(sets_of(mirrored)).estimates == pytest.approx(-plain.estimates)
    assert bytes_of(rate(sets_of(swapped))) == bytes_of(plain)


def test_scores_in_parts_of_a_stone_are_scores():
    thirds = [[duel(f"f{r}", "a", "b", [Fraction(k, 3) for k in range(-2, 6)])] for r in range(3)]
    whole = [
        [f._replace(scores=[tuple(3 * v for v in row) for row in f.scores]) for f in some] for some in thirds
    ]
    assert rate(sets_of(whole)).estimates == pytest.approx(3 * rate(sets_of(thirds)).estimates)
    assert rate(sets_of(whole)).covariance == pytest.approx(9 * rate(sets_of(thirds)).covariance)


# Who is not comparable yet


def reasons(found):
    return {row.entry: [reason.code for reason in row.reasons] for row in found.unrated}


def full_field(extra=()):
    """Four who met everybody over 8 boards, twice, and what else."""
    rounds = [
        [duel(f"f{r}", a, b, [1, -1, 0, 0, 2, -2, 0, 1])]
        for r, (a, b) in enumerate([*itertools.combinations("abcd", 2)] * 2)
    ]
    return sets_of([*rounds, *extra])


def test_who_played_enough_is_rated():
    found = rate(full_field(), entries="abcde")
    assert found.entries == tuple("abcd")
    assert reasons(found) == {"e": ["not_connected", "fixtures", "boards"]}
    assert rate(full_field(), is_guarded=False).entries == tuple("abcd")


@pytest.mark.parametrize(
    ("fixtures", "boards", "expected"),
    [
        (3, 8, None),
        (2, 8, ["fixtures"]),
        (3, 5, ["boards"]),
        (2, 2, ["fixtures", "boards", "degrees"]),
        (8, 2, None),
    ],
)
def test_a_newcomer_needs_fixtures_and_boards(fixtures, boards, expected):
    extra = [
        [duel(f"n{at}", "e", "abcdabcd"[at], [(-1) ** k for k in range(boards)])] for at in range(fixtures)
    ]
    found = rate(full_field(extra))
    assert reasons(found) == ({} if expected is None else {"e": expected})
    # Who is not shown stays in the fit, and out of the mean of those shown.
    assert sum(found.estimates) == pytest.approx(0, abs=1e-12)
    assert found.covariance.sum(axis=0) == pytest.approx([0] * len(found.entries), abs=1e-12)
    assert found.fixtures[0] == 6 + sum("abcdabcd"[at] == "a" for at in range(fixtures))


def test_degrees_of_freedom_are_asked_for():
    pairs = [[duel(f"n{at}", "e", "abcd"[at % 4], [1, 0])] for at in range(5)]
    assert reasons(rate(full_field(pairs)))["e"] == ["boards", "degrees"]


def test_the_sentence_says_what_is_missing():
    extra = [[duel("n", "e", "a", [0, 1])]]
    sentences = [reason.sentence for reason in rate(full_field(extra)).unrated[0].reasons]
    assert sentences == [
        "too few fixtures: 1 of 3",
        "too few boards: 2 of 16",
        "too few boards in sets of several: 1 degrees of freedom of 6",
    ]


def test_a_field_with_hardly_more_fixtures_than_strengths_is_not_rated():
    ring = [[duel(f"f{at}", f"e{at}", f"e{(at + 1) % 6}", [1, 0, -1, 0, 2, 0, 0, 0] * 2)] for at in range(6)]
    three = [*ring, [duel("x", "e0", "e3", [0, 1] * 8)]]
    assert "few_fixtures_of_all" in reasons(rate(sets_of(ring)))["e0"]
    assert rate(sets_of(ring)).unrated[0].reasons[-1][1:] == (6, 6.25)
    assert all("few_fixtures_of_all" not in codes for codes in reasons(rate(sets_of(three))).values())


def test_a_fixture_of_three_sides_compares_twice():
    met = [PlayedFixture(f"f{at}", (("a",), ("b",), ("c",)), [(1, 0, -1), (0, 0, 0)] * 4) for at in range(3)]
    assert rate(sets_of([[one] for one in met])).entries == ("a", "b", "c")


def test_only_the_largest_component_is_rated_of_equals_the_one_with_the_lowest_id():
    def island(members, start):
        return [
            [duel(f"{start}{at}", a, b, [1, 0, 0, -1, 0, 1, 0, 0])]
            for at, (a, b) in enumerate([*itertools.combinations(members, 2)] * 3)
        ]

    of_three, others = island("bcd", "x"), island("aef", "y")
    found = rate(sets_of([*of_three, *others]))
    assert found.entries == tuple("aef")
    assert reasons(found) == {name: ["not_connected"] for name in "bcd"}
    larger = rate(sets_of([*of_three, *others, *island("bcdg", "z")]))
    assert larger.entries == tuple("bcdg")
    # The others change nothing.
    alone = rate(sets_of([*of_three, *[[]] * 9, *island("bcdg", "z")]))
    assert larger.estimates.tobytes() == alone.estimates.tobytes()
    assert larger.covariance == pytest.approx(alone.covariance)


def test_nobody_can_be_compared():
    assert rate([]).rows == ()
    assert reasons(rate([], entries="a")) == {"a": ["not_connected", "fixtures", "boards"]}
    assert rate(sets_of([[duel("f", "a", "b", [1, 0])]])).rows == ()


def test_half_a_movement_is_not_estimable():
    full = [(("a", "b"), ("c", "d")), (("a", "c"), ("b", "d")), (("a", "d"), ("b", "c"))]
    scores = [(1, -1), (0, 0), (-1, 1), (2, -2), (0, 0), (0, 0), (1, -1), (0, 0)]
    rounds = [[PlayedFixture(f"f{at}", met, scores)] for at, met in enumerate(full * 2)]
    assert rate(sets_of(rounds)).entries == tuple("abcd")
    half = [[PlayedFixture(f"f{at}", met, scores)] for at, met in enumerate(full[:2] * 3)]
    assert all(codes == ["not_estimable"] for codes in reasons(rate(sets_of(half))).values())
    assert len(reasons(rate(sets_of(half)))) == 4


def test_a_difference_with_somebody_unrated_is_refused():
    assert "e " in str(refusal(RatingError, rate(full_field(), entries="abcde").difference, "a", "e"))


# Ranks


def test_ranges_of_ranks_worked_by_hand():
    estimates, covariance = np.array([0.5, 0.4, -0.05, 0.4]), np.eye(4) * 0.02
    found = rank_ranges(estimates, covariance, np.array([100, 100, 100, 100]))
    # The error of a difference is .2, so .397 stones tell two apart.
    assert found.rank.tolist() == [1, 2, 4, 2]
    assert found.lowest.tolist() == [1, 1, 4, 1]
    assert found.highest.tolist() == [3, 3, 4, 3]
    # With 7 degrees of freedom .473 are needed, and the smaller degrees of two count.
    found = rank_ranges(estimates, covariance, np.array([100, 7, 100, 100]))
    assert found.lowest.tolist() == [1, 1, 3, 1]
    assert found.highest.tolist() == [3, 4, 4, 3]


def test_ranges_of_ranks_say_what_differences_do():
    rng = random.Random(2)
    found = rate(season(strengths_of(12, rng), 9, 4, rng, misfit=0.2))
    ranks = found.ranks()
    for at, name in enumerate(found.entries):
        apart = [found.difference(other, name) for other in found.entries if other != name]
        assert ranks.lowest[at] == 1 + sum(one.low > 0 for one in apart)
        assert ranks.highest[at] == 12 - sum(one.high < 0 for one in apart)


def test_copies_that_always_play_alike_are_level():
    rounds = [
        [duel(f"f{r}", a, b, [0] * 8)] for r, (a, b) in enumerate([*itertools.combinations("abc", 2)] * 2)
    ]
    for row in rate(sets_of(rounds)).rows:
        assert (row.estimate, row.low, row.high, row.rank_low, row.rank_high) == (0, 0, 0, 1, 3)


# Weights of ladders


def test_a_fixture_thrown_counts_for_less_and_a_forfeited_one_fully():
    rng = random.Random(12)
    strengths = strengths_of(12, rng, 0.1)
    sets = season(strengths, 12, 8, rng)
    thrown = [3, 4] * 4
    friends = set_scores("z", [duel("z0", "e000", "e001", thrown)])
    plain, found = rate([*sets, *friends]), rate([*sets, *friends], is_ladder=True)
    assert found.weights["z0"] < 0.3
    assert found.weights["z0"] * FULL_WEIGHT == round(found.weights["z0"] * FULL_WEIGHT)
    without = rate(sets, is_ladder=True).estimates[0]
    assert 0 < found.estimates[0] - without < 0.5 * (plain.estimates[0] - without)
    forfeited = set_scores("z", [duel("z0", "e000", "e001", thrown, ruled=True)])
    assert "z0" not in rate([*sets, *forfeited], is_ladder=True).weights


def test_weights_are_those_of_the_formula():
    rng = random.Random(13)
    sample = build_sample(season(strengths_of(10, rng), 12, 4, rng, misfit=1.5))
    weights = fixture_weights(sample)
    (group,), (found,) = sample.groups, weights
    assert (found < FULL_WEIGHT).sum() >= 2
    # Refitting 12 times has come near the fixed point.
    size = np.sqrt(
        (misfits(group, ridge_solution(*NormalEquations(sample).as_floats(weights))) ** 2).mean(axis=1)
    )
    spread = math.sqrt((group.residuals**2).sum() / (len(size) * 2 * 3)) / 2
    usual = max(np.median(size), spread)
    expected = np.minimum(1, 2 * usual / size)
    assert found / FULL_WEIGHT == pytest.approx(expected, abs=2e-3)


def test_events_weigh_all_fixtures_alike():
    rng = random.Random(13)
    assert rate(season(strengths_of(10, rng), 12, 4, rng, misfit=1.5)).weights == {}


# Coverage, in small


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("sides", "per_side", "rounds", "misfit", "clears"),
    [(2, 1, 9, 0.0, 93.0), (2, 1, 9, 0.3, 93.0), (3, 1, 6, 0.0, 93.0), (2, 2, 14, 0.15, 92.0)],
)
def test_intervals_and_ranks_cover(sides, per_side, rounds, misfit, clears):
    rng = random.Random(30)
    covered = ranks = total = 0
    for _ in range(60):
        strengths = strengths_of(12, rng, 0.2)
        found = rate(
            season(strengths, rounds, 8, rng, sides=sides, per_side=per_side, misfit=misfit), is_guarded=False
        )
        truth = [strengths[name] - sum(strengths.values()) / 12 for name in found.entries]
        order = sorted(truth, reverse=True)
        for row in found.rows:
            value = truth[found.entries.index(row.entry)]
            covered += row.low <= value <= row.high
            ranks += row.rank_low <= 1 + order.index(value) <= row.rank_high
            total += 1
    assert clears <= 100 * covered / total <= 99.7
    assert 100 * ranks / total >= clears + 2


@pytest.mark.parametrize(("misfit", "low", "high"), [(0.0, 0.0, 0.003), (0.3, 0.065, 0.115)])
def test_misfit_is_found_where_it_is_and_nowhere_else(misfit, low, high):
    rng = random.Random(31)
    found = [
        rate(season(strengths_of(12, rng), 9, 64, rng, misfit=misfit), is_guarded=False).misfit
        for _ in range(10)
    ]
    assert low <= sum(found) / 10 <= high


def test_the_largest_component_is_sorted():
    sample = build_sample(
        sets_of([[duel("f", "c", "a", [0, 0]), duel("g", "b", "d", [0, 0]), duel("h", "d", "a", [0, 0])]])
    )
    assert largest_component(sample) == ["a", "b", "c", "d"]


def test_who_does_not_rate_does_not_load_numpy():
    code = "import sys, league, league.rating, league.standings; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": "platform"})
