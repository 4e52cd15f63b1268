"""Accounts with an entry do not decide results; what they may still do is published as done by an entrant."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.accounts.models import AuditEvent, User
from arena.common.errors import Conflict, Forbidden
from arena.competition.entries.services import entry_confirm
from arena.competition.models import Entry, Tournament
from arena.competition.permissions import allowed_actions, allowed_entry_actions
from arena.competition.services import entry_withdraw, tournament_lock, tournament_start, tournament_update
from arena.features.integrity.rulings import pair_void
from arena.jobs.flow import (
    tournament_advance,
    tournament_cancel,
    tournament_close_early,
    tournament_finalise,
)
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.leases import tables_retry
from arena.matches.models import Fixture, Table
from arena.matches.reruns import table_rerun
from tests import factories
from tests.arena.play import play_out
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def running(*entrants: User, **fields: Any) -> Tournament:
    event = factories.an_open_tournament(boards_per_round=1, **fields)
    for user in entrants:
        factories.an_entry(event, user)
    tournament_lock(event, event.organiser)
    tournament_start(event, event.organiser)
    tournament_advance(event)
    event.refresh_from_db()
    return event


def a_fixture(event: Tournament) -> Fixture:
    return Fixture.objects.filter(tournament=event).order_by("pk")[0]


def names(fixture: Fixture) -> list[str]:
    return list(fixture.sides.order_by("position").values_list("entry__public_id", flat=True))


def refused_everything(event: Tournament, user: User) -> None:
    fixture = a_fixture(event)
    table = fixture.tables.order_by("pk")[0]
    assert not {"adjudicate", "rerun"} & set(allowed_actions(event, user))
    for act in (
        lambda: fixture_adjudicate(fixture, user, "forfeit", names(fixture)[:1], "so"),
        lambda: fixture_adjudicate(fixture, user, "void", [], "so"),
        lambda: pair_void(event, user, names(fixture), "so"),
        lambda: table_rerun(table, user, "so"),
    ):
        assert refusal(Forbidden, act).code == "conflict_of_interest"
    assert not fixture.adjudications.exists()


def test_an_organiser_with_an_entry_does_not_decide_results_and_another_one_does() -> None:
    odo, rin = factories.odo(), factories.rin()
    event = running(odo, factories.aya(), factories.ben())
    refused_everything(event, odo)
    tournament_update(event, odo, co_organisers=["rin"])
    event.refresh_from_db()
    refused = refusal(Forbidden, fixture_adjudicate, a_fixture(event), odo, "draw", [], "so")
    assert refused.extra["organisers"] == ["rin"]
    assert {"adjudicate", "rerun"} <= set(allowed_actions(event, rin))
    fixture_adjudicate(a_fixture(event), rin, "draw", [], "agreed by both")


def test_staff_with_an_entry_do_not_decide_results_and_other_staff_do() -> None:
    sota = factories.sota()
    event = running(sota, factories.aya())
    refused_everything(event, sota)
    fixture_adjudicate(a_fixture(event), factories.odo(), "draw", [], "agreed by both")


def test_an_entry_that_was_withdrawn_counts() -> None:
    odo = factories.odo()
    event = factories.an_open_tournament(boards_per_round=1)
    entry_withdraw(factories.an_entry(event, odo), odo)
    for user in (factories.aya(), factories.ben()):
        factories.an_entry(event, user)
    tournament_lock(event, odo)
    tournament_start(event, odo)
    tournament_advance(event)
    event.refresh_from_db()
    refused_everything(event, odo)


@pytest.mark.parametrize("agrees", [True, False])
def test_a_partner_counts_once_it_agreed(agrees: bool) -> None:
    odo = factories.odo()
    event = factories.an_open_tournament(boards_per_round=1)
    pair = factories.a_pending_entry(event, factories.chie(), odo)
    if agrees:
        entry_confirm(Entry.objects.get(pk=pair.pk), odo)
    for user in (factories.aya(), factories.ben()):
        factories.an_entry(event, user)
    tournament_lock(event, odo)
    tournament_start(event, odo)
    tournament_advance(event)
    event.refresh_from_db()
    if agrees:
        refused_everything(event, odo)
    else:
        assert "adjudicate" in allowed_actions(event, odo)


def test_an_organiser_with_an_entry_takes_no_opponent_out_after_the_lock() -> None:
    odo = factories.odo()
    event = running(odo, factories.aya())
    own, other = event.entries.order_by("pk")
    assert "withdraw" not in allowed_entry_actions(other, odo)
    assert refusal(Forbidden, entry_withdraw, other, odo, "bye").code == "conflict_of_interest"
    assert "withdraw" in allowed_entry_actions(own, odo)
    entry_withdraw(own, odo)


def test_retry_and_the_end_are_published_as_done_by_an_entrant() -> None:
    odo = factories.odo()
    event = running(odo, factories.aya(), factories.ben())
    table = Table.objects.filter(tournament=event).order_by("pk")[0]
    Table.objects.filter(pk=table.pk).update(state=Table.State.QUARANTINED)
    for _ in range(2):
        Table.objects.filter(pk=table.pk).update(state=Table.State.QUARANTINED)
        assert tables_retry(event, odo) == 1
    event.refresh_from_db()
    assert [(act["action"], act["count"]) for act in event.entrant_actions] == [("retry_tables", 2)]
    assert AuditEvent.objects.filter(action="retry_tables").latest("pk").after["by_entrant"] is True
    tournament_cancel(event, odo, "no time")
    event.refresh_from_db()
    assert [act["action"] for act in event.entrant_actions] == ["retry_tables", "cancel"]
    assert AuditEvent.objects.filter(action="cancel").latest("pk").after["by_entrant"] is True
    answer = Client().get(f"/api/v1/tournaments/{event.public_id}").json()
    assert [act["action"] for act in answer["entrant_actions"]] == ["retry_tables", "cancel"]
    assert Client().get(event.page).status_code == 200


def test_an_early_end_is_published_as_done_by_an_entrant() -> None:
    odo = factories.odo()
    twice = [{"format": "round_robin", "options": {"cycles": 2}}]
    event = running(odo, factories.aya(), stages=twice)
    fixture_adjudicate(a_fixture(event), factories.sota(), "draw", [], "agreed")
    tournament_close_early(event, odo)
    event.refresh_from_db()
    assert [act["action"] for act in event.entrant_actions] == ["close_early"]


def test_the_end_of_a_review_is_published_as_done_by_an_entrant() -> None:
    odo = factories.odo()
    event = play_out(running(odo, factories.aya(), review_hours=24))
    assert event.state == Tournament.State.PROVISIONAL
    tournament_finalise(event, odo)
    event.refresh_from_db()
    assert event.state == Tournament.State.FINAL
    assert [act["action"] for act in event.entrant_actions] == ["finalise"]
    assert AuditEvent.objects.get(action="finalise").after["by_entrant"] is True
    assert Client().get(event.page).status_code == 200


def test_what_an_organiser_without_an_entry_does_is_not_marked() -> None:
    event = running(factories.aya(), factories.ben())
    tournament_cancel(event, factories.odo(), "no time")
    event.refresh_from_db()
    assert event.entrant_actions == []
    assert "by_entrant" not in AuditEvent.objects.filter(action="cancel").latest("pk").after


def test_the_same_ruling_twice_is_refused() -> None:
    event = running(factories.aya(), factories.ben())
    fixture, odo = a_fixture(event), factories.odo()
    first, second = names(fixture)
    fixture_adjudicate(fixture, odo, "forfeit", [first], "it is late")
    event.refresh_from_db()
    for again in ([first], [first, first]):
        refused = refusal(Conflict, fixture_adjudicate, fixture, odo, "forfeit", again, "for another reason")
        assert refused.code == "ruling_unchanged"
    fixture_adjudicate(fixture, odo, "forfeit", [second], "the other one was late")
    fixture_adjudicate(fixture, odo, "forfeit", [first], "no, the first")
    assert fixture.adjudications.count() == 3


def test_an_entrants_pages_offer_no_ruling_and_say_who_can(client: Client) -> None:
    odo = factories.odo()
    event = running(odo, factories.aya(), co_organisers=[factories.rin().username])
    play_out(event)
    Tournament.objects.filter(pk=event.pk).update(state="running")
    event.refresh_from_db()
    fixture = a_fixture(event)
    table = fixture.tables.order_by("pk")[0]
    pair = "/".join(names(fixture))
    pages = (
        f"/organise/fixtures/{fixture.public_id}",
        f"/organise/tables/{table.public_id}",
        f"/organise/tournaments/{event.public_id}/pairs/{pair}",
    )
    for user, offers in ((odo, False), (factories.rin(), True)):
        client.force_login(user)
        for page in pages:
            answer = client.get(page)
            assert answer.status_code == 200, page
            assert bool(answer.context["is_possible"]) is offers, page
            assert ('name="reason"' in answer.text) is offers, page
            assert offers or "rin" in answer.text, page
        shown = client.get(f"/fixtures/{fixture.public_id}")
        assert (shown.context["may_rule"], shown.context["is_party"]) == (offers, not offers)
        assert ("rerun" in allowed_actions(event, user)) is offers


def test_the_maker_of_a_challenge_does_not_rule_in_it() -> None:
    event = factories.an_open_tournament(boards_per_round=1)
    for user in (factories.aya(), factories.ben()):
        factories.an_entry(event, user)
    tournament_lock(event, event.organiser)
    tournament_start(event, event.organiser)
    tournament_advance(event)
    Tournament.objects.filter(pk=event.pk).update(kind="challenge")
    event.refresh_from_db()
    refused_everything(event, factories.odo())
    assert "cancel" in allowed_actions(event, factories.odo())
