"""Rulings of persons are sent to the owners of the entries concerned, once an act."""

from __future__ import annotations

import pytest

from arena.accounts.models import Notice, User
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.models import Tournament
from arena.features.integrity.rulings import pair_lift, pair_void
from arena.jobs.flow import tournament_advance
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import Fixture
from arena.matches.reruns import table_rerun
from tests import factories
from tests.arena.play import begun, play_table, waiting

pytestmark = pytest.mark.django_db


def played_round() -> tuple[Tournament, Fixture]:
    """An event of four whose first round is played, and a fixture of that."""
    event = begun(4, boards_per_round=1)
    for table in waiting(event):
        play_table(table)
    tournament_advance(event)
    fixture = Fixture.objects.filter(tournament=event, board_set__round__number=1).order_by("pk").first()
    assert fixture is not None
    return event, fixture


def players_of(fixture: Fixture) -> set[User]:
    return {side.entry.player.user for side in fixture.sides.select_related("entry__player__user")}


def notified(event: Tournament, text: str) -> list[User]:
    """Who has notices of the event with this text, once for each."""
    rows = Notice.objects.filter(url_path=event.page).select_related("user")
    return [notice.user for notice in rows if text in notice.text]


@pytest.mark.parametrize("kind", ["forfeit", "draw", "void"])
def test_a_ruling_on_a_fixture(kind: str) -> None:
    event, fixture = played_round()
    loser = fixture.sides.order_by("position")[0].entry
    entries = [loser.public_id] if kind == "forfeit" else []
    fixture_adjudicate(fixture, event.organiser, kind, entries, "its record was wrong")
    told = notified(event, "its record was wrong")
    assert len(told) == 2
    assert set(told) == players_of(fixture)
    fixture_adjudicate(fixture, event.organiser, "lift", (), "it was right after all")
    assert set(notified(event, "it was right after all")) == players_of(fixture)
    events = factories.logged_events().filter(kind="fixture.ruled", object_id=fixture.public_id)
    assert [line.data["ruling"] for line in events.order_by("pk")] == [kind, "lift"]


def test_both_owners_of_a_pair_and_not_who_ruled() -> None:
    event, fixture = played_round()
    entry = fixture.sides.order_by("position")[0].entry
    entry.partner_version = factories.a_version(factories.a_bot(factories.chie()))
    entry.save()
    other = fixture.sides.order_by("position")[1].entry
    Tournament.objects.filter(pk=event.pk).update(organiser=other.player.user)
    fixture_adjudicate(fixture, factories.sota(), "void", (), "asked for")
    assert set(notified(event, "asked for")) == players_of(fixture) | {factories.chie()}


def test_a_table_that_is_played_again() -> None:
    event, fixture = played_round()
    table_rerun(fixture.tables.all()[0], event.organiser, "the host was ill")
    assert set(notified(event, "the host was ill")) == players_of(fixture)


def test_a_ruling_on_a_pair_is_one_notice() -> None:
    event = begun(2, boards_per_round=1, stages=[{"format": "round_robin", "options": {"cycles": 2}}])
    for _ in range(2):
        for table in waiting(event):
            play_table(table)
        tournament_advance(event)
    entries = list(event.entries.values_list("public_id", flat=True))
    fixture = Fixture.objects.filter(tournament=event).first()
    assert fixture is not None
    Tournament.objects.filter(pk=event.pk).update(state="running")
    ruling = pair_void(event, event.organiser, entries, "they play for each other")
    told = notified(event, "they play for each other")
    assert len(told) == 2
    assert set(told) == players_of(fixture)
    pair_lift(ruling, event.organiser, "they do not")
    assert len(notified(event, "they do not")) == 2


def test_what_the_system_decides_is_no_ruling() -> None:
    event = begun(4, boards_per_round=1)
    entry = event.entries.order_by("pk").first()
    assert entry is not None
    entry_withdraw(entry, entry.player.user, "ill")
    tournament_advance(event)
    assert Fixture.objects.filter(tournament=event, state="forfeited").exists()
    assert not notified(event, "Ruling in")
