"""One site and one browser for all tests of the pages, which share a process; a context for each visit.

Both end with the last of these tests: as long as Playwright runs there is an event loop in the process,
in which Django lets nobody reach a database.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import chrome
from tests.browser.site import Site, copy, populate, serving


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The populated site; RENSHO_BROWSER_SITE names the folder of one that is populated already."""
    folder = tmp_path_factory.mktemp("browser") / "site"
    if populated := os.environ.get("RENSHO_BROWSER_SITE"):
        copy(Path(populated), folder)
    else:
        folder.mkdir()
        populate(folder)
    with serving(folder) as started:
        yield started


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The browser; without one the tests fail, as they do without a PostgreSQL server."""
    try:
        path = chrome.chromium()
    except chrome.NoBrowser as refusal:
        pytest.fail(str(refusal), pytrace=False)
    os.environ["RENSHO_CHROMIUM"] = path
    with chrome.running() as started:
        yield started
