"""Ladders: boards until the order stands, intervals beside pairings that follow results, and friends.

    python benchmarks/bench_ladder.py [--fields 24] [--rounds 16] [--seed 1] [--only WORD] [--json]

``order``: 200 bots, rounds of 8 boards, paired by ``league.rating.ladder`` and by lot alone on the same
fields, of single bots and of five versions of each: boards a bot until 95 % of the pairs 0.1 to 0.3 stones
apart stand in the right order, and how often the 95 % intervals hold after the last round. ``friends``: 60
bots, 30 rounds, 3 or 6 of whom lose 2 stones a board to a friend: what he gains by plain strengths and by a
ladder's. ``forfeits``: they forfeit to him instead, beside one fixture in a hundred that each side forfeits
anyway: how many of their boards it takes until forfeits by opponent name them. Same arguments, same
figures.

Status 0 if every bar is met.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import NamedTuple

# The processes share the cores: threads of their own would only be in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from benchmarks.simulated import (
    Case,
    Field,
    LadderPairing,
    Line,
    crossing,
    met_by_lot,
    share,
)
from league.rating.fixtures import SetScores
from league.rating.opponents import Encounter, by_opponent
from league.rating.table import Ratings, rate

PROCESSES = 2
BOARDS = 8
FIRST = 5
"""Rounds before which nobody looks at the order."""
ORDER = 0.95
COVERED = 93.0
GAIN = 0.4
"""What a ladder leaves of the plain gain, at most."""
LOST = 2.0
FRIENDS = (3, 6)
ROUNDS_OF_FRIENDS = 30
FOUND_WITHIN = 64
"""Boards that friends forfeit until they are named."""
FOUND = 0.95
"""Of the fields, at least."""
FORFEITS = 0.01
"""Of all fixtures, by each side."""
FALSE_NAMES = 0.1
"""Honest entries named, a field."""

ORDERS = (
    Case("200 bots", 200, 0, BOARDS),
    Case("200 bots, 5 versions of each", 200, 0, BOARDS, clones=5),
)


class Course(NamedTuple):
    """How a field went under one pairing."""

    right: list[tuple[int, int]]
    """After each round from ``FIRST`` on: pairs in the right order, and pairs."""
    covered: tuple[int, int]
    """After the last round."""
    error: float


def right_orders(field: Field, ratings: Ratings) -> tuple[int, int]:
    """Of the pairs 0.1 to 0.3 stones apart those in the right order, and all of them."""
    truth = field.truth
    assert ratings.entries == field.names
    apart = truth[:, None] - truth[None, :]
    asked = (apart > 0.1) & (apart < 0.3)
    right = ratings.estimates[:, None] > ratings.estimates[None, :]
    return int((asked & right).sum()), int(asked.sum())


def course(case: Case, rounds: int, seed: int, *, is_ladder: bool) -> Course:
    """One field, round by round; strengths are the same for both pairings."""
    field = Field(case, np.random.default_rng([seed, *case.name.encode()]))
    pairing = LadderPairing(field)
    sets: list[SetScores] = []
    right = []
    for number in range(rounds):
        sets.append(field.round(number, pairing.next(sets) if is_ladder else met_by_lot(field)))
        if number + 1 >= FIRST:
            ratings = rate(sets, is_ladder=True, is_guarded=False)
            right.append(right_orders(field, ratings))
    truth = field.truth - field.truth.mean()
    held = sum(row.low <= truth[field.names.index(row.entry)] <= row.high for row in ratings.rows)
    error = float(np.sqrt(((ratings.estimates - truth) ** 2).mean()))
    return Course(right, (held, len(truth)), error)


def order_lines(case: Case, rounds: int, ladder: list[Course], lot: list[Course]) -> Iterator[Line]:
    """Both pairings of the same fields."""
    boards = [float(BOARDS * number) for number in range(FIRST, rounds + 1)]
    needed = []
    for name, found in (("ladder", ladder), ("by lot", lot)):
        shares = np.array([one.right for one in found], np.float64).sum(axis=0)
        curve = (shares[:, 0] / shares[:, 1]).tolist()
        needed.append(crossing(boards, curve, ORDER))
        covered = share(one.covered for one in found)
        error = float(np.mean([one.error for one in found]))
        some = list(zip(boards, curve, strict=True))[:: max(1, len(boards) // 4)]
        at = ", ".join(f"{100 * value:.1f} % at {count:.0f}" for count, value in some)
        yield Line(
            f"{case.name}, {name}: order 95 % after {needed[-1]:.1f} boards each; {at}; "
            f"error {error:.3f} stones after {boards[-1]:.0f}",
            None,
        )
        yield Line(
            f"{case.name}, {name}: covered {covered.percent:.1f} % (+- {covered.error:.1f}; bar {COVERED})",
            covered.percent >= COVERED,
        )
    yield Line(
        f"{case.name}: boards by ladder and by lot {needed[0]:.1f} and {needed[1]:.1f} (bar: fewer)",
        needed[0] < needed[1],
    )


class Gain(NamedTuple):
    """What the friend's strength is above the truth, in stones a board."""

    plain: float
    weighted: float


