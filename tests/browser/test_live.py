"""Pages that show a running event follow it without being loaded again, and say when they cannot."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.groups import SECOND
from tests.browser.moving import move, moving_event
from tests.browser.site import Site

pytestmark = [SECOND, pytest.mark.full]

STREAM = re.compile(r"/events(\?|$)")
PATIENCE_MS = 60_000
"""A guard against hanging, not a measure."""
OVER = ".desk-list li:has-text('Moving') .small:has-text('final')"
"""The event among the results of a bot or a player once it is over."""
LISTEN = """
() => {
  const line = document.getElementById("live-state");
  window.said = [];
  new MutationObserver(() => window.said.push(line.textContent)).observe(line, {childList: true});
}
"""


@pytest.fixture
def visitors(browser: Browser) -> Iterator[Callable[[], Page]]:
    """Makes pages of visitors of their own: one browser has six connections to a site at most."""
    contexts = []

    def visitor() -> Page:
        context = browser.new_context()
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        return context.new_page()

    expect.set_options(timeout=PATIENCE_MS)
    yield visitor
    expect.set_options(timeout=None)
    for context in contexts:
        context.close()


@pytest.fixture
def pages(visitors: Callable[[], Page]) -> Page:
    return visitors()


def stay(page: Page) -> None:
    """Mark the page: a mark that is gone later means that it was loaded again."""
    page.evaluate("window.stayed = true")


def listen(page: Page) -> None:
    """Keep what the page says of its state from now on: some of it stands there for seconds only."""
    page.evaluate(LISTEN)


def has_said(page: Page, text: str) -> None:
    """Wait until it has; the page's policy forbids Playwright to wait in it."""
    end = time.monotonic() + PATIENCE_MS / 1e3
    while text not in (said := page.evaluate("window.said")):
        assert time.monotonic() < end, f"the page says {said}"
        page.wait_for_timeout(100)


def broken(page: Page, url: str | re.Pattern[str]) -> Callable[[], None]:
    """Let no request for this address through, until what comes back is called.

    The route stays to the end: what is asked for while one is taken away may never be answered.
    """
    ways = [Route.abort]
    page.route(url, lambda route: ways[-1](route))
    return lambda: ways.append(Route.continue_)


def test_pages_follow_their_event_to_its_end(site: Site, visitors: Callable[[], Page]) -> None:
    moving = moving_event(site)
    followed = {
        "/tournaments/{moving}": ".state-final",
        "/tournaments/{moving}/standings": "#ranks-title",
        "/tournaments/{moving}/crosstable": "#window-title",
        "/tournaments/{moving}/rounds/{moving_round}": ".board-strip",
        "/fixtures/{moving_fixture}": ".strip-table .strip-score",
    }
    polled = {
        "/bots/{moving_bot}": OVER,
        "/players/ben": OVER,
        "/cups/{moving_cup}": ".note",
    }
    opened = {}
    for address, end in {**followed, **polled}.items():
        page = visitors()
        page.goto(moving.url(address))
        expect(page.locator(end)).to_have_count(0)
        if address in followed:
            expect(page.locator("body.is-connected")).to_have_count(1)
        stay(page)
        opened[address] = page
    asked = []
    opened["/tournaments/{moving}"].on("request", lambda request: asked.append(request.url))
    # A page that lacks a part which its stream believes it has.
    torn = visitors()
    torn.goto(moving.url("/tournaments/{moving}"))
    expect(torn.locator("body.is-connected")).to_have_count(1)
    torn.evaluate("document.querySelector('#live-conditions .part-version').value = 'conditions.0'")
    opened["torn"] = torn
    stay(torn)
    # Its own entry the stream does not bring: Aya's page asks for that.
    hers = visitors()
    hers.context.add_cookies([{"name": "sessionid", "value": site.people["aya"], "url": site.origin}])
    hers.goto(moving.url("/tournaments/{moving}"))
    expect(hers.locator("#live-own")).to_contain_text("Leave the tournament")
    expect(hers.locator("body.is-connected")).to_have_count(1)
    opened["hers"] = hers
    stay(hers)
    sealed = {}
    for address in ("/boards/{moving_set}/1", "/tables/{moving_table}"):
        page = visitors()
        page.goto(moving.url(address))
        expect(page.locator("main h1")).to_have_text("Still sealed")
        sealed[address] = page
    move(moving)
    for address, end in {**followed, **polled, **dict.fromkeys(("torn", "hers"), ".state-final")}.items():
        page = opened[address]
        expect(page.locator(end).first).to_be_attached()
        assert page.evaluate("window.stayed"), address
    assert not [url for url in asked if "/live" in url], "the stream brings all that changes"
    expect(torn.locator("#live-conditions .part-version")).not_to_have_value("conditions.0")
    expect(hers.locator("#live-own")).not_to_contain_text("Leave the tournament")
    for page in sealed.values():
        expect(page.locator("main h1")).not_to_have_text("Still sealed")


def test_a_page_says_that_its_stream_broke_and_that_it_is_back(site: Site, pages: Page) -> None:
    state = pages.locator("#live-state")
    mended = broken(pages, STREAM)
    pages.goto(site.url("/tournaments/{running}"))
    expect(state).to_contain_text("The live connection was lost")
    assert pages.locator("body.is-connected").count() == 0
    listen(pages)
    mended()
    has_said(pages, "The live connection is back.")
    expect(pages.locator("body.is-connected")).to_have_count(1)
    expect(state).to_have_text("")
