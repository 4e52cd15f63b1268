"""Organisers seed entries, add house bots, take entries out and take invitations back."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.accounts.models import AuditEvent, User
from arena.competition.models import Entry, Tournament
from arena.competition.services import tournament_lock
from arena.matches.models import Fixture
from arena.web.organise import entry_pages
from tests import factories
from tests.arena.competition.house_bots import house
from tests.arena.web.conftest import in_state, under_way, with_entries
from tests.arena.web.forms import page_of
from tests.arena.web.organise.forms import controls_in
from tests.arena.web.visits import visit

pytestmark = pytest.mark.django_db

State = Tournament.State
OFFERED = {
    State.DRAFT: {"uninvite"},
    State.OPEN: {"seeds", "remove", "house", "uninvite"},
    State.LOCKED: {"remove"},
    State.RUNNING: {"remove"},
    State.PAUSED: {"remove"},
}


def where(event: Tournament) -> str:
    return f"/organise/tournaments/{event.public_id}/entries"


def removal(event: Tournament, entry: Entry) -> str:
    return f"{where(event)}/{entry.public_id}"


def send(client: Client, event: Tournament, do: str, **fields: object) -> int:
    """The form of an action as the page fills it, with these fields; the status of the answer."""
    form = controls_in(page_of(client.get(where(event))), do)
    return client.post(where(event), {**form, **fields, "do": do}).status_code


def remove(client: Client, event: Tournament, entry: Entry, **fields: object) -> int:
    form = controls_in(page_of(client.get(removal(event, entry))), "confirm")
    return client.post(removal(event, entry), {**form, **fields}).status_code


@pytest.mark.parametrize("state", [*OFFERED, State.PROVISIONAL, State.FINAL, State.ARCHIVED, State.CANCELLED])
def test_the_forms_are_those_that_the_state_allows(client: Client, state: str) -> None:
    house()
    event = in_state(state)
    if state in (State.DRAFT, State.OPEN):
        factories.an_invitation(event, factories._user("guest"))
    visit(client, "odo")
    page = page_of(client.get(where(event)))
    offered = {do for do in ("seeds", "house", "uninvite") if f'value="{do}"' in page}
    if f'href="{where(event)}/' in page:
        offered.add("remove")
    assert offered == OFFERED.get(state, set())
    assert (where(event) in page_of(client.get(event.page))) is (state in OFFERED)


def test_several_entries_are_seeded_at_once_until_the_lock(client: Client) -> None:
    event = with_entries()
    visit(client, "aya")
    assert where(event) not in page_of(client.get(event.page))
    visit(client, "odo")
    first, second, third = (f"seed-{entry.public_id}" for entry in event.entries.order_by("id"))
    assert send(client, event, "seeds", **{second: 2, third: 1}) == 302
    assert list(event.entries.order_by("seed").values_list("seed", flat=True)) == [None, 1, 2]
    assert list(controls_in(page_of(client.get(where(event))), "seeds").items())[:3] == [
        (third, "1"),
        (second, "2"),
        (first, ""),
    ]
    changes = AuditEvent.objects.filter(action="seed").count()
    assert send(client, event, "seeds", **{third: ""}) == 302
    assert AuditEvent.objects.filter(action="seed").count() == changes + 1, "only what changed is set"
    form = {"do": "seeds", first: 3}
    tournament_lock(event, event.organiser)
    assert client.post(where(event), form).status_code == 400
    assert list(event.entries.exclude(seed=None).values_list("seed", flat=True)) == [2]


@pytest.mark.parametrize("seed", ["0", "-1", "1001", "10000", "1.5", "x", "\0"])
def test_a_seed_is_a_whole_number_from_1_to_1000_and_all_or_none_are_set(client: Client, seed: str) -> None:
    event = with_entries(2)
    visit(client, "odo")
    first, second = (f"seed-{entry.public_id}" for entry in event.entries.order_by("id"))
    assert send(client, event, "seeds", **{first: 1, second: seed}) == 400
    assert not event.entries.exclude(seed=None).exists()


def test_long_lists_have_pages_and_each_is_seeded(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_pages, "ENTRIES_PER_PAGE", 2)
    event = with_entries(3)
    visit(client, "odo")
    last = event.entries.order_by("id").last()
    page = controls_in(page_of(client.get(f"{where(event)}?page=2")), "seeds")
    assert list(page) == [f"seed-{last.public_id}"]
    form = {**page, f"seed-{last.public_id}": 5, "do": "seeds"}
    assert client.post(f"{where(event)}?page=2", form).status_code == 302
    last.refresh_from_db()
    assert last.seed == 5


def test_house_bots_are_added_while_entry_is_open(client: Client) -> None:
    greedy, rules = house(), house("rules")
    event = factories.an_open_tournament(entry_policy="invited")
    visit(client, "odo")
    assert send(client, event, "house") == 400
    assert send(client, event, "house", house_bots=["kakeya_rules", "nobody"]) == 400
    assert not event.entries.exists()
    assert send(client, event, "house", house_bots=["kakeya_rules"]) == 302
    assert [entry.version for entry in event.entries.all()] == [rules]
    assert 'value="kakeya_rules"' not in page_of(client.get(where(event)))
    assert send(client, event, "house", house_bots=["kakeya_greedy"]) == 302
    assert {entry.version for entry in event.entries.all()} == {greedy, rules}


def test_an_entry_is_taken_out_for_a_reason(client: Client) -> None:
    event = with_entries()
    visit(client, "odo")
    entry = event.entries.latest("id")
    for reason in ("", " ", "x" * 301):
        assert remove(client, event, entry, reason=reason) == 400
    assert remove(client, event, entry, reason="its author asked") == 302
    entry.refresh_from_db()
    assert (entry.status, entry.status_reason) == (Entry.Status.WITHDRAWN, "its author asked")
    assert AuditEvent.objects.get(action="withdraw", object_id=entry.public_id).actor == event.organiser
    assert client.post(removal(event, entry), {"reason": "again", "seen": "open"}).status_code == 400


def test_an_entry_taken_out_after_the_lock_forfeits_at_once(client: Client) -> None:
    event = under_way(2)
    visit(client, "odo")
    entry = event.entries.latest("id")
    assert remove(client, event, entry, reason="it was rude") == 302
    entry.refresh_from_db()
    assert entry.status == Entry.Status.LEFT
    assert Fixture.objects.get(tournament=event).state == Fixture.State.FORFEITED


def test_a_confirmation_holds_for_the_state_that_was_seen(client: Client) -> None:
    event = with_entries()
    visit(client, "odo")
    entry = event.entries.latest("id")
    form = {**controls_in(page_of(client.get(removal(event, entry))), "confirm"), "reason": "late"}
    tournament_lock(event, event.organiser)
    assert client.post(removal(event, entry), form).status_code == 400
    assert not event.entries.filter(status=Entry.Status.LEFT).exists()


def test_an_organiser_with_an_entry_takes_out_no_other_after_the_lock(client: Client) -> None:
    event = with_entries(2)
    own = factories.an_entry(event, event.organiser)
    tournament_lock(event, event.organiser)
    visit(client, "odo")
    page = page_of(client.get(where(event)))
    others = event.entries.exclude(pk=own.pk)
    assert removal(event, own) in page
    assert not [entry for entry in others if removal(event, entry) in page]
    fields = {"reason": "a rival", "seen": "locked"}
    assert client.post(removal(event, others[0]), fields).status_code == 400
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
        {"do": "seeds"},
        {"do": "seeds", "seed-nosuchentry": 1},
        {"do": "house", "house_bots": "\0"},
        {"do": "uninvite", "player": "aya"},
        {"do": ["seeds", "x"]},
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
    assert client.get(removal(event, entry)).status_code == 404
    fields = {"reason": "wrong event", "seen": "open"}
    assert client.post(removal(event, entry), fields).status_code == 404
    assert client.post(where(event), {"do": "seeds", f"seed-{entry.public_id}": 1}).status_code == 400
    entry.refresh_from_db()
    assert (entry.status, entry.seed) == (Entry.Status.ENTERED, None)


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
