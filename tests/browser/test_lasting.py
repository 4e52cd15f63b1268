"""A test that ends the browser ends it for itself alone."""

from __future__ import annotations

import contextlib

import pytest
from playwright.sync_api import Error

from tests.browser import chrome
from tests.browser.groups import SECOND

pytestmark = [SECOND, pytest.mark.full]


def test_a_browser_that_is_gone_is_followed_by_another(lasting: chrome.Lasting) -> None:
    first = lasting.browser()
    assert lasting.browser() is first
    page = first.new_page()
    page.on("close", lambda _: pytest.fail("as a test that has taken too long"))
    with contextlib.suppress(Error):
        page.close()
    second = lasting.browser()
    assert second is not first
    with second.new_context() as context:
        context.new_page().goto("about:blank")
