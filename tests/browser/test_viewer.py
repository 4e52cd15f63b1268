"""The viewer in a browser shows at every position what the engine says of the record."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.addresses import Row
from tests.browser.events import kinds
from tests.browser.site import Site
from tests.browser.visits import PHONE, visit
from tests.browser.walked import Deal, first_deal

pytestmark = pytest.mark.xdist_group("browser")

KEYS = [kind.key for kind in kinds()]
SNAPSHOT = """
(() => {
  const el = document.querySelector(".replay");
  const all = (selector, from = el) => [...from.querySelectorAll(selector)];
  const isShown = (e) => !e.closest(".gone");
  const cards = (e) => all("[data-card]", e).filter(isShown).map((card) => card.dataset.card);
  const by = (name, what) => Object.fromEntries(
    all(`[data-${name}]`).filter(isShown).map((e) => [e.dataset[name], what(e)]));
  return {
    position: Number(el.dataset.position),
    hands: by("hand", cards),
    slots: by("slot", cards),
    wins: all("[data-slot][data-wins]").map((e) => e.dataset.slot),
    pictures: by("side", (e) => Number(all("b", e).filter(isShown)[0].textContent)),
    captured: by("side", (e) => all("[data-captured]", e).filter(isShown).length),
    laid: all(".follow-laid-cards").filter(isShown).map(cards).flat(),
    everything: [...new Set(all("[data-card]", document).map((e) => e.dataset.card))],
    height: Math.round(document.querySelector(".mat").getBoundingClientRect().height * 10) / 10,
    hash: location.hash,
    said: document.querySelector("[data-said]").textContent,
  };
})()
"""
WALK = (
    """
