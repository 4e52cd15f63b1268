"""A page as somebody sees it: what the browser complains of, what came over the wire, what axe finds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.browser.addresses import Row
from tests.browser.site import Site

HEIGHT = 844
DESK = 1280
PHONE = 390
NARROWEST = 320
TOUCH = 500
"""A narrower window is a phone's."""
EXPECTED = "the server responded with a status of"
"""What the console says of an error page."""
GRAVE = ("serious", "critical")
"""The impacts that axe must not find."""
OVERFLOW = """
() => {
  const root = document.documentElement, width = root.clientWidth;
  const end = (e) => Math.round(e.getBoundingClientRect().right);
  if (root.scrollWidth <= width) return [];
  const isClipped = (e) => {
    for (let at = e.parentElement; at && at !== document.body; at = at.parentElement)
      if (getComputedStyle(at).overflowX !== "visible") return true;
    return false;
  };
  const wide = [...document.querySelectorAll("body *")].filter((e) => end(e) > width + 1 && !isClipped(e));
  const words = (e) => `${e.tagName.toLowerCase()}.${e.getAttribute("class") || ""} ends at ${end(e)}`;
  return [`${root.scrollWidth} of ${width} px`, ...wide.slice(0, 6).map(words)];
}
"""
"""What ends beyond the right edge of a page that scrolls sideways."""
AXE = """
async () => {
  const found = await axe.run(document, {resultTypes: ["violations"]});
  return found.violations.map((v) => ({id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 3).map((n) =>
    n.target.join(" ") + " " + n.any.concat(n.all, n.none).map((c) => c.message).slice(0, 1).join(""))}));
}
"""
SHIFTS = """
() => new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({type: "layout-shift", buffered: true});
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})
"""
"""The cumulative layout shift so far."""
CONTENT = """
() => [...document.querySelectorAll("main h1, main h2, main h3, main a[href], main th")]
  .filter((e) => e.checkVisibility()).map((e) => `${e.tagName} ${e.textContent.trim().replace(/\\s+/g, " ")}`)
"""
"""The headings, links and heads of tables that can be seen."""
TIMES = """
() => {
  const at = performance.getEntriesByType("navigation")[0];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const server_ms = at.responseStart - at.requestStart;
  return {server_ms, load_ms: at.loadEventEnd, paint_ms: paint?.startTime || 0};
}
"""


@cache
def axe_source() -> str:
    """The script of axe-core, as the package ships it."""
    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


class Visit:
    """An open page; ``complaints`` grows by every line of its console that is an error or a warning."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.status = 0
        self.wire: list[tuple[str, str, int]] = []
        """Address, kind (``document``, ``script``, ..) and bytes over the wire, heads included."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", lambda request: self._failed(request.url, request.failure))

    def _failed(self, url: str, why: str | None) -> None:
        # A stream is cut off when its page is left.
        if not url.endswith("/events"):
            self.complaints.append(f"no answer: {url} {why}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not (EXPECTED in message.text and self.status >= 400):
            self.complaints.append(f"{message.type}: {message.text}")

    def overflow(self, width: int) -> list[str]:
        """What makes the page scroll sideways in a window so wide: nothing, as it should be."""
        self.page.set_viewport_size({"width": width, "height": HEIGHT})
        return list(self.page.evaluate(OVERFLOW))

    def axe(self) -> list[str]:
        """What axe finds that is serious or critical, with the first places."""
        self.page.evaluate(axe_source() + "; null")
        found: list[dict[str, Any]] = self.page.evaluate(AXE)
        return [f"{v['id']} ({v['impact']}): {v['nodes']}" for v in found if v["impact"] in GRAVE]

    def content(self) -> set[str]:
        """Headings, links and heads of tables in the main part."""
        return set(self.page.evaluate(CONTENT))

    def shift(self) -> float:
        """The cumulative layout shift so far."""
        return float(self.page.evaluate(SHIFTS))


@contextlib.contextmanager
def visit(
    browser: Browser,
    site: Site,
    row: Row,
    *,
    width: int = DESK,
    is_dark: bool = False,
    has_script: bool = True,
    motion: str = "reduce",
) -> Iterator[Visit]:
    """A page in a context of its own, loaded; closed at the end."""
    is_phone = width < TOUCH
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT},
        color_scheme="dark" if is_dark else "light",
        is_mobile=is_phone,
        has_touch=is_phone,
        java_script_enabled=has_script,
        reduced_motion=motion,  # type: ignore[arg-type]
    )
    try:
        if row.who:
            context.add_cookies([{"name": "sessionid", "value": site.people[row.who], "url": site.origin}])
        page = context.new_page()
        seen = Visit(page)
        _weigh(seen)
        answer = page.goto(site.url(row.address), wait_until="load")
        seen.status = answer.status if answer else 0
        yield seen
    finally:
        context.close()


def _weigh(seen: Visit) -> None:
    """Write down every request of the page with its bytes over the wire."""
    session = seen.page.context.new_cdp_session(seen.page)
    session.send("Network.enable")
    kinds: dict[str, tuple[str, str]] = {}

    def answered(event: dict[str, Any]) -> None:
        if event["type"] == "Document" and not seen.status:
            seen.status = event["response"]["status"]
        if not event["response"]["url"].startswith("data:"):
            kinds[event["requestId"]] = (event["response"]["url"], event["type"].lower())

    def finished(event: dict[str, Any]) -> None:
        if event["requestId"] in kinds:
            seen.wire.append((*kinds[event["requestId"]], int(event["encodedDataLength"])))

    session.on("Network.responseReceived", answered)
    session.on("Network.loadingFinished", finished)
