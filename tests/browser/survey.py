"""One look at a page for all questions: its defects by kind, and its figures for the report."""

from __future__ import annotations

from typing import NamedTuple

from tests.browser.addresses import Row
from tests.browser.readers import JAPANESE, Readers
from tests.browser.site import Site
from tests.browser.visits import DESK, NARROWEST, PHONE, TIMES, Visit
from tests.chance import EXHAUSTIVE

PAGE_BYTES = 100_000
SCRIPT_BYTES = 30_000
HTML_BYTES = 20_000
CSS_BYTES = 16 << 10
REQUESTS = 10
ELEMENTS = 1_500
DEAL_ELEMENTS = 2_000
"""For a replay: a deal of Kakkuri with eight players has some ten for each turn, and nothing bounds these."""
SHIFT = 0.0
"""Nothing moves once it has been painted."""
LOOKED_AGAIN = 3
"""A machine that is busy with other tests may paint late once; what moves each time is the page's."""
REPLAYS = "/tables"
TEXTS = ("/docs", "/rules")
"""Pages that are a document as it was written, in one piece."""
TEXT_BYTES = 30_000
"""Of HTML, for these."""
Look = tuple[int, bool, bool]
"""Width, whether dark, and whether axe asks more than contrasts."""
LOOKS: tuple[Look, ...] = (
    (DESK, False, True),
    (DESK, True, False),
    (PHONE, True, True),
    (PHONE, False, False),
)


class Figures(NamedTuple):
    """What a page weighs; times are measured, never asserted."""

    wire_bytes: int
    html_bytes: int
    css_bytes: int
    script_bytes: int
    requests: int
    elements: int
    shift: float
    server_ms: float
    paint_ms: float
    load_ms: float

    def line(self, name: str) -> str:
        """The figures in a line of the report."""
        return (
            f"{name:34} {self.wire_bytes / 1000:6.1f} kB ({self.html_bytes / 1000:5.1f} html, "
            f"{self.css_bytes / 1000:5.1f} css, {self.script_bytes / 1000:5.1f} script), "
            f"{self.requests:2} requests, {self.elements:5} elements, CLS {self.shift:.3f}; "
            f"server {self.server_ms:4.0f} ms, painted {self.paint_ms:4.0f}, loaded {self.load_ms:4.0f}"
        )


class Survey(NamedTuple):
    """What one look found."""

    figures: Figures
    defects: list[str]


def looks_of(number: int) -> tuple[Look, ...]:
    """How ``make check`` looks at the page of a row: in one theme at one width.

    Which alternates from row to row, as pages share their colours and their parts. ``make exhaustive`` looks
    at each page in both themes at both widths.
    """
    return LOOKS if EXHAUSTIVE else ((DESK if number & 1 else PHONE, bool(number & 2), True),)


def survey(
    readers: Readers,
    site: Site,
    row: Row,
    looks: tuple[Look, ...] = LOOKS,
    *,
    in_japanese: bool = True,
    without_script: bool = True,
) -> Survey:
    """Look at a page once in each of the looks, then without script, then in Japanese."""
    with readers.visit(site, row) as seen:
        figures = measured(seen)
        content = seen.content()
        defects = [] if seen.status == row.status else [f"status {seen.status}, not {row.status}"]
        defects += looked_at(seen, looks)
        defects += seen.complaints
    for _ in range(LOOKED_AGAIN):
        if figures.shift <= SHIFT:
            break
        with readers.visit(site, row) as again:
            figures = figures._replace(shift=min(figures.shift, again.shift()))
    if without_script:
        with readers.visit(site, row, is_dark=True, has_script=False) as bare:
            defects += [f"not there without script: {line}" for line in sorted(content - bare.content())[:5]]
            defects += bare.complaints
    if in_japanese:
        with readers.visit(site, row, width=PHONE, language=JAPANESE) as other:
            defects += [f"scrolls sideways in Japanese: {line}" for line in other.overflow(NARROWEST)]
            defects += other.complaints
    return Survey(figures, defects + over_budget(figures, row.address))


def measured(seen: Visit) -> Figures:
    """What a page weighs that was just loaded."""
    by_kind = {
        kind: sum(size for _, of, size in seen.wire if of == kind)
        for kind in ("document", "stylesheet", "script")
    }
    return Figures(
        wire_bytes=sum(size for _, _, size in seen.wire),
        html_bytes=by_kind["document"],
        css_bytes=by_kind["stylesheet"],
        script_bytes=by_kind["script"],
        requests=len(seen.wire),
        elements=int(seen.page.evaluate("document.getElementsByTagName('*').length")),
        shift=seen.shift(),
        **seen.page.evaluate(TIMES),
    )


def looked_at(seen: Visit, looks: tuple[Look, ...]) -> list[str]:
    """What is wrong in any of the looks. By theme only colours differ."""
    found = []
    for width, is_dark, is_whole in looks:
        seen.look(width, is_dark=is_dark)
        name = f"{'dark' if is_dark else 'light'}, {width} px"
        found += [f"axe, {name}: {line}" for line in seen.axe(is_whole=is_whole)]
        found += [f"scrolls sideways, {name}: {line}" for line in seen.overflow(width)]
    return found + [f"scrolls sideways, {NARROWEST} px: {line}" for line in seen.overflow(NARROWEST)]


def over_budget(figures: Figures, address: str) -> list[str]:
    """What is more than a page may have. A text may have as many elements as it is long, and more HTML."""
    limits = {
        "wire_bytes": PAGE_BYTES,
        "html_bytes": HTML_BYTES,
        "css_bytes": CSS_BYTES,
        "script_bytes": SCRIPT_BYTES,
        "requests": REQUESTS,
        "elements": DEAL_ELEMENTS if address.startswith(REPLAYS) else ELEMENTS,
        "shift": SHIFT,
    }
    if address.startswith(TEXTS):
        del limits["elements"]
        limits["html_bytes"] = TEXT_BYTES
    values = figures._asdict()
    return [f"{name} {values[name]} of {most}" for name, most in limits.items() if values[name] > most]
