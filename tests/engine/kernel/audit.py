"""Very many endings, solved and by brute force: ``make solver-audit`` (``ARGS="--endings 50000"``).

Prints the endings on which they differ, and how many there were; status 1 if there were any.
"""

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor

from engine.kernel import is_compiled, solve_many
from tests.engine.kernel.brute import brute_value
from tests.engine.kernel.endings import ending

AT_ONCE = 1000
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


def main():
    """Entry point."""
    parser = argparse.ArgumentParser(prog="solver-audit", description="Solve endings, and by brute force.")
    parser.add_argument("--endings", type=int, default=1_000_000, help="how many (default: a million)")
    parser.add_argument("--seed", default="1", help="another seed, other endings")
    options = parser.parse_args()
    parts = [
        (options.seed, first, min(AT_ONCE, options.endings - first))
        for first in range(0, options.endings, AT_ONCE)
    ]
    kind = "compiled" if is_compiled else "not compiled: slow"
    print(f"seed {options.seed}, {options.endings} endings, the kernel is {kind}", flush=True)
    wrong = 0
    with ProcessPoolExecutor() as pool:
        for number, found in enumerate(pool.map(wrong_of, parts), 1):
            for position, answer, value in found:
                print(f"wrong: {position} is worth {value}, not {answer}", flush=True)
            wrong += len(found)
            if number % 100 == 0:
                print(f"{number * AT_ONCE} solved, {wrong} wrong", flush=True)
    print(f"{options.endings} endings, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
