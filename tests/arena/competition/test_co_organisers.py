"""Further organisers of an event: who they may be, what they may do, and how they are shown."""

from __future__ import annotations

import pytest

from arena.accounts.models import AuditEvent, Notice, User
from arena.common.errors import Forbidden, Invalid
from arena.competition.co_organisers import co_organiser_names
from arena.competition.models import Tournament
from arena.competition.permissions import allowed_actions, editable_fields
from arena.competition.selectors import may_organise, tournaments_visible_to
from arena.competition.services import tournament_pause, tournament_update
from arena.jobs.flow import tournament_cancel
from arena.operations.account_deletion import account_delete
from tests import factories
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def named(event: Tournament, *users: User) -> Tournament:
    tournament_update(event, event.organiser, co_organisers=[user.username for user in users])
    return event


def test_a_co_organiser_runs_the_event_except_for_naming_and_cancelling() -> None:
    event = named(factories.a_locked_tournament(), factories.rin())
    assert may_organise(factories.rin(), event)
    lead, other = allowed_actions(event, factories.odo()), allowed_actions(event, factories.rin())
    assert set(lead) - set(other) == {"cancel"}
    assert set(editable_fields(event, factories.odo())) - set(editable_fields(event, factories.rin())) == {
        "co_organisers"
    }
    assert refusal(Forbidden, tournament_cancel, event, factories.rin(), "no").code == "lead_organiser_only"
    naming = refusal(Forbidden, tournament_update, event, factories.rin(), co_organisers=["rin", "sota"])
    assert naming.code == "lead_organiser_only"


def test_a_co_organiser_may_step_down() -> None:
    event = named(factories.a_tournament(), factories.rin())
    tournament_update(event, factories.rin(), co_organisers=[])
    assert co_organiser_names(event) == []
    assert not may_organise(factories.rin(), event)


def test_a_co_organiser_sees_a_draft_and_a_private_event() -> None:
    event = factories.a_tournament(visibility="private")
    assert not tournaments_visible_to(factories.rin()).filter(pk=event.pk).exists()
    named(event, factories.rin())
    assert tournaments_visible_to(factories.rin()).filter(pk=event.pk).exists()


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["nobody"], "unknown_co_organiser"),
        (["aya"], "invalid_co_organiser"),
        (["odo"], "invalid_co_organiser"),
        ("rin", "invalid"),
        ([f"name{number}" for number in range(11)], "invalid"),
    ],
)
def test_accounts_that_cannot_organise_are_refused(names: object, code: str) -> None:
    factories.aya()
    event = factories.a_tournament()
    for change in (
        lambda: tournament_update(event, factories.odo(), co_organisers=names),
        lambda: factories.a_tournament(co_organisers=names),
    ):
        refused = refusal(Invalid, change)
        assert (refused.code, refused.extra["field"]) == (code, "co_organisers")


def test_naming_is_audited_and_notified_and_possible_while_the_event_is_played() -> None:
    rin = factories.rin()
    event = factories.a_locked_tournament()
    for state in ("draft", "open", "locked", "running", "paused", "provisional"):
        Tournament.objects.filter(pk=event.pk).update(state=state)
        event.refresh_from_db()
        assert "co_organisers" in editable_fields(event, factories.odo()), state
    revision = event.revision
    named(event, rin)
    event.refresh_from_db()
    assert event.revision > revision
    line = AuditEvent.objects.filter(action="update").latest("pk")
    assert (line.actor, line.before["co_organisers"], line.after["co_organisers"]) == (
        factories.odo(),
        [],
        ["rin"],
    )
    assert Notice.objects.filter(user=rin, url_path=event.page).count() == 1
    Tournament.objects.filter(pk=event.pk).update(state="final")
    event.refresh_from_db()
    assert "co_organisers" not in editable_fields(event, factories.odo())


def test_an_account_that_stops_organising_keeps_its_name_and_may_do_nothing() -> None:
    rin = factories.rin()
    event = named(factories.a_tournament(), rin)
    User.objects.filter(pk=rin.pk).update(is_organiser=False)
    rin.refresh_from_db()
    assert not may_organise(rin, event)
    named(event, rin)  # its name does not stand in the way of other changes
    tournament_update(event, factories.odo(), co_organisers=[])


def test_a_deleted_account_is_taken_off_its_events() -> None:
    rin = factories.rin()
    event = named(factories.a_tournament(), rin)
    account_delete(rin)
    assert co_organiser_names(Tournament.objects.get(pk=event.pk)) == []


def test_entries_of_organisers_are_marked_until_the_lock() -> None:
    event = factories.an_open_tournament()
    entry = factories.an_entry(event, factories.rin())
    assert not entry.is_organiser_entry
    named(event, factories.rin())
    entry.refresh_from_db()
    assert entry.is_organiser_entry
    named(event)
    entry.refresh_from_db()
    assert not entry.is_organiser_entry


def test_a_pause_by_a_co_organiser_holds() -> None:
    event = factories.a_locked_tournament(co_organisers=[factories.rin().username])
    Tournament.objects.filter(pk=event.pk).update(state="running")
    tournament_pause(event, factories.rin())
    assert event.state == "paused"
