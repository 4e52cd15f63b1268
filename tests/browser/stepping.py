"""Steps through the viewer in a browser: what it shows at every position, and what it must not to a seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import httpx
from playwright.sync_api import Page

from tests.browser.addresses import Row
from tests.browser.replayed_deals import Deal, deals_of
from tests.browser.site import Site

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
    stones: all(".replay-result .n b").map((e) => Number(e.textContent.replace("\\u2212", "-"))),
    height: Math.round(document.querySelector(".mat").getBoundingClientRect().height * 10) / 10,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    hash: location.hash,
    said: document.querySelector("[data-sentence]").textContent,
  };
})()
"""
CARDS = """
(() => [...new Set([...document.querySelectorAll("[data-card]")].map((e) => e.dataset.card))])()
"""
"""Every card of the document, shown or not."""
WALK = """
([key, most]) => {
  const found = [], times = [];
  const position = () => Number(document.querySelector(".replay").dataset.position);
  for (let n = 0; n < most; n += 1) {
    found.push(LOOK);
    const at = position(), before = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    document.body.getBoundingClientRect();
    times.push(performance.now() - before);
    if (position() === at) break;
  }
  return [found, times];
}
"""
"""Press a key again and again until it changes nothing; what was there each time, and ms of each step."""
MOST = 400
PATIENCE = 400
UNSEEN = {"AC"}
"""The card that beats everything, or is wild, is drawn for everybody, whoever holds it."""


def table_of(site: Site, key: str) -> tuple[Row, list[Deal]]:
    """A table, and what the engine says of the deals of its record."""
    public_id = site.facts[f"{key}_table"]
    record = httpx.get(f"{site.origin}/api/v1/tables/{public_id}/record", timeout=60)
    return Row(key, f"/tables/{public_id}"), deals_of(record.content)


def walk(page: Page, key: str, look: str = SNAPSHOT) -> tuple[list[Any], list[float]]:
    """The snapshots of a walk by one key, and how long its steps took, ms.

    The whole walk is one call: a call for each step takes longer than the page does.
    """
    found, times = page.evaluate(WALK.replace("LOOK", look.strip()), [key, MOST])
    return found, times


def cards_on_the_way(page: Page) -> list[list[str]]:
    """The cards that are in the document at each position of the deal."""
    page.keyboard.press("Home")
    found, _ = page.evaluate(WALK.replace("LOOK", CARDS.strip()), ["ArrowRight", MOST])
    return list(found)


def misshown(shown: dict[str, Any], at: int, deal: Deal) -> list[str]:
    """How a snapshot differs from what the engine says of the position."""
    frame = deal.frames[at]
    hands = {seat: sorted(cards) for seat, cards in shown["hands"].items() if cards}
    pairs: dict[str, tuple[object, object]] = {
        "position": (shown["position"], at),
        "hands": (hands, {seat: sorted(cards) for seat, cards in frame.hands.items() if cards}),
        "stones": (shown["stones"], deal.stones),
    }
    if shown["slots"]:
        pairs["trick"] = ({seat: cards[0] for seat, cards in shown["slots"].items() if cards}, frame.trick)
        # A pair that rests has no place for pictures, and takes none.
        pictures = {side: frame.pictures[int(side)] for side in shown["pictures"]}
        pairs["pictures"] = (shown["pictures"], pictures)
        pairs["captured"] = (shown["captured"], pictures)
        pairs["all pictures"] = (sum(pictures.values()), sum(frame.pictures))
        if frame.winner:
            pairs["winner"] = (shown["wins"], [frame.winner])
    else:
        pairs["laid"] = (shown["laid"], frame.laid)
    return [
        f"{deal.key}, position {at}, {name}: {here}, not {there}"
        for name, (here, there) in pairs.items()
        if here != there
    ]


def betrayed(shown: Sequence[Sequence[str]], deal: Deal, seat: str) -> list[str]:
    """The cards of other hands that are in the document of a seat, by position."""
    found = []
    for at, cards in enumerate(shown):
        hands = deal.frames[at].hands
        hidden = {card: who for who, hand in hands.items() if who != seat for card in hand}
        # Of eight players those who are out give their hands to the box: its cards are turned up.
        turned = {card for earlier in deal.frames[: at + 1] for card in earlier.laid}
        found += [
            f"position {at}: {card} of seat {hidden[card]}"
            for card in sorted(set(cards) & set(hidden) - turned - UNSEEN)
        ]
    return found


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