([key, most]) => {
  const found = [], times = [];
  for (let n = 0; n < most; n += 1) {
    found.push("""
    + SNAPSHOT.strip()
    + """);
    const before = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    document.body.getBoundingClientRect();
    times.push(performance.now() - before);
    if (Number(document.querySelector(".replay").dataset.position) === found.at(-1).position) break;
  }
  return [found, times];
}
"""
)
"""Press a key again and again until it changes nothing; what was there each time, and ms of each step."""
MOST = 400
PATIENCE = 400


def table_of(site: Site, key: str) -> tuple[str, Deal]:
    """The address of a table, and what the engine says of its record."""
    public_id = site.facts[f"{key}_table"]
    record = httpx.get(f"{site.origin}/api/v1/tables/{public_id}/record", timeout=60)
    return f"/tables/{public_id}", first_deal(record.content)


def walked(page: Page, key: str) -> tuple[list[dict[str, Any]], list[float]]:
    """The snapshots of a walk by one key, and how long its steps took, ms."""
    found, times = page.evaluate(WALK, [key, MOST])
    return found, times


@pytest.mark.sampled(8)
@pytest.mark.parametrize("key", KEYS)
def test_every_position_forward_and_back_is_what_the_engine_says(
    site: Site, browser: Browser, key: str, record_property: Callable[[str, object], None]
) -> None:
    address, deal = table_of(site, key)
    with visit(browser, site, Row("table", address)) as seen:
        forward, times = walked(seen.page, "ArrowRight")
        back, _ = walked(seen.page, "ArrowLeft")
        assert seen.complaints == []
    assert len(forward) == len(deal.frames)
    for at, (snapshot, frame) in enumerate(zip(forward, deal.frames, strict=True)):
        assert snapshot["position"] == at
        hands = {seat: sorted(cards) for seat, cards in snapshot["hands"].items() if cards}
        assert hands == {seat: sorted(cards) for seat, cards in frame.hands.items() if cards}, at
        if snapshot["slots"]:
            on_mat = {seat: cards[0] for seat, cards in snapshot["slots"].items() if cards}
            assert on_mat == frame.trick, at
            pictures = {side: frame.pictures[int(side)] for side in snapshot["pictures"]}
            assert snapshot["pictures"] == snapshot["captured"] == pictures, at
            assert sum(pictures.values()) == sum(frame.pictures)
            if frame.winner:
                assert snapshot["wins"] == [frame.winner], at
        else:
            assert snapshot["laid"] == frame.laid, at
    assert [{**snapshot} for snapshot in reversed(back)] == forward
    heights = [snapshot["height"] for snapshot in forward]
    assert max(heights) - min(heights) < 0.5
    assert len({snapshot["hash"] for snapshot in forward}) == len(forward)
    record_property(
        "figures",
        f"viewer {key:20} {len(times):3} steps, median {statistics.median(times):5.1f} ms, "
        f"most {max(times):5.1f} ms",
    )


@pytest.mark.sampled(8)
@pytest.mark.parametrize("key", KEYS)
def test_no_card_of_another_hand_is_in_the_document_of_a_seat(site: Site, browser: Browser, key: str) -> None:
    address, deal = table_of(site, key)
    everybody = set(deal.frames[0].hands)
    seat = min(everybody, key=int)
    with visit(browser, site, Row("table", address)) as seen:
        seen.page.keyboard.press(seat)
        found, _ = walked(seen.page, "ArrowRight")
    for at, (snapshot, frame) in enumerate(zip(found, deal.frames, strict=True)):
        hidden = {card for who, hand in frame.hands.items() if who != seat for card in hand}
        # Of eight players those who are out give their hands to the box: its cards are turned up.
        turned = {card for earlier in deal.frames[: at + 1] for card in earlier.laid}
        assert not hidden & set(snapshot["everything"]) - turned - {"AC"}, at
    served = httpx.get(site.url(f"{address}?seat={seat}"), timeout=60).text
    drawn = set(re.findall(r'(?:data-card="|href="#[ck]-)([2-9TJQKA][SHDC])"', served))
    hidden = {card for who, hand in deal.frames[0].hands.items() if who != seat for card in hand}
    assert hidden
    assert not hidden & drawn - {"AC"}


@pytest.mark.slow
@pytest.mark.parametrize("key", ["kakeya4", "kakeya6", "kakkuri5"])
def test_without_script_an_address_gives_the_same_position(site: Site, browser: Browser, key: str) -> None:
    address, _ = table_of(site, key)
    with visit(browser, site, Row("table", address)) as seen:
        found, _ = walked(seen.page, "ArrowRight")
    for snapshot in found[3::15]:
        row = Row("table", f"{address}?at={snapshot['hash'][1:]}")
        with visit(browser, site, row, has_script=False) as bare:
            there = bare.page.evaluate(SNAPSHOT)
        for name in ("position", "hands", "slots", "pictures", "laid"):
            assert there[name] == snapshot[name], (snapshot["hash"], name)


def position(page: Page) -> int:
    """Where the viewer is."""
    return int(page.evaluate("Number(document.querySelector('.replay').dataset.position)"))


def until(page: Page, is_there: Callable[[int], bool]) -> None:
    """Wait for the viewer to get to a position; the page's policy forbids Playwright to wait in it."""
    for _ in range(PATIENCE):
        if is_there(position(page)):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"the viewer stays at {position(page)}")


@pytest.mark.slow
def test_keys_buttons_and_touch_lead_through_a_deal(site: Site, browser: Browser) -> None:
    row = Row("table", f"/tables/{site.facts['kakeya4_table']}")
    with visit(browser, site, row, width=PHONE) as seen:
        page = seen.page
        seen_at = [position(page)]
        for key in ("ArrowRight", "Shift+ArrowRight", "End", "Shift+ArrowLeft", "Home"):
            page.keyboard.press(key)
            seen_at.append(position(page))
        assert seen_at[0] == seen_at[-1] == 0
        assert seen_at[1] == 1
        assert 1 < seen_at[2] < seen_at[4] < seen_at[3]
        page.tap("[data-control=on]")
        assert position(page) == 1
        box = page.locator(".mat").bounding_box()
        assert box is not None
        page.locator(".mat").scroll_into_view_if_needed()
        box = page.locator(".mat").bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
        until(page, lambda at: at == 2)
        page.touchscreen.tap(box["x"] + box["width"] * 0.1, box["y"] + box["height"] / 2)
        until(page, lambda at: at == 1)
        page.tap("[data-control=play]")
        until(page, lambda at: at >= 3)
        page.tap("[data-control=play]")
        assert page.get_attribute("[data-control=play]", "aria-pressed") == "false"
        page.keyboard.press("ArrowDown")
        page.wait_for_selector(".replay[data-deal=b2]")
        assert seen.complaints == []
