"""Documents in a browser: code that copies itself, rows that are addresses, lists beside the text."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.addresses import Row
from tests.browser.groups import FIRST
from tests.browser.readers import Readers
from tests.browser.site import Site

pytestmark = [FIRST, pytest.mark.full]

TUTORIAL = Row("tutorial", "/docs/tutorial")
VERDICT = Row("verdict", "/docs/bot-protocol#out_of_time")


def test_a_button_copies_the_code_above_it(site: Site, readers: Readers) -> None:
    with readers.visit(site, TUTORIAL) as seen:
        seen.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.origin)
        button = seen.page.locator(".doc-code button").nth(1)
        expect(button).to_be_visible()
        code = seen.page.locator(".doc-code code").nth(1).text_content()
        button.click()
        expect(button).to_have_text("Copied")
        assert seen.page.evaluate("navigator.clipboard.readText()") == code
        assert seen.complaints == []


def test_without_script_no_button_is_shown(site: Site, readers: Readers) -> None:
    with readers.visit(site, TUTORIAL, has_script=False) as seen:
        assert seen.page.locator(".doc-code button").count() > 3
        expect(seen.page.locator(".doc-code button").first).to_be_hidden()
        expect(seen.page.locator(".doc-code code").first).to_be_visible()


def test_the_address_of_a_verdict_shows_its_row(site: Site, readers: Readers) -> None:
    with readers.visit(site, VERDICT) as seen:
        row = seen.page.locator("#out_of_time")
        expect(row).to_be_in_viewport()
        ground = "e => getComputedStyle(e).backgroundColor"
        others = seen.page.locator("#crashed")
        assert row.evaluate(ground) != others.evaluate(ground)


def test_a_phone_finds_the_list_of_a_page_at_its_end(site: Site, readers: Readers) -> None:
    with readers.visit(site, TUTORIAL, width=390) as seen:
        seen.page.get_by_role("link", name="On this page").click()
        expect(seen.page.locator("#toc")).to_be_in_viewport()
    with readers.visit(site, TUTORIAL) as seen:
        expect(seen.page.locator(".doc-jump")).to_be_hidden()
