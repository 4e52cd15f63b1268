"""Whatever is put into the address or the form of a page: an answer, short, and never a fault of ours."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern

from arena.web.base.access import SIGNED_IN_AT_KEY
from arena.web.urls import urlpatterns
from tests import chance, factories
from tests.arena.web.world import names, rows_of_the_names

__all__ = ["names", "rows_of_the_names"]
pytestmark = [pytest.mark.django_db, pytest.mark.full]

WORDS = [
    "\0",
    "\ud7ff" * 80,
    "-1",
    "9" * 30,
    "0" * 20 + "1",
    "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00",
    "\n<b>'%00",
]
PARAMETERS = (
    "page",
    "q",
    "stage",
    "round",
    "at",
    "row",
    "column",
    "find",
    "mine",
    "have",
    "opens",
    "live",
    "coming",
    "next",
    "bot",
    "out",
    "accepts_partners",
    "partner_bot",
    "username",
    "password",
    "name",
    "email",
    "present",
    "answer",
    "scopes",
    "days",
    "once",
    "note",
    "notes",
    "source",
    "game",
    "visibility",
    "base",
    "newest",
    "version",
    "partner",
    "partner_version",
    "target",
    "preset",
    "boards",
    "from",
    "then",
    "do",
    "copy",
    "template",
    "event",
    "seen",
    "stages",
    "preset",
    "closes_at",
    "boards_per_round",
    "rules_of",
    "stage-1-format",
    "plan_entries",
    "reason",
    "text",
    "entry",
    "house_bots",
    "brief",
    "answer",
    "kind",
    "entries",
    "like",
    "lines",
    "draft",
    "draft_version",
    "seats",
    "opponents",
    "deals",
    "clock_s",
    "seat",
    "plays",
    "best",
    "retry",
    "same_cards_as",
    "n",
    "action",
    "order",
    "part",
    "week",
)
"""All that any page reads."""
SENTENCE = re.compile(r"(?:<h1>.*?</h1>|role=\"alert\">)\s*<p>\s*([A-Z][^<]*[.!?])\s*</p>", re.DOTALL)
"""What the page of an error, or a form at its field, says."""
MOST_BYTES = 1_000_000
OTHERS = {"tournament-events", "play-events", "readyz"}
"""Streams without an end; and what says 503 here, as no worker is alive."""
KINDS = {
    "tournaments": "event",
    "organise": "event",
    "entries": "entry",
    "cups": "series",
    "bots": "bot",
    "versions": "version",
    "notices": "notice",
    "play": "casual",
    "ladders": "ladder",
    "ratings": "list",
    "integrity": "list",
    "experiments": "experiment",
    "problems": "problem",
    "imports": "imported",
    "courses": "course",
    "remote": "remote_bot",
}


def addresses(things: dict[str, Any]) -> list[str]:
    """Every page, about things that there are."""
    found = []
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        if pattern.name in OTHERS:
            continue
        route = str(pattern.pattern)
        places = {
            "<id:public_id>": things.get(KINDS.get(route.partition("/")[0], ""), "x"),
            "<id:fingerprint>": things["fault"],
            "<id:entry_id>": things["entry"],
            "<id:first>": things["playing"],
            "<id:second>": things["bens_entry"],
            "<key:key>": things.get("shared"),
            "<id:report>": things["report"],
            "<entry_verb:verb>": "confirm",
            "<event_verb:verb>": "cancel",
            "<handle:handle>": "aya",
            "<name:preset>": "kakeya4",
            "<page_name:page>": "kakeya",
            "<page_name:tag>": "tournaments",
            "<id:table>": things["open_table"],
            "<id:account>": things["course_account"],
            "<id:account_list>": things["course_list"],
            "<id:invitation>": things["course_link"],
            "<id:position>": "b1t1p1",
            "<short:seat>": "1",
            "<day:day>": things["day"],
            "<page_path:page>": "tutorial",
            "<short:stage>": "1",
            "<short:number>": "1",
            "<short:fixture_number>": "1",
            "<short:table_number>": "1",
            "<secret:secret>": "x" * 43,
            "<signed:token>": "x" * 43,
        }
        for place, thing in places.items():
            route = route.replace(place, str(thing))
        assert "<" not in route, f"what stands in {route}?"
        found.append(f"/{route}")
    assert len(found) > 20
    return found


def words_at(number: int) -> list[str]:
    """What is tried at the page of this number: other words than at the next, in the end all of them."""
    count = chance.at_most(len(WORDS), 1)
    return [WORDS[(number * count + at) % len(WORDS)] for at in range(count)]


def test_pages_take_their_turns_with_the_words() -> None:
    assert {word for number in range(8) for word in words_at(number)} == set(WORDS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("who", ["aya", "odo"])
def test_no_parameter_of_a_page_is_a_fault(names: dict[str, Any], method: str, who: str) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(getattr(factories, who)())
    session = client.session
    session[SIGNED_IN_AT_KEY] = time.time()
    session.save()
    wrong = []
    # Each case begins with another word, so that a page is asked with several of them.
    first = 2 * ["aya", "odo"].index(who) + ["get", "post"].index(method)
    for number, address in enumerate(addresses(names), first):
        for word in words_at(number):
            with transaction.atomic():
                answer: Any = getattr(client, method)(address, dict.fromkeys(PARAMETERS, word))
                transaction.set_rollback(True)
            is_said = (
                answer.status_code != 400 or method == "post" or SENTENCE.search(answer.content.decode())
            )
            if answer.status_code >= 500 or len(answer.content) > MOST_BYTES or not is_said:
                wrong.append((address, word, answer.status_code, len(answer.content)))
    assert wrong == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "path",
    [
        "/tournaments/{event}/rounds/1/" + "9" * 25,
        "/tournaments/{event}/rounds/" + "9" * 900 + "/1",
        "/tournaments/{event}%0A",
        "/%0A",
        "/%00",
        "/" + "a/" * 300,
        "/tournaments/%FF",
    ],
)
def test_an_address_of_no_page_is_not_found(names: dict[str, Any], path: str) -> None:
    answer = Client(raise_request_exception=False).get(path.format(**names))
    assert answer.status_code == 404
    assert len(answer.content) < 20_000
