"""What is done in the admin goes through the services: confirmed, refused with what is possible, audited."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from arena.accounts.models import AuditEvent
from arena.admin.tournaments import ACTIONS
from arena.competition.models import Entry, Invitation, Tournament
from arena.competition.permissions import VERBS
from arena.matches.models import Adjudication, Fixture, Table
from arena.webhooks.models import Delivery, Webhook
from tests.arena.admin.pages import do, list_url, name_of, row_url, text_of
from tests.arena.api.conftest import World
from tests.factories import (
    a_bot,
    a_suspended_version,
    a_token,
    a_tournament,
    a_version,
    an_entry,
    an_open_tournament,
    aya,
    ben,
    chie,
    odo,
    players,
    sota,
)

pytestmark = [pytest.mark.django_db, pytest.mark.full]
State = Tournament.State


def labels_on(client: Client, row: Tournament) -> set[str]:
    """The actions offered at the head of a tournament's page."""
    text = text_of(client, row_url(row))
    return {action.key for action in ACTIONS if f"/do/{action.key}/?ids={row.pk}" in text}


def test_every_verb_of_a_tournament_is_there() -> None:
    elsewhere = {"update", "enter", "seed", "adjudicate", "rerun"}
    assert {action.key for action in ACTIONS} == set(VERBS) - elsewhere


def test_the_whole_life_of_an_event_by_its_organiser(organiser: Client) -> None:
    event = a_tournament()
    assert labels_on(organiser, event) == {"open", "invite", "cancel"}
    assert "Open registration: done" in do(organiser, [event], "open")
    do(organiser, [event], "invite", players="")
    for owner in players(2):
        an_entry(Tournament.objects.get(pk=event.pk), owner)
    event.refresh_from_db()
    assert labels_on(organiser, event) == {"invite", "lock", "cancel"}
    do(organiser, [event], "lock")
    do(organiser, [event], "start")
    event.refresh_from_db()
    assert event.state == State.RUNNING
    assert Fixture.objects.filter(tournament=event, state=Fixture.State.OPEN).exists(), (
        "a round is open at once"
    )
    do(organiser, [event], "pause", reason="the hall is closed")
    event.refresh_from_db()
    assert (event.state, event.state_reason) == (State.PAUSED, "the hall is closed")
    do(organiser, [event], "resume")
    do(organiser, [event], "cancel", reason="nobody came")
    verbs = AuditEvent.objects.filter(object_id=event.public_id, actor=odo()).order_by("id")
    assert list(verbs.values_list("verb", flat=True)) == [
        "create",
        "open",
        "lock",
        "start",
        "pause",
        "resume",
        "cancel",
    ]
    text = text_of(organiser, row_url(event))
    assert "odo: cancel (nobody came)" in text
    assert labels_on(organiser, event) == set()


def test_nothing_is_done_by_looking(organiser: Client) -> None:
    event = a_tournament()
    url = reverse("admin:competition_tournament_do", args=["cancel"])
    text = text_of(organiser, f"{url}?ids={event.pk}")
    assert "This cannot be undone" in text
    assert event.name in text
    event.refresh_from_db()
    assert event.state == State.DRAFT


def test_a_refusal_says_what_is_possible_now(organiser: Client) -> None:
    event = an_open_tournament()
    text = do(organiser, [event], "start")
    assert "it is registration; that needs locked" in text
    assert "Possible now: Invite players, Lock the field, Cancel the tournament." in text
    text = do(organiser, [event], "lock")
    assert "0 entered; the tournament needs at least 2" in text
    event.refresh_from_db()
    assert event.state == State.REGISTRATION


def test_several_rows_at_once_each_with_its_own_fate(organiser: Client) -> None:
    draft, opened = a_tournament(), an_open_tournament()
    answer = organiser.post(
        list_url(Tournament), {"action": "open", "_selected_action": [draft.pk, opened.pk]}
    )
    assert answer.status_code == 302
    confirm = organiser.get(answer["Location"]).content.decode()
    assert draft.name in confirm
    assert "not possible now" in confirm
    text = do(organiser, [draft, opened], "open")
    assert "done for 1 of 2" in text
    assert f"{opened.name}: Cannot open" in text
    draft.refresh_from_db()
    assert draft.state == State.REGISTRATION


def test_players_are_invited_by_handle(organiser: Client) -> None:
    event = a_tournament(entry_policy="invited")
    a_bot(aya())
    a_bot(ben())
    do(organiser, [event], "invite", players="aya, ben")
    invited = Invitation.objects.filter(tournament=event)
    assert sorted(str(invitation.player) for invitation in invited) == ["aya", "ben"]
    assert "nobody" in do(organiser, [event], "invite", players="nobody")
    do(organiser, list(invited)[:1], "uninvite")
    assert Invitation.objects.filter(tournament=event).count() == 1


