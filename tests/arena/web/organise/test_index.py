"""What an organiser's list of events begins with."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.competition.models import Tournament
from tests import factories
from tests.arena.web.forms import page_of

pytestmark = pytest.mark.django_db
State = Tournament.State


def test_events_that_need_something_come_first_and_pages_go_on_in_that_order(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.organise.index.A_PAGE", 3)
    states = (State.DRAFT, State.RUNNING, State.PAUSED, State.FINAL, State.REGISTRATION, State.CANCELLED)
    made = [factories.a_tournament() for _ in states]
    for tournament, state in zip(made, states, strict=True):
        Tournament.objects.filter(pk=tournament.pk).update(state=state)
    client.force_login(made[0].organiser)
    pages = [page_of(client.get(f"/organise?page={number}")) for number in (1, 2)]
    shown = [found for page in pages for found in re.findall(r'class="state state-([a-z]+)"', page)]
    assert shown == ["registration", "paused", "draft", "running", "cancelled", "final"]


def test_plans_stand_beside_the_new_event(client: Client) -> None:
    client.force_login(factories.a_tournament().organiser)
    page = page_of(client.get("/organise"))
    assert page.index("A new event") < page.index("?template=league") < page.index('id="events-title"')
