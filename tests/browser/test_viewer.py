"""The viewer in a browser shows at every position what the engine says of it, and to a seat no more."""

from __future__ import annotations

import re
import statistics
from collections.abc import Callable, Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.events import kinds
from tests.browser.groups import FIRST
from tests.browser.readers import ENGLISH, JAPANESE, Readers
from tests.browser.site import Site
from tests.browser.stepping import (
    PATIENCE,
    SNAPSHOT,
    UNSEEN,
    betrayed,
    cards_on_the_way,
    misshown,
    position,
    table_of,
    until,
    walk,
)
from tests.browser.visits import DESK, PHONE
from tests.chance import EXHAUSTIVE

pytestmark = [FIRST, pytest.mark.full]

KEYS = [kind.key for kind in kinds()]
GAMES = ["kakeya4_game", "kakkuri_game"]
"""Events of game boards, of many deals each."""
PLAY_MS, TRICK_MS = 900, 1800
"""How long the viewer stays at a position as it plays by itself."""


@pytest.fixture
def alone(browser: Browser) -> Iterator[Readers]:
    """Readers whose tabs end with the test."""
    own = Readers(browser)
    yield own
    own.close()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("key", [*KEYS, *GAMES])
def test_every_position_forward_and_back_is_what_the_engine_says(
    site: Site, readers: Readers, key: str, record_property: Callable[[str, object], None]
) -> None:
    row, deals = table_of(site, key)
    times: list[float] = []
    heights = set()
    with readers.visit(site, row) as seen:
        for deal in [*deals[:2], deals[-1]] if len(deals) > 2 else deals:
            if deal is not deals[0]:
                seen.page.click(f"[data-board={deal.key}]")
                seen.page.wait_for_selector(f".replay[data-deal={deal.key}]")
            forward, took = walk(seen.page, "ArrowRight")
            times += took
            assert len(forward) == len(deal.frames)
            assert [line for at, shown in enumerate(forward) for line in misshown(shown, at, deal)] == []
            # The way back leads over the same positions: of each preset one deal shows it.
            if deal is deals[0] or EXHAUSTIVE:
                back, _ = walk(seen.page, "ArrowLeft")
                assert list(reversed(back)) == forward
            assert {shown["hash"].partition("t")[0].rstrip("l") for shown in forward} == {f"#{deal.key}"}
            assert len({shown["hash"] for shown in forward}) == len(forward)
            heights |= {shown["height"] for shown in forward}
        assert seen.complaints == []
    assert max(heights) - min(heights) < 0.5
    record_property(
        "figures",
        f"viewer {key:20} {len(times):3} steps, median {statistics.median(times):5.1f} ms, "
        f"most {max(times):5.1f} ms",
    )


@pytest.mark.parametrize("key", KEYS)
def test_no_card_of_another_hand_is_in_the_document_of_a_seat(site: Site, readers: Readers, key: str) -> None:
    row, deals = table_of(site, key)
    first = deals[0]
    seats = sorted(first.frames[0].hands)[::3]
    with readers.visit(site, row) as seen:
        for seat in seats:
            seen.page.keyboard.press(seat)
            shown = cards_on_the_way(seen.page)
            assert len(shown) == len(first.frames)
            assert betrayed(shown, first, seat) == []
    for seat in seats:
        served = httpx.get(site.url(f"{row.address}?seat={seat}"), timeout=60).text
        drawn = set(re.findall(r'(?:data-card="|href="#[ck]-)([2-9TJQKA][SHDC])"', served))
        hidden = {card for who, hand in first.frames[0].hands.items() if who != seat for card in hand}
        assert hidden
        assert not hidden & drawn - UNSEEN


@pytest.mark.parametrize("language", [ENGLISH, JAPANESE])
@pytest.mark.parametrize("key", ["kakeya4", "kakeya6", "kakkuri5", "kakkuri8"])
def test_on_a_phone_the_mat_keeps_its_height_and_nothing_is_too_wide(
    site: Site, readers: Readers, key: str, language: str
) -> None:
    row, _ = table_of(site, key)
    with readers.visit(site, row, width=PHONE, language=language) as seen:
        found, _ = walk(seen.page, "ArrowRight")
    heights = [shown["height"] for shown in found]
    assert max(heights) - min(heights) < 0.5
    assert [shown["hash"] for shown in found if shown["wide"] > 0] == []


@pytest.mark.parametrize("key", ["kakeya4", "kakeya6", "kakkuri5"])
def test_without_script_an_address_gives_the_same_position(site: Site, readers: Readers, key: str) -> None:
    row, _ = table_of(site, key)
    with readers.visit(site, row) as seen:
        found, _ = walk(seen.page, "ArrowRight")
    for shown in found[3::15]:
        there = row._replace(address=f"{row.address}?at={shown['hash'][1:]}")
        with readers.visit(site, there, has_script=False) as bare:
            drawn = bare.page.evaluate(SNAPSHOT)
        for name in ("position", "hands", "slots", "pictures", "laid", "stones"):
            assert drawn[name] == shown[name], (shown["hash"], name)


