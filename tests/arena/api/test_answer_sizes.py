"""No page is larger than a megabyte, whatever its rows hold."""

from __future__ import annotations

import pytest

from arena.accounts.models import audit
from arena.api.pagination import ANSWER_BYTES
from tests.arena.api.conftest import caller
from tests.factories import a_tournament, odo

pytestmark = pytest.mark.django_db


def test_a_page_of_long_rows_has_fewer_and_none_is_lost() -> None:
    event = a_tournament()
    for number in range(130):
        audit(odo(), "update", event, {"description": "\u4e00" * 4000}, description=f"{number}")
    client = caller(odo())
    seen: list[str] = []
    address: str | None = "/api/v1/audit?verb=update&page_size=200"
    pages = []
    while address:
        answer = client.get(address)
        assert len(answer.content) <= ANSWER_BYTES
        page = answer.json()
        pages.append(page)
        seen += [row["after"]["description"] for row in page["results"]]
        address = page["next"]
    assert seen == [str(number) for number in reversed(range(130))]
    assert len(pages) == 2
    # Backwards, too: the rows nearest to where one came from.
    before = client.get(pages[-1]["previous"])
    assert len(before.content) <= ANSWER_BYTES
    assert before.json()["results"] == pages[0]["results"][-len(before.json()["results"]) :]
    again = client.get(before.json()["previous"] or pages[-1]["previous"]).json()["results"]
    assert [*again, *before.json()["results"]][-len(pages[0]["results"]) :] == pages[0]["results"]
