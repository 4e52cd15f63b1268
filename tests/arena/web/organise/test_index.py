"""What an organiser's list of events begins with."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.matches.models import Table
from tests import factories
from tests.arena.web.conftest import in_state
from tests.arena.web.forms import page_of

pytestmark = pytest.mark.django_db
State = Tournament.State


def test_events_that_need_something_come_first_and_pages_go_on_in_that_order(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.web.organise.index.EVENTS_PER_PAGE", 3)
    states = (State.DRAFT, State.RUNNING, State.PAUSED, State.FINAL, State.OPEN, State.CANCELLED)
    made = [factories.a_tournament() for _ in states]
    for tournament, state in zip(made, states, strict=True):
        Tournament.objects.filter(pk=tournament.pk).update(state=state)
    client.force_login(made[0].organiser)
    pages = [page_of(client.get(f"/organise?page={number}")) for number in (1, 2)]
    shown = [found for page in pages for found in re.findall(r'class="state state-([a-z]+)"', page)]
    assert shown == ["open", "paused", "draft", "running", "cancelled", "final"]


def test_what_waits_for_the_organiser_is_set_apart_and_offers_what_is_next(client: Client) -> None:
    states = (State.DRAFT, State.OPEN, State.LOCKED, State.PAUSED, State.PROVISIONAL, State.FINAL)
    made = {state: factories.a_tournament() for state in states}
    for state, tournament in made.items():
        Tournament.objects.filter(pk=tournament.pk).update(state=state)
    running, stuck = in_state(State.RUNNING), in_state(State.RUNNING)
    Table.objects.filter(pk=Table.objects.filter(tournament=stuck)[0].pk).update(
        state=Table.State.QUARANTINED
    )
    Tournament.objects.update(organiser=factories.odo())
    client.force_login(factories.odo())
    page = page_of(client.get("/organise"))
    _, waiting, rest = page.split('<h3 class="organise-heading">')
    going, _, over = rest.partition("<details")
    next_verbs = {
        State.DRAFT: "open",
        State.OPEN: "lock",
        State.LOCKED: "start",
        State.PAUSED: "resume",
    }
    for state, verb in next_verbs.items():
        assert f'href="/organise/tournaments/{made[state].public_id}/{verb}"' in waiting
    assert f'href="/organise/tournaments/{stuck.public_id}/retry_tables"' in waiting
    assert {running.public_id in going, made[State.PROVISIONAL].public_id in going} == {True}
    assert f'class="button" href="/organise/tournaments/{running.public_id}' not in page
    assert f"?copy={made[State.FINAL].public_id}" in over
    assert over.startswith(' class="organise-ended">'), "folded beside others"


def test_plans_stand_beside_the_new_event(client: Client) -> None:
    client.force_login(factories.a_tournament().organiser)
    page = page_of(client.get("/organise"))
    assert page.index("?template=league") < page.index('id="events-title"')
