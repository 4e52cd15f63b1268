"""An organiser in a real browser: an event of two stages from one form, opened, locked and started."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.addresses import ORGANISER
from tests.browser.groups import SECOND
from tests.browser.organising import ENTRIES, entered
from tests.browser.site import Site
from tests.browser.visits import sound

pytestmark = [SECOND, pytest.mark.full]


@pytest.fixture
def page(site: Site, browser: Browser) -> Iterator[Page]:
    """A page of the organiser; a script that fails fails the test."""
    context = browser.new_context(base_url=site.origin)
    context.add_cookies([{"name": "sessionid", "value": site.people[ORGANISER], "url": site.origin}])
    with sound(context.new_page()) as page:
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
    page.wait_for_selector("#plan-error:has-text('Boards per round')")
    error = page.locator(".form-field.is-wrong > #id_boards_per_round_error")
    expect(error).to_be_visible()
    control = page.locator("#id_boards_per_round")
    expect(control).to_have_attribute("aria-invalid", "true")
    expect(control).to_have_attribute(
        "aria-describedby", "id_boards_per_round_helptext id_boards_per_round_error"
    )
    expect(page.locator(".plan-figures").first).to_contain_text("Tables")
    page.fill("#id_boards_per_round", "4")
    page.wait_for_selector("#plan-error:empty", state="attached")
    expect(error).to_have_count(0)
    expect(control).not_to_have_attribute("aria-invalid", "true")
    expect(control).to_have_attribute("aria-describedby", "id_boards_per_round_helptext")
    page.wait_for_selector("#draft:has-text('Saved as a draft')")
    draft = page.input_value("[name=draft]")
    page.goto(f"/organise/new?draft={draft}")
    assert page.input_value("#id_stage-2-qualify") == "4", "leaving loses nothing"
    page.click("button:text('Save the draft')")
    page.wait_for_url("**/organise/tournaments/*")
    page.fill("#id_description", "By the lake.")
    page.wait_for_selector("#draft:has-text('Your input was saved')")
    page.reload()
    assert page.input_value("#id_description") == "By the lake.", "nor does leaving what is stored"
    page.click("button:text('Open entry')")
    page.wait_for_url("**/open")
    page.wait_for_selector("text=What is no longer possible")
    page.click("button:text-is('Open entry')")
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


def test_the_focus_goes_with_a_stage_that_is_moved_and_its_place_is_announced(page: Page) -> None:
    page.goto("/organise/new?template=groups-final")
    said = page.locator("#stages-status")
    page.click("#stage-1 >> text=Move down")
    expect(said).to_have_text("Stage 1 moved down: it is stage 2 of 2.")
    expect(page.locator("#id_stage-2-format")).to_have_value("groups")
    # It is the last one now and has no such button any more.
    expect(page.locator("#stage-2 > legend")).to_be_focused()
    page.click("text=Add a stage")
    expect(page.locator("#id_stage-3-format")).to_be_focused()
    page.click("#stage-3 >> text=Move up")
    expect(page.locator("#stage-2 button:has-text('Move up')")).to_be_focused()
    expect(said).to_have_text("Stage 3 moved up: it is stage 2 of 3.")
    page.click("#stage-3 >> text=Remove")
    expect(said).to_have_text("Stage 3 removed; stages left: 2.")
    expect(page.locator("#stage-2 > legend")).to_be_focused()


def test_a_session_that_ended_is_told_where_one_types_and_signing_in_elsewhere_goes_on(
    site: Site, page: Page
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/organise/new")
    cookies = page.context.cookies()
    page.context.clear_cookies(name="sessionid")
    page.fill("#id_name", "Signed out")
    says = page.locator(".draft-lost")
    expect(says).to_contain_text("Not saved: you are not signed in")
    expect(says).to_be_in_viewport()
    expect(page.locator("#id_name")).to_be_in_viewport()
    # As after a sign-in in another window: a session, and another token.
    page.context.add_cookies(
        [
            *(cookie for cookie in cookies if cookie["name"] == "sessionid"),
            {"name": "csrftoken", "value": "b" * 32, "url": site.origin},
        ]
    )
    page.fill("#id_name", "Signed in again")
    page.wait_for_selector("#draft:has-text('Saved as a draft')", state="attached")
    expect(says).to_have_count(0)
