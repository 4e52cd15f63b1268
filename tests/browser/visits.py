"""A page as somebody sees it: what the browser complains of, what came over the wire, what axe finds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import ConsoleMessage, Page

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
CONTRAST = "color-contrast"
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
async ([isWhole, known]) => {
  const given = {resultTypes: ["violations"], preload: false, iframes: false};
  const ground = (e) => {
    let layers = "";
    for (let at = e; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const layer = [style.backgroundColor, style.backgroundImage, style.opacity].join();
      if (layer !== "rgba(0, 0, 0, 0),none,1") layers += ` ${layer}`;
    }
    return layers;
  };
  const alike = new Map();
  const note = (e) => {
    if (!e.checkVisibility()) return;
    const style = getComputedStyle(e);
    const key = [style.color, style.fontSize, style.fontWeight, style.textShadow, ground(e)].join();
    if (!alike.has(key)) alike.set(key, []);
    alike.get(key).push(e);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (texts.currentNode.data.trim()) note(texts.currentNode.parentElement);
  document.querySelectorAll("input, select, textarea").forEach(note);
  for (const key of known) alike.delete(key);
  const some = [...new Set([...alike.values()].flatMap((all) => [all[0], all[all.length >> 1], all.at(-1)]))];
  const only = {type: "rule", values: ["color-contrast"]};
  const found = some.length ? (await axe.run({include: some}, {...given, runOnly: only})).violations : [];
  const rules = {"color-contrast": {enabled: false}};
  const isGrave = (rule) => ["serious", "critical"].includes(rule.impact);
  for (const rule of axe._audit.rules) if (!isGrave(rule)) rules[rule.id] = {enabled: false};
  if (isWhole) found.push(...(await axe.run(document, {...given, rules})).violations);
  const violations = found.map((v) => ({id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 3).map((n) =>
    n.target.join(" ") + " " + n.any.concat(n.all, n.none).map((c) => c.message).slice(0, 1).join(""))}));
  return {violations, looked: [...alike.keys()]};
}
"""
"""What axe finds: the contrast of three texts of each combination of colours, size and weight, as a table has
a thousand that are alike, but for the known ones; and its other rules of grave impact in the whole page. With
the combinations that it looked at."""
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


@contextlib.contextmanager
def sound(page: Page) -> Iterator[Page]:
    """The page, none of whose scripts may fail.

    It is told at the end: what a listener raises ends Playwright's connection, and every later test with it.

    Raises:
        AssertionError: a script of the page failed.
    """
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error.stack or error}"))
    yield page
    assert not errors, "\n".join(errors)


class Visit:
    """An open page; ``complaints`` grows by every line of its console that is an error or a warning.

    ``contrasts`` has the combinations of colours, size and weight that need no further look, and grows by
    those of this page in which axe finds nothing; without it axe looks at all.
    """

    def __init__(self, page: Page, contrasts: set[str] | None = None) -> None:
        self.page = page
        self.contrasts = contrasts
        self.complaints: list[str] = []
        self.status = 0
        self.wire: list[tuple[str, str, int]] = []
        """Address, kind (``document``, ``script``, ..) and bytes over the wire, heads included."""
        self._kinds: dict[str, tuple[str, str]] = {}

    # What the tab reports

    def failed(self, url: str, why: str | None) -> None:
        """A request had no answer. A stream is cut off when its page is left."""
        if not url.partition("?")[0].endswith("/events"):
            self.complain(f"no answer: {url} {why}")

    def complain(self, line: str) -> None:
        """Something is wrong."""
        self.complaints.append(line)

    def said(self, message: ConsoleMessage) -> None:
        """A line of the console."""
        if message.type in ("error", "warning") and not (EXPECTED in message.text and self.status >= 400):
            self.complain(f"{message.type}: {message.text}")

    def answered(self, event: dict[str, Any]) -> None:
        """The head of an answer is there."""
        if event["type"] == "Document" and not self.status:
            self.status = event["response"]["status"]
        if not event["response"]["url"].startswith("data:"):
            self._kinds[event["requestId"]] = (event["response"]["url"], event["type"].lower())

    def finished(self, event: dict[str, Any]) -> None:
        """The whole of an answer is there."""
        if event["requestId"] in self._kinds:
            self.wire.append((*self._kinds[event["requestId"]], int(event["encodedDataLength"])))

    # What there is to see

    def look(self, width: int, *, is_dark: bool) -> None:
        """Go on in a window so wide, in the theme."""
        self.page.set_viewport_size({"width": width, "height": HEIGHT})
        self.page.emulate_media(color_scheme="dark" if is_dark else "light")

    def overflow(self, width: int) -> list[str]:
        """What makes the page scroll sideways in a window so wide: nothing, as it should be."""
        self.page.set_viewport_size({"width": width, "height": HEIGHT})
        return list(self.page.evaluate(OVERFLOW))

    def axe(self, *, is_whole: bool = True) -> list[str]:
        """What axe finds that is serious or critical, with the first places; or of contrasts alone."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(axe_source() + "; null")
        answer: dict[str, Any] = self.page.evaluate(AXE, [is_whole, sorted(self.contrasts or ())])
        found = answer["violations"]
        if self.contrasts is not None and not any(v["id"] == CONTRAST for v in found):
            self.contrasts.update(answer["looked"])
        return [f"{v['id']} ({v['impact']}): {v['nodes']}" for v in found if v["impact"] in GRAVE]

    def content(self) -> set[str]:
        """Headings, links and heads of tables in the main part."""
        return set(self.page.evaluate(CONTENT))

    def shift(self) -> float:
        """The cumulative layout shift so far."""
        return float(self.page.evaluate(SHIFTS))