def friends(helpers: int, seed: int, *, is_ladder: bool) -> tuple[Gain, Gain]:
    """A field with friends, and the same field without."""
    found = []
    for lost in (LOST, 0.0):
        case = Case("friends", 60, ROUNDS_OF_FRIENDS, BOARDS)
        field = Field(case, np.random.default_rng([seed, helpers, is_ladder]))
        field.beyond[0, 1 : helpers + 1] += lost
        field.beyond[1 : helpers + 1, 0] -= lost
        pairing = LadderPairing(field)
        sets: list[SetScores] = []
        for number in range(case.rounds):
            sets.append(field.round(number, pairing.next(sets) if is_ladder else met_by_lot(field)))
        found.append(Gain(*(_first(rate(sets, is_ladder=weights)) for weights in (False, True))))
    return found[0], found[1]


def _first(ratings: Ratings) -> float:
    return float(ratings.estimates[ratings.entries.index("e0000")])


def friends_line(helpers: int, name: str, found: list[tuple[Gain, Gain]]) -> Line:
    """The mean gain over fields, and what is left of it."""
    plain = [with_them.plain - without.plain for with_them, without in found]
    weighted = [with_them.weighted - without.weighted for with_them, without in found]
    left = float(np.mean(weighted) / np.mean(plain))
    error = float(np.std(plain) / np.sqrt(len(plain)))
    return Line(
        f"{helpers} friends lose {LOST:.0f} stones a board, {name}, {len(found)} fields: gain "
        f"{np.mean(plain):.3f} (+- {error:.3f}) plain, {np.mean(weighted):.3f} by a ladder's weights: "
        f"{left:.2f} of it (bar {GAIN})",
        left <= GAIN,
    )


class Named(NamedTuple):
    """When friends who forfeit were found."""

    boards: float
    """That they had forfeited to him; infinite: not within ``FOUND_WITHIN``."""
    others: int
    """Honest entries that were named."""


def forfeits(helpers: int, seed: int) -> Named:
    """Rounds by lot of 60 until the friends are named or have forfeited ``FOUND_WITHIN`` boards."""
    rng = np.random.default_rng([seed, helpers, 7])
    field = Field(Case("forfeits", 60, 0, BOARDS), rng)
    encounters: list[Encounter] = []
    lost = number = 0
    while True:
        before = lost
        met = met_by_lot(field)
        for at, (a, b) in enumerate(met.tolist()):
            by = {side for side in (a, b) if rng.random() < FORFEITS}
            if min(a, b) == 0 and 1 <= max(a, b) <= helpers:
                by = {max(a, b)}
                lost += BOARDS
            names = {field.names[side]: list(range(1, BOARDS + 1)) for side in by}
            sides = ((field.names[a],), (field.names[b],))
            encounters.append(Encounter(f"f{number:04}-{at:02}", f"s{number:04}", sides, names))
        number += 1
        if lost == before:
            continue
        findings = by_opponent(encounters)
        guilty = [one for one in findings if one.other == field.names[0]]
        others = {(one.entry, one.other) for one in findings if one.other != field.names[0]}
        if guilty:
            return Named(lost, len(others))
        if lost >= FOUND_WITHIN:
            return Named(float("inf"), len(others))


def forfeit_lines(helpers: int, found: list[Named]) -> Iterator[Line]:
    """How soon, and who else."""
    boards = sorted(one.boards for one in found)
    within = sum(one <= FOUND_WITHIN for one in boards) / len(boards)
    others = sum(one.others for one in found) / len(found)
    yield Line(
        f"{helpers} friends forfeit, {len(found)} fields: named after {boards[len(boards) // 2]:.0f} boards "
        f"(median; last {boards[-1]:.0f}), within {FOUND_WITHIN} in {100 * within:.0f} % "
        f"(bar {100 * FOUND:.0f} %)",
        within >= FOUND,
    )
    yield Line(f"somebody else named {others:.3f} times a field (bar {FALSE_NAMES})", others <= FALSE_NAMES)


def lines(arguments: argparse.Namespace) -> Iterator[Line]:
    """Every figure asked for."""
    only, fields, seed = arguments.only, arguments.fields, arguments.seed
    seeds = range(seed, seed + fields)
    with ProcessPoolExecutor(PROCESSES) as pool:
        orders: list[tuple[Case, list[Future[Course]], list[Future[Course]]]] = []
        if only in "order":
            for case in ORDERS:
                ladder, lot = (
                    [pool.submit(course, case, arguments.rounds, one, is_ladder=is_ladder) for one in seeds]
                    for is_ladder in (True, False)
                )
                orders.append((case, ladder, lot))
        for case, ladder, lot in orders:
            yield from order_lines(
                case, arguments.rounds, [one.result() for one in ladder], [one.result() for one in lot]
            )
        if only in "friends":
            for helpers in FRIENDS:
                for name, is_ladder in (("by lot", False), ("ladder", True)):
                    gains = [pool.submit(friends, helpers, one, is_ladder=is_ladder) for one in seeds]
                    yield friends_line(helpers, name, [one.result() for one in gains])
        if only in "forfeits":
            for helpers in FRIENDS:
                named = [pool.submit(forfeits, helpers, one) for one in seeds]
                yield from forfeit_lines(helpers, [one.result() for one in named])


def main() -> int:
    """Print every line; status 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--fields", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=16, help="of the ladders of 200")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="order, friends or forfeits")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: list[Line] = []
    for line in lines(arguments):
        found.append(line)
        if not arguments.json:
            print(line, flush=True)
    if arguments.json:
        print(json.dumps([line._asdict() for line in found], indent=1))
    return 0 if all(line.is_met is not False for line in found) else 1


if __name__ == "__main__":
    sys.exit(main())
