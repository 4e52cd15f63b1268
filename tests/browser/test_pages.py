"""Every page in a real browser: both themes, phone and desk, with script and without, and what it weighs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from tests.browser.addresses import PAGES, Row
from tests.browser.site import Site
from tests.browser.survey import survey

pytestmark = pytest.mark.xdist_group("browser")
Record = Callable[[str, object], None]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.name)
def test_a_page_keeps_what_every_page_promises(
    site: Site, browser: Browser, row: Row, record_property: Record
) -> None:
    """No error, nothing grave for axe, no sideways scrolling, content without script, budgets."""
    found = survey(browser, site, row)
    record_property("figures", found.figures.line(row.name))
    assert "\n".join(found.defects) == ""
