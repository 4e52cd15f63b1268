"""The admin shows every model to staff: nothing is changed there, secrets and sealed results are not read."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.db.models import BinaryField, Model
from django.test import Client
from django.urls import reverse

from arena.accounts.models import ApiToken, User
from arena.admin import read_only
from arena.common.models import Blob
from arena.competition.models import SigningKey, Tournament
from arena.features.integrity.models import TableDelays
from arena.matches.models import FaultGroup, Fixture, Table, TableSeat
from arena.standings.models import BoardFigures, FixtureScore
from arena.standings.services import scores_build
from tests.arena.admin.pages import OURS, list_url, listed, page_of, statements, text_of
from tests.arena.api.conftest import World
from tests.factories import a_bot, a_token, an_entry, an_open_tournament, aya

pytestmark = pytest.mark.django_db

MOST_QUERIES = 5
SECRET = re.compile(
    "secret(?!_until)|password|token|private|credential|session_key|public_key|fence|salt|seed$|body$"
)
SHOWN = {
    "competition.SigningKey.public",
    "competition.Statement.body",
    "competition.Entry.seed",
}
"""Columns that are named or stored like secrets, and are none."""
HIDDEN = {model: page.hidden for model in OURS if (page := read_only.admin_of(model))}


def first_page(model: type[Model]) -> str:
    """The page of a row, or of a key that no row has: what it reads is the same."""
    row = model._default_manager.order_by("pk").first()
    return page_of(row) if row is not None else read_only.row_url(model, 1)


def test_all_models_of_ours_have_a_page_and_no_others() -> None:
    assert set(admin.site._registry) == set(OURS)
    assert all(isinstance(page, read_only.ReadOnlyAdmin) for page in admin.site._registry.values())


def test_no_column_that_looks_like_a_secret_is_shown() -> None:
    columns = {
        f"{model._meta.label}.{field.name}"
        for model in OURS
        for field in model._meta.concrete_fields
        if field.name not in HIDDEN[model] and (isinstance(field, BinaryField) or SECRET.search(field.name))
    }
    assert columns == SHOWN


def test_hidden_columns_are_never_read(world: World, staff: Client) -> None:
    of_every_page = set(statements(staff, reverse("admin:index")))
    for model in OURS:
        for url in (list_url(model), list_url(model, q="a"), first_page(model)):
            asked = [sql for sql in statements(staff, url) if sql not in of_every_page]
            assert [sql for sql in asked if f'"{model._meta.db_table}"' in sql], url
            assert len(asked) <= MOST_QUERIES, url
            for other, hidden in HIDDEN.items():
                reading = [sql for sql in asked if f'"{other._meta.db_table}"' in sql]
                assert [(sql, name) for sql in reading for name in hidden if f'."{name}"' in sql] == [], url


def test_nothing_is_added_changed_or_deleted(world: World, staff: Client) -> None:
    staff.get(reverse("admin:index"))
    for number, model in enumerate(OURS):
        rows = list(model._default_manager.order_by("pk").values())
        page = first_page(model)
        is_there = staff.get(page).status_code == 200
        # The page of every model is of one class: a few of them show what it does with other methods.
        for method in ("post", "put", "delete", "patch") if number < 5 else ("post",):
            send = getattr(staff, method)
            assert send(list_url(model), {"action": "delete_selected"}).status_code == 403, model
            assert send(page, {"do": "delete", "_save": "1"}).status_code == (403 if is_there else 404), model
        for url in (f"{list_url(model)}add/", f"{page.removesuffix('change/')}delete/"):
            assert staff.get(url).status_code == 404, url
            assert staff.post(url, {"post": "yes"}).status_code == 404, url
        assert list(model._default_manager.order_by("pk").values()) == rows, model


@pytest.mark.parametrize("who", ["odo", "aya", None])
def test_others_do_not_get_in(world: World, client: Client, who: str | None) -> None:
    if who:
        client.force_login(User.objects.get(username=who))
    for model in OURS:
        assert client.get(list_url(model)).status_code == 302
        assert client.post(first_page(model)).status_code == 302
    assert "/admin/" not in text_of(client, "/")


def test_results_of_open_boards_are_not_there(world: World, staff: Client) -> None:
    scores_build(world.sealed_fixture)
    sealed, known = world.sealed_table, world.open_table
    by_table = {"table": sealed.pk}
    by_fixture = {"fixture": sealed.fixture_id}
    for model, lookup in (
        (TableSeat, by_table),
        (FixtureScore, by_fixture),
        (BoardFigures, {"board_set": world.sealed_set.pk}),
        (TableDelays, by_table),
    ):
        assert listed(staff, model, **lookup) == [], model
        for row in model._default_manager.filter(**lookup):
            assert staff.get(page_of(row)).status_code == 404, model
    assert TableSeat.objects.filter(table=sealed).exists()
    assert listed(staff, TableSeat, table=known.pk)
    assert listed(staff, FixtureScore, fixture=known.fixture_id)


def test_how_a_sealed_fixture_and_table_ended_is_not_read(world: World, staff: Client) -> None:
    fixture, table = world.sealed_fixture, world.sealed_table
    Fixture.objects.filter(pk=fixture.pk).update(
        state="forfeited", note={"code": "typed", "text": "it was rude"}
    )
    for url in (page_of(fixture), list_url(Fixture)):
        text = text_of(staff, url)
        assert "it was rude" not in text
        assert "forfeited" not in text
    assert table.record_sha256 not in text_of(staff, page_of(table))
    assert world.open_table.record_sha256 in text_of(staff, page_of(world.open_table))
    page = admin.site._registry[Fixture]
    assert isinstance(page, read_only.ReadOnlyAdmin)
    cl = staff.get(list_url(Fixture)).context["cl"]
    assert not {cl.get_ordering_field(name) for name in cl.list_display} & set(page.sealed), (
        "sorting tells it"
    )


TELLING: list[tuple[type[Model], dict[str, str]]] = [
    (Tournament, {"secret__startswith": "a"}),
    (Tournament, {"state__regex": "a"}),
    (Table, {"tournament__secret__startswith": "a"}),
    (Table, {"record_sha256__startswith": "a"}),
    (Table, {"decisions__gt": "1"}),
    (Fixture, {"state": "forfeited"}),
    (Fixture, {"reason__contains": "a"}),
    (User, {"password__startswith": "p"}),
    (ApiToken, {"token_hash__startswith": "a"}),
    (ApiToken, {"user__password__startswith": "p"}),
    (SigningKey, {"private__contains": "a"}),
]


@pytest.mark.parametrize(("model", "query"), TELLING)
def test_filters_tell_no_more_than_pages(
    world: World, staff: Client, model: type[Model], query: dict[str, str]
) -> None:
    assert staff.get(list_url(model), query).status_code == 400


def test_rows_lead_to_those_that_belong_to_them_and_to_the_site(world: World, staff: Client) -> None:
    a_token(aya())
    an_entry(an_open_tournament(), aya())
    event = text_of(staff, page_of(world.event))
    for model in (Table, Fixture):
        assert list_url(model, tournament=world.event.pk) in event
    assert page_of(world.event) in text_of(staff, page_of(world.open_table))
    assert list_url(Table, tournament=world.event.pk) in event
    links: dict[str, type[Model]] = {}
    for model in OURS:
        for row in model._default_manager.order_by("-pk")[:2]:
            answer = staff.get(page_of(row))
            if answer.status_code == 200:
                links |= dict.fromkeys(answer.context["links"], model)
    assert {url: model for url, model in links.items() if staff.get(url).status_code != 200} == {}


def test_lists_are_searched_and_filtered(world: World, staff: Client) -> None:
    fault = FaultGroup.objects.earliest("pk")
    assert listed(staff, FaultGroup, verdict=fault.verdict)
    assert not listed(staff, FaultGroup, verdict__exact="OVER_MEMORY")
    assert fault.pk in listed(staff, FaultGroup, q=fault.fingerprint)
    assert listed(staff, Tournament, q=world.event.public_id) == [world.event.pk]
    for query in ({"p": "x"}, {"tournament": "x"}, {"state": "x"}, {"o": "99.x"}):
        assert staff.get(list_url(Table), query).status_code in (200, 302), query
    for query in ({"q": "\0"}, {"tournament": "\0"}, {"state": "\0"}):
        assert staff.get(list_url(Table), query).status_code == 400, query
    for key in ("x", "0", "-1", "9" * 30, "\0"):
        for model in (Table, Blob):
            assert staff.get(read_only.row_url(model, key)).status_code == 404, key


def test_long_lists_are_counted_to_a_bound(
    world: World, staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_only, "MAX_COUNTED_ROWS", 2)
    assert Table.objects.count() > 2
    assert staff.get(list_url(Table)).context["cl"].result_count == 2


def test_pages_have_nothing_inline_and_escape_what_they_show(world: World, staff: Client) -> None:
    """The site's policy lets neither scripts nor styles within a page run."""
    bot = a_bot(aya(), name="<b>bold")
    for url in (reverse("admin:index"), list_url(Tournament), page_of(world.event), page_of(bot)):
        page = staff.get(url).content.decode()
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|<b>bold", page), url
