"""Pairs that do not play against each other as against everybody else: who is flagged, and who is not."""

import math
import random
from itertools import combinations

import numpy as np
import pytest

from league.intervals import t_quantile
from league.rating.equations import NormalEquations
from league.rating.fixtures import PlayedFixture, build_sample, set_scores, without_fixtures
from league.rating.integrity import PairTestResult, pair_findings
from league.rating.significance import q_values, t_tails
from tests.league.rating.fields import board_scores, expectations, names, season, sets_of


def everybody_meets(rng, *, count=10, boards=32, thrown=(), stones=1.0, misfit=0.0, ruled=()):
    """One round a pair; in the pairs ``thrown`` the first is given so many stones a board."""
    strengths = {name: rng.gauss(0, 0.3) for name in names(count)}
    rounds = []
    for number, (a, b) in enumerate(combinations(names(count), 2)):
        off = rng.gauss(0, misfit) + (stones if (a, b) in thrown else 0)
        mean = expectations(((a,), (b,)), strengths)[0] + off
        means = [mean, -mean]
        sides = ((b,), (a,)) if number % 2 else ((a,), (b,))
        rows = board_scores(means, 0.7, boards, rng)
        rounds.append(
            [
                PlayedFixture(
                    f"f{number:03}",
                    sides,
                    [row[::-1] for row in rows] if number % 2 else rows,
                    (a, b) in ruled,
                )
            ]
        )
    return sets_of(rounds)


def tables_of_four(rng, *, rounds=24, boards=8, kind="transfer", stones=0.0):
    """Eight at two tables of four; e000 and e001 transfer stones or ally whenever they meet."""
    strengths = {name: rng.gauss(0, 0.2) for name in names(8)}
    found = []
    for number in range(rounds):
        order = rng.sample(names(8), 8)
        fixtures = []
        for at in (0, 4):
            sides = tuple((name,) for name in order[at : at + 4])
            means = expectations(sides, strengths)
            here = [at for at, side in enumerate(sides) if side[0] in ("e000", "e001")]
            if len(here) == 2:
                for place in range(4):
                    if place in here:
                        gives = kind == "transfer" and sides[place][0] == "e001"
                        means[place] += -stones if gives else stones
                    elif kind == "alliance":
                        means[place] -= stones
            fixtures.append(PlayedFixture(f"f{number:02}{at}", sides, board_scores(means, 0.8, boards, rng)))
        found += set_scores(f"s{number:02}", fixtures)
    return found


def by_the_formulas(sets, flagged=None):
    """Residual, error and p of every pair of a field of duels, as they are written; one may be flagged."""
    sample = build_sample(sets)
    n = len(sample.entries)
    (group,) = sample.groups
    met = {
        tuple(sorted(sample.entries[at] for at in group.members[f].flat)): f for f in range(len(group.means))
    }
    out = [group.fixtures[met[flagged]]] if flagged else []
    fit = build_sample(without_fixtures(sets, out))
    matrix, right = NormalEquations(fit).as_floats()
    inverse = np.linalg.inv(matrix + np.eye(n))
    theta = inverse @ right
    pool = (group.residuals[:, :, 0] ** 2).sum() / (len(met) * (group.boards - 1))
    lines = []
    for pair, f in sorted(met.items()):
        i, j = (sample.entries.index(name) for name in pair)
        side = int(group.members[f, 1, 0] == i)
        r = group.means[f, side] - (theta[i] - theta[j])
        g = group.boards * (inverse[i, i] + inverse[j, j] - 2 * inverse[i, j])
        lev = 1 + g if pair == flagged else 1 - g
        df = group.boards - 1
        v = ((group.residuals[f, :, 0] ** 2).sum() + 8 * pool) / (df + 8)
        lines.append((pair, r, lev, v * lev / group.boards, df + 8))

    def middle(tau2):
        return np.median(
            [r**2 / (noise + tau2 * lev**2) for pair, r, lev, noise, _ in lines if pair != flagged]
        )

    low, high = 0.0, 10.0 if middle(0.0) > 0.455 else 0.0
    for _ in range(100):
        half = (low + high) / 2
        low, high = (half, high) if middle(half) > 0.455 else (low, half)
    found = {}
    for pair, r, lev, noise, df in lines:
        error = math.sqrt(noise + high * lev**2)
        found[pair] = r, error, float(t_tails(np.array([abs(r) / error]), np.array([df]))[0])
    return found


