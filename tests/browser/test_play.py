"""A guest plays whole deals with bots in a browser."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from playwright.sync_api import APIResponse, Browser, BrowserContext, Error, Page, Route, expect

from tests.browser.groups import SECOND
from tests.browser.seating import seated
from tests.browser.site import Site
from tests.browser.visits import AXE, DESK, GRAVE, NARROWEST, OVERFLOW, PHONE, SHIFTS, axe_source, sound

pytestmark = [SECOND, pytest.mark.full]
READY = ".play-form:not(.is-settling)"
"""For a moment after buttons have changed in place no pointer presses one."""
MINE = f"{READY} [data-mine] button[name=action]:enabled:not(.play-drop button)"
COSTS = f"{READY} .play-drop > summary"
OVER = "[data-last], #field"
DEALT_OUT_MS = 60_000
FIELD_MS = 300_000
"""What is played for the field gives way to everything else on a busy machine."""
STARTS = 3
"""Games that a button starts without another choice."""
LOADED_AGAIN = "Execution context was destroyed"
T = TypeVar("T")


@pytest.fixture(scope="module", autouse=True)
def _tables(site: Site) -> Iterator[None]:
    with seated(site):
        yield


@pytest.fixture
def context(site: Site, browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(
        base_url=site.origin, viewport={"width": DESK, "height": 844}, reduced_motion="reduce"
    )
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    with sound(context.new_page()) as page:
        yield page


def begin(page: Page, preset: str, seats: str = "", clock_s: str = "0") -> None:
    """Choose and sit down; the table is there with its styles and its script."""
    page.goto(f"/play?preset={preset}")
    page.select_option("select[name=clock_s]", clock_s)
    page.check(f'input[type=radio][name=preset][value="{preset}"]')
    if seats:
        page.select_option("select[name=seats]", seats)
    page.click("text=Deal the cards")
    page.wait_for_url(re.compile(r"/play/\w+"))
    page.wait_for_selector(f"{MINE}, {OVER}", timeout=DEALT_OUT_MS)


def looking(page: Page, look: Callable[[], T]) -> T:
    """What a look finds; it begins anew if the page loads itself again, once, when the field is there."""
    try:
        return look()
    except Error as error:
        if LOADED_AGAIN not in error.message:
            raise
    page.wait_for_load_state()
    return look()


def top_of(page: Page, selector: str) -> float:
    """Where the first such element begins in the window, in px."""
    return float(page.evaluate("s => document.querySelector(s).getBoundingClientRect().top", selector))


def bottom_of(page: Page, selector: str) -> float:
    """Where it ends."""
    return float(page.evaluate("s => document.querySelector(s).getBoundingClientRect().bottom", selector))


def play_on(page: Page, most: int = 200) -> int:
    """Choose the first there is until the deal is over, or so often; how often."""
    for played in range(most):
        page.wait_for_selector(f"{MINE}, {OVER}", timeout=DEALT_OUT_MS)
        if looking(page, lambda: page.query_selector(OVER)):
            return played
        n = page.get_attribute("[data-play-table]", "data-n")
        page.locator(MINE).first.click()
        page.wait_for_selector(f'[data-play-table]:not([data-n="{n}"])', timeout=DEALT_OUT_MS)
    return most


def looked_at(page: Page, name: str) -> list[str]:
    """What is wrong with the page as it is, in both themes and at all widths."""
    found = []
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_source() + "; null")
    for width, theme in ((DESK, "light"), (PHONE, "dark")):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        found += [
            f"{name} {width}: {v['id']} {v['nodes']}"
            for v in page.evaluate(AXE, [True, []])["violations"]
            if v["impact"] in GRAVE
        ]
    for width in (NARROWEST, PHONE, DESK):
        page.set_viewport_size({"width": width, "height": 844})
        found += [f"{name} {width}: {line}" for line in page.evaluate(OVERFLOW)]
    page.emulate_media(color_scheme="light")
    return found


@pytest.mark.parametrize(("preset", "seats"), [("kakeya4", ""), ("kakeya6", ""), ("kakkuri", "5")])
def test_a_guest_plays_a_whole_deal(page: Page, preset: str, seats: str) -> None:
    begin(page, preset, seats)
    assert page.evaluate(SHIFTS) == 0
    defects = looked_at(page, "at the beginning")
    play_on(page, 2)
    if preset == "kakeya4":
        # The connection is lost while bots play, and comes back.
        page.wait_for_selector(MINE, timeout=DEALT_OUT_MS)
        n = page.get_attribute("[data-play-table]", "data-n")
        page.context.set_offline(True)
        page.locator(MINE).first.click()
        page.wait_for_selector("#live-state >> text=Connection lost", timeout=DEALT_OUT_MS)
        assert page.get_attribute("[data-play-table]", "data-n") == n
        page.context.set_offline(False)
        page.wait_for_selector(f'[data-play-table]:not([data-n="{n}"])', timeout=DEALT_OUT_MS)
    page.reload()
    if not looking(page, lambda: page.query_selector("#field")):
        # A game may be over by now.
        defects += looking(page, lambda: looked_at(page, "later"))
    play_on(page)
    table = page.url.partition("#")[0]
    for _ in range(40):
        # The page loads itself again as soon as the field is there: nothing but its parts is waited for,
        # and a visit that meets that is ended.
        with contextlib.suppress(Error):
            page.goto(table, wait_until="commit")
            page.wait_for_selector("#field", timeout=1000)
            break
    page.wait_for_selector("#field .plot", timeout=FIELD_MS)
    waited_for_what_is_there(page)
    defects += looked_at(page, "afterwards")
    assert "\n".join(defects) == ""
    assert page.locator("#field tbody tr").count() > 3
    page.click("[data-check] button")
    page.wait_for_selector("[data-check] >> text=Verified")
    if preset == "kakeya6":
        shared_with_a_stranger(page)


@pytest.mark.parametrize("number", range(STARTS))
def test_a_start_button_deals_at_once(page: Page, number: int) -> None:
    page.goto("/play")
    starts = page.locator(".choose-start button")
    assert starts.count() == STARTS
    assert page.locator("#choose[open]").count() == 0
    starts.nth(number).click()
    page.wait_for_url(re.compile(r"/play/\w+"))
    page.wait_for_selector(f"{MINE}, {OVER}", timeout=DEALT_OUT_MS)


def shared_with_a_stranger(page: Page) -> None:
    """The link shows the finished deal to somebody without script, until it is taken back."""
    page.click("text=Create a link")
    link = page.inner_text("#share-link")
    assert page.context.browser is not None
    stranger = page.context.browser.new_context(java_script_enabled=False)
    reader = stranger.new_page()
    reader.goto(link)
    assert reader.locator(".mat .card-face").count() > 20
    assert reader.locator("#field .plot").count() == 1
    page.click("text=Delete the link")
    page.wait_for_selector("text=Create a link")
    answer = reader.reload()
    assert answer is not None
    assert answer.status == 404
    stranger.close()


def waited_for_what_is_there(page: Page) -> None:
    """The field was played between the page and its stream, which is over then before it begins."""
    address = page.url.partition("#")[0]
    waits = f'data-field data-waits="{address}/events?from=9999"'
    first = iter([True])

    def late(route: Route) -> None:
        # The route stays to the end: what is asked for while one is taken away may never be answered.
        if not next(first, False):
            route.continue_()
            return
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("data-field", waits, 1))

    page.route(address, late)
    # The page may load itself again before it has loaded: only the arrival of the first is waited for.
    page.goto(address, wait_until="commit")
    page.wait_for_selector("#field:not([data-waits]) .plot", timeout=DEALT_OUT_MS)
    page.wait_for_load_state()
    page.unroute(address)


def test_a_table_works_without_script(site: Site, browser: Browser) -> None:
    context = browser.new_context(base_url=site.origin, java_script_enabled=False)
    page = context.new_page()
    begin(page, "kakeya4")
    page.locator(MINE).first.click()
    page.wait_for_selector(f"{MINE}, {OVER}", timeout=DEALT_OUT_MS)
    page.wait_for_load_state()
    assert page.locator(".play-hand .play-card").count() >= 12
    context.close()


def test_keys_read_and_choose_and_play(page: Page) -> None:
    begin(page, "kakeya4")
    # A box that was ticked keeps the focus, and takes no letters.
    page.locator("[data-set]").first.check()
    page.keyboard.press("h")
    page.wait_for_selector("[data-live] >> text=Your hand:", state="attached")
    page.keyboard.press("l")
    page.wait_for_selector("[data-live] >> text=Your options:", state="attached")
    n = page.get_attribute("[data-play-table]", "data-n")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector(f'[data-play-table]:not([data-n="{n}"])', timeout=DEALT_OUT_MS)


def dropping(page: Page) -> None:
    """A table of Kakkuri at which the person may drop out."""
    for _ in range(20):
        begin(page, "kakkuri", "4")
        for _ in range(20):
            page.wait_for_selector(f"{MINE}, {OVER}", timeout=DEALT_OUT_MS)
            if page.query_selector(COSTS):
                return
            if page.query_selector(OVER):
                break
            n = page.get_attribute("[data-play-table]", "data-n")
            page.locator(MINE).first.click()
            page.wait_for_selector(f'[data-play-table]:not([data-n="{n}"])', timeout=DEALT_OUT_MS)
    raise AssertionError("nobody could drop out in twenty deals")


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_dropping_out_takes_a_second_press_in_another_place(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    dropping(page)
    n = page.get_attribute("[data-play-table]", "data-n")
    ask, drop = page.locator(COSTS), page.locator(".play-drop button")
    assert top_of(page, ".play-drop") >= bottom_of(page, ".play-hand")
    expect(drop).to_be_hidden()
    ask.scroll_into_view_if_needed()
    hand = top_of(page, ".play-hand")
    ask.click()
    expect(drop).to_be_visible()
    assert top_of(page, ".play-hand") == hand
    pressed, confirms = ask.bounding_box(), drop.bounding_box()
    assert pressed is not None
    assert confirms is not None
    assert confirms["x"] >= 0
    assert confirms["x"] + confirms["width"] <= pressed["x"]
    # A press elsewhere closes it.
    page.locator(".play-mat").click(position={"x": 5, "y": 5})
    expect(drop).to_be_hidden()
    ask.dblclick()
    assert page.get_attribute("[data-play-table]", "data-n") == n
    if drop.is_hidden():
        ask.click()
    drop.click()
    page.wait_for_selector(f'[data-play-table]:not([data-n="{n}"]), {OVER}', timeout=DEALT_OUT_MS)


def test_a_pointer_presses_nothing_while_buttons_settle_and_a_key_does(page: Page) -> None:
    begin(page, "kakeya4")
    n = page.get_attribute("[data-play-table]", "data-n")
    page.evaluate("document.querySelector('.play-form').classList.add('is-settling')")
    button = page.locator("[data-mine] button[name=action]:enabled").first
    button.click()
    # What was pressed would be marked at once.
    assert page.locator(".is-chosen").count() == 0
    button.press("Enter")
    page.wait_for_selector(f'[data-play-table]:not([data-n="{n}"])', timeout=DEALT_OUT_MS)


def test_a_late_answer_shows_no_earlier_position(page: Page) -> None:
    begin(page, "kakeya4")
    n = page.get_attribute("[data-play-table]", "data-n")
    refused = str(page.get_attribute("form[data-table]", "action"))
    answers: list[tuple[Route, APIResponse]] = []
    page.route("**/play/*?part=table", lambda route: answers.append((route, route.fetch())))
    page.route(f"**{refused}", lambda route: route.fulfill(status=409), times=1)
    with page.expect_request("**/play/*?part=table"):
        page.locator(MINE).first.click()
    page.locator(MINE).first.click()
    page.wait_for_selector(f'[data-play-table]:not([data-n="{n}"])', timeout=DEALT_OUT_MS)
    for route, answer in answers:
        with page.expect_response("**/play/*?part=table"):
            route.fulfill(response=answer)
    # The answer is read and would be shown by then.
    page.wait_for_timeout(200)
    assert page.get_attribute("[data-play-table]", "data-n") != n


def test_the_end_of_a_table_is_no_lost_connection(page: Page) -> None:
    begin(page, "kakeya4")
    # A stream that ends reports an error first, and is closed by the browser only at its next attempt.
    lost = """() => new Promise((done) => {
      const state = document.getElementById('live-state');
      const all = new Set();
      new MutationObserver(() => all.add(state.textContent)).observe(state, {childList: true});
      setTimeout(() => done([...all]), 4500);
    })"""
    play_on(page)
    assert not [text for text in page.evaluate(lost) if "Connection lost" in text]
