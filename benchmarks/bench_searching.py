"""How far the house bots that search are ahead of the rules, over boards enough to tell.

    python benchmarks/bench_searching.py [--seed rensho] [--only kakkuri] [--part 1]

Each pairing is played as in bench_strength.py: in this process, on duplicate deal boards, once from every
side of the table. In Kakkuri a lead is a thirtieth of a stone, and a board's score spreads over a third to
half a stone, so its tables take thousands of boards. ``--part 10`` plays a tenth of them, to try. Same
arguments, same numbers.

Status 0 if in each pairing the bot that searches is ahead with its interval clear of zero, and in Kakeya by
as much as its line says. Takes about a quarter of an hour of two cores.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.bench_strength import BOARDS_A_TASK, CONTESTS, PROCESSES, Contest, board_score, strength
from engine.kernel import is_compiled


class Bar(NamedTuple):
    """What a bot that searches has to show against ``rules``."""

    contest: Contest
    kind: str
    boards: int
    least: float = 0.0
    """Stones a board."""


BARS = (
    Bar(CONTESTS["kakeya4"], "pimc", 400, 0.3),
    Bar(CONTESTS["kakeya4"], "ismcts", 400, 0.3),
    *(
        Bar(Contest(f"kakkuri {seats}", "kakkuri.league", (("seats", seats),)), "search", boards)
        for seats, boards in ((2, 3000), (3, 1500), (4, 1500))
    ),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Play all, print a line for each, and tell whether all are ahead."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", default="rensho", help="any text; the seeds of the boards derive from it")
    parser.add_argument("--only", default="", help="what the names of the tables played begin with")
    parser.add_argument("--part", type=int, default=1, help="play one board of so many (1)")
    arguments = parser.parse_args(argv)
    bars = [bar for bar in BARS if bar.contest.name.startswith(arguments.only)]
    if not bars:
        names = ", ".join(dict.fromkeys(bar.contest.name for bar in BARS))
        parser.error(f"no table begins with {arguments.only!r}: {names}")
    if arguments.part < 1:
        parser.error(f"--part is 1 or more, not {arguments.part}")
    if not is_compiled:
        print("the kernel is not compiled here: run make setup with a C compiler", file=sys.stderr)
        return 2
    is_kept = True
    with ProcessPoolExecutor(PROCESSES) as pool:
        for contest, kind, boards, least in bars:
            score = partial(board_score, contest, kind, "rules", arguments.seed)
            numbers = range(1, max(boards // arguments.part, 2) + 1)
            found = strength(contest, kind, "rules", pool.map(score, numbers, chunksize=BOARDS_A_TASK))
            reaches = found.interval.mean >= least
            bar = f"  {least:+.1f} {'reached' if reaches else 'MISSED'}" if least else ""
            print(f"{found}{bar}", flush=True)
            is_kept = is_kept and found.is_clear and reaches
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
