"""Organisers seed entries, take them out and take invitations back on one page."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.accounts.models import AuditEvent, User
from arena.competition.models import Entry, Tournament
from arena.competition.services import tournament_lock
from arena.matches.models import Fixture
from tests import factories
from tests.arena.web.conftest import in_state, under_way, with_entries
from tests.arena.web.forms import page_of
from tests.arena.web.organise.forms import controls_in
from tests.arena.web.visits import visit

pytestmark = pytest.mark.django_db

State = Tournament.State
OFFERED = {
    State.DRAFT: {"uninvite"},
    State.OPEN: {"seed", "withdraw", "uninvite"},
    State.LOCKED: {"withdraw"},
    State.RUNNING: {"withdraw"},
    State.PAUSED: {"withdraw"},
}


def where(event: Tournament) -> str:
    return f"/organise/tournaments/{event.public_id}/entries"


def send(client: Client, event: Tournament, do: str, **fields: object) -> int:
    """The form of an action as the page fills it, with these fields; the status of the answer."""
    form = controls_in(page_of(client.get(where(event))), do)
    return client.post(where(event), {**form, **fields, "do": do}).status_code


@pytest.mark.parametrize("state", [*OFFERED, State.PROVISIONAL, State.FINAL, State.ARCHIVED, State.CANCELLED])
def test_the_forms_are_those_that_the_state_allows(client: Client, state: str) -> None:
    event = in_state(state)
    if state in (State.DRAFT, State.OPEN):
        factories.an_invitation(event, factories._user("guest"))
    visit(client, "odo")
    page = page_of(client.get(where(event)))
    assert {do for do in ("seed", "withdraw", "uninvite") if f'value="{do}"' in page} == OFFERED.get(
        state, set()
    )
    assert (where(event) in page_of(client.get(event.page))) is (state in OFFERED)


def test_entries_are_seeded_until_the_lock(client: Client) -> None:
    event = with_entries()
    visit(client, "aya")
    assert where(event) not in page_of(client.get(event.page))
    visit(client, "odo")
    entry = event.entries.latest("id")
    assert send(client, event, "seed", entry=entry.public_id, seed=1) == 302
    assert list(event.entries.exclude(seed=None)) == [entry]
    assert controls_in(page_of(client.get(where(event))), "seed")["entry"] == entry.public_id, (
        "it comes first"
    )
    assert send(client, event, "seed", entry=entry.public_id, seed="") == 302
    assert not event.entries.exclude(seed=None).exists()
    form = {"do": "seed", "entry": entry.public_id, "seed": 2}
    tournament_lock(event, event.organiser)
    assert client.post(where(event), form).status_code == 400
    assert not event.entries.exclude(seed=None).exists()


@pytest.mark.parametrize("seed", ["0", "-1", "1001", "10000", "1.5", "x", "\0"])
def test_a_seed_is_a_whole_number_from_1_to_1000(client: Client, seed: str) -> None:
    event = with_entries(1)
    visit(client, "odo")
    assert send(client, event, "seed", seed=seed) == 400
    assert not event.entries.exclude(seed=None).exists()


def test_an_entry_is_taken_out_for_a_reason(client: Client) -> None:
    event = with_entries()
    visit(client, "odo")
    entry = event.entries.latest("id")
    for reason in ("", " ", "x" * 301):
        assert send(client, event, "withdraw", entry=entry.public_id, reason=reason) == 400
    assert send(client, event, "withdraw", entry=entry.public_id, reason="its author asked") == 302
    entry.refresh_from_db()
    assert (entry.status, entry.status_reason) == (Entry.Status.WITHDRAWN, "its author asked")
    assert AuditEvent.objects.get(action="withdraw", object_id=entry.public_id).actor == event.organiser


def test_an_entry_taken_out_after_the_lock_forfeits_at_once(client: Client) -> None:
    event = under_way(2)
    visit(client, "odo")
    entry = event.entries.latest("id")
    assert send(client, event, "withdraw", entry=entry.public_id, reason="it was rude") == 302
    entry.refresh_from_db()
    assert entry.status == Entry.Status.LEFT
    assert Fixture.objects.get(tournament=event).state == Fixture.State.FORFEITED


def test_a_confirmation_holds_for_the_state_that_was_seen(client: Client) -> None:
    event = with_entries()
    visit(client, "odo")
    form = {**controls_in(page_of(client.get(where(event))), "withdraw"), "reason": "late", "do": "withdraw"}
    tournament_lock(event, event.organiser)
    assert client.post(where(event), form).status_code == 400
    assert not event.entries.filter(status=Entry.Status.LEFT).exists()


def test_an_organiser_with_an_entry_takes_out_no_other_after_the_lock(client: Client) -> None:
    event = with_entries(2)
    own = factories.an_entry(event, event.organiser)
    tournament_lock(event, event.organiser)
    visit(client, "odo")
    page = page_of(client.get(where(event)))
    others = event.entries.exclude(pk=own.pk)
    assert own.public_id in page
    assert not [entry for entry in others if entry.public_id in page]
    assert send(client, event, "withdraw", entry=others[0].public_id, reason="a rival") == 400
    assert not event.entries.filter(status=Entry.Status.LEFT).exists()


def test_an_invitation_is_taken_back_unless_the_player_has_entered(client: Client) -> None:
    event = factories.an_open_tournament(entry_policy="invited")
    for user in (factories.aya(), factories.ben()):
        factories.an_invitation(event, user)
    factories.an_entry(event, factories.ben())
    visit(client, "odo")
    assert send(client, event, "uninvite", player="aya") == 302
    assert send(client, event, "uninvite", player="ben") == 400
    assert [row.player.handle for row in event.invitations.all()] == ["ben"]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"do": "explode"},
        {"do": "seed"},
        {"do": "seed", "entry": "nosuchentry", "seed": 1},
        {"do": "withdraw", "entry": "\0", "reason": "x"},
        {"do": "uninvite", "player": "aya"},
        {"do": ["seed", "x"]},
    ],
)
def test_what_cannot_be_done_is_refused(client: Client, fields: dict[str, object]) -> None:
    event = with_entries(1)
    visit(client, "odo")
    assert client.post(where(event), fields).status_code == 400
    assert event.entries.filter(status=Entry.Status.ENTERED, seed=None).count() == 1


def test_entries_of_other_events_are_not_reached(client: Client) -> None:
    event, other = with_entries(1), with_entries(1)
    visit(client, "odo")
    entry = other.entries.get()
    assert send(client, event, "withdraw", entry=entry.public_id, reason="wrong event") == 400
    entry.refresh_from_db()
    assert entry.status == Entry.Status.ENTERED


def test_as_many_queries_for_many_entries_as_for_few(client: Client) -> None:
    counts = []
    co_organiser = factories.rin()
    for entries in (1, 6):
        event = with_entries(entries)
        event.co_organisers.add(User.objects.get(pk=co_organiser.pk))
        visit(client, "rin")
        client.get(where(event))
        with CaptureQueriesContext(connection) as caught:
            assert client.get(where(event)).status_code == 200
        counts.append(len(caught))
    assert counts[0] == counts[1]
