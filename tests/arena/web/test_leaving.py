"""Withdrawing, leaving and declining from the desk and the event's page: what is for good is asked first."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.models import Entry
from tests import factories
from tests.arena.web.conftest import in_state
from tests.arena.web.visits import text_of

pytestmark = pytest.mark.django_db


def main_of(client: Client, address: str) -> str:
    return text_of(client, address).partition("<main")[2].partition("</main>")[0]


def details_of(page: str, entry: Entry, verb: str) -> str:
    """What is folded away before the button of a verb."""
    found = re.search(rf'<details id="{verb}-{entry.public_id}">.*?</details>', page, re.DOTALL)
    return found[0] if found else ""


def ayas(state: str) -> Entry:
    tournament = in_state(state)
    return next(entry for entry in tournament.entries.all() if entry.player.handle == "aya")


@pytest.mark.parametrize("state", ["locked", "running", "paused"])
def test_leaving_is_asked_first(client: Client, state: str) -> None:
    entry = ayas(state)
    client.force_login(factories.aya())
    for address in ("/desk", entry.tournament.page):
        page = main_of(client, address)
        asked = details_of(page, entry, "withdraw")
        assert 'name="leaves" value="1"' in asked
        assert page.count(f"/entries/{entry.public_id}/withdraw") == 1
    client.post(f"/entries/{entry.public_id}/withdraw", {"next": "desk", "leaves": "1"}, follow=True)
    entry.refresh_from_db()
    assert entry.status == Entry.Status.LEFT


def test_who_left_is_still_counted_and_listed_among_the_entries(client: Client) -> None:
    entry = ayas("running")
    event, player = entry.tournament, entry.player.handle
    count = f"<span>{event.entries.count()} "
    entry_withdraw(entry, factories.aya())
    assert count in main_of(client, event.page)
    assert count in main_of(client, "/tournaments")
    for address in (f"{event.page}/entries", f"{event.page}/entries?find={player}"):
        page = main_of(client, address)
        assert page.count('class="tag"') == 1
        line = page.partition(f'id="entry-{entry.public_id}"')[2].partition("</li>")[0]
        assert 'class="tag"' in line


def test_a_page_opened_before_the_lock_makes_nobody_leave(client: Client) -> None:
    entry = ayas("running")
    client.force_login(factories.aya())
    answer = client.post(f"/entries/{entry.public_id}/withdraw", {"next": "desk"}, follow=True)
    assert "flash error" in answer.content.decode()
    entry.refresh_from_db()
    assert entry.status == Entry.Status.ENTERED
    client.force_login(factories._user("passer"))
    assert client.post(f"/entries/{entry.public_id}/withdraw").status_code == 403


def test_declining_is_asked_first(client: Client) -> None:
    tournament = factories.an_open_tournament()
    entry = factories.a_pending_entry(tournament, factories.aya(), factories.ben())
    client.force_login(factories.ben())
    for address in ("/desk", tournament.page):
        page = main_of(client, address)
        assert details_of(page, entry, "decline")
        assert f"/entries/{entry.public_id}/confirm" in page
        assert details_of(page, entry, "confirm") == ""
    answer = client.post(f"/entries/{entry.public_id}/decline", follow=True)
    assert answer.status_code == 200
    entry.refresh_from_db()
    assert entry.status not in (Entry.Status.PENDING, Entry.Status.ENTERED)
