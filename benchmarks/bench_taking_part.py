"""How long a stranger takes from the sign-up page to the first check passed, and on to an event entered.

    python benchmarks/bench_taking_part.py [--rounds 3]

Starts an installation of its own with two workers, and waits until it is ready. Then a scripted Chromium
signs up, makes a bot, writes and submits the template in the page, waits for its check and enters an event,
each round as another account. The waits are those of the site: the script types at once.

Bars: the first check passed in under 60 s in every round, and three clicks more to the entry. Status 1 if
one is missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings.test")

MOST_ROUNDS = 15
"""An address signs up so many an hour, with some to spare."""


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help=f"how many walks, at most {MOST_ROUNDS}")
    rounds = parser.parse_args().rounds
    if not 1 <= rounds <= MOST_ROUNDS:
        parser.error(f"--rounds {rounds}: from 1 to {MOST_ROUNDS}")
    import django

    django.setup()
    from tests.browser import chrome
    from tests.browser.taking_part import CLICKS_TO_ENTER, FIRST_CHECK_S, walk
    from tests.system.conftest import Installation, running

    missed = []
    with (
        tempfile.TemporaryDirectory(prefix="rensho-bench-taking-part-") as folder,
        running(Installation(Path(folder) / "data")) as installed,
        chrome.running() as browser,
    ):
        organiser = installed.client("odo", "--organiser")
        made = organiser.post("/tournaments", {"name": "First cup", "preset": "kakeya4"})
        organiser.post(f"/tournaments/{made['id']}/open")
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
        for number in range(1, rounds + 1):
            taken = walk(browser, installed.site.url, f"mina{number}", "First cup")
            print(
                f"round {number}: signed up {taken.signed_up_s:.1f} s, submitted {taken.submitted_s:.1f} s, "
                f"check passed {taken.checked_s:.1f} s; entered {taken.entered_s:.1f} s later, "
                f"{taken.clicks} clicks"
            )
            if taken.checked_s >= FIRST_CHECK_S:
                missed.append(f"round {number}: the check passed after {taken.checked_s:.1f} s")
            if taken.clicks > CLICKS_TO_ENTER:
                missed.append(f"round {number}: {taken.clicks} clicks to the entry")
        print(f"load {os.getloadavg()[0]:.1f}")
    for line in missed:
        print(f"MISSED  {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
