"""Readers who keep their tab: a page costs what it costs to load it, not a new context of the browser."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from playwright.sync_api import Browser, Error, Page

from tests.browser.addresses import Row
from tests.browser.site import Site
from tests.browser.visits import DESK, HEIGHT, TOUCH, Visit
from tests.chance import EXHAUSTIVE

ENGLISH, JAPANESE = "en-US", "ja-JP"
NOWHERE = "about:blank"
Motion = Literal["reduce", "no-preference"]


class Kind(NamedTuple):
    """What a context is given when it is made; width, theme and motion of its tab may change."""

    language: str
    has_script: bool
    is_phone: bool


class _Tab:
    """A tab, which reports to the visit that is there. ``has_cache``: it keeps styles and scripts."""

    def __init__(self, page: Page, *, has_cache: bool) -> None:
        self.page = page
        self.visit: Visit | None = None
        page.set_default_timeout(60_000)
        page.on("console", lambda message: self._tell("said", message))
        page.on("pageerror", lambda error: self._tell("complain", f"error: {error}"))
        page.on("requestfailed", lambda request: self._tell("failed", request.url, request.failure))
        self.session = page.context.new_cdp_session(page)
        self.session.send("Network.enable")
        self.session.send("Network.setCacheDisabled", {"cacheDisabled": not has_cache})
        self.session.on("Network.responseReceived", lambda event: self._tell("answered", event))
        self.session.on("Network.loadingFinished", lambda event: self._tell("finished", event))

    def _tell(self, what: str, *values: object) -> None:
        if self.visit is not None:
            getattr(self.visit, what)(*values)

    def leave(self, origin: str) -> None:
        """Forget the page, and what it keeps in the browser."""
        self.visit = None
        self.page.goto(NOWHERE)
        self.page.context.clear_cookies()
        self.session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage"})


class Readers:
    """The tabs of a browser by kind, made when they are first asked for.

    Pages share their colours: axe looks at the contrast of a combination on the first page that has it, in
    ``make exhaustive`` on every page.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._contrasts: set[str] | None = None if EXHAUSTIVE else set()
        self._tabs: dict[Kind, _Tab] = {}

    def move(self, browser: Browser) -> None:
        """Forget the tabs of a browser that is gone for this one."""
        if browser is not self.browser:
            self.browser = browser
            self._tabs.clear()

    def close(self) -> None:
        """Close every tab."""
        for tab in self._tabs.values():
            tab.page.context.close()
        self._tabs.clear()

    @contextlib.contextmanager
    def visit(
        self,
        site: Site,
        row: Row,
        *,
        width: int = DESK,
        is_dark: bool = False,
        has_script: bool = True,
        language: str = ENGLISH,
        motion: Motion = "reduce",
    ) -> Iterator[Visit]:
        """A loaded page, of which nothing is kept for the next: no cache, no session, nothing stored."""
        kind = Kind(language, has_script, width < TOUCH)
        tab = self._tab(kind)
        page = tab.page
        assert tab.visit is None, "a reader looks at one page at a time"
        page.set_viewport_size({"width": width, "height": HEIGHT})
        page.emulate_media(color_scheme="dark" if is_dark else "light", reduced_motion=motion)
        if row.who:
            cookie: Any = {"name": "sessionid", "value": site.people[row.who], "url": site.origin}
            page.context.add_cookies([cookie])
        tab.visit = seen = Visit(page, self._contrasts)
        try:
            answer = page.goto(site.url(row.address), wait_until="load")
            seen.status = answer.status if answer else 0
            yield seen
        except BaseException:
            with contextlib.suppress(Error):
                self._tabs.pop(kind).page.context.close()
            raise
        tab.leave(site.origin)

    def _tab(self, kind: Kind) -> _Tab:
        if kind not in self._tabs:
            context = self.browser.new_context(
                viewport={"width": DESK, "height": HEIGHT},
                locale=kind.language,
                is_mobile=kind.is_phone,
                has_touch=kind.is_phone,
                java_script_enabled=kind.has_script,
            )
            # Each page is weighed, in English and with script, as by who comes for the first time.
            weighs = kind.has_script and kind.language == ENGLISH
            self._tabs[kind] = _Tab(context.new_page(), has_cache=not weighs)
        return self._tabs[kind]
