"""Two tables in a browser: keys, the stop at the first difference, and the same positions without script."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.addresses import Row
from tests.browser.groups import FIRST
from tests.browser.readers import ENGLISH, JAPANESE, Readers
from tests.browser.site import Site
from tests.browser.stepping import position, until, walk
from tests.browser.visits import DESK, PHONE

pytestmark = [FIRST, pytest.mark.full]

KEYS = ["kakeya4", "etori_meiji", "kakkuri2", "kakeya4_game"]
SNAPSHOT = """
(() => [...document.querySelectorAll("[data-table]")].map((table) => {
  const isShown = (e) => !e.closest(".gone");
  const shown = (selector, from = table) => [...from.querySelectorAll(selector)].filter(isShown);
  const codes = (e) => shown("[data-card]", e).map((card) => card.dataset.card);
  const list = (selector, name) => shown(selector).map((e) => [e.dataset[name], codes(e)]);
  return {
    hands: list("[data-hand]", "hand"), slots: list("[data-slot]", "slot"),
    laid: shown(".follow-laid-cards").flatMap(codes),
    acting: shown("[data-acting]").map((e) => e.dataset.seat || e.dataset.slot),
    wins: shown("[data-wins]").map((e) => e.dataset.slot),
    outlined: shown(".is-different").length > 0,
    said: shown("[data-sentence]")[0].textContent,
  };
}))()
"""
BOXES = """
(() => [...document.querySelectorAll("[data-table] .mat")].map((mat) => {
  const {left, right, top, bottom, height} = mat.getBoundingClientRect();
  return {left, right, top, bottom, height};
}))()
"""
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def row_of(key: str, at: str = "") -> Row:
    address = f"/fixtures/{{{key}_fixture}}/boards/1/compare"
    return Row(f"two tables of {key}", f"{address}?at={at}" if at else address)


def difference(page: Page) -> int:
    return int(page.locator(".replay").get_attribute("data-difference") or 0)


def is_different(tables: list[dict[str, Any]]) -> bool:
    """The order of the cards in a hand depends on the trump suit, which may be declared later."""
    one, other = (
        {**table, "hands": [[seat, sorted(cards)] for seat, cards in table["hands"]]} for table in tables
    )
    return one != other


@pytest.mark.parametrize("key", KEYS)
def test_every_stop_is_the_one_without_script(site: Site, readers: Readers, key: str) -> None:
    with readers.visit(site, row_of(key), width=DESK) as seen:
        first = difference(seen.page)
        found: list[tuple[str, Any]]
        found, _ = walk(seen.page, "ArrowRight", f"[location.hash.slice(1), {SNAPSHOT.strip()}]")
        assert position(seen.page) == len(found) - 1
        assert seen.complaints == []
    assert next(stop for stop, (_, tables) in enumerate(found) if is_different(tables)) == first
    if first:
        assert [table["outlined"] for table in found[first][1]] == [True, True]
        assert [table["outlined"] for table in found[first - 1][1]] == [False, False]
    for stop in {0, first, len(found) // 2, len(found) - 1}:
        at, shown = found[stop]
        with readers.visit(site, row_of(key, at), has_script=False) as bare:
            assert bare.page.evaluate(SNAPSHOT) == shown, at


def test_keys_lead_to_the_difference_by_tricks_and_to_other_boards(site: Site, readers: Readers) -> None:
    with readers.visit(site, row_of("etori_meiji"), width=DESK) as seen:
        page = seen.page
        first, last = (
            difference(page),
            len(page.evaluate("JSON.parse(document.querySelector('[data-states]').textContent)")),
        )
        stops = []
        for key in ("d", "Shift+ArrowRight", "End", "Home", "Shift+ArrowRight"):
            page.keyboard.press(key)
            stops.append(position(page))
        assert stops[0] == first
        assert first < stops[1] < last - 1
        assert stops[2:4] == [last - 1, 0]
        assert 0 < stops[4] <= first
        page.click(".compare-first")
        assert position(page) == first
        page.keyboard.press("ArrowDown")
        page.wait_for_url("**/boards/2/compare*")
        page.keyboard.press("ArrowUp")
        page.wait_for_url("**/boards/1/compare*")
        assert seen.complaints == []


def test_playing_stops_at_the_first_difference(site: Site, readers: Readers) -> None:
    with readers.visit(site, row_of("kakeya4"), width=DESK) as seen:
        page = seen.page
        first = difference(page)
        page.keyboard.press("Space")
        until(page, lambda at: at == first)
        page.wait_for_timeout(2500)
        assert position(page) == first
        assert page.locator("[data-control=play]").get_attribute("aria-pressed") == "false"
        page.keyboard.press("Space")
        until(page, lambda at: at > first)


def test_a_game_changes_its_deal_in_the_page(site: Site, readers: Readers) -> None:
    with readers.visit(site, row_of("kakeya4_game"), width=DESK) as seen:
        seen.page.keyboard.press("ArrowDown")
        seen.page.wait_for_selector(".replay[data-deal=b1d2]")
        assert seen.page.locator("[data-table] .mat").count() == 2
        assert seen.complaints == []


@pytest.mark.parametrize("language", [ENGLISH, JAPANESE])
@pytest.mark.parametrize("key", ["kakeya4", "kakkuri2"])
def test_mats_are_beside_each_other_and_keep_their_height(
    site: Site, readers: Readers, key: str, language: str
) -> None:
    with readers.visit(site, row_of(key), width=DESK, language=language) as seen:
        found, _ = walk(seen.page, "ArrowRight", f"[{WIDE}, {BOXES.strip()}]")
        assert not seen.page.locator(".compare-switch").is_visible()
    assert len(found) > 4
    for wide, (left, right) in found:
        assert wide <= 0
        assert left["right"] <= right["left"]
        assert left["bottom"] > right["top"]
    assert len({(round(left["height"]), round(right["height"])) for _, (left, right) in found}) == 1


@pytest.mark.parametrize("language", [ENGLISH, JAPANESE])
@pytest.mark.parametrize("key", ["kakeya4", "kakkuri2"])
def test_a_phone_shows_the_chosen_one_of_the_mats_which_keeps_its_height(
    site: Site, readers: Readers, key: str, language: str
) -> None:
    with readers.visit(site, row_of(key), width=PHONE, language=language) as seen:
        labels = seen.page.locator(".compare-switch label")
        assert labels.count() == 2
        assert [box["height"] > 0 for box in seen.page.evaluate(BOXES)] == [True, False]
        for chosen, arrow in ((0, "ArrowRight"), (1, "ArrowLeft"), (0, "ArrowRight")):
            labels.nth(chosen).click()
            found, _ = walk(seen.page, arrow, f"[{WIDE}, {BOXES.strip()}]")
            assert len(found) > 4
            assert max(wide for wide, _ in found) <= 0
            shown = {tuple(round(box["height"]) for box in boxes) for _, boxes in found}
            assert len(shown) == 1
            heights = shown.pop()
            assert [height > 0 for height in heights] == [table == chosen for table in (0, 1)]
        assert seen.complaints == []
