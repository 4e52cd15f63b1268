"""A stranger signs up, writes a bot, sees its check pass and enters an event: at a real installation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.groups import SECOND
from tests.browser.taking_part import CLICKS_TO_ENTER, FIRST_CHECK_S, walk
from tests.system.conftest import Installation, running

pytestmark = [
    SECOND,
    pytest.mark.slow,
    pytest.mark.system,
    pytest.mark.sandbox,
    pytest.mark.sqlite_suffices,
]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation with a worker."""
    with running(Installation(tmp_path_factory.mktemp("data"))) as up:
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
