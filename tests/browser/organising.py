"""Entries of an event that an organiser made in the browser, by a process of the site."""

from __future__ import annotations

from arena.competition.models import Tournament
from arena.competition.services import entry_create
from tests import factories
from tests.browser.site import Site, run

ENTRIES = 5


def enter(public_id: str) -> None:
    """Enter as many bots as the walk needs."""
    event = Tournament.objects.get(public_id=public_id)
    for number in range(ENTRIES):
        owner = factories._user(f"walker{number}")
        entry_create(event, factories.a_version(factories.a_bot(owner, name="Walker")), owner)


def entered(site: Site, public_id: str) -> None:
    """The event has its entries."""
    run(site.folder, "tests.browser.organising", public_id, function="enter")
