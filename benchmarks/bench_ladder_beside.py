"""A ladder of 30 real bots beside tournaments on a real installation: does either keep the other waiting?

    python benchmarks/bench_ladder_beside.py [--minutes 3] [--bots 30] [--entrants 16] [--workers 2]

Starts an installation of its own (embedded broker and database, on loopback, in a folder that is removed),
uploads the bots by as many owners and measures: tournaments alone, one round robin after another; the ladder
alone; both for ``--minutes``; tournaments alone again. The ladder has no pause between its rounds and more
budget than it can spend. Printed are boards a minute of both, rounds, boards of each bot of the ladder, who
was left over, how soon ratings followed rounds, verdicts, faults of ours and errors in the logs.

Status 0 if the tournaments have at least 0.9 of what they have alone, no bot of the ladder has fewer boards
than the mean less one round, and nothing failed. The bar is about half an hour: ``--minutes 30``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
SETTINGS = {
    "DJANGO_SETTINGS_MODULE": "arena.settings.base",
    "REDIS_URL": "",
    "DATABASE_URL": "",
    "RENSHO_LADDERS": "kakeya4",
    "RENSHO_LADDER_PAUSE_S": "0",
    "RENSHO_LADDER_CPU_S": "1000000",
}


def main() -> int:
    """Run ``benchmarks.beside`` with a data folder of its own; its status."""
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as data:
        command = [sys.executable, "-m", "benchmarks.beside", *sys.argv[1:]]
        env = {**os.environ, **SETTINGS, "RENSHO_DATA": data}
        return subprocess.run(command, cwd=REPOSITORY, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
