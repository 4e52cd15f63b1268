"""Strangers sign up, write bots, enter, watch and challenge; an organiser runs: at a real installation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.groups import SECOND
from tests.browser.taking_part import (
    CLICKS_TO_ENTER,
    FIRST_CHECK_S,
    PATIENCE_MS,
    Clicks,
    checked,
    entered,
    signed_up,
    stranger,
    submitted,
    walk,
)
from tests.system.conftest import Installation, running

pytestmark = [
    SECOND,
    pytest.mark.full,
]


CUP = "Cup of two stages"
APPOINT = (
    "from arena.accounts.models import User; User.objects.filter(username={!r}).update(is_organiser=True)"
)


@pytest.fixture(scope="module")
def installed(
    tmp_path_factory: pytest.TempPathFactory, migrated_database: Callable[[Path], str]
) -> Iterator[Installation]:
    """An installation with a worker."""
    data = tmp_path_factory.mktemp("data")
    with running(Installation(data, DATABASE_URL=migrated_database(data))) as up:
        yield up


def test_from_nothing_to_an_event_entered_within_what_is_promised(
    installed: Installation, browser: Browser
) -> None:
    organiser = installed.client("odo", "--organiser")
    made = organiser.post("/tournaments", {"name": "First cup", "preset": "kakeya4", "boards_per_round": 2})
    organiser.post(f"/tournaments/{made['id']}/open")
    taken = walk(browser, installed.site.url, "mina", "First cup")
    assert taken.address.endswith(f"/tournaments/{made['id']}")
    assert taken.checked_s < FIRST_CHECK_S, taken
    assert taken.clicks <= CLICKS_TO_ENTER


def test_a_cup_of_two_stages_is_run_and_watched_and_a_rival_challenges(
    installed: Installation, browser: Browser
) -> None:
    """All in a browser but to appoint the organiser, for which operators have a command."""
    origin = installed.site.url
    with (
        stranger(browser, origin) as organiser,
        stranger(browser, origin) as hers,
        stranger(browser, origin) as rival,
    ):
        signed_up(Clicks(organiser), "olga")
        installed.manage("shell", "-v", "0", "-c", APPOINT.format("olga"))
        two_stages_opened(organiser)
        cup = organiser.url
        for page, name in ((hers, "yuki"), (rival, "ren")):
            signed_up(Clicks(page), name)
            submitted(Clicks(page), name)
        for page in (hers, rival):
            checked(Clicks(page))
            entered(Clicks(page), CUP)
        hers.goto(cup)
        watched(hers)
        organiser.reload()
        organiser.click("a:text('Lock the field')")
        organiser.click("button:text('Lock the field')")
        organiser.wait_for_url("**/tournaments/*")
        organiser.click("a:text-is('Start')")
        organiser.click("button:text('Start')")
        organiser.wait_for_url("**/tournaments/*")
        watched(organiser)
        for page in (organiser, hers):
            expect(page.locator(".state-final")).to_be_attached(timeout=PATIENCE_MS)
            assert page.evaluate("window.stayed"), "its end was seen without a reload"
            assert page.locator("text=Single elimination").count() > 0

        rival.goto(cup)
        rival.click("a:text('Tsuru of yuki') >> nth=0")
        rival.click("a:text('Challenge it')")
        rival.fill("#id_boards", "1")
        rival.click("button:text('Start it')")
        rival.wait_for_url("**/tournaments/*")
        watched(rival)
        expect(rival.locator(".state-final")).to_be_attached(timeout=PATIENCE_MS)
        assert rival.evaluate("window.stayed")


def two_stages_opened(page: Page) -> None:
    """Make an event of two stages in the form, and open its registration."""
    page.goto("/organise/new")
    page.fill("#id_name", CUP)
    page.fill("#id_boards_per_round", "1")
    page.fill("#id_review_hours", "0")
    page.select_option("#id_stage-1-format", "round_robin")
    page.click("text=Add a stage")
    page.select_option("#id_stage-2-format", "single_elimination")
    page.wait_for_selector("#id_stage-2-option_third_place")
    page.fill("#id_stage-2-qualify", "2")
    page.click("button:text('Open registration')")
    page.wait_for_url("**/open")
    page.click("button:text-is('Open registration')")
    page.wait_for_url("**/tournaments/*")


def watched(page: Page) -> None:
    """Stay with a page that follows its event: a mark that is gone later means that it was loaded again."""
    page.evaluate("window.stayed = true")
