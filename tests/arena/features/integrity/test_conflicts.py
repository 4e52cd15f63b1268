"""Rulings by accounts with an interest are findings, also old ones, and links that arise later."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from arena.accounts.models import User
from arena.competition.entries.services import entry_confirm
from arena.competition.models import Entry, Tournament
from arena.features.integrity.models import Finding, IntegrityProgress, Report
from arena.features.integrity.services import reports_due, reports_make
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Adjudication, Fixture
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import begun, play_out

pytestmark = pytest.mark.django_db
LATER = datetime.timedelta(hours=2)


rows_of_the_event = made_once(lambda: play_out(begun(4, boards_per_round=2)), serials=1000)


@pytest.fixture
def event(rows_of_the_event: Tournament, db: None) -> Tournament:
    """Entries of Aya, Ben, Chie and a fourth, played out. Made once."""
    found = given(rows_of_the_event)
    Tournament.objects.filter(pk=found.pk).update(state="running")
    found.refresh_from_db()
    return found


def entry_of(event: Tournament, user: User) -> Entry:
    return event.entries.get(player__user=user)


def a_fixture(event: Tournament, user: User) -> Fixture:
    return Fixture.objects.filter(tournament=event, sides__entry=entry_of(event, user)).order_by("pk")[0]


def ruled(event: Tournament, fixture: Fixture, ruler: User) -> None:
    """A void ruling by somebody, whom the services would refuse if an entrant."""
    fixture_adjudicate(fixture, factories.sota(), "void", [], "a protest")
    Adjudication.objects.filter(fixture=fixture).update(actor=ruler)
    tournament_advance(event)


def found() -> list[tuple[Any, ...]]:
    reports_make(rest_s=0)
    rows = Finding.objects.filter(subject="rulings").order_by("entry", "link")
    return [(row.entry, row.adjudicator and row.adjudicator.username, row.link, row.fixtures) for row in rows]


def a_pair(first: User, second: User) -> None:
    """A pair of two accounts in another event, agreed to."""
    entry = factories.a_pending_entry(factories.an_open_tournament(), first, second)
    entry_confirm(Entry.objects.get(pk=entry.pk), second)


def test_a_ruling_of_an_entrant_from_before_it_was_refused_is_a_finding(
    event: Tournament, client: Client
) -> None:
    fixture = a_fixture(event, factories.ben())
    ruled(event, fixture, factories.aya())
    own = entry_of(event, factories.aya()).public_id
    assert found() == [(own, "aya", "same", [fixture.public_id])]
    client.force_login(factories.odo())
    (row,) = client.get(f"/api/v1/integrity/tournaments/{event.public_id}").json()["findings"]
    assert (row["adjudicator"], row["link"], row["fixtures"]) == ("aya", "same", [fixture.public_id])
    assert (row["entry"]["id"], row["p"], row["q"]) == (own, None, None)
    page = client.get(f"/organise/tournaments/{event.public_id}/integrity")
    assert f"/fixtures/{fixture.public_id}" in page.text


def test_a_ruling_of_a_stranger_or_the_system_is_none(event: Tournament) -> None:
    ruled(event, a_fixture(event, factories.aya()), factories.rin())
    assert found() == []


def test_an_account_linked_later_is_found_within_an_hour(event: Tournament) -> None:
    fixture = a_fixture(event, factories.aya())
    ruled(event, fixture, factories.rin())
    assert found() == []
    a_pair(factories.rin(), factories.aya())
    assert found() == []
    assert not reports_due()
    assert reports_due(timezone.now() + LATER)
    IntegrityProgress.objects.update(rulings_at=timezone.now() - LATER)
    expected = [(entry_of(event, factories.aya()).public_id, "rin", "pair", [fixture.public_id])]
    assert found() == expected
    Report.objects.update(stale_mark="again")
    assert found() == expected


def test_a_pair_that_was_not_agreed_to_links_nobody(event: Tournament) -> None:
    ruled(event, a_fixture(event, factories.aya()), factories.rin())
    factories.a_pending_entry(factories.an_open_tournament(), factories.rin(), factories.aya())
    assert found() == []


@pytest.mark.parametrize("holders", [2, 3])
def test_the_same_bundle_links_two_accounts_and_not_more(event: Tournament, holders: int) -> None:
    fixture = a_fixture(event, factories.aya())
    ruled(event, fixture, factories.rin())
    bundle = entry_of(event, factories.aya()).version.bundle_sha256
    for user in (factories.rin(), factories.sota())[: holders - 1]:
        factories.an_upload(factories.a_bot(user), bundle_sha256=bundle)
    links = [row[2] for row in found()]
    assert links == (["bundle"] if holders == 2 else [])


def test_only_fixtures_of_the_linked_entry_count(event: Tournament) -> None:
    others = Fixture.objects.filter(tournament=event).exclude(sides__entry=entry_of(event, factories.aya()))
    others = others.filter(sides__entry=entry_of(event, factories.ben()))
    ruled(event, others.filter(sides__entry=entry_of(event, factories.chie()))[0], factories.rin())
    a_pair(factories.rin(), factories.aya())
    assert found() == []
