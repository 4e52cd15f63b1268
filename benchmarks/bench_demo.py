"""Two bars of the platform: the tournament of kakeya4 in the demo, and the end of one after a kill -9.

The demo plays a tournament of every game and prints the time of each; the bar is about the first one, the
round robin of kakeya4 (6 fixtures, 12 tables, 16 boards a fixture). Prints what was measured; neither is a
gate, for both depend on what else the machine does.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
BARS = "bars on two idle cores: tournament of kakeya4 under 60 s; final within 90 s of the kill"
TIMEOUT_S = 1200


def main() -> int:
    """Run both; the exit status tells whether they came to an end, not how fast."""
    print(
        f"load average {os.getloadavg()[0]:.2f} on {len(os.sched_getaffinity(0))} cores; {BARS}", flush=True
    )
    kill_test = "tests/system/test_road.py::test_a_tournament_survives_the_death_of_its_workers"
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as data:
        env = {**os.environ, "RENSHO_DATA": data, "REDIS_URL": "", "DATABASE_URL": ""}
        runs = (
            [sys.executable, "-m", "benchmarks.demo", "--exit", "--port", "0"],
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", kill_test],
        )
        codes = []
        for run in runs:
            print(f"$ {' '.join(run[1:])}", flush=True)
            codes.append(
                subprocess.run(run, cwd=REPOSITORY, env=env, timeout=TIMEOUT_S, check=False).returncode
            )
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
