"""Organisers see in the admin what is theirs, and no more of it than the API shows them."""

from __future__ import annotations

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from arena.accounts.models import User
from arena.competition.models import Entry, Tournament
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.models import BoardResult, Fixture, Table, TableSeat
from arena.standings.models import BoardScore
from arena.webhooks.models import Webhook
from tests.arena.admin.pages import OURS, OWNED, do, list_url, listed, name_of, row_url, text_of
from tests.arena.api.conftest import World
from tests.factories import a_tournament, an_invitation, aya, chie, odo, rin

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(shared_world: World) -> World:
    """The same for all tests here."""
    return shared_world


@pytest.fixture
def own(world: World) -> World:
    """The world, with a row of everything an organiser can have."""
    an_invitation(a_tournament(entry_policy="invited"), chie())
    Webhook.objects.create(user=odo(), url="https://example.org/hook")
    fixture_adjudicate(world.open_fixture, odo(), "draw", reason="a test")
    return world


def test_rows_of_others_are_not_there(own: World, organiser: Client, stranger: Client) -> None:
    for model in OWNED:
        assert listed(stranger, model) == [], model
        for row in model._default_manager.all()[:2]:
            assert stranger.get(row_url(row)).status_code == 302, model  # "perhaps it was deleted?"
            history = reverse(f"{name_of(model)}_history", args=[row.pk])
            assert stranger.get(history).status_code == 302, model
        if model._default_manager.exists():
            assert listed(organiser, model), f"its organiser sees nothing of {model}"


def test_what_nobody_owns_is_for_staff(own: World, organiser: Client) -> None:
    for model in set(OURS) - set(OWNED):
        assert organiser.get(list_url(model)).status_code == 403, model
        row = model._default_manager.first()
        if row is not None:
            assert organiser.get(row_url(row)).status_code == 403, model


def test_the_first_page_names_what_there_is(own: World, organiser: Client) -> None:
    text = text_of(organiser, reverse("admin:index"))
    assert list_url(Tournament) in text
    assert list_url(User) not in text


def test_actions_on_rows_of_others_find_none(own: World, stranger: Client) -> None:
    event = own.event
    url = reverse("admin:competition_tournament_do", args=["cancel"])
    assert stranger.post(f"{url}?ids={event.pk}", {"reason": "mine"}).status_code == 404
    event.refresh_from_db()
    assert event.state == Tournament.State.RUNNING
    fixture = own.sealed_fixture
    url = reverse("admin:matches_fixture_do", args=["adjudicate"])
    assert stranger.get(f"{url}?ids={fixture.pk}").status_code == 404


def test_who_is_no_organiser_any_more_sees_nothing(own: World, organiser: Client) -> None:
    User.objects.filter(pk=odo().pk).update(is_organiser=False)
    assert organiser.get(list_url(Tournament)).status_code == 302


def test_how_a_sealed_fixture_ended_is_not_told(own: World, organiser: Client, staff: Client) -> None:
    fixture = own.sealed_fixture
    Fixture.objects.filter(pk=fixture.pk).update(state=Fixture.State.FORFEITED, reason="it forfeited")
    text = text_of(organiser, row_url(fixture))
    assert "forfeited" not in text
    assert "done" in text
    assert "it forfeited" in text_of(staff, row_url(fixture))
    assert "it forfeited" not in text_of(organiser, list_url(Fixture))
    assert fixture.pk in listed(organiser, Fixture, stands="done")
    assert fixture.pk not in listed(organiser, Fixture, stands="forfeited")
    assert fixture.pk in listed(staff, Fixture, stands="forfeited")


def test_what_was_played_at_sealed_tables_is_not_told(own: World, organiser: Client, staff: Client) -> None:
    table = own.sealed_table
    seats = TableSeat.objects.filter(table=table)
    faulty = seats.exclude(faults=[]).first()
    assert faulty is not None
    for url in (row_url(faulty), row_url(table)):
        text = text_of(organiser, url)
        assert "ILLEGAL_ACTION" not in text
        assert table.record_sha256 not in text
    assert "ILLEGAL_ACTION" in text_of(staff, row_url(faulty))
    assert table.record_sha256 in text_of(staff, row_url(table))
    text = text_of(organiser, list_url(TableSeat), table__id__exact=table.pk)
    assert "sealed" in text
    assert "ILLEGAL_ACTION" not in text
    assert listed(organiser, BoardResult, table__id__exact=table.pk) == []
    assert listed(staff, BoardResult, table__id__exact=table.pk)
    for score in BoardScore.objects.filter(fixture=own.sealed_fixture):
        assert score.pk not in listed(organiser, BoardScore)


def test_faults_of_others_bots_are_never_the_organisers(own: World, organiser: Client) -> None:
    seat = TableSeat.objects.filter(table=own.open_table).exclude(faults=[]).first()
    assert seat is not None
    text = text_of(organiser, row_url(seat))
    assert "ILLEGAL_ACTION" in text, "boards are open: the verdict is public"
    assert "KeyError" not in text


TELLING: list[tuple[type[Model], dict[str, str]]] = [
    (Fixture, {"state": "forfeited"}),
    (Fixture, {"state__exact": "forfeited"}),
    (Fixture, {"reason__contains": "a"}),
    (TableSeat, {"verdict": "ILLEGAL_ACTION"}),
    (TableSeat, {"forfeited__exact": "1"}),
    (TableSeat, {"faults__contains": "KeyError"}),
    (Table, {"record_sha256__startswith": "a"}),
    (Table, {"decisions__gt": "1"}),
    (Table, {"tournament__secret__startswith": "a"}),
    (Entry, {"version__bot__owner__user__password__startswith": "p"}),
]
"""Filters that would tell what a page does not show."""


def test_filters_tell_no_more_than_pages(own: World, organiser: Client) -> None:
    for model, query in TELLING:
        assert organiser.get(list_url(model), query).status_code == 400, (model, query)


def test_lists_are_not_ordered_by_what_is_sealed(own: World, organiser: Client) -> None:
    for model in (Fixture, TableSeat):
        page = organiser.get(list_url(model)).context["cl"]
        sortable = {page.get_ordering_field(name) for name in page.list_display}
        assert not sortable & {"state", "verdict", "forfeited", "decisions", "cpu_ms", "reason"}


def test_an_organiser_has_no_page_of_staffs_actions(own: World, organiser: Client) -> None:
    url = reverse("admin:roster_botversion_do", args=["suspend"])
    assert organiser.get(f"{url}?ids={own.version.pk}").status_code == 404


def test_to_cancel_needs_a_reason_and_to_pause_does_not(own: World, organiser: Client) -> None:
    assert "Done" not in do(organiser, [own.event], "cancel", reason="")
    own.event.refresh_from_db()
    assert own.event.state == Tournament.State.RUNNING
    do(organiser, [own.event], "pause", reason="")
    own.event.refresh_from_db()
    assert own.event.state == Tournament.State.PAUSED


def test_two_organisers_each_see_their_own(own: World, organiser: Client, stranger: Client) -> None:
    theirs = a_tournament(rin())
    assert listed(stranger, Tournament) == [theirs.pk]
    assert theirs.pk not in listed(organiser, Tournament)
    assert aya().username not in text_of(stranger, list_url(Entry))
