"""Every page in a real browser: both themes, phone and desk, with script and without."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser.addresses import PAGES, Row
from tests.browser.site import Site
from tests.browser.visits import visit

pytestmark = pytest.mark.xdist_group("browser")

WIDTHS = (390, 1280)
NARROWEST = 320


@pytest.mark.sampled(8)
@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.name)
def test_a_page_opens_without_complaint_and_fits_its_window(site: Site, browser: Browser, row: Row) -> None:
    for width in WIDTHS:
        with visit(browser, site, row, width=width) as seen:
            assert seen.complaints == []
            assert seen.overflow() == []
