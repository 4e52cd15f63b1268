"""From nothing to an event entered, as a stranger goes: sign-up, a bot written in the page, its check."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import NamedTuple

from playwright.sync_api import Browser, Page

from tests.browser.visits import sound

FIRST_CHECK_S = 60.0
"""The promise: from the sign-up page opened to the first check passed."""
CLICKS_TO_ENTER = 3
"""The promise: from there to an event entered."""
PATIENCE_MS = 240_000
"""A guard against hanging, not a measure."""
PASSWORD = "many-cranes-fly-9"


class Taken(NamedTuple):
    """What one walk took."""

    signed_up_s: float
    submitted_s: float
    checked_s: float
    """All from the sign-up page asked for."""
    entered_s: float
    """From the check passed."""
    clicks: int
    """From the check passed to the entry."""
    address: str
    """Where it ended."""


class Clicks:
    """Clicks on a page, counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def on(self, selector: str) -> None:
        """Click what there is once it can be clicked."""
        self.count += 1
        self.page.click(selector)


@contextlib.contextmanager
def stranger(browser: Browser, origin: str) -> Iterator[Page]:
    """A page of somebody nobody knows yet.

    Raises:
        AssertionError: a script of a page failed.
    """
    context = browser.new_context(base_url=origin)
    context.set_default_timeout(PATIENCE_MS)
    with sound(context.new_page()) as page:
        yield page
        context.close()


def signed_up(clicks: Clicks, name: str) -> None:
    """Make an account of this name; the page of a first bot follows."""
    clicks.page.goto("/sign-up")
    clicks.page.fill("#id_username", name)
    clicks.page.fill("#id_password", PASSWORD)
    clicks.on("text=Create the account")
    clicks.page.wait_for_url("**/me/bots/new")


def submitted(clicks: Clicks, name: str) -> None:
    """Write a bot in the page, from the template, and submit it."""
    clicks.page.fill("#id_name", f"Tsuru of {name}")
    clicks.page.check("input[value=kakeya]")
    clicks.on("text=Create it and write it here")
    clicks.on("text=Submit as v1")
    clicks.page.wait_for_url("**/versions/*")


def checked(clicks: Clicks) -> None:
    """Stay until the page says that the check has passed."""
    clicks.page.wait_for_selector("#version-check >> text=Check: passed")


def entered(clicks: Clicks, event: str) -> None:
    """Enter an event from the page of the version."""
    clicks.on(f"a.button:has-text('Enter {event}')")
    clicks.on("button:text('Enter the tournament')")
    clicks.page.wait_for_selector("text=is entered.")


def walk(browser: Browser, origin: str, name: str, event: str) -> Taken:
    """As an account of this name into the event of that one, which takes entries."""
    with stranger(browser, origin) as page:
        clicks = Clicks(page)
        moments = [time.monotonic()]
        for step in (
            lambda: signed_up(clicks, name),
            lambda: submitted(clicks, name),
            lambda: checked(clicks),
        ):
            step()
            moments.append(time.monotonic())
        before = clicks.count
        entered(clicks, event)
        begun, account, sent, passed = moments
        return Taken(
            account - begun,
            sent - begun,
            passed - begun,
            time.monotonic() - passed,
            clicks.count - before,
            page.url,
        )
