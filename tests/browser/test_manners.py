"""What scripts add to pages: deals derived again, times of the reader, the key for the search; and paper."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.groups import FIRST
from tests.browser.site import Site
from tests.browser.visits import DESK, OVERFLOW, PHONE

pytestmark = [FIRST, pytest.mark.full]

EVENTS = ("kakeya4", "kakeya6", "kakkuri8")
PATIENCE_MS = 30_000
"""A guard against hanging, not a measure."""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page of a reader in Tokyo."""
    context = browser.new_context(timezone_id="Asia/Tokyo", locale="en-GB")
    yield context.new_page()
    context.close()


def line(page: Page, name: str) -> str:
    """What the panel says about one thing."""
    return page.inner_text(f'[data-verify] [data-part="{name}"]')


def checked(page: Page) -> None:
    """Press the button of the panel and wait for the end."""
    page.click('[data-part="run"]')
    expect(page.locator('[data-part="run"]')).to_be_enabled(timeout=PATIENCE_MS)


@pytest.mark.parametrize("event", EVENTS)
def test_all_deals_of_an_event_are_derived_again_in_its_page(site: Site, page: Page, event: str) -> None:
    page.goto(site.url(f"/tournaments/{{{event}}}"))
    checked(page)
    for name in ("commitment", "field", "seeds", "hands"):
        assert "✓" in line(page, name)
    done, most = re.findall(r"(\d+) / (\d+)", line(page, "hands"))[0]
    assert done == most
    assert page.locator('[data-part="failed"]').is_hidden()


def test_one_board_is_derived_again_in_its_page(site: Site, page: Page) -> None:
    page.goto(site.url("/boards/{kakeya4_set}/1"))
    checked(page)
    assert "✓" in line(page, "seeds")
    assert len(re.findall(r"\b[2-9TJQKA][SHDC]\b", line(page, "hands"))) == 52


def test_what_does_not_agree_is_shown_with_both_values(site: Site, page: Page) -> None:
    def forge(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "commitment": "0" * 64})

    page.route("**/fairness*", forge)
    page.goto(site.url("/tournaments/{kakeya4}"))
    checked(page)
    assert "✗" in line(page, "commitment")
    assert "0" * 64 in line(page, "commitment")


def test_other_hands_than_those_dealt_are_found(site: Site, page: Page) -> None:
    def forge(route: Route) -> None:
        view = route.fetch().json()
        hands = view["boards"][0]["deals"][0]["hands"]
        first, second = list(hands)[:2]
        hands[first][0], hands[second][0] = hands[second][0], hands[first][0]
        route.fulfill(body=json.dumps(view), content_type="application/json")

    page.route("**/api/v1/tables/*/view", forge)
    page.goto(site.url("/tournaments/{kakeya4}"))
    checked(page)
    assert "✗" in line(page, "hands")
    assert "✓" in line(page, "seeds")


def test_without_cryptography_the_panel_gives_the_command(site: Site, page: Page) -> None:
    page.add_init_script("Object.defineProperty(crypto, 'subtle', {value: undefined})")
    page.goto(site.url("/tournaments/{kakeya4}"))
    assert page.locator('[data-part="run"]').is_hidden()
    assert f"{site.facts['kakeya4']}.zip" in line(page, "missing")


def test_times_are_shown_in_utc_and_in_the_zone_of_the_reader(site: Site, page: Page) -> None:
    page.goto(site.url("/tournaments/{kakeya4}"))
    texts = page.locator("time[datetime]:visible").all_inner_texts()
    assert texts
    for text in texts:
        utc, local = re.findall(r"(\d\d):(\d\d)", text)
        assert (int(local[0]) - int(utc[0])) % 24 == 9
        assert local[1] == utc[1]
        assert "UTC" in text
        assert "GMT+9" in text


def test_a_new_form_proposes_the_time_zone_of_the_reader(site: Site, browser: Browser) -> None:
    context = browser.new_context(timezone_id="Asia/Tokyo", base_url=site.origin)
    context.add_cookies([{"name": "sessionid", "value": site.people["odo"], "url": site.origin}])
    page = context.new_page()
    for address, name in (("/organise/new", "time_zone"), ("/organise/cups/new", "timezone")):
        page.goto(address)
        expect(page.locator(f"select[name={name}]")).to_have_value("Asia/Tokyo")
    context.close()


@pytest.mark.parametrize("event", ["kakkuri4", "kakkuri8"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_links_of_turns_are_large_enough_to_press(site: Site, page: Page, event: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(site.url(f"/tables/{{{event}_table}}"))
    sizes = page.evaluate(
        """() => [...document.querySelectorAll('td.plays-play a')].map((link) => {
          const {width, height} = link.getBoundingClientRect();
          return [width, height];
        })"""
    )
    assert sizes
    assert [size for size in sizes if min(size) < 24] == []
    assert page.evaluate(OVERFLOW) == []


def test_the_key_leads_to_the_search_but_is_a_letter_in_a_field(site: Site, page: Page) -> None:
    page.goto(site.url("/fairness"))
    page.keyboard.press("/")
    page.wait_for_url("**/search")
    expect(page.locator("input[type=search]:focus")).to_be_visible()
    field = page.locator("input[type=search]")
    page.keyboard.press("/")
    assert field.input_value() == "/"


def test_on_paper_there_is_no_navigation_and_the_paper_is_white(site: Site, page: Page) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    page.goto(site.url("/tournaments/{kakeya4}"))
    assert page.locator("nav.site").is_hidden()
    assert page.locator("footer.bottom").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("h1").is_visible()


COVERED = """() => {
  const focused = document.activeElement, bar = document.querySelector(".replay-bar");
  if (!focused || focused === document.body || bar.contains(focused)) return false;
  const [here, there] = [focused, bar].map((element) => element.getBoundingClientRect());
  const isSticky = getComputedStyle(bar).position === "sticky";
  return isSticky && here.bottom > there.top + 1 && here.top < there.bottom;
}"""
FOCUSED = 60
"""Steps by Tab, which lead through the list of plays."""


@pytest.mark.parametrize("size", [(320, 256), (390, 700)])
def test_the_bar_of_a_replay_covers_nothing_that_has_the_focus(
    site: Site, browser: Browser, size: tuple[int, int]
) -> None:
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.goto(site.url("/tables/{kakeya4_table}"))
    covered = []
    for _ in range(FOCUSED):
        page.keyboard.press("Tab")
        if page.evaluate(COVERED):
            covered.append(page.evaluate("document.activeElement.outerHTML"))
    context.close()
    assert covered == []


def test_the_server_sends_pages_and_files_compressed_but_no_stream(site: Site) -> None:
    with httpx.Client(base_url=site.origin, headers={"Accept-Encoding": "gzip"}, timeout=30) as client:
        page = client.get(site.url("/tournaments/{kakeya4}"))
        assert page.headers["Content-Encoding"] == "gzip"
        known = client.get(page.url, headers={"If-None-Match": page.headers["ETag"]})
        assert (known.status_code, known.content) == (304, b"")
        files = re.findall(r'(?:href|src)="(/static/[^"]+\.(?:css|js))"', page.text)
        assert len(files) >= 4
        for address in files:
            file = client.get(address)
            assert file.headers["Content-Encoding"] == "gzip", address
            assert file.headers["Cache-Control"] == "max-age=31536000, public, immutable", address
        with client.stream("GET", site.url("/tournaments/{running}/events")) as stream:
            assert stream.headers["Content-Type"] == "text/event-stream"
            assert "Content-Encoding" not in stream.headers
            assert next(stream.iter_raw())
