"""``make mutants``: plants faults by a seed, one at a time, and says which of them no test finds.

Works on copies in a temporary folder. Status 1 if a mutant lives that equivalents.toml does not list.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.areas import AREAS
from tests.mutants.mutants import ROOT, Mutant, mutants_drawn

EQUIVALENTS = Path(__file__).with_name("equivalents.toml")
SEED = 20261122
EACH = 11
PROCESSES = 2
TEST_S = 60
"""A test that takes longer has found the fault: it hangs."""
WALL_S = 600
"""For all tests of a mutant; its tests take a minute at most."""
ONLY = "not full and not nightly"


def equivalents() -> dict[str, str]:
    """Why no test can find these mutants, by name."""
    listed = tomllib.loads(EQUIVALENTS.read_text()).get("mutant", [])
    return {mutant["name"]: mutant["reason"] for mutant in listed}


def copied(folder: Path) -> Path:
    """A copy of what git knows of the working tree."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def run_tests(copy: Path, tests: tuple[str, ...]) -> tuple[bool, str]:
    """Whether these tests pass in a copy of the tree, and the line about the first that does not."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        ONLY,
    ]
    command += ["--hypothesis-profile=unshrunk", "-o", f"timeout={TEST_S}", *tests]
    env = {**os.environ, "PYTHONPATH": f"{copy}:{copy / 'platform'}", "PYTHONDONTWRITEBYTECODE": ""}
    env.pop("RENSHO_DATA", None)
    try:
        done = subprocess.run(
            command, cwd=copy, env=env, capture_output=True, text=True, timeout=WALL_S, check=False
        )
    except subprocess.TimeoutExpired:
        return False, f"more than {WALL_S} s"
    words = ("FAILED", "ERROR", "E  ")
    said = next((line for line in reversed(done.stdout.splitlines()) if line.startswith(words)), "")
    return done.returncode == 0, said or done.stderr[-300:]


def is_found(copy: Path, mutant: Mutant) -> tuple[bool, str]:
    """Whether a test fails with this fault in the tree, and which."""
    file = copy / mutant.path
    before = file.read_text()
    try:
        _write(file, mutant.code())
        passes, said = run_tests(copy, mutant.tests)
    finally:
        _write(file, before)
    return not passes, said


_clock = iter(range(int(time.time()) + 10, 1 << 62, 2))
_lock = threading.Lock()


def _write(file: Path, text: str) -> None:
    """With a time of its own: Python tells by time and size whether what it compiled is of this text."""
    with _lock:
        now = next(_clock)
    file.write_text(text)
    os.utime(file, (now, now))


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--each", type=int, default=EACH, help="mutants of each area")
    parser.add_argument("--area", choices=AREAS, action="append", help="of these areas alone")
    parser.add_argument("--name", help="those whose name has this")
    arguments = parser.parse_args()
    chosen = [
        mutant
        for area in arguments.area or AREAS
        for mutant in mutants_drawn(area, arguments.each, arguments.seed)
        if (arguments.name or "") in mutant.name
    ]
    known, started = equivalents(), time.monotonic()
    print(f"{len(chosen)} mutants, seed {arguments.seed}", flush=True)
    copies: queue.SimpleQueue[Path] = queue.SimpleQueue()

    def judge(mutant: Mutant) -> str:
        if mutant.name in known:
            return "equivalent"
        copy = copies.get()
        begun = time.monotonic()
        try:
            found, said = is_found(copy, mutant)
        finally:
            copies.put(copy)
        verdict = "died" if found else "LIVES"
        print(
            f"{verdict:5} {time.monotonic() - begun:4.0f} s  {mutant.name}\n        {said[:150]}", flush=True
        )
        return verdict

    with tempfile.TemporaryDirectory(prefix="rensho-mutants-") as folder:
        for number in range(PROCESSES):
            copies.put(copied(Path(folder, str(number))))
        sets = {mutant.tests for mutant in chosen if mutant.name not in known}
        with ThreadPoolExecutor(PROCESSES) as pool:
            for passes, said in pool.map(lambda tests: _without_fault(copies, tests), sets):
                if not passes:
                    print(f"without any fault the tests fail: {said}", file=sys.stderr)
                    return 2
            verdicts = list(pool.map(judge, chosen))
    for area in AREAS:
        counts = Counter(
            verdict for mutant, verdict in zip(chosen, verdicts, strict=True) if mutant.area == area
        )
        if counts:
            print(f"{area}: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    print(f"{Counter(verdicts)['LIVES']} of {len(chosen)} live, {time.monotonic() - started:.0f} s")
    return 1 if "LIVES" in verdicts else 0


def _without_fault(copies: queue.SimpleQueue[Path], tests: tuple[str, ...]) -> tuple[bool, str]:
    copy = copies.get()
    try:
        return run_tests(copy, tests)
    finally:
        copies.put(copy)


if __name__ == "__main__":
    sys.exit(main())
