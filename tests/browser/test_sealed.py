"""While a board set is open nobody but staff finds anything of it, at any address; afterwards everybody does.

Each site is asked for every address of pages and API. A second one, whose sealed rows are others, must answer
alike to the byte: what differs would tell something, be it a length, an order or an ETag.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from tests.browser.cards import cards_in, has_hand, has_plays
from tests.browser.groups import FIRST
from tests.browser.site import Site, copy, run, serving
from tests.browser.walks import addresses

pytestmark = [FIRST, pytest.mark.full]

READERS = ("", "aya")
"""A stranger, and an author with a bot in the event. ``test_sealing.py`` of pages and API have the others."""
PASSING = r'(?:csrfmiddlewaretoken|"once)" value="[^"]+"|127\.0\.0\.1:\d+|"trace_id":"[^"]+"|nonce-[\w+/=]+'
"""What differs from one answer to the next."""


class Answer(NamedTuple):
    """What a reader got; of a stream what came at once."""

    status: int
    etag: str
    text: str


def ask(client: httpx.Client, address: str) -> Answer:
    """GET, as the reader of this client."""
    try:
        with client.stream("GET", address, timeout=httpx.Timeout(30, read=None)) as answer:
            if "event-stream" in answer.headers.get("content-type", ""):
                return Answer(answer.status_code, "", "")
            text = answer.read().decode(errors="replace")
    except httpx.ReadTimeout:
        return Answer(0, "", "")
    heads = "\n".join(f"{name}: {answer.headers.get(name, '')}" for name in ("location", "link"))
    return Answer(answer.status_code, answer.headers.get("etag", ""), re.sub(PASSING, "", f"{heads}\n{text}"))


def asked(site: Site, ids: dict[str, Any], who: str) -> dict[str, Answer]:
    """What a reader is told at every address."""
    # The ETag of a page follows from this cookie too.
    cookies = {"csrftoken": "a" * 32, **({"sessionid": site.people[who]} if who else {})}
    with httpx.Client(base_url=site.origin, cookies=cookies, headers={"Host": "localhost"}) as client:
        return {address: ask(client, address) for address in addresses(ids)}


def told(ids: dict[str, Any], text: str) -> list[str]:
    """What of the sealed round a text tells."""
    found = [digest for digest in ids["digests"] if digest in text]
    cards = cards_in(text)
    found += [f"the hand {' '.join(hand)}" for hand in ids["hands"] if has_hand(cards, hand)]
    return found + [f"the plays {' '.join(plays[:8])}.." for plays in ids["plays"] if has_plays(cards, plays)]


def differences(first: dict[str, Answer], second: dict[str, Answer]) -> list[str]:
    """Where two sites answer differently, and how."""
    found = []
    for address, answer in first.items():
        other = second[address]
        if answer != other:
            at = next(
                (
                    i
                    for i, pair in enumerate(zip(answer.text, other.text, strict=False))
                    if len(set(pair)) > 1
                ),
                0,
            )
            here, there = (text[max(0, at - 60) : at + 60] for text in (answer.text, other.text))
            found.append(f"{address}: {answer[:2]} {here!r} and {other[:2]} {there!r}")
    return found


@pytest.fixture(scope="module")
def ids(site: Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The ids of the open round, and what is sealed of it."""
    file = tmp_path_factory.mktemp("sealed") / "ids.json"
    run(site.folder, "tests.browser.sealing", "find", str(file))
    found: dict[str, Any] = json.loads(file.read_text())
    assert len(found["hands"]) >= 16
    assert len(found["digests"]) >= 8
    return found


@pytest.fixture(scope="module")
def altered(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The same site with other secrets."""
    folder = tmp_path_factory.mktemp("altered") / "site"
    copy(site.folder, folder)
    run(folder, "tests.browser.sealing", "alter", "-")
    with serving(folder) as started:
        yield started


@pytest.fixture(scope="module")
def unsealed(site: Site, ids: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The same site after the round."""
    folder = tmp_path_factory.mktemp("unsealed") / "site"
    copy(site.folder, folder)
    run(folder, "tests.browser.sealing", "unseal", ids["tournament"][0])
    with serving(folder) as started:
        yield started


@pytest.mark.parametrize("who", READERS, ids=lambda who: who or "stranger")
def test_nothing_of_an_open_set_is_at_any_address(
    site: Site, altered: Site, ids: dict[str, Any], who: str
) -> None:
    first, second = asked(site, ids, who), asked(altered, ids, who)
    assert {
        address: told(ids, answer.text) for address, answer in first.items() if told(ids, answer.text)
    } == {}
    assert "\n".join(differences(first, second)) == ""
    assert [address for address, answer in first.items() if answer.status >= 500] == []


def test_afterwards_all_of_it_can_be_found(unsealed: Site, ids: dict[str, Any]) -> None:
    """The same search finds every hand, by page and by API, and digests: it could have before."""
    answers = asked(unsealed, ids, "")
    by_page = {address: answer.text for address, answer in answers.items() if not address.startswith("/api")}
    for texts in (by_page, {a: answer.text for a, answer in answers.items() if a.startswith("/api")}):
        found = {line for text in texts.values() for line in told(ids, text)}
        hands = {line for line in found if line.startswith("the hand")}
        assert len(hands) == len({tuple(hand) for hand in ids["hands"]})
    assert any(line in ids["digests"] for text in by_page.values() for line in told(ids, text))


def test_the_search_knows_cards_by_code_and_by_sign() -> None:
    hand = ["KH", "TS", "2C", "AD", "9H"]
    for text in (
        "KH TS 2C AD 9H",
        '<use href="#c-9H"/><use href="#c-KH"/> #c-TS #c-2C #c-AD',
        "♥K ♥9 ♠10 ♣2 ♦A",
    ):
        assert has_hand(cards_in(text), hand)
    assert not has_hand(cards_in("KH TS 2C AD 8H"), hand)
    assert has_plays(cards_in("x KH, TS, 2C, AD, 9H, 3H y"), ["4D", "KH", "TS", "2C", "AD", "9H", "3H"])
