"""What pages cost in a real Chromium: bytes, requests, script, shifts, time; and a step of the viewer.

    python benchmarks/bench_browser.py [--site FOLDER] [--rounds 5]

Populates a site of every preset as the browser's tests do (or copies FOLDER, as ``python -m
tests.browser.site FOLDER`` made it), serves it, and opens each page of the tests' list in a context of its
own. A step is a key press with the layout that follows it; the first deal of a table of every preset is
walked. Opening is from the navigation to its end, with an empty cache; medians and maxima.

Bars: a step under 50 ms, a table of 32 boards open in under a second, and 100 kB, 10 requests and 30 kB of
script a page. Status 1 if one is missed; times depend on what else the machine does.
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
WALK = """
(most) => {
  const times = [], el = document.querySelector(".replay");
  for (let n = 0; n < most; n += 1) {
    const at = el.dataset.position, before = performance.now();
    document.body.dispatchEvent(
      new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true}));
    document.body.getBoundingClientRect();
    times.push(performance.now() - before);
    if (el.dataset.position === at) break;
  }
  return times.slice(0, -1);
}
"""
MOST = 400


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--site", type=Path, help="a populated folder to copy")
    parser.add_argument("--rounds", type=int, default=5, help="how often the long table is opened")
    options = parser.parse_args()
    from tests.browser import site as sites

    with tempfile.TemporaryDirectory(prefix="rensho-bench-browser-") as name:
        folder = Path(name) / "site"
        if options.site:
            sites.copy(options.site, folder)
        else:
            folder.mkdir()
            sites.populate(folder)
        with sites.serving(folder) as site:
            return measured(site, options.rounds)


def measured(site: Site, rounds: int) -> int:
    """Print every figure; 1 if a bar is missed."""
    from tests.browser.addresses import PAGES
    from tests.browser.chrome import running
    from tests.browser.events import kinds
    from tests.browser.visits import TIMES, visit

    missed: list[str] = []
    with running() as browser:
        print(f"{'page':34} {'kB':>6} {'requests':>8} {'script kB':>9} {'shift':>7} {'load ms':>8}")
        for row in PAGES:
            with visit(browser, site, row) as seen:
                total = sum(size for *_, size in seen.wire)
                script = sum(size for _, kind, size in seen.wire if kind == "script")
                shift, times = seen.shift(), seen.page.evaluate(TIMES)
            figures = f"{total / 1000:6.1f} {len(seen.wire):8} {script / 1000:9.1f} {shift:7.4f}"
            print(f"{row.name:34} {figures} {times['load_ms']:8.0f}")
            if total > PAGE_BYTES or script > SCRIPT_BYTES or len(seen.wire) > REQUESTS:
                missed.append(f"{row.name}: {total} bytes, {script} of script, {len(seen.wire)} requests")
        print(f"\n{'steps of':20} {'count':>6} {'median ms':>10} {'most ms':>9}")
        tables = {row.name: row for row in PAGES}
        table = tables[LONG]
        for kind in kinds():
            row = table._replace(name=kind.key, address=f"/tables/{{{kind.key}_table}}")
            with visit(browser, site, row) as seen:
                times = seen.page.evaluate(WALK, MOST)
            print(f"{kind.key:20} {len(times):6} {statistics.median(times):10.1f} {max(times):9.1f}")
            if max(times) > STEP_MS:
                missed.append(f"a step of {kind.key}: {max(times):.0f} ms")
        opened = []
        for _ in range(rounds):
            with visit(browser, site, table) as seen:
                opened.append(seen.page.evaluate(TIMES)["load_ms"])
        print(f"\n{LONG}: median {statistics.median(opened):.0f} ms, most {max(opened):.0f} ms")
        if max(opened) > OPEN_MS:
            missed.append(f"{LONG}: {max(opened):.0f} ms")
    for line in missed:
        print(f"MISSED  {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