@pytest.mark.parametrize("misfit", [0.0, 0.3])
def test_a_flag_is_that_of_the_formulas(misfit):
    pair = ("e002", "e005")
    sets = everybody_meets(random.Random(12), thrown=[pair], stones=2.2, misfit=misfit)
    found = pair_findings(sets)
    before, after = by_the_formulas(sets), by_the_formulas(sets, pair)
    assert found.pairs == len(before) == 45
    (flag,) = found.findings
    assert (flag.entry, flag.other, flag.kind) == (*pair, "duel")
    assert flag.p == pytest.approx(before[pair][2], rel=1e-6)
    keys = list(before)
    assert flag.q == pytest.approx(q_values([before[key][2] for key in keys])[keys.index(pair)], rel=1e-6)
    assert (flag.residual, flag.error) == pytest.approx(after[pair][:2], rel=1e-6)


def test_a_finding_names_who_gained_and_the_boards_to_look_at():
    sets = everybody_meets(random.Random(2), thrown=[("e003", "e004")], stones=-1.5)
    (flag,) = pair_findings(sets).findings
    assert (flag.entry, flag.other, flag.boards) == ("e004", "e003", 32)
    assert flag.residual == pytest.approx(1.5, abs=0.4)
    (fixture,) = flag.fixtures
    (one,) = [some for some in sets if fixture in some.fixtures]
    side = one.names.index("e004") == one.members[0, 1, 0]
    scores = one.scores[0, :, int(side)] / one.parts
    best = sorted(scores, reverse=True)[:8]
    assert [scores[board.board - 1] for board in flag.unusual_boards] == best
    # By how much each was off what strengths say, which is the same on every board.
    assert {round(float(board.stones - scores[board.board - 1]), 9) for board in flag.unusual_boards} == {
        round(float(flag.unusual_boards[0].stones - best[0]), 9)
    }
    assert {(board.board_set, board.fixture) for board in flag.unusual_boards} == {(one.board_set, fixture)}


def test_honest_fields_are_hardly_ever_flagged():
    rng = random.Random(3)
    found = [pair_findings(everybody_meets(rng, boards=16)) for _ in range(15)]
    found += [pair_findings(season({n: rng.gauss(0, 0.3) for n in names(8)}, 16, 16, rng)) for _ in range(15)]
    assert sum(len(one.findings) for one in found) <= 4
    # What pairs have in common beyond strengths is no foul play either.
    found = [pair_findings(everybody_meets(rng, boards=64, misfit=0.5)) for _ in range(10)]
    assert sum(len(one.findings) for one in found) <= 3


def test_several_guilty_pairs_are_found_and_nobody_who_met_them():
    guilty = [("e000", "e001"), ("e000", "e002"), ("e000", "e003")]
    found = pair_findings(everybody_meets(random.Random(4), count=14, thrown=guilty, stones=2.0))
    assert sorted((one.entry, one.other) for one in found.findings) == guilty
    assert all(one.residual == pytest.approx(2.0, abs=0.5) for one in found.findings)


def test_order_and_names_of_sides_change_nothing():
    rng = random.Random(5)
    sets = everybody_meets(rng, thrown=[("e000", "e001")], stones=1.5)
    assert pair_findings(rng.sample(sets, len(sets))) == pair_findings(sets)