def drag(page: Page, start: tuple[float, float], by: tuple[float, float]) -> None:
    """Move a finger over the mat: where it starts, in parts of the mat, and how far it goes, px."""
    box = page.locator(".mat").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] * start[0], box["y"] + box["height"] * start[1]
    session = page.context.new_cdp_session(page)
    for kind, part in (("touchStart", 0.0), ("touchMove", 0.5), ("touchMove", 1.0)):
        points = [{"x": x + by[0] * part, "y": y + by[1] * part}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    session.detach()


def scrolled_by(page: Page, gesture: Callable[[], None]) -> float:
    """How far a gesture moves the page, px; returns when the page rests, as the mat moves with it."""
    before = page.evaluate("scrollY")
    gesture()
    last, looks_at_rest = before, 0
    for _ in range(PATIENCE):
        page.wait_for_timeout(50)
        now = page.evaluate("scrollY")
        looks_at_rest = looks_at_rest + 1 if now == last != before else 0
        if looks_at_rest == 3:
            return float(now - before)
        last = now
    raise AssertionError(f"the page stays at {before} px" if last == before else "the page never rests")


def test_keys_and_buttons_lead_through_a_deal(site: Site, readers: Readers) -> None:
    row, _ = table_of(site, "kakeya4")
    with readers.visit(site, row, width=DESK) as seen:
        page = seen.page
        seen_at = [position(page)]
        for key in ("ArrowRight", "Shift+ArrowRight", "End", "Shift+ArrowLeft", "Home"):
            page.keyboard.press(key)
            seen_at.append(position(page))
        assert seen_at[0] == seen_at[-1] == 0
        assert seen_at[1] == 1
        assert 1 < seen_at[2] < seen_at[4] < seen_at[3]
        page.click("[data-control=on]")
        assert position(page) == 1
        page.keyboard.press("ArrowDown")
        page.wait_for_selector(".replay[data-deal=b2]")
        page.keyboard.press("ArrowUp")
        page.wait_for_selector(".replay[data-deal=b1]")
        assert seen.complaints == []


def test_a_finger_steps_by_taps_and_swipes_and_scrolls_by_moving_down(site: Site, readers: Readers) -> None:
    row, _ = table_of(site, "kakeya4")
    with readers.visit(site, row, width=PHONE) as seen:
        page = seen.page
        page.tap("[data-control=on]")
        until(page, lambda at: at == 1)
        page.locator(".mat").scroll_into_view_if_needed()
        box = page.locator(".mat").bounding_box()
        assert box is not None
        page.touchscreen.tap(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
        until(page, lambda at: at == 2)
        page.touchscreen.tap(box["x"] + box["width"] * 0.1, box["y"] + box["height"] / 2)
        until(page, lambda at: at == 1)
        drag(page, (0.8, 0.4), (-120, 10))
        until(page, lambda at: at == 2)
        drag(page, (0.8, 0.4), (-120, 0))
        until(page, lambda at: at == 3)
        drag(page, (0.2, 0.4), (120, -10))
        until(page, lambda at: at == 2)
        assert scrolled_by(page, lambda: drag(page, (0.5, 0.6), (15, -150))) > 50
        assert position(page) == 2
        # A quick finger throws the page much further than it moves.
        page.locator(".mat").scroll_into_view_if_needed()
        drag(page, (0.8, 0.4), (-120, 0))
        until(page, lambda at: at == 3)
        assert seen.complaints == []


@pytest.mark.parametrize("key", ["kakeya6", "kakkuri4"])
def test_it_plays_a_deal_by_itself_and_rests_after_each_trick(site: Site, alone: Readers, key: str) -> None:
    row, deals = table_of(site, key)
    last = len(deals[0].frames) - 1
    with alone.visit(site, row, motion="no-preference") as seen:
        page = seen.page
        found, _ = walk(page, "ArrowRight")
        groups = [shown["hash"].partition("p")[0] for shown in found]
        page.keyboard.press("Home")
        page.clock.install(time=0)
        page.clock.pause_at(1000)
        page.click("[data-control=play]")
        assert page.get_attribute("[data-control=play]", "aria-pressed") == "true"
        page.clock.run_for(299)
        assert position(page) == 0
        page.clock.run_for(1)
        for at in range(1, last):
            assert position(page) == at
            page.clock.run_for((TRICK_MS if groups[at] != groups[at + 1] else PLAY_MS) - 1)
            assert position(page) == at
            page.clock.run_for(1)
        page.clock.run_for(TRICK_MS)
        assert position(page) == last
        assert page.get_attribute("[data-control=play]", "aria-pressed") == "false"
        page.click("[data-control=play]")
        page.clock.run_for(300 + PLAY_MS)
        assert position(page) > 0
        page.keyboard.press(" ")
        stopped = position(page)
        page.clock.run_for(10 * TRICK_MS)
        assert position(page) == stopped
        assert seen.complaints == []
