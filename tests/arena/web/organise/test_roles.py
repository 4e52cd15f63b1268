"""Who may open which page of organisers: everybody else is sent to sign in, refused, or finds nothing."""

from __future__ import annotations

import pytest
from django.test import Client

from tests import factories
from tests.arena.web.conftest import in_state
from tests.arena.web.visits import visit

pytestmark = pytest.mark.django_db

WHO = ("anonymous", "chie", "odo", "rin", "sota")
EXPECTED = {
    "/organise": (302, 403, 200, 200, 200),
    "/organise/new": (302, 403, 200, 200, 200),
    "/organise/events/{draft}": (302, 403, 200, 404, 200),
    "/organise/events/{running}": (302, 403, 200, 403, 200),
    "/organise/new?copy={draft}": (302, 403, 200, 404, 200),
    "/organise/new?copy={running}": (302, 403, 200, 200, 200),
    "/organise/events/nosuchevent": (302, 403, 404, 404, 404),
}


@pytest.mark.parametrize("address", EXPECTED)
def test_pages_are_for_those_who_may(client: Client, address: str) -> None:
    events = {"draft": factories.a_tournament().public_id, "running": in_state("running").public_id}
    for who, status in zip(WHO, EXPECTED[address], strict=True):
        visit(client, who)
        answer = client.get(address.format(**events))
        assert answer.status_code == status, who
        if status == 302:
            assert answer["Location"].startswith("/sign-in")


def test_forms_are_for_those_who_may(client: Client) -> None:
    event = factories.a_tournament()
    before = event.revision
    for who, status in zip(WHO, (302, 403, 400, 404, 400), strict=True):
        visit(client, who)
        answer = client.post(f"/organise/events/{event.public_id}", {"name": "", "do": "save"})
        assert answer.status_code == status, who
    for who, status in zip(WHO, (302, 403, 200, 404, 200), strict=True):
        visit(client, who)
        answer = client.post("/organise/plan", {"name": "x", "event": event.public_id})
        assert answer.status_code == status, who
    event.refresh_from_db()
    assert event.revision == before


def test_an_account_that_may_no_longer_organise_is_refused(client: Client) -> None:
    event = factories.a_tournament()
    visit(client, "odo")
    event.organiser.__class__.objects.filter(pk=event.organiser.pk).update(is_organiser=False)
    assert client.get(f"/organise/events/{event.public_id}").status_code == 403
