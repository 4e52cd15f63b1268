"""Nothing moves but cards: hands keep their places through a deal, and pages theirs while they load."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.addresses import Row
from tests.browser.groups import SECOND
from tests.browser.readers import Readers
from tests.browser.site import Site
from tests.browser.visits import DESK, PHONE

pytestmark = [SECOND, pytest.mark.full]

KEYS = ("kakeya4", "kakeya6", "etori_meiji", "kakkuri2", "kakkuri5", "kakkuri8")
STEPS = """
([key, most]) => {
  const places = {};
  const note = (name, e, at) => {
    const box = e.getBoundingClientRect();
    (places[name] ||= []).push([at, box.left + scrollX, box.top + scrollY]);
  };
  for (let n = 0; n < most; n += 1) {
    const el = document.querySelector(".replay"), at = Number(el.dataset.position);
    note("mat", el.querySelector(".mat"), at);
    for (const e of el.querySelectorAll("[data-hand]")) note(`hand ${e.dataset.hand}`, e, at);
    for (const e of el.querySelectorAll(".seat-label > .crest")) {
      note(`name of ${e.closest("[data-seat]").dataset.seat}`, e, at);
    }
    for (const e of el.querySelectorAll("[data-hand] [data-card]")) {
      if (!e.closest(".gone")) note(`${e.dataset.card} of ${e.closest("[data-hand]").dataset.hand}`, e, at);
    }
    for (const e of el.querySelectorAll("[data-slot]")) note(`place ${e.dataset.slot}`, e, at);
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
    if (Number(document.querySelector(".replay").dataset.position) === at) break;
  }
  return places;
}
"""
"""Press a key until it changes nothing: for each thing position, left and top, each time it was there."""
MOST = 400
CLOSE_PX = 0.5
"""What rounds to another pixel at most."""


def moved(places: dict[str, list[tuple[int, float, float]]]) -> list[str]:
    """What was not always in one place, with where it was at first and where it was next."""
    found = []
    for name, seen in places.items():
        _, left, top = seen[0]
        for at, x, y in seen:
            if abs(x - left) > CLOSE_PX or abs(y - top) > CLOSE_PX:
                found.append(f"{name}: {left:.1f}, {top:.1f}, at position {at} {x:.1f}, {y:.1f}")
                break
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("width", [DESK, PHONE])
@pytest.mark.parametrize("key", KEYS)
def test_nothing_but_what_is_played_moves_through_a_deal(
    site: Site, readers: Readers, key: str, width: int
) -> None:
    row = Row("table", f"/tables/{site.facts[f'{key}_table']}")
    with readers.visit(site, row, width=width) as seen:
        for seat in ("", "1"):
            if seat:
                seen.page.keyboard.press("Home")
                seen.page.keyboard.press(seat)
            places: dict[str, Any] = seen.page.evaluate(STEPS, ["ArrowRight", MOST])
            assert len(places) > (6 if seat else 12)
            assert moved(places) == [], f"as seen by {seat or 'everybody'}"


WRAPPED = """
() => [...document.querySelectorAll(".replay-clocks .n > span")]
  .filter((e) => e.offsetHeight > 1.9 * parseFloat(getComputedStyle(e).fontSize))
  .map((e) => `${e.textContent} is ${e.offsetHeight} px high`)
"""
"""Times of the panel of clocks that take more than one line."""


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_every_time_of_the_clocks_stands_in_one_line(site: Site, readers: Readers, width: int) -> None:
    row = Row("table", f"/tables/{site.facts['kakeya4_table']}")
    with readers.visit(site, row, width=width) as seen:
        assert seen.page.locator(".replay-clocks .n > span").count() > 1
        assert seen.page.evaluate(WRAPPED) == []
