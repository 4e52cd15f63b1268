"""Bits carried between tables: every channel, in every arrangement and mode this machine gives.

    python benchmarks/bench_between.py [--guesses 1000] [--channels NAME,..] [--arrangements WHICH,..]
        [--modes MODE] [--write]

Prints what was guessed right with the walls up and, in the first mode, with the channel's wall taken away.
The bar: nothing carried one after the other; at once and between partners nothing but what is declared; every
channel carries without its wall where that is declared. ``--write`` keeps the figures for docs/threats.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.referee.between.channel import Arrangement
from tests.referee.between.corpus import BY_NAME, CELLS, problems
from tests.referee.between.figures import FILE
from tests.referee.hostile.modes import MODES, Mode, play_mode, refusal

MODE_WALL_S = 7200


def main() -> int:
    """Play, print, and tell whether the bar is kept."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--channels", default="", help="only these, separated by commas")
    parser.add_argument("--arrangements", default="", help=f"only these of: {', '.join(Arrangement)}")
    parser.add_argument("--guesses", type=int, default=1000, help="guesses a cell (%(default)s)")
    parser.add_argument(
        "--modes", action="append", choices=[mode.name for mode in MODES], help="only these modes"
    )
    parser.add_argument("--controls", choices=("none", "also", "only"), default="also")
    parser.add_argument("--write", action="store_true", help="keep the figures for docs/threats.md")
    asked = parser.parse_args()
    names = [name for name in asked.channels.split(",") if name]
    for arrangement in asked.arrangements.split(","):
        names += ["--arrangement", Arrangement(arrangement)] if arrangement else []
    given = [mode for mode in MODES if not refusal(mode) and mode.name in (asked.modes or [mode.name])]
    cells: list[dict[str, Any]] = []
    print(f"{'channel':<34}{'arrangement':<21}{'mode':<18}{'walls':<7}{'right / guesses':>16}{'rate':>14}")
    for number, mode in enumerate(given):
        cells += _played(mode, names, asked.guesses, controls=asked.controls if number == 0 else "none")
    for mode in MODES:
        if mode not in given:
            print(f"{mode.name}: not played: {refusal(mode) or 'not asked for'}")
    found = problems(cells)
    for problem in found:
        print(problem)
    if asked.write:
        _write(cells)
    print(f"bar: nothing but what is declared   {'PASS' if cells and not found else 'FAIL'}")
    return 0 if cells and not found else 1


def _played(mode: Mode, names: list[str], guesses: int, *, controls: str) -> list[dict[str, Any]]:
    began = time.perf_counter()
    words = [*names, "--guesses", str(guesses), "--controls", controls]
    outcome = play_mode(mode, *words, module="tests.referee.between", wall_s=MODE_WALL_S)
    cells = [{**cell, "mode": mode.name} for cell in outcome.cases]
    for cell in cells:
        _print(cell)
    print(f"{mode.name}: {outcome.level}, {time.perf_counter() - began:.0f} s", flush=True)
    return cells


def _print(cell: dict[str, Any]) -> None:
    walls = "up" if cell["walls"] else "down"
    head = f"{cell['channel']:<34}{cell['arrangement']:<21}{cell['mode']:<18}{walls:<7}"
    if "problem" in cell:
        print(f"{head} {cell['problem'][-300:]}")
        return
    after = cell["arrangement"] == Arrangement.AFTER
    rate = f"{cell['per_pair']:.3g} a pair" if after else f"{cell['per_s']:.3g} bit/s"
    count = f"{cell['right']} / {cell['guesses']}"
    print(f"{head}{count:>16}{rate if cell['carries'] else 'nothing':>14}")


def _write(cells: list[dict[str, Any]]) -> None:
    """Replace what was measured of the same cells."""

    def place(cell: dict[str, Any]) -> tuple[int, int, int, bool]:
        return (
            list(BY_NAME).index(cell["channel"]),
            list(Arrangement).index(cell["arrangement"]),
            [mode.name for mode in MODES].index(cell["mode"]),
            cell["walls"],
        )

    old = json.loads(FILE.read_text())["cells"] if FILE.exists() else []
    kept = {place(cell): cell for cell in [*old, *cells] if cell["channel"] in BY_NAME}
    lines = [
        json.dumps({name: value for name, value in cell.items() if name != "sample"})
        for _, cell in sorted(kept.items())
    ]
    text = ",\n".join(lines)
    FILE.write_text(f'{{"shared_by": {CELLS}, "cells": [\n{text}\n]}}\n')


if __name__ == "__main__":
    sys.exit(main())
