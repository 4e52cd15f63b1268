"""The hostile corpus in every mode this machine gives: root and ordinary user, with a cgroup and without.

    python benchmarks/bench_hostile.py [--bots silent,spins]

Prints how many cases each mode contains and names those it does not. The bar is all of them; status 0 if it
is kept in every mode that can be given here. docs/threats.md says what the bots try.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.referee.hostile.modes import MODES, Mode, play_mode, refusal

BAR = 100.0


def main() -> int:
    """Play, print, and tell whether the bar is kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bots", default="", help="only these, separated by commas")
    bots = [bot for bot in parser.parse_args().bots.split(",") if bot]
    given = [mode for mode in MODES if not refusal(mode)]
    print(f"{'mode':<20}{'level':<8}{'contained / cases':<20}{'%':>6}{'s':>8}")
    kept = [_row(mode, bots) for mode in given]
    for mode in MODES:
        if mode not in given:
            print(f"{mode.name:<20}not given here: {refusal(mode)}")
    print(f"bar {BAR:.0f} % in every mode   {'PASS' if all(kept) and given else 'FAIL'}")
    return 0 if all(kept) and given else 1


def _row(mode: Mode, bots: list[str]) -> bool:
    began = time.perf_counter()
    try:
        outcome = play_mode(mode, *bots)
    except RuntimeError as error:
        print(f"{mode.name:<20}did not end well: {error}")
        return False
    cases = outcome.cases
    contained = [case for case in cases if not case["problems"]]
    wanted = "FULL" if mode.has_cgroup else "FULL1"
    share = 100 * len(contained) / len(cases) if cases else 0.0
    took_s = time.perf_counter() - began
    print(
        f"{mode.name:<20}{outcome.level:<8}{f'{len(contained)} / {len(cases)}':<20}{share:6.1f}{took_s:8.1f}",
        flush=True,
    )
    for case in cases:
        for problem in case["problems"]:
            print(f"    {case['bot']} ({case['runtime']}): {problem}")
        if case["got_through"] is not None:
            right, bits = case["got_through"]
            print(f"    {case['bot']}: open; {right} of {bits} bits got through at the best threshold")
    if outcome.level != wanted:
        print(f"    level {wanted} expected: {'; '.join(outcome.failures)}")
    return bool(cases) and share >= BAR and outcome.level == wanted


if __name__ == "__main__":
    sys.exit(main())
