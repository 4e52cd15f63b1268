"""Strangers sign up, write bots, enter, watch and challenge, at a real installation."""

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


def test_a_cup_of_two_stages_is_watched_to_its_end_and_a_rival_challenges(
    installed: Installation, browser: Browser
) -> None:
    organiser = installed.client("olga", "--organiser")
    stages = [{"format": "round_robin"}, {"format": "single_elimination", "qualify": 2}]
    plan = {"preset": "kakeya4", "boards_per_round": 1, "review_hours": 0, "stages": stages}
    cup = f"/tournaments/{organiser.post('/tournaments', {'name': CUP, **plan})['id']}"
    organiser.post(f"{cup}/open")
    origin = installed.site.url
    with stranger(browser, origin) as hers, stranger(browser, origin) as rival:
        for page, name in ((hers, "yuki"), (rival, "ren")):
            signed_up(Clicks(page), name)
            submitted(Clicks(page), name)
        for page in (hers, rival):
            checked(Clicks(page))
            entered(Clicks(page), CUP)
        hers.goto(cup)
        watched(hers)
        for verb in ("lock", "start"):
            organiser.post(f"{cup}/{verb}")
        expect(hers.locator(".state-final")).to_be_attached(timeout=PATIENCE_MS)
        assert hers.evaluate("window.stayed"), "its end was seen without a reload"
        expect(hers.locator("#part-bracket-2")).to_be_attached()

        rival.goto(cup)
        rival.click("a:text('Tsuru of yuki') >> nth=0")
        rival.click("a[href$='/challenge']")
        rival.fill("#id_boards", "1")
        rival.click("main form button[type=submit]")
        rival.wait_for_url("**/tournaments/*")
        watched(rival)
        expect(rival.locator(".state-final")).to_be_attached(timeout=PATIENCE_MS)
        assert rival.evaluate("window.stayed")


def watched(page: Page) -> None:
    """Stay with a page that follows its event: a mark that is gone later means that it was loaded again."""
    page.evaluate("window.stayed = true")
