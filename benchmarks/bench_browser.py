"""What pages cost in a real Chromium: bytes, requests, script, shifts, time; and a step of the viewer.

    python benchmarks/bench_browser.py [--site FOLDER] [--rounds 20] [--pages]

Populates a site of every preset as the browser's tests do (or copies FOLDER, as ``python -m
tests.browser.site FOLDER`` made it) and serves it. A step is a key press with the layout that follows it;
the first deal of a table of every preset is walked, forward and back. Opening is from the navigation of a
new tab, which has nothing in its cache, to the end of loading; a table of 32 boards is opened in as many
tabs as there are rounds. With ``--pages`` each page of the tests' list is weighed besides, as in the report
of the tests.

Bars: a step under 50 ms, a table of 32 boards open in under a second, and 100 kB, 10 requests and 30 kB of
script a page. Status 1 if one is missed by the median or by a page; times depend on what else the machine
does, so the whole distribution is printed, with the load.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Browser

    from tests.browser.addresses import Row
    from tests.browser.site import Site

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.browser.settings")

STEP_MS = 50.0
OPEN_MS = 1000.0
PAGE_BYTES = 100_000
SCRIPT_BYTES = 30_000
REQUESTS = 10
LONG = "table of 32 boards"
BOARDS = 32
PERCENTILES = (50, 90, 99, 100)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--site", type=Path, help="a populated folder to copy")
    parser.add_argument("--rounds", type=int, default=20, help="how often the long table is opened")
    parser.add_argument("--pages", action="store_true", help="weigh every page, which takes minutes")
    options = parser.parse_args()
    import django

    from tests.browser import site as sites

    with tempfile.TemporaryDirectory(prefix="rensho-bench-browser-") as name:
        # The presets are listed by modules that have models; the site's own processes do the rest.
        os.environ["RENSHO_DATA"] = f"{name}/own"
        django.setup()
        folder = Path(name) / "site"
        if options.site:
            sites.copy(options.site, folder)
        else:
            folder.mkdir()
            sites.populate(folder)
        with sites.serving(folder) as site:
            return measured(site, options.rounds, weighs_pages=options.pages)


def distribution(values: Sequence[float]) -> str:
    """The least value, then percentiles, of ms."""
    ordered = sorted(values)
    found = [f"least {ordered[0]:6.1f}"]
    for percent in PERCENTILES:
        at = min(len(ordered) - 1, len(ordered) * percent // 100)
        found.append(f"{f'{percent} %' if percent < 100 else 'most'} {ordered[at]:6.1f}")
    return ", ".join(found)


def measured(site: Site, rounds: int, *, weighs_pages: bool) -> int:
    """Print every figure; 1 if a bar is missed."""
    from tests.browser.addresses import PAGES
    from tests.browser.chrome import running

    tables = {row.name: row for row in PAGES}
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; times in ms")
    with running() as browser:
        missed = weighed(browser, site) if weighs_pages else []
        missed += stepped(browser, site, tables[LONG])
        missed += opened(browser, site, tables[LONG], rounds)
    print(f"load {os.getloadavg()[0]:.1f}")
    for line in missed:
        print(f"MISSED  {line}")
    return 1 if missed else 0


def weighed(browser: Browser, site: Site) -> list[str]:
    """Every page; those that are too heavy."""
    from tests.browser.addresses import PAGES
    from tests.browser.readers import Readers
    from tests.browser.survey import measured as figures_of

    missed, readers = [], Readers(browser)
    for row in PAGES:
        with readers.visit(site, row) as seen:
            figures = figures_of(seen)
        print(figures.line(row.name))
        total, script = figures.wire_bytes, figures.script_bytes
        if total > PAGE_BYTES or script > SCRIPT_BYTES or figures.requests > REQUESTS:
            missed.append(f"{row.name}: {total} bytes, {script} of script, {figures.requests} requests")
    readers.close()
    return missed


def stepped(browser: Browser, site: Site, table: Row) -> list[str]:
    """Steps through a deal of every preset; the presets in which the median of a step is too long."""
    from tests.browser.events import kinds
    from tests.browser.readers import Readers
    from tests.browser.stepping import walk

    missed, readers, every = [], Readers(browser), []
    for kind in kinds():
        with readers.visit(site, table._replace(address=f"/tables/{{{kind.key}_table}}")) as seen:
            times = [ms for key in ("ArrowRight", "ArrowLeft") for ms in walk(seen.page, key)[1]]
        every += times
        print(f"{len(times):4} steps of {kind.key:20} {distribution(times)}")
        if statistics.median(times) > STEP_MS:
            missed.append(f"a step of {kind.key}: {statistics.median(times):.0f} ms")
    print(f"{len(every):4} steps of {'all':20} {distribution(every)}")
    readers.close()
    return missed


def opened(browser: Browser, site: Site, table: Row, rounds: int) -> list[str]:
    """The table of many boards, opened again and again by new readers.

    Raises:
        RuntimeError: there is no such table.
    """
    from tests.browser.readers import Readers
    from tests.browser.visits import TIMES

    times = []
    for _ in range(rounds):
        readers = Readers(browser)
        with readers.visit(site, table) as seen:
            boards = seen.page.locator("[data-board]").count()
            if seen.status != table.status or boards < BOARDS:
                raise RuntimeError(f"{table.address}: status {seen.status}, {boards} boards")
            times.append(seen.page.evaluate(TIMES)["load_ms"])
        readers.close()
    print(f"{rounds} times {LONG}: {distribution(times)}")
    middle = statistics.median(times)
    return [f"{LONG}: {middle:.0f} ms"] if middle > OPEN_MS else []


if __name__ == "__main__":
    sys.exit(main())
