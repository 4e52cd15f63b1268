"""The fairness panel of an event of several stages: each stage has a field, and each field a digest."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.groups import FIRST
from tests.browser.site import Site

pytestmark = [FIRST, pytest.mark.full]

PATIENCE_MS = 30_000
"""A guard against hanging, not a measure."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def digests_checked(site: Site, page: Page) -> str:
    """What the panel says of the field digests."""
    page.goto(site.url("/tournaments/{groups}"))
    page.click('[data-part="run"]')
    expect(page.locator('[data-part="run"]')).to_be_enabled(timeout=PATIENCE_MS)
    return page.inner_text('[data-verify] [data-part="field"]')


def test_the_digests_of_all_stages_are_derived_again(site: Site, page: Page) -> None:
    said = digests_checked(site, page)
    assert "✓" in said
    assert len([word for word in said.split() if len(word) == 64]) == 2


def test_another_field_of_a_later_stage_is_found(site: Site, page: Page) -> None:
    def forge(route: Route) -> None:
        answer = route.fetch().json()
        second = answer["field_digests"][1]
        first = answer["field_digests"][0]["entries"]
        second["entries"] = [*second["entries"][:-1], min(set(first) - set(second["entries"]))]
        route.fulfill(body=json.dumps(answer), content_type="application/json")

    page.route("**/fairness*", forge)
    said = digests_checked(site, page)
    assert "✗" in said
    assert "2: " in said
