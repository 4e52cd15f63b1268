"""Ladders: boards until the order stands, intervals beside pairings that follow results, and friends.

    python benchmarks/bench_ladder.py [--fields 12] [--repeats 1] [--seed 1] [--only WORD] [--json]

``order``: 200 bots, rounds of 8 boards, paired by ``league.rating.ladder`` and by lot alone on the same
fields, of single bots, of five versions of each, and of bots that play like one of eight (without a bar:
there nothing is gained): boards a bot until 95 % of the pairs 0.1 to 0.3 stones apart stand in the right
order, and how often the 95 % intervals hold after the last round. ``friends``: 60 bots, 30 rounds, 3 or 6
of whom lose 2 stones a board to a friend: what he gains by plain strengths and by a ladder's. ``forfeits``:
they forfeit to him instead, beside one fixture in a hundred that each side forfeits anyway: how many of
their boards it takes until forfeits by opponent name them. Same arguments, same figures.

Status 0 if every bar is met; boards of ladders within three standard errors, with fewer repeats of a field
than six. All of it: ``--fields 24 --repeats 6``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import chain
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

WHOLE_REPEATS = 6
"""Of each field, from which on its bar is held as it is."""

ORDERS = (
    Case("200 bots", 200, 0, BOARDS, is_alike=False),
    Case("200 bots, 5 versions of each", 200, 0, BOARDS, clones=5, is_alike=False),
    Case("200 bots like eight", 200, 0, BOARDS),
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


def course(case: Case, rounds: int, seed: int, repeat: int, *, is_ladder: bool) -> Course:
    """One field, round by round; strengths are the same for both pairings and whatever the repeat."""
    field = Field(case, np.random.default_rng([seed, *case.name.encode()]))
    field.rng = np.random.default_rng([seed, repeat, *case.name.encode()])
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


def boards_needed(courses: Sequence[Course], boards: Sequence[float]) -> float:
    """Boards a bot until ``ORDER`` of the pairs of all these stand in the right order."""
    shares = np.array([each.right for each in courses], np.float64).sum(axis=0)
    return crossing(boards, (shares[:, 0] / shares[:, 1]).tolist(), ORDER)


def order_lines(
    case: Case, rounds: int, ladder: list[list[Course]], lot: list[list[Course]]
) -> Iterator[Line]:
    """Both pairings of the same fields; the courses of each field by repeat."""
    boards = [float(BOARDS * number) for number in range(FIRST, rounds + 1)]
    for name, fields in (("ladder", ladder), ("by lot", lot)):
        found = list(chain.from_iterable(fields))
        shares = np.array([each.right for each in found], np.float64).sum(axis=0)
        some = list(zip(boards, (shares[:, 0] / shares[:, 1]).tolist(), strict=True))
        at = ", ".join(
            f"{100 * value:.1f} % at {count:.0f}" for count, value in some[:: max(1, len(some) // 4)]
        )
        # A field's repeats go together.
        covered = share(
            (sum(each.covered[0] for each in own), sum(each.covered[1] for each in own)) for own in fields
        )
        error = float(np.mean([each.error for each in found]))
        yield Line(
            f"{case.name}, {name}: order {at}; error {error:.3f} stones after {boards[-1]:.0f} boards each",
            None,
        )
        yield Line(
            f"{case.name}, {name}: covered {covered.percent:.1f} % (+- {covered.error:.1f}; bar {COVERED})",
            covered.percent >= COVERED,
        )
    needed = [boards_needed(list(chain.from_iterable(fields)), boards) for fields in (ladder, lot)]
    without = [
        boards_needed(list(chain.from_iterable(ladder[:at] + ladder[at + 1 :])), boards)
        - boards_needed(list(chain.from_iterable(lot[:at] + lot[at + 1 :])), boards)
        for at in range(len(ladder))
    ]
    # By leaving out a field at a time.
    error = float(np.std(without) * np.sqrt(max(1, len(without) - 1)))
    room = 0.0 if len(ladder[0]) >= WHOLE_REPEATS else 3 * error
    yield Line(
        f"{case.name}: order 95 % after {needed[0]:.1f} boards each by ladder, {needed[1]:.1f} by lot "
        f"(difference +- {error:.1f}; bar: fewer)",
        None if case.is_alike else needed[0] < needed[1] + room,
    )


class Gain(NamedTuple):
    """What the friend's strength is above the truth, in stones a board."""

    plain: float
    weighted: float


def friends(helpers: int, seed: int, *, is_ladder: bool) -> tuple[Gain, Gain]:
    """A field with friends, and the same fixtures and boards without what they gave."""
    case = Case("friends", 60, ROUNDS_OF_FRIENDS, BOARDS)
    field = Field(case, np.random.default_rng([seed, helpers, is_ladder]))
    field.beyond[0, 1 : helpers + 1] += LOST
    field.beyond[1 : helpers + 1, 0] -= LOST
    pairing = LadderPairing(field)
    thrown: list[SetScores] = []
    honest: list[SetScores] = []
    for number in range(case.rounds):
        met = pairing.next(thrown) if is_ladder else met_by_lot(field)
        thrown.append(field.round(number, met))
        is_helper = (met >= 1) & (met <= helpers)
        given = np.where((met == 0) & is_helper[:, ::-1], LOST, 0.0)
        given -= given[:, ::-1]
        parts = np.rint(given * thrown[-1].parts).astype(np.int64)
        honest.append(thrown[-1]._replace(scores=thrown[-1].scores - parts[:, None, :]))
    with_them, without = (
        Gain(*(_first(rate(sets, is_ladder=weights)) for weights in (False, True)))
        for sets in (thrown, honest)
    )
    return with_them, without


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
        if only in "order":
            repeats = range(arguments.repeats)
            for case in ORDERS:
                ladder, lot = (
                    [
                        [
                            pool.submit(course, case, arguments.rounds, field, repeat, is_ladder=is_ladder)
                            for repeat in repeats
                        ]
                        for field in seeds
                    ]
                    for is_ladder in (True, False)
                )
                yield from order_lines(
                    case,
                    arguments.rounds,
                    [[future.result() for future in own] for own in ladder],
                    [[future.result() for future in own] for own in lot],
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
    parser.add_argument("--fields", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=1, help="of each ladder of 200, on other boards")
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
