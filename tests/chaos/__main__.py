"""Chaos test: three worker hosts play tournaments while a seeded plan of faults runs.

``python -m tests.chaos --seed 7 --minutes 30`` prints each fault as a line of JSON when it begins, then a
summary with all problems; the exit status is 0 if there are none. As root, in namespaces that end with it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

from tests import postgres
from tests.chaos.plan import plan
from tests.chaos.stage import NAMESPACES, RELEASE, WORK, Services, network_make, run

INSIDE = "CHAOS_INSIDE"
FAULTS_PER_MINUTE = 11
TABLES_PER_MINUTE = 100


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description="Play tournaments on three hosts while faults happen.")
    parser.add_argument("--seed", type=int, default=None, help="seed of the plan (default: random)")
    parser.add_argument("--minutes", type=float, default=30.0, help="length of the plan (default: 30)")
    parser.add_argument("--faults", type=int, default=0, help="number of faults (default: 11 per minute)")
    parser.add_argument("--tables", type=int, default=0, help="minimum tables (default: 100 per minute)")
    parser.add_argument("--concurrency", type=int, default=2, help="tables at once on each host (default: 2)")
    parser.add_argument("--keep", type=Path, default=None, help="folder for the logs")
    given = parser.parse_args()
    if INSIDE not in os.environ:
        if lack := refusal():
            print(lack, file=sys.stderr)
            return 2
        return run_inside("tests.chaos")
    seed = random.randrange(2**32) if given.seed is None else given.seed
    try:
        planned = plan(seed, given.minutes * 60.0, given.faults or round(given.minutes * FAULTS_PER_MINUTE))
    except ValueError as error:
        parser.error(str(error))
    tables = given.tables or round(given.minutes * TABLES_PER_MINUTE)
    print(json.dumps({"seed": seed, "faults": len(planned), "tables": tables}), flush=True)

    def summary(services: Services) -> dict[str, Any]:
        from tests.chaos.run import Run

        return Run(services, seed, planned, tables, given.concurrency).summary()

    return play(summary, given.keep)


def play(summary: Callable[[Services], dict[str, Any]], logs: Path | None) -> int:
    """Start the services, print the summary of a test, and return its exit status; ``logs`` is for ``keep``.

    ``summary`` imports the modules that read the settings.
    """
    run("mount", "-t", "tmpfs", "-o", "mode=755", "chaos", str(WORK))
    network_make()
    try:
        services = Services()
        services.start()
        os.environ.update(services.environment(services.folder), CHAOS_RELEASE=RELEASE)
        django.setup()
        printed = summary(services)
    finally:
        if logs is not None:
            keep(logs)
    print(json.dumps(printed, indent=1), flush=True)
    return 1 if printed["problems"] else 0


def run_inside(module: str) -> int:
    """Run this command, whose module is named, in namespaces that all end with this process."""
    # The shell waits for orphaned processes, as the first process of a namespace must.
    init = ["bash", "-c", '"$@"; exit $?', "init", sys.executable, "-m", module, *sys.argv[1:]]
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "--", *NAMESPACES, *init], env={**os.environ, INSIDE: "1"}
    )
    # unshare ignores this signal.
    signal.signal(signal.SIGTERM, lambda *_: process.kill())
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            return process.wait()


def refusal() -> str:
    """Return what this machine lacks for a chaos test, or an empty text."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "The chaos test needs Linux and root: it makes namespaces, mounts and network links."
    for program, package in (("unshare", "util-linux"), ("ip", "iproute2"), ("tc", "iproute2")):
        if shutil.which(program) is None:
            return f"The chaos test needs the program {program}. Remedy: apt-get install {package}."
    try:
        postgres.programs()
    except postgres.NoServer as error:
        return str(error)
    done = subprocess.run([*NAMESPACES, "true"], capture_output=True, text=True, check=False)
    if done.returncode:
        return f"The chaos test may not make namespaces here: {done.stderr.strip()}"
    return ""


def keep(folder: Path) -> None:
    """Copy all logs to a folder."""
    for log in WORK.rglob("*log"):
        if log.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(log, folder / str(log.relative_to(WORK)).replace("/", "-"))


if __name__ == "__main__":
    sys.exit(main())