def test_ruled_fixtures_are_no_evidence_of_soft_play():
    pair = ("e000", "e001")
    assert pair_findings(everybody_meets(random.Random(6), thrown=[pair], stones=2.0)).findings
    ruled = pair_findings(everybody_meets(random.Random(6), thrown=[pair], stones=2.0, ruled=[pair]))
    assert ruled == PairTestResult((), 44)


def test_pairs_of_few_boards_are_not_tested():
    assert pair_findings(everybody_meets(random.Random(7), boards=15)).pairs == 0
    assert pair_findings(everybody_meets(random.Random(7), boards=16)).pairs == 45
    assert pair_findings([]) == PairTestResult((), 0)


def test_who_met_one_opponent_alone_is_not_tested():
    rng = random.Random(8)
    alone = set_scores("z", [PlayedFixture("z", (("e000",), ("x",)), board_scores([3, -3], 0.7, 32, rng))])
    assert pair_findings([*everybody_meets(rng), *alone]).pairs == 45


def test_copies_that_always_play_alike_are_not_flagged():
    level = [
        [PlayedFixture(f"f{at}", ((a,), (b,)), [(0, 0)] * 16)]
        for at, (a, b) in enumerate(combinations("abcd", 2))
    ]
    assert pair_findings(sets_of(level)).findings == ()


@pytest.mark.parametrize("kind", ["transfer", "alliance"])
def test_tables_of_four(kind):
    rng = random.Random(9)
    found = pair_findings(tables_of_four(rng, rounds=40, kind=kind, stones=1.2))
    assert found.pairs == 56
    assert found.findings
    flag = found.findings[0]
    assert (flag.kind, {flag.entry, flag.other}) == (kind, {"e000", "e001"})
    assert flag.entry == "e000"
    # Sums and differences of two: twice what each gains or gives.
    assert flag.residual == pytest.approx(2.4, abs=0.7)
    # Their fixtures leave the tests of all others, who would be flagged for what was done to them.
    assert len(found.findings) == 1


def test_honest_tables_of_four():
    rng = random.Random(10)
    assert sum(len(pair_findings(tables_of_four(rng)).findings) for _ in range(12)) <= 2


@pytest.mark.parametrize("kind", ["transfer", "alliance"])
def test_errors_are_what_residuals_scatter_by(kind):
    """The error of an unflagged test is hidden: a flagged one's, beside what was given, over many seasons."""
    rng = random.Random(11)
    off = []
    for _ in range(25):
        for flag in pair_findings(tables_of_four(rng, kind=kind, stones=1.5)).findings:
            if flag.kind == kind and {flag.entry, flag.other} == {"e000", "e001"}:
                off.append((flag.residual - 3.0) / flag.error)
    assert len(off) >= 20
    assert 0.6 < float(np.std(off)) < 1.5


@pytest.mark.parametrize("degrees", [1, 2, 9, 30, 299])
def test_tails_are_those_of_the_quantiles(degrees):
    chances = np.array([0.9, 0.3, 0.05, 1e-4])
    values = np.array([t_quantile(1 - chance / 2, degrees) for chance in chances])
    assert t_tails(values, np.full(4, degrees)) == pytest.approx(chances, rel=1e-6)
    assert t_tails(np.array([0.0]), np.array([degrees])) == pytest.approx([1.0])


def test_far_tails_are_not_lost():
    # Two degrees of freedom: 1 - t / sqrt(2 + t^2), which is 1/t^2 far out.
    assert t_tails(np.array([1e6]), np.array([2]))[0] == pytest.approx(1e-12, rel=1e-6)
    # The normal tail, 2 Phi(-10) = 1.5240e-23, from below by 1 + 10^4/(2 nu) about.
    assert t_tails(np.array([10.0]), np.array([10**6]))[0] == pytest.approx(1.524e-23, rel=0.02)


def test_shares_of_false_findings():
    # m p / rank, made monotone from the largest down.
    assert q_values([0.04, 0.01, 0.03, 0.5]) == pytest.approx([4 * 0.04 / 3, 0.04, 4 * 0.04 / 3, 0.5])
