"""Notes in a browser: keys and links between costly plays, and retry, on a page without a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.groups import FIRST
from tests.browser.visits import DESK, PHONE, Visit
from tests.viewer.noted import noted_table
from tests.viewer.records import view_for
from viewer.page import replay_page
from viewer.solver_notes import card_values

pytestmark = [FIRST, pytest.mark.full]

VIEW = view_for("kakeya4")
NOTES = noted_table(VIEW, {(1, 1): {5: 1, 12: 2, 30: 3}, (2, 1): {7: 1}})
COSTLY = [7, 14, 32]
"""Positions on board 1."""


@pytest.fixture(params=[DESK, PHONE])
def page(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    path = tmp_path / "table.html"
    path.write_text(replay_page(VIEW, title="test", notes=NOTES))
    context = browser.new_context(viewport={"width": request.param, "height": 844})
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(path.as_uri())
    yield opened
    wide = opened.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    context.close()
    assert errors == []
    assert wide <= 0


def at(page: Page) -> tuple[str, int]:
    replay = page.locator(".replay").first
    return str(replay.get_attribute("data-deal")), int(replay.get_attribute("data-position") or 0)


def shown(page: Page, selector: str) -> int:
    return page.locator(selector).locator("visible=true").count()


def test_keys_lead_to_the_costly_plays_of_all_boards_and_back(page: Page) -> None:
    found = []
    for _ in range(5):
        page.keyboard.press("n")
        found.append(at(page))
    assert found == [*(("b1", position) for position in COSTLY), ("b2", 9), ("b2", 9)]
    page.keyboard.press("p")
    assert at(page) == ("b1", COSTLY[-1])
    page.keyboard.press("p")
    assert at(page) == ("b1", COSTLY[-2])


def test_links_lead_to_the_same_plays_and_end_where_there_is_none(page: Page) -> None:
    back, on = page.locator("[data-control=costly-back]"), page.locator("[data-control=costly-on]")
    assert back.get_attribute("href") is None
    on.click()
    assert at(page) == ("b1", COSTLY[0])
    on.click()
    assert at(page) == ("b1", COSTLY[1])
    back.click()
    assert at(page) == ("b1", COSTLY[0])
    assert back.get_attribute("aria-disabled") == "true"
    assert shown(page, "[data-note]") == 1


def test_one_seat_sees_no_notes_and_the_keys_do_nothing(page: Page) -> None:
    page.keyboard.press("n")
    page.keyboard.press("1")
    assert shown(page, "[data-note], .play-cost, .value-lines, .note-links a") == 0
    assert page.locator("[data-note], .value-lines").count() == 0
    page.keyboard.press("n")
    assert at(page) == ("b1", COSTLY[0])
    page.keyboard.press("0")
    assert shown(page, "[data-note]") == 1
    assert shown(page, ".value-lines") == 1


def test_a_retry_asks_before_the_play_and_shows_the_values_after_a_choice(page: Page) -> None:
    page.keyboard.press("n")
    page.keyboard.press("n")
    page.locator("[data-retry]").locator("visible=true").click()
    assert at(page) == ("b1", COSTLY[1] - 1)
    assert shown(page, "[data-question]") == 1
    assert shown(page, ".replay-note-choices, .note-value, [data-part=note]") == 0
    played = VIEW["boards"][0]["deals"][0]["steps"][12]["a"]
    card = next(card for card in card_values(NOTES["deals"][0]["steps"]["12"]) if card != played)
    choice = page.locator(f"[data-choose='{card}']").locator("visible=true")
    answer = choice.get_attribute("data-answer")
    choice.click()
    assert shown(page, ".replay-note-choices") == 1
    assert page.locator("[data-result]").locator("visible=true").inner_text() == answer
    assert page.locator("[data-announcement]").text_content() == answer
    # The next costly play is asked too; its answer is hidden again.
    page.keyboard.press("n")
    assert at(page) == ("b1", COSTLY[2] - 1)
    assert shown(page, ".replay-note-choices") == 0
    page.keyboard.press("ArrowRight")
    assert at(page) == ("b1", COSTLY[2])
    assert shown(page, "[data-part=note]") == 1
    assert shown(page, "[data-question]") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_notes_and_retries_have_no_grave_defect(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    visit = Visit(page)
    assert visit.axe() == []
    page.keyboard.press("n")
    assert visit.axe() == []
    page.locator("[data-retry]").locator("visible=true").click()
    assert visit.axe() == []
    page.locator("[data-choose]").locator("visible=true").first.click()
    assert visit.axe() == []
