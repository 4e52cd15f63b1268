"""Simulated fields: seeded strengths, boards and fixtures, as plain values."""

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

from league.rating.fixtures import PlayedFixture, SetScores, set_scores

Sides = tuple[tuple[str, ...], ...]


def names(count: int) -> list[str]:
    """Public ids of so many entries, in their order."""
    return [f"e{number:03}" for number in range(count)]


def duel(
    fixture: str, first: str, second: str, scores: Sequence[int | Fraction], ruled: bool = False
) -> PlayedFixture:
    """Two sides of one member; the scores are the first side's."""
    return PlayedFixture(fixture, ((first,), (second,)), [(score, -score) for score in scores], ruled)


def board_scores(
    expected: Sequence[float], spread: float, boards: int, rng: random.Random
) -> list[list[Fraction]]:
    """Rows that sum to 0, in halves and shares of them, about these means."""
    rows = []
    for _ in range(boards):
        raw = [Fraction(round(2 * rng.gauss(mean, spread)), 2) for mean in expected]
        middle = sum(raw, Fraction()) / len(raw)
        rows.append([value - middle for value in raw])
    return rows


def expectations(sides: Sides, strengths: dict[str, float]) -> list[float]:
    """Own strength less the mean of the others', for every side."""
    own = [sum(strengths[name] for name in side) / len(side) for side in sides]
    return [value - (sum(own) - value) / (len(own) - 1) for value in own]


def season(
    strengths: dict[str, float],
    rounds: int,
    boards: int,
    rng: random.Random,
    *,
    sides: int = 2,
    per_side: int = 1,
    spread: float = 0.7,
    misfit: float = 0.0,
) -> list[SetScores]:
    """Rounds by lot: everybody plays once in each, if the numbers allow it."""
    found: list[SetScores] = []
    for number in range(rounds):
        order = rng.sample(sorted(strengths), len(strengths))
        at = sides * per_side
        fixtures = []
        for table in range(len(order) // at):
            here = order[table * at : table * at + at]
            met = tuple(tuple(here[s * per_side : (s + 1) * per_side]) for s in range(sides))
            off = [rng.gauss(0, misfit) for _ in met]
            middle = sum(off) / len(off)
            means = [m + o - middle for m, o in zip(expectations(met, strengths), off, strict=True)]
            fixtures.append(
                PlayedFixture(f"f{number:03}-{table:03}", met, board_scores(means, spread, boards, rng))
            )
        found += set_scores(f"s{number:03}", fixtures)
    return found


def twins(reference: str, twin: str, others: Sequence[str], rng: random.Random) -> list[SetScores]:
    """Twelve sets: two names score the same on every board, against one of the others in turn."""
    rounds = []
    for number in range(12):
        met = rng.sample(others, 4)
        scores = [rng.randint(-2, 2) for _ in range(8)]
        rounds.append(
            [
                duel(f"f{number:02}-0", reference, met[0], scores),
                duel(f"f{number:02}-1", twin, met[0], scores),
                duel(f"f{number:02}-2", met[1], met[2], [rng.randint(-2, 2) for _ in range(8)]),
            ]
        )
    return sets_of(rounds)


def sets_of(rounds: Iterable[Iterable[PlayedFixture]]) -> list[SetScores]:
    """One set a round."""
    return [one for number, fixtures in enumerate(rounds) for one in set_scores(f"s{number:03}", fixtures)]
