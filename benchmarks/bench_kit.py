"""A newcomer's first minute: from ``rensho new`` to the end of the first 100-board duplicate match.

    python benchmarks/bench_kit.py [--boards 100] [--presets kakeya4 kakeya6 kakkuri] [--no-sandbox]

Each preset starts as on a new machine: an empty staging area, so that the sandbox's runtime is built on
the way. The commands run as a shell would run them, on two cores. The bar is for idle ones; times
depend on what else the machine does, so the status tells only whether every match came to its end.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from referee.sandbox import stage_root

BAR_S = 60.0
CORES = 2
PRESETS = ("kakeya4", "kakeya6", "kakkuri")


class FirstMatch(NamedTuple):
    """What one preset took."""

    preset: str
    new_s: float
    play_s: float
    cpu_s: float
    """CPU of everything, which does not depend on what else the machine does."""
    boards: int
    decisions: int
    level: str

    @property
    def is_within_bar(self) -> bool:
        return self.new_s + self.play_s < BAR_S

    def __str__(self) -> str:
        total = self.new_s + self.play_s
        return (
            f"{self.preset:16} new {self.new_s:5.2f} s, {self.boards} boards {self.play_s:6.2f} s "
            f"using {self.cpu_s:.1f} s of CPU "
            f"({self.decisions} decisions, sandbox {self.level}): {total:6.2f} s of {BAR_S:.0f}  "
            f"{'PASS' if self.is_within_bar else 'FAIL'}"
        )


def timed(command: Sequence[str], folder: Path, stage: Path) -> tuple[float, str]:
    """Run a command of the kit; seconds and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "bots.kit.start", *command],
        cwd=folder,
        env={**os.environ, "RENSHO_STAGE": str(stage)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"rensho {' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return time.perf_counter() - started, done.stdout


def cpu_of_children_s() -> float:
    """CPU of all processes that were started from here and have ended, theirs included."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def first_match(preset: str, boards: int, walls: Sequence[str]) -> FirstMatch:
    """Everything a newcomer does for a first match, timed."""
    before = cpu_of_children_s()
    with tempfile.TemporaryDirectory() as place:
        # Beside the usual one: the sandbox's users cannot pass a folder below /tmp/... of ours.
        stage = Path(tempfile.mkdtemp(prefix="bench-", dir=stage_root()))
        stage.chmod(0o755)
        try:
            new_s, made = timed(["new", "mine", "--preset", preset, "--json"], Path(place), stage)
            play = json.loads(made)["play"].split()[1:]
            play_s, printed = timed([*play, "--boards", str(boards), "--json", *walls], Path(place), stage)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    summary = json.loads(printed)
    decisions = sum(side["decisions"] for side in summary["sides"])
    cpu_s = cpu_of_children_s() - before
    return FirstMatch(preset, new_s, play_s, cpu_s, summary["boards"], decisions, summary["sandbox_level"])


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--presets", nargs="+", default=PRESETS)
    parser.add_argument("--no-sandbox", action="store_true")
    arguments = parser.parse_args(argv)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CORES])
    walls = ["--no-sandbox"] if arguments.no_sandbox else []
    for preset in arguments.presets:
        print(f"{first_match(preset, arguments.boards, walls)}, load {os.getloadavg()[0]:.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
