"""How long the last fixture of an event takes: one machine, two workers, two entries that meet once.

    python benchmarks/bench_last_fixture.py [--events 3] [--boards 16] [--workers 2]

Its rotations play the same boards with the same entries, so they may not be in play at once on one machine
(docs/decisions/0012-tables-of-common-boards.md); with more boards than one table takes, tables of other
boards may. Starts a site of its own in a new folder, plays one event after the other over its API, and prints
the seconds from lock to final of each and the median. Compare releases by running it in both, in turn, on
the same machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PRESET = "kakeya4.league"
BOTS = {"first": "kakeya_greedy", "second": "kakeya_random"}
"""House bot by the account that uploads it."""


def play(events: int, boards: int, workers: int) -> list[float]:
    """Seconds of each event."""
    from contextlib import ExitStack

    from benchmarks.demo.client import folder_zip
    from benchmarks.demo.command import account_client, worker_is_ready
    from benchmarks.demo.road import Entrant, checks_watch, event_open, event_start, event_watch, upload
    from benchmarks.demo.site import Site

    seconds = []
    with Site(0, workers=workers) as site, ExitStack() as stack:
        url = site.wait_ready(worker_is_ready)
        organiser = stack.enter_context(account_client(url, "organiser", is_organiser=True))
        versions = []
        for account, bot in BOTS.items():
            client = stack.enter_context(account_client(url, account))
            archive = folder_zip(REPOSITORY / "bots" / "house" / bot)
            versions.append((client, upload(Entrant(client, bot, "kakeya", archive))["id"]))
        list(checks_watch(versions, site.look_after))
        for number in range(events):
            event = event_open(organiser, f"Last fixture {number}", PRESET, boards)
            began = time.monotonic()
            event_start(organiser, event["id"], versions)
            for glance in event_watch(organiser, event["id"], site.look_after):
                last = glance
            seconds.append(time.monotonic() - began)
            print(f"event {number + 1}: {seconds[-1]:.1f} s, {last.event['state']}", flush=True)
    return seconds


def main() -> int:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--events", type=int, default=3)
    parser.add_argument("--boards", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rensho-bench-") as data:
        os.environ.update(RENSHO_DATA=data, REDIS_URL="", DATABASE_URL="")
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.base")
        sys.path.insert(0, str(REPOSITORY))
        import django

        django.setup()
        seconds = play(arguments.events, arguments.boards, arguments.workers)
    print(f"median {statistics.median(seconds):.1f} s; load average {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
