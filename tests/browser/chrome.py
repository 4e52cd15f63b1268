"""The browser of the system that the tests drive. Playwright downloads none."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator

from playwright.sync_api import Browser, Error, sync_playwright

PROGRAMS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
"""The first takes three quarters of the time of the others: it has no windows to draw."""
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-gpu-rasterization",
    "--disable-dev-shm-usage",
    "--font-render-hinting=none",
    "--process-per-site",
    "--disable-site-isolation-trials",
)
"""Chromium's own sandbox refuses to run as root; it visits nothing but our own pages. Debian asks for pixels
from the GPU, which here would be computed like one. The last two keep the process of a tab from page to
page: a new one takes a tenth of a second to start, and compiles every script anew."""


class NoBrowser(Exception):
    """There is no Chromium here; the message says what to do."""


def chromium() -> str:
    """The path of the browser: RENSHO_CHROMIUM, else the first of the known names on PATH.

    Raises NoBrowser if there is none.
    """
    if named := os.environ.get("RENSHO_CHROMIUM"):
        if os.access(named, os.X_OK):
            return named
        raise NoBrowser(f"RENSHO_CHROMIUM={named} is no program that can be run.")
    for name in PROGRAMS:
        if found := shutil.which(name):
            return found
    raise NoBrowser(
        f"The tests of the pages need Chromium; none of {', '.join(PROGRAMS)} is on PATH. "
        "Remedy: as root, apt-get install chromium-headless-shell (or what your system calls it), "
        "or set RENSHO_CHROMIUM to its path."
    )


class Lasting:
    """A browser for many tests, and another one once it is gone: what ends one fails one test.

    What a listener raises ends Playwright's connection to it if it is no Exception, as a test's time-out.
    """

    def __init__(self) -> None:
        self._held = contextlib.ExitStack()
        self._browser: Browser | None = None

    def browser(self) -> Browser:
        """One that answers.

        Raises:
            NoBrowser: there is none.
        """
        if self._browser is None or not _answers(self._browser):
            self.close()
            self._browser = self._held.enter_context(running())
        return self._browser

    def close(self) -> None:
        """End it. A process that it leaves behind ends with the tests."""
        self._browser = None
        with contextlib.suppress(Error):
            self._held.close()


def _answers(browser: Browser) -> bool:
    try:
        browser.new_browser_cdp_session().detach()
    except Error:
        return False
    return True


@contextlib.contextmanager
def running() -> Iterator[Browser]:
    """A browser without a window, closed at the end.

    Raises NoBrowser.
    """
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()
