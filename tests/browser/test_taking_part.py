"""A stranger signs up, writes a bot, sees its check pass and enters an event: at a real installation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.groups import SECOND
from tests.system.conftest import Installation, running

pytestmark = [
    SECOND,
    pytest.mark.slow,
    pytest.mark.system,
    pytest.mark.sandbox,
    pytest.mark.sqlite_suffices,
]
CHECK_MS = 240_000
"""On a machine where other tests run beside this one."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation with a worker."""
    with running(Installation(tmp_path_factory.mktemp("data"))) as up:
        yield up


def test_from_nothing_to_an_event_entered(installed: Installation, browser: Browser) -> None:
    organiser = installed.client("odo", "--organiser")
    made = organiser.post("/tournaments", {"name": "First cup", "preset": "kakeya4", "boards_per_round": 2})
    organiser.post(f"/tournaments/{made['id']}/open")
    context = browser.new_context(base_url=installed.site.url)
    page = context.new_page()
    page.on("pageerror", lambda error: pytest.fail(f"{error}"))
    page.goto("/sign-up")
    page.fill("#id_username", "mina")
    page.fill("#id_password", "many-cranes-fly-9")
    page.click("text=Make the account")
    page.wait_for_url("**/me")

    page.click("text=Make, submit and manage them")
    page.click("text=Make a bot")
    page.fill("#id_name", "Tsuru")
    page.check("input[value=kakeya]")
    page.click("text=Make it and write it here")
    page.click("text=Submit it as v1")
    page.wait_for_url("**/versions/*")
    page.wait_for_selector("#version-check >> text=Check: passed", timeout=CHECK_MS)

    page.click("text=Enter First cup")
    page.click("button:text('Enter it')")
    page.wait_for_selector("text=is entered.")
    assert page.url.endswith(f"/tournaments/{made['id']}")
    context.close()
