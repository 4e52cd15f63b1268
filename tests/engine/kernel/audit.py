"""Very many endings, solved and by brute force: ``make solver-audit`` (``ARGS="--endings 50000"``).

Also played endings by brute force, and played deals by ``solve_moves``. Prints the positions on which they
differ, and how many there were; status 1 if there were any.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor

from engine.kernel import is_compiled, solve_many
from tests.engine.kernel.brute import brute_value
from tests.engine.kernel.endings import ending
from tests.engine.kernel.played import (
    played_deal,
    played_ending,
    wrong_by_brute_force,
    wrong_by_separate_calls,
)

AT_ONCE = 1000
PLAYS_AT_ONCE = 100
CARDS = 52
"""Decisions of a whole deal, one a card."""
LARGE_EVERY = 40
"""One ending in so many has five cards a hand at most, not four: they take brute force ten times as long."""


def wrong_of(part):
    """The endings of a part on which solver and brute force differ."""
    seed, first, count = part
    endings = [
        ending(f"audit {seed} {number}", 4 if number % LARGE_EVERY else 5)
        for number in range(first, first + count)
    ]
    answers = solve_many(endings)
    return [
        (position, answer, value)
        for position, answer in zip(endings, answers, strict=True)
        if answer.state != "exact" or answer.low != (value := brute_value(position))
    ]


def wrong_plays_of(part):
    """The positions of played endings on which ``solve_play`` and brute force differ."""
    seed, first, count = part
    return [
        wrong
        for number in range(first, first + count)
        for wrong in wrong_by_brute_force(
            *played_ending(f"audit {seed} {number}", 4 if number % LARGE_EVERY else 5)
        )
    ]


def wrong_decisions_of(part):
    """The positions of played deals on which ``solve_play`` and ``solve_moves`` differ."""
    seed, first, count = part
    return [
        wrong
        for number in range(first, first + count)
        for wrong in wrong_by_separate_calls(*played_deal(f"audit {seed}", number))
    ]


def parts_of(seed, count, at_once):
    return [(seed, first, min(at_once, count - first)) for first in range(0, count, at_once)]


def main():
    """Entry point."""
    parser = argparse.ArgumentParser(prog="solver-audit", description="Solve endings, and by brute force.")
    parser.add_argument("--endings", type=int, default=1_000_000, help="how many (default: a million)")
    parser.add_argument("--plays", type=int, default=10_000, help="played endings (default: 10,000)")
    parser.add_argument(
        "--decisions", type=int, default=2_000, help="cards of whole played deals (default: 2,000)"
    )
    parser.add_argument("--seed", default="1", help="another seed, other endings")
    options = parser.parse_args()
    kind = "compiled" if is_compiled else "not compiled: slow"
    deals = -(-options.decisions // CARDS)
    print(f"seed {options.seed}, the kernel is {kind}", flush=True)
    wrong = 0
    with ProcessPoolExecutor() as pool:
        for name, call, count, at_once in (
            ("played deals", wrong_decisions_of, deals, 1),
            ("played endings", wrong_plays_of, options.plays, PLAYS_AT_ONCE),
            ("endings", wrong_of, options.endings, AT_ONCE),
        ):
            parts = parts_of(options.seed, count, at_once)
            wrong_here = 0
            for number, found in enumerate(pool.map(call, parts), 1):
                for each in found:
                    print(f"wrong: {each}", flush=True)
                wrong_here += len(found)
                if number % 100 == 0:
                    print(f"{number * at_once} {name}, {wrong_here} wrong", flush=True)
            print(f"{count} {name}, {wrong_here} wrong", flush=True)
            wrong += wrong_here
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
