"""An organiser in a real browser: an event of two stages from one form, opened, locked and started."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.addresses import ORGANISER
from tests.browser.groups import SECOND
from tests.browser.organising import ENTRIES, entered
from tests.browser.site import Site

pytestmark = [SECOND, pytest.mark.slow]


@pytest.fixture
def page(site: Site, browser: Browser) -> Iterator[Page]:
    """A page of the organiser; a script that fails fails the test."""
    context = browser.new_context(base_url=site.origin)
    context.add_cookies([{"name": "sessionid", "value": site.people[ORGANISER], "url": site.origin}])
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"{error}"))
    yield page
    context.close()


def test_an_event_of_two_stages_is_made_in_one_form_opened_locked_and_started(site: Site, page: Page) -> None:
    page.goto("/organise/new")
    page.fill("#id_name", "Spring walk")
    page.fill("#id_boards_per_round", "2")
    page.select_option("#id_stage-1-format", "swiss")
    page.fill("#id_stage-1-option_rounds", "3")
    page.click("text=Add a stage")
    page.select_option("#id_stage-2-format", "single_elimination")
    page.wait_for_selector("#id_stage-2-option_third_place")
    page.fill("#id_stage-2-qualify", "4")
    assert page.input_value("#id_stage-1-option_rounds") == "3", "nothing typed is lost"
    page.fill("#id_max_entries", "8")
    page.wait_for_selector("text=8 entries:", state="attached")
    page.fill("#id_boards_per_round", "0")
    page.wait_for_selector("#plan-says:has-text('Boards a round')")
    page.fill("#id_boards_per_round", "4")
    page.wait_for_selector("#plan-says:empty", state="attached")
    page.wait_for_selector("#draft:has-text('Saved as a draft')")
    draft = page.input_value("[name=draft]")
    page.goto(f"/organise/new?draft={draft}")
    assert page.input_value("#id_stage-2-qualify") == "4", "leaving loses nothing"
    page.click("button:text('Keep as draft')")
    page.wait_for_url("**/organise/events/*")
    page.fill("#id_description", "By the lake.")
    page.wait_for_selector("#draft:has-text('What you typed is kept')")
    page.reload()
    assert page.input_value("#id_description") == "By the lake.", "nor does leaving what is stored"
    page.click("button:text('Open registration')")
    page.wait_for_url("**/tournaments/*")
    entered(site, page.url.rpartition("/")[2])

    page.reload()
    page.click("a:text('Lock the field')")
    page.wait_for_selector(f"text={ENTRIES} entries will play")
    page.click("button:text('Lock the field')")
    page.wait_for_url("**/tournaments/*")
    page.click("a:text-is('Start')")
    page.click("button:text('Start')")
    page.wait_for_url("**/tournaments/*")
    page.wait_for_selector(".state-running")


def test_the_form_works_without_script(site: Site, browser: Browser) -> None:
    context = browser.new_context(base_url=site.origin, java_script_enabled=False)
    context.add_cookies([{"name": "sessionid", "value": site.people[ORGANISER], "url": site.origin}])
    page = context.new_page()
    page.goto("/organise/new")
    page.fill("#id_name", "Plain walk")
    page.select_option("#id_stage-1-format", "groups")
    page.click("#stage-1 >> text=Show its options")
    page.fill("#id_stage-1-option_size", "3")
    page.click("text=Add a stage")
    assert page.input_value("#id_stage-1-option_size") == "3"
    assert page.input_value("#id_name") == "Plain walk"
    context.close()
