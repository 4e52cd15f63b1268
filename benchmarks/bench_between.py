"""Information that bots carry between tables: every channel, in every arrangement and mode of this machine.

    python benchmarks/bench_between.py [--guesses 1000] [--channels NAME,..] [--arrangements WHICH,..]
        [--modes MODE] [--write] [--json]

Prints the correct guesses with all isolation and, in the first mode, without the isolation of that
channel. The bar: between tables one after another, no channel carries anything; at the same time and
between partners, only declared channels do; every channel carries something without its isolation where
that is declared. ``--write`` saves the figures for docs/threats.md.
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
    parser = arguments(__doc__)
    parser.add_argument("--channels", default="", help="only these, separated by commas")
    parser.add_argument("--arrangements", default="", help=f"only these of: {', '.join(Arrangement)}")
    parser.add_argument("--guesses", type=int, default=1000, help="guesses a cell (%(default)s)")
    parser.add_argument(
        "--modes", action="append", choices=[mode.name for mode in MODES], help="only these modes"
    )
    parser.add_argument("--controls", choices=("none", "also", "only"), default="also")
    parser.add_argument("--write", action="store_true", help="keep the figures for docs/threats.md")
    options = parser.parse_args()
    names = [name for name in options.channels.split(",") if name]
    for arrangement in options.arrangements.split(","):
        names += ["--arrangement", Arrangement(arrangement)] if arrangement else []
    given = [mode for mode in MODES if not refusal(mode) and mode.name in (options.modes or [mode.name])]
    cells: list[dict[str, Any]] = []
    for number, mode in enumerate(given):
        cells += _played(mode, names, options.guesses, controls=options.controls if number == 0 else "none")
    for mode in MODES:
        if mode not in given:
            print(f"{mode.name}: not played: {refusal(mode) or 'not options for'}", file=sys.stderr)
    if options.write:
        _write(cells)
    failures = problems(cells)
    for problem in failures:
        print(problem, file=sys.stderr)
    rows = [_row(cell) for cell in cells]
    is_kept = bool(cells) and not failures
    rows.append(Row("all", {"problems": len(failures)}, "nothing but what is declared", is_kept))
    return report("bits between tables", rows, as_json=options.json)


def _played(mode: Mode, names: list[str], guesses: int, *, controls: str) -> list[dict[str, Any]]:
    began = time.perf_counter()
    command = [*names, "--guesses", str(guesses), "--controls", controls]
    outcome = play_mode(mode, *command, module="tests.referee.between", wall_s=MODE_WALL_S)
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
    """Replace the saved measurements of the same cells."""

    def place(cell: dict[str, Any]) -> tuple[int, int, int, bool]:
        return (
            list(BY_NAME).index(cell["channel"]),
            list(Arrangement).index(cell["arrangement"]),
            [mode.name for mode in MODES].index(cell["mode"]),
            cell["walls"],
        )

    old = json.loads(FILE.read_text())["cells"] if FILE.exists() else []
    latest = {place(cell): cell for cell in [*old, *cells] if cell["channel"] in BY_NAME}
    lines = [
        json.dumps({name: value for name, value in cell.items() if name != "sample"})
        for _, cell in sorted(latest.items())
    ]
    text = ",\n".join(lines)
    FILE.write_text(f'{{"shared_by": {CELLS}, "cells": [\n{text}\n]}}\n')


if __name__ == "__main__":
    sys.exit(main())
