"""Cost of pages in a real Chromium: bytes, requests, script, layout shifts, time; and of a step of the
viewer.

    python benchmarks/bench_browser.py [--site FOLDER] [--rounds 20] [--pages] [--json]

Populates a site with every preset as the browser tests do (or copies FOLDER, made by ``python -m
tests.browser.site FOLDER``) and serves it. A step is a key press with the layout that follows it; the
benchmark steps through the first deal of a table of every preset, forward and back. Opening is the time
from the navigation of a new tab with an empty cache to the end of loading, for a table of 32 boards, once
per round. With ``--pages``, each page of the tests' list is measured too, as in the report of the tests.

Bars: a step under 50 ms, a table of 32 boards open in under a second, and 100 kB, 10 requests and 30 kB
of script per page. Status 1 if the median or a page misses one. Times depend on the load of the machine,
so the whole distribution is printed, with the load.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import Row, arguments, at_most, report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Browser

    from tests.browser.addresses import Row as PageRow
    from tests.browser.site import Site

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
    parser = arguments(__doc__, rounds=20)
    parser.add_argument("--site", type=Path, help="a populated folder to copy")
    parser.add_argument("--pages", action="store_true", help="weigh every page, which takes minutes")
    options = parser.parse_args()
    import django

    from tests.browser import site as sites

    with tempfile.TemporaryDirectory(prefix="rensho-bench-browser-") as name:
        # Listing the presets imports models; the processes of the site do the rest.
        os.environ["RENSHO_DATA"] = f"{name}/own"
        django.setup()
        folder = Path(name) / "site"
        if options.site:
            sites.copy(options.site, folder)
        else:
            folder.mkdir()
            sites.populate(folder)
        with sites.serving(folder) as site:
            rows = measure(site, options.rounds, weighs_pages=options.pages)
    return report("pages in Chromium, times in ms", rows, as_json=options.json)


def distribution(name: str, values: Sequence[float], most_ms: float) -> Row:
    ordered = sorted(values)
    cells: dict[str, float | str] = {"count": len(ordered), "least": ordered[0]}
    for percent in PERCENTILES:
        cells[f"{percent} %"] = ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]
    return Row(name, cells, *at_most(statistics.median(ordered), most_ms))


def measure(site: Site, rounds: int, *, weighs_pages: bool) -> list[Row]:
    from tests.browser.addresses import PAGES
    from tests.browser.chrome import running

    tables = {row.name: row for row in PAGES}
    with running() as browser:
        rows = measure_pages(browser, site) if weighs_pages else []
        rows += measure_steps(browser, site, tables[LONG])
        rows.append(measure_opening(browser, site, tables[LONG], rounds))
    return rows


def measure_pages(browser: Browser, site: Site) -> list[Row]:
    from tests.browser.addresses import PAGES
    from tests.browser.readers import Readers
    from tests.browser.survey import measured as figures_of

    rows, readers = [], Readers(browser)
    bar = f"at most {PAGE_BYTES}, {SCRIPT_BYTES}, {REQUESTS}"
    for row in PAGES:
        with readers.visit(site, row) as visit:
            figures = figures_of(visit)
        total, script = figures.wire_bytes, figures.script_bytes
        is_kept = total <= PAGE_BYTES and script <= SCRIPT_BYTES and figures.requests <= REQUESTS
        cells: dict[str, float | str] = {"bytes": total, "script": script, "requests": figures.requests}
        rows.append(Row(row.name, cells, bar, is_kept))
    readers.close()
    return rows


def measure_steps(browser: Browser, site: Site, table: PageRow) -> list[Row]:
    from tests.browser.events import kinds
    from tests.browser.readers import Readers
    from tests.browser.stepping import walk

    rows, readers = [], Readers(browser)
    for kind in kinds():
        with readers.visit(site, table._replace(address=f"/tables/{{{kind.key}_table}}")) as visit:
            times = [ms for key in ("ArrowRight", "ArrowLeft") for ms in walk(visit.page, key)[1]]
        rows.append(distribution(f"steps of {kind.key}", times, STEP_MS))
    readers.close()
    return rows


def measure_opening(browser: Browser, site: Site, table: PageRow, rounds: int) -> Row:
    """Open the table of 32 boards repeatedly, each time as a new reader.

    Raises:
        RuntimeError: there is no such table.
    """
    from tests.browser.readers import Readers
    from tests.browser.visits import TIMES

    times = []
    for _ in range(rounds):
        readers = Readers(browser)
        with readers.visit(site, table) as visit:
            boards = visit.page.locator("[data-board]").count()
            if visit.status != table.status or boards < BOARDS:
                raise RuntimeError(f"{table.address}: status {visit.status}, {boards} boards")
            times.append(visit.page.evaluate(TIMES)["load_ms"])
        readers.close()
    return distribution(f"opening a {LONG}", times, OPEN_MS)


if __name__ == "__main__":
    sys.exit(main())
