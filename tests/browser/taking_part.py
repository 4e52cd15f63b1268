"""From nothing to an event entered, as a stranger goes: sign-up, a bot written in the page, its check."""

from __future__ import annotations

import time
from typing import NamedTuple

from playwright.sync_api import Browser, Page

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


def walk(browser: Browser, origin: str, name: str, event: str) -> Taken:
    """As an account of this name into the event of that one, which takes entries.

    Raises:
        AssertionError: a script of a page failed.
    """
    context = browser.new_context(base_url=origin)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(f"{error}"))
    clicks = Clicks(page)
    begun = time.monotonic()
    page.goto("/sign-up")
    page.fill("#id_username", name)
    page.fill("#id_password", PASSWORD)
    clicks.on("text=Make the account")
    page.wait_for_url("**/me")
    signed_up = time.monotonic()

    clicks.on("text=Make, submit and manage them")
    clicks.on("text=Make a bot")
    page.fill("#id_name", f"Tsuru of {name}")
    page.check("input[value=kakeya]")
    clicks.on("text=Make it and write it here")
    clicks.on("text=Submit it as v1")
    page.wait_for_url("**/versions/*")
    submitted = time.monotonic()
    page.wait_for_selector("#version-check >> text=Check: passed")
    checked, before = time.monotonic(), clicks.count

    clicks.on(f"text=Enter {event}")
    clicks.on("button:text('Enter it')")
    page.wait_for_selector("text=is entered.")
    taken = Taken(
        signed_up - begun,
        submitted - begun,
        checked - begun,
        time.monotonic() - checked,
        clicks.count - before,
        page.url,
    )
    context.close()
    assert not faults, faults
    return taken
