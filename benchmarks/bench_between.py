"""Bits carried between tables: every channel, in every arrangement and mode this machine gives.

    python benchmarks/bench_between.py [--guesses 1000] [--channels NAME,..] [--arrangements WHICH,..]
        [--modes MODE] [--write] [--json]

Prints what was guessed right with the walls up and, in the first mode, with the channel's wall taken away.
The bar: nothing carried one after the other; at once and between partners nothing but what is declared; every
channel carries without its wall where that is declared. ``--write`` keeps the figures for docs/threats.md.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from benchmarks.harness import Row, arguments, report
from tests.referee.between.channel import Arrangement
from tests.referee.between.corpus import BY_NAME, CELLS, problems
from tests.referee.between.figures import FILE
from tests.referee.hostile.modes import MODES, Mode, play_mode, refusal

MODE_WALL_S = 7200


def main() -> int:
    """Play, print, and tell whether the bar is kept."""
    parser = arguments(__doc__)
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
    for number, mode in enumerate(given):
        cells += _played(mode, names, asked.guesses, controls=asked.controls if number == 0 else "none")
    for mode in MODES:
        if mode not in given:
            print(f"{mode.name}: not played: {refusal(mode) or 'not asked for'}", file=sys.stderr)
    if asked.write:
        _write(cells)
    found = problems(cells)
    for problem in found:
        print(problem, file=sys.stderr)
    rows = [_row(cell) for cell in cells]
    is_kept = bool(cells) and not found
    rows.append(Row("all", {"problems": len(found)}, "nothing but what is declared", is_kept))
    return report("bits between tables", rows, as_json=asked.json)


def _played(mode: Mode, names: list[str], guesses: int, *, controls: str) -> list[dict[str, Any]]:
    began = time.perf_counter()
    words = [*names, "--guesses", str(guesses), "--controls", controls]
    outcome = play_mode(mode, *words, module="tests.referee.between", wall_s=MODE_WALL_S)
    cells = [{**cell, "mode": mode.name} for cell in outcome.cases]
    print(f"{mode.name}: {outcome.level}, {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return cells


def _row(cell: dict[str, Any]) -> Row:
    name = (
        f"{cell['channel']}, {cell['arrangement']}, {cell['mode']}, walls {'up' if cell['walls'] else 'down'}"
    )
    if "problem" in cell:
        return Row(name, {"problem": cell["problem"][-300:]})
    after = cell["arrangement"] == Arrangement.AFTER
    rate = f"{cell['per_pair']:.3g} a pair" if after else f"{cell['per_s']:.3g} bit/s"
    count = f"{cell['right']} / {cell['guesses']}"
    return Row(name, {"right / guesses": count, "rate": rate if cell["carries"] else "nothing"})


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
