"""A site and a browser for the tests of pages in each of their two processes; the readers keep their tabs.

All end with the last of these tests: as long as Playwright runs there is an event loop in the process,
in which Django lets nobody reach a database.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests import migrated
from tests.browser import chrome
from tests.browser.readers import Readers
from tests.browser.site import Site, copy, populate, serving


@pytest.fixture(scope="package")
def populated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a populated site that nobody serves, made by the first process of the run that asks.

    RENSHO_BROWSER_SITE names one that is populated already.
    """
    if given := os.environ.get("RENSHO_BROWSER_SITE"):
        return Path(given)

    def make(folder: Path) -> None:
        folder.mkdir()
        populate(folder, migrated.sqlite_file(tmp_path_factory))
        migrated.static_copy(tmp_path_factory, folder / "data")

    return migrated.made_once_a_run(tmp_path_factory, "browser-populated", make)


@pytest.fixture(scope="package")
def site(populated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The populated site, served for this process alone."""
    folder = tmp_path_factory.mktemp("browser") / "site"
    copy(populated, folder)
    with serving(folder) as started:
        yield started


@pytest.fixture(scope="package")
def lasting() -> Iterator[chrome.Lasting]:
    """What keeps a browser; without one the tests fail, as they do without a PostgreSQL server."""
    try:
        os.environ["RENSHO_CHROMIUM"] = chrome.chromium()
    except chrome.NoBrowser as refusal:
        pytest.fail(str(refusal), pytrace=False)
    kept = chrome.Lasting()
    yield kept
    kept.close()


@pytest.fixture
def browser(lasting: chrome.Lasting) -> Browser:
    """The browser."""
    return lasting.browser()


@pytest.fixture(scope="package")
def kept_readers(lasting: chrome.Lasting) -> Iterator[Readers]:
    """Tabs that are kept from page to page."""
    kept = Readers(lasting.browser())
    yield kept
    kept.close()


@pytest.fixture
def readers(kept_readers: Readers, browser: Browser) -> Readers:
    """Those, in the browser there is."""
    kept_readers.move(browser)
    return kept_readers
