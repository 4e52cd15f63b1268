"""Every verb on a page of its own: it says what it will do, does it once, and never what was not seen."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.accounts.models import AuditEvent
from arena.competition.models import Tournament
from arena.competition.tournament_actions import ACTIONS, STATE_ACTIONS
from arena.jobs.tournament_actions import SERVICES
from arena.matches.models import Fixture, Table
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import play_out, play_table, waiting
from tests.arena.web.conftest import in_state, with_entries
from tests.arena.web.forms import page_of
from tests.arena.web.organise.forms import controls_in
from tests.scores import results_change

pytestmark = pytest.mark.django_db

State = Tournament.State
AFTER = {
    ("open", State.DRAFT): State.OPEN,
    ("lock", State.OPEN): State.LOCKED,
    ("start", State.LOCKED): State.RUNNING,
    ("pause", State.RUNNING): State.PAUSED,
    ("resume", State.PAUSED): State.RUNNING,
    ("retry_tables", State.PAUSED): State.PAUSED,
    ("archive", State.FINAL): State.ARCHIVED,
    ("cancel", State.DRAFT): State.CANCELLED,
    ("cancel", State.OPEN): State.CANCELLED,
    ("cancel", State.RUNNING): State.CANCELLED,
}
NOT_OF_EVENTS = {"update", "invite", "enter", "seed", "adjudicate", "rerun", "trial"}
"""They have pages elsewhere."""


rows_of_a_running_event = made_once(lambda: in_state(State.RUNNING), serials=1000)


@pytest.fixture
def event(rows_of_a_running_event: Tournament, db: None) -> Tournament:
    """An event whose first round is open."""
    return given(rows_of_a_running_event)


def address(event: Tournament, verb: str) -> str:
    return f"/organise/tournaments/{event.public_id}/{verb}"


def confirmed(client: Client, where: str, **fields: Any) -> dict[str, Any]:
    """The confirmation as it stands on the page, with these fields filled in."""
    answer = client.get(where)
    assert answer.status_code == 200, page_of(answer)
    return {**controls_in(page_of(answer), "confirm"), **fields}


def test_every_verb_of_an_event_has_a_page() -> None:
    assert STATE_ACTIONS.keys() == ACTIONS.keys() - NOT_OF_EVENTS == SERVICES.keys()


@pytest.mark.parametrize(("verb", "state"), AFTER)
def test_a_verb_is_said_before_it_is_done(odo: Client, verb: str, state: str) -> None:
    event = in_state(state)
    where = address(event, verb)
    link = page_of(odo.get(event.page))
    assert where in link, "where one looks for it"
    assert odo.get(where).status_code == 200
    event.refresh_from_db()
    assert event.state == state, "looking does nothing"
    answer = odo.post(where, confirmed(odo, where, reason="Because of rain."))
    assert answer["Location"] == event.page
    event.refresh_from_db()
    assert event.state == AFTER[verb, State(state)]


def test_what_was_not_seen_is_not_confirmed(odo: Client) -> None:
    event = with_entries(3)
    where = address(event, "lock")
    form = confirmed(odo, where)
    factories.an_entry(event, factories._user("late"))
    answer = odo.post(where, form)
    assert answer.status_code == 400
    assert controls_in(page_of(answer), "confirm")["seen"] != form["seen"]
    event.refresh_from_db()
    assert event.state == State.OPEN
    assert odo.post(where, controls_in(page_of(answer), "confirm")).status_code == 302


def test_a_refusal_of_the_service_is_on_the_page_with_what_was_typed(odo: Client, event: Tournament) -> None:
    where = address(event, "close_early")
    answer = odo.post(where, confirmed(odo, where, reason="Everybody is tired."))
    assert answer.status_code == 400
    assert controls_in(page_of(answer), "confirm")["reason"] == "Everybody is tired."


def test_a_verb_that_the_state_does_not_allow_says_what_can_be_done(odo: Client) -> None:
    event = in_state(State.LOCKED)
    answer = odo.get(address(event, "open"))
    assert answer.status_code == 409
    assert address(event, "start") in page_of(answer)
    assert odo.get(address(event, "destroy")).status_code == 404


def test_a_fixture_is_ruled_on_where_it_stands(odo: Client, event: Tournament) -> None:
    fixture = Fixture.objects.filter(tournament=event, state=Fixture.State.OPEN).first()
    assert fixture
    where = f"/organise/fixtures/{fixture.public_id}"
    assert where in page_of(odo.get(f"/fixtures/{fixture.public_id}"))
    form = confirmed(odo, where, kind="void", reason="")
    wrong = odo.post(where, form)
    assert wrong.status_code == 400
    assert 'id="id_reason_error"' in page_of(wrong)
    assert 'value="lift"' not in page_of(wrong), "there is no ruling to take back"
    nobody = odo.post(where, {**form, "kind": "forfeit", "reason": "Late."})
    assert nobody.status_code == 400
    assert 'id="id_entries_error"' in page_of(nobody)
    assert controls_in(page_of(nobody), "confirm")["reason"] == "Late."
    assert odo.post(where, {**form, "reason": "Power cut."}).status_code == 302
    fixture.refresh_from_db()
    assert (fixture.state, fixture.reason) == ("void", "Power cut.")
    stale = odo.post(where, {**form, "kind": "draw", "reason": "Changed my mind."})
    assert stale.status_code == 400


def test_only_a_ruling_on_what_was_played_out_is_taken_back(odo: Client, event: Tournament) -> None:
    fixture = waiting(event)[0].fixture
    where = f"/organise/fixtures/{fixture.public_id}"
    for table in waiting(event):
        if table.fixture_id == fixture.pk:
            play_table(table)
    page = page_of(odo.get(where))
    assert 'value="lift"' not in page
    ticked = {"entries": fixture.sides.all()[0].entry.public_id}
    form = confirmed(odo, where, kind="draw", reason="Power cut.", **ticked)
    assert odo.post(where, form).status_code == 302, "who forfeits means nothing for a draw"
    assert 'value="lift"' in page_of(odo.get(where))
    assert odo.post(where, confirmed(odo, where, kind="lift", reason="A mistake.")).status_code == 302
    assert 'value="lift"' not in page_of(odo.get(where))
    Table.objects.filter(fixture=fixture).update(state=Table.State.VOID)
    fixture.adjudications.create(
        tournament=fixture.tournament,
        number=3,
        kind="void",
        note={"code": "typed", "text": "Nobody came."},
        rounds_opened=1,
    )
    page = page_of(odo.get(where))
    assert 'value="lift"' not in page, "there is nothing to go back to"


def test_a_finished_table_is_played_again_for_a_reason_and_once(odo: Client, event: Tournament) -> None:
    table = waiting(event)[0]
    play_table(table)
    where = f"/organise/tables/{table.public_id}"
    assert where in page_of(odo.get(f"/organise/fixtures/{table.fixture.public_id}")), (
        "where one looks for it"
    )
    form = confirmed(odo, where)
    nothing = odo.post(where, {**form, "reason": " "})
    assert nothing.status_code == 400
    assert 'aria-invalid="true"' in page_of(nothing)
    answer = odo.post(where, {**form, "reason": "A disk was full <b>then</b>."})
    assert answer["Location"] == f"/fixtures/{table.fixture.public_id}"
    table.refresh_from_db()
    assert (table.state, table.reruns, len(table.results)) == (Table.State.WAITING, 1, 0)
    assert odo.post(where, {**form, "reason": "Again."}).status_code == 400, "not what was seen"
    line = AuditEvent.objects.get(action="rerun")
    assert line.after["reason"] == "A disk was full <b>then</b>."
    assert play_out(event).state == State.FINAL


def provisional(monkeypatch: pytest.MonkeyPatch) -> Tournament:
    """An event played out whose audit did not pass, and would by now."""
    with monkeypatch.context() as broken:
        broken.setattr("arena.jobs.flow.tournament_audit", lambda _, **__: ["something disagrees"])
        event = play_out(in_state(State.RUNNING))
    assert event.state == State.PROVISIONAL
    return event


def test_audit_now_ends_an_event_or_says_what_disagrees(odo: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    event = provisional(monkeypatch)
    where = address(event, "finalise")
    assert where in page_of(odo.get(event.page)), "where one looks for it"
    table = Table.objects.filter(tournament=event)[0]
    results_change(table, lambda result: result._replace(stones=-result.stones or 1))
    refused = odo.post(where, confirmed(odo, where))
    assert refused.status_code == 400
    event.refresh_from_db()
    assert event.state == State.PROVISIONAL
    table.save(update_fields=["compact_results"])
    assert odo.post(where, confirmed(odo, where))["Location"] == event.page
    event.refresh_from_db()
    assert event.state == State.FINAL
    assert odo.post(where, {"seen": "provisional"}).status_code == 409


def test_an_audit_that_takes_long_is_said_to_be_under_way(
    odo: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = in_state(State.PROVISIONAL)
    monkeypatch.setattr("arena.jobs.flow.AUDIT_TABLES", 0)
    where = address(event, "finalise")
    answer = odo.post(where, confirmed(odo, where), follow=True)
    assert answer.redirect_chain == [(event.page, 302)]


def test_a_table_is_played_again_or_sent_back(odo: Client, event: Tournament) -> None:
    table = Table.objects.filter(tournament=event).first()
    assert table
    where = f"/organise/tables/{table.public_id}"
    assert odo.get(where).status_code == 200
    full = {"code": "fault", "why": "disk full"}
    Table.objects.filter(pk=table.pk).update(state=Table.State.QUARANTINED, note=full)
    form = confirmed(odo, where)
    assert odo.post(where, form).status_code == 302
    table.refresh_from_db()
    assert table.state == Table.State.WAITING
    assert odo.post(where, form).status_code == 400