def test_entries_are_seeded_and_taken_out(organiser: Client) -> None:
    event = an_open_tournament()
    entries = [an_entry(event, owner) for owner in (aya(), ben(), chie())]
    do(organiser, entries[:1], "seed", seed="1")
    entries[0].refresh_from_db()
    assert entries[0].seed == 1
    assert "required" in do(organiser, entries[2:], "withdraw", reason="")
    do(organiser, entries[2:], "withdraw", reason="its author asked")
    entries[2].refresh_from_db()
    assert (entries[2].status, entries[2].status_reason) == (Entry.Status.WITHDRAWN, "its author asked")
    do(organiser, [event], "lock")
    do(organiser, [event], "start")
    do(organiser, entries[1:2], "withdraw", reason="it was rude")
    entries[1].refresh_from_db()
    assert entries[1].status == Entry.Status.LEFT
    fixture = Fixture.objects.get(tournament=event)
    assert fixture.state == Fixture.State.FORFEITED, "what follows is done at once"


def test_a_fixture_is_ruled_on(world: World, organiser: Client) -> None:
    fixture = world.open_fixture
    url = reverse("admin:matches_fixture_do", args=["adjudicate"])
    form = text_of(organiser, f"{url}?ids={fixture.pk}")
    sides = list(fixture.sides.order_by("position"))
    assert all(side.entry.bot_name in form for side in sides)
    assert "required" in do(organiser, [fixture], "adjudicate", kind="draw", reason="")
    loser = sides[0].entry.public_id
    do(organiser, [fixture], "adjudicate", kind="forfeit", entries=[loser], reason="it cheated")
    ruling = Adjudication.objects.get(fixture=fixture)
    assert (ruling.kind, ruling.entries, ruling.reason, ruling.actor) == (
        "forfeit",
        [loser],
        "it cheated",
        odo(),
    )
    assert "name who forfeits" in do(organiser, [fixture], "adjudicate", kind="forfeit", reason="but who")
    do(organiser, [fixture], "adjudicate", kind="lift", reason="it did not")
    fixture.refresh_from_db()
    assert fixture.state == Fixture.State.SETTLED
    assert AuditEvent.objects.filter(verb="adjudicate", object_id=fixture.public_id).count() == 2


def test_tables_are_sent_back_and_played_again(world: World, organiser: Client) -> None:
    table = world.waiting_table
    assert "it is waiting" in do(organiser, [table], "retry")
    Table.objects.filter(pk=table.pk).update(state=Table.State.QUARANTINED)
    text = text_of(organiser, row_url(world.event))
    assert "Quarantined tables" in text
    do(organiser, [table], "retry")
    table.refresh_from_db()
    assert table.state == Table.State.WAITING
    sealed = world.sealed_table
    do(organiser, [sealed], "rerun", reason="the machine was ill")
    sealed.refresh_from_db()
    assert (sealed.state, sealed.reruns) == (Table.State.WAITING, 1)
    assert AuditEvent.objects.get(verb="rerun").after["reason"] == "the machine was ill"


def test_staff_suspend_reinstate_and_retire_versions(staff: Client) -> None:
    version = a_version(a_bot(aya()))
    do(staff, [version], "suspend", reason="it mines coins")
    version.refresh_from_db()
    assert (version.state, version.suspended_reason) == ("suspended", "it mines coins")
    assert AuditEvent.objects.filter(verb="suspend", object_id=version.public_id, actor=sota()).exists()
    text = do(staff, [version], "suspend", reason="again")
    assert "only a ready version is suspended" in text
    assert "Possible now: Check again, Reinstate, Retire." in text
    do(staff, [version], "reinstate")
    version.refresh_from_db()
    assert version.state == "ready"
    do(staff, [version], "retire")
    version.refresh_from_db()
    assert version.state == "retired"


def test_suspended_versions_are_reinstated_with_an_audit_line(staff: Client) -> None:
    version = a_suspended_version(a_bot(aya()))
    do(staff, [version], "reinstate")
    assert AuditEvent.objects.get(verb="reinstate", object_id=version.public_id).actor == sota()
    assert "it is ready; that needs suspended" in do(staff, [version], "reinstate")


def test_tokens_are_revoked(staff: Client) -> None:
    a_token(aya())
    token = aya().tokens.get()
    do(staff, [token], "revoke")
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_a_delivery_is_sent_again(organiser: Client) -> None:
    hook = Webhook.objects.create(user=odo(), url="https://example.org/hook")
    do(organiser, [hook], "ping")
    delivery = Delivery.objects.get(webhook=hook)
    assert "Nothing can be done" in do(organiser, [delivery], "redeliver")
    Delivery.objects.filter(pk=delivery.pk).update(
        state=Delivery.State.FAILED, next_at=None, ended_at=delivery.created_at
    )
    do(organiser, [delivery], "redeliver")
    delivery.refresh_from_db()
    assert delivery.state == Delivery.State.WAITING


def test_unknown_actions_and_rows_are_not_found(staff: Client) -> None:
    event = a_tournament()
    assert staff.get(reverse("admin:competition_tournament_do", args=["explode"])).status_code == 404
    for ids in ("", "999", "x", "-1"):
        url = reverse(f"{name_of(Tournament)}_do", args=["open"])
        assert staff.post(f"{url}?ids={ids}").status_code == 404, ids
    event.refresh_from_db()
    assert event.state == State.DRAFT
