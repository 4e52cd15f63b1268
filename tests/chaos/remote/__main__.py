"""Chaos test of remote bots: bots on a bad network play rated tables while parts of the site are killed.

``python -m tests.chaos.remote --seed 1 --tables 300`` prints each kill as a line of JSON, then a summary with
all problems; the exit status is 0 if there are none. As root, in namespaces that end with it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
from pathlib import Path
from typing import Any

from tests.chaos.__main__ import INSIDE, play, refusal, run_inside
from tests.chaos.stage import Services


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description="Play remote tables while network, clients and site fail.")
    parser.add_argument("--seed", type=int, default=None, help="seed of the faults (default: random)")
    parser.add_argument("--tables", type=int, default=300, help="minimum tables (default: 300)")
    parser.add_argument("--bots", type=int, default=10, help="number of remote bots (default: 10)")
    parser.add_argument("--keep", type=Path, default=None, help="folder for the logs")
    given = parser.parse_args()
    # A shell that starts it in the background ignores the signal, and so would the clients.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if INSIDE not in os.environ:
        if lack := refusal():
            print(lack, file=sys.stderr)
            return 2
        return run_inside("tests.chaos.remote")
    seed = random.randrange(2**32) if given.seed is None else given.seed
    print(json.dumps({"seed": seed, "tables": given.tables, "bots": given.bots}), flush=True)

    def summary(services: Services) -> dict[str, Any]:
        from tests.chaos.remote.run import Run

        return Run(services, seed, given.tables, given.bots).summary()

    return play(summary, given.keep)


if __name__ == "__main__":
    sys.exit(main())
