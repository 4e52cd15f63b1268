"""A page as somebody sees it, and what the browser complains of."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from playwright.sync_api import Browser, Page

from tests.browser.addresses import Row
from tests.browser.site import Site

HEIGHT = 844
PHONE = 500
"""A narrower window is a phone's."""
EXPECTED = "the server responded with a status of"
"""What the console says of a page that is an error page; its status is looked at elsewhere."""
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


class Visit:
    """An open page; ``complaints`` grows by every line of its console that is an error or a warning."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.status = 0
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("requestfailed", lambda request: self.complaints.append(f"no answer: {request.url}"))

    def _console(self, message: object) -> None:
        kind, text = message.type, message.text  # type: ignore[attr-defined]
        if kind in ("error", "warning") and not (EXPECTED in text and self.status >= 400):
            self.complaints.append(f"{kind}: {text}")

    def overflow(self) -> list[str]:
        """What makes the page scroll sideways: nothing, as it should be."""
        return list(self.page.evaluate(OVERFLOW))


@contextlib.contextmanager
def visit(
    browser: Browser,
    site: Site,
    row: Row,
    *,
    width: int = 1280,
    is_dark: bool = False,
    has_script: bool = True,
) -> Iterator[Visit]:
    """A page in a context of its own, loaded; closed at the end."""
    is_phone = width < PHONE
    context = browser.new_context(
        viewport={"width": width, "height": HEIGHT},
        color_scheme="dark" if is_dark else "light",
        is_mobile=is_phone,
        has_touch=is_phone,
        java_script_enabled=has_script,
        reduced_motion="reduce",
    )
    try:
        if row.who:
            context.add_cookies([{"name": "sessionid", "value": site.people[row.who], "url": site.origin}])
        page = context.new_page()
        seen = Visit(page)
        page.on("response", lambda answer: _status(seen, answer.url, answer.status, page))
        page.goto(site.url(row.address), wait_until="load")
        yield seen
    finally:
        context.close()


def _status(seen: Visit, url: str, status: int, page: Page) -> None:
    # Before the console speaks of it: events come in order.
    if seen.status == 0:
        seen.status = status
