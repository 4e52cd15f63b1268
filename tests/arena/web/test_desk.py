"""My desk: what waits for one account, what of its own goes on, what is new; and nobody else's affairs."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from arena.accounts.models import Notice, User
from arena.accounts.services import notice_create
from arena.competition.models import Entry, Tournament
from arena.matches.models import Table
from referee.rejections import reason_of
from tests import factories
from tests.arena.web.conftest import in_state, under_way, with_entries
from tests.arena.web.visits import text_of

pytestmark = pytest.mark.django_db
State = Tournament.State


def desk_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return text_of(client, "/desk")


def part(page: str, title: str) -> str:
    """The list under a title; empty if it is not there."""
    _before, found, rest = page.partition(f'id="desk-{title}"')
    return rest.partition("</section>")[0] if found else ""


def test_an_empty_desk_names_one_thing_to_do() -> None:
    page = desk_of(factories.aya())
    assert 'href="/docs/tutorial"' in page
    factories.a_version(factories.a_bot(factories.aya()))
    assert 'href="/docs/tutorial"' not in desk_of(factories.aya()).partition("<footer")[0]


def test_a_partner_is_asked_and_answers_from_the_desk(client: Client) -> None:
    tournament = factories.an_open_tournament()
    entry = factories.a_pending_entry(tournament, factories.aya(), factories.ben())
    assert part(desk_of(factories.aya()), "waits") == ""
    assert tournament.name in part(desk_of(factories.aya()), "goes-on")
    asked = part(desk_of(factories.ben()), "waits")
    verbs = [verb for verb in ("confirm", "decline", "withdraw") if f"{entry.public_id}/{verb}" in asked]
    assert verbs == ["confirm", "decline"]
    assert re.search(r'class="player">[^<]*\baya<', asked)
    client.force_login(factories.ben())
    answer = client.post(f"/entries/{entry.public_id}/confirm", {"next": "desk"})
    assert answer["Location"] == "/desk#desk"
    entry.refresh_from_db()
    assert entry.status == Entry.Status.ENTERED
    page = text_of(client, "/desk")
    assert part(page, "waits") == ""
    assert tournament.name in part(page, "goes-on")


def test_versions_that_need_their_owner_wait_and_those_being_checked_go_on() -> None:
    aya = factories.aya()
    suspended = factories.a_suspended_version(factories.a_bot(aya, "Kitsune"))
    uploaded = factories.an_upload(factories.a_bot(aya, "Tanuki"))
    mended = factories.a_bot(aya, "Neko")
    failed = factories.an_upload(mended)
    type(failed).objects.filter(pk=failed.pk).update(
        state="rejected", reasons=[{"code": "x", "message": "no"}]
    )
    page = desk_of(aya)
    waits = part(page, "waits")
    assert suspended.page in waits
    assert failed.page in waits
    assert uploaded.page in part(page, "goes-on")
    assert suspended.page not in desk_of(factories.ben())
    factories.a_version(mended)
    assert failed.page not in desk_of(aya)


def test_reasons_of_a_rejection_are_in_the_language_of_the_reader() -> None:
    aya = factories.aya()
    failed = factories.an_upload(factories.a_bot(aya, "Neko"))
    values = {"path": "weights.npz", "expression": 'Path(__file__).parent / "weights.npz"'}
    reason = reason_of("relative_file", values).to_json()
    unknown = {"code": "x", "message": "of a newer release", "explanation": "not_known", "values": {}}
    type(failed).objects.filter(pk=failed.pk).update(state="rejected", reasons=[reason, unknown])
    client = Client()
    client.force_login(aya)
    for path in ("/desk", failed.page):
        page = html.unescape(client.get(path).content.decode())
        assert reason["message"] in re.sub(r"</?bdi>", "", page)
        assert "of a newer release" in page
        page = html.unescape(client.get(path, HTTP_ACCEPT_LANGUAGE="ja").content.decode())
        assert "作業フォルダーは/tmpです" in re.sub(r"</?bdi>", "", page)
        assert values["expression"] in re.sub(r"</?bdi>", "", page)


@pytest.mark.parametrize(
    ("state", "waits"),
    [
        (State.DRAFT, True),
        (State.OPEN, True),
        (State.LOCKED, True),
        (State.RUNNING, False),
        (State.PAUSED, True),
    ],
)
def test_what_does_not_go_on_by_itself_waits_for_its_organiser(state: str, waits: bool) -> None:
    tournament = in_state(state)
    page = desk_of(tournament.organiser)
    assert (tournament.name in part(page, "waits")) is waits
    assert (tournament.name in part(page, "goes-on")) is not waits


def test_registration_waits_for_nobody_before_enough_have_entered() -> None:
    tournament = with_entries(1)
    assert tournament.name in part(desk_of(tournament.organiser), "goes-on")


def test_tables_held_back_wait_for_the_organiser() -> None:
    tournament = under_way()
    table = Table.objects.filter(tournament=tournament).first()
    assert table is not None
    full = {"code": "fault", "why": "the disk is full"}
    Table.objects.filter(pk=table.pk).update(state="quarantined", note=full)
    assert tournament.name in part(desk_of(tournament.organiser), "waits")


def test_news_are_marked_as_read_from_the_desk(client: Client) -> None:
    notice_create(
        factories.aya(), Notice.Kind.READY, {"code": "typed", "text": "Kitsune v1 is <b>ready</b>"}, "/bots"
    )
    client.force_login(factories.aya())
    news = part(text_of(client, "/desk"), "news")
    assert "Kitsune v1 is &lt;b&gt;ready" in news
    assert client.post("/notices/read", {"next": "desk"})["Location"] == "/desk"
    assert part(text_of(client, "/desk"), "news") == ""


def test_who_keeps_it_open_is_sent_what_changed_and_nothing_else(client: Client) -> None:
    client.force_login(factories.aya())
    page = text_of(client, "/desk")
    version = page.partition('id="desk-version" name="have" value="')[2].partition('"')[0]
    asked = {"hx-request": "true"}
    assert client.get(f"/desk?have={version}", headers=asked).status_code == 204
    notice_create(factories.aya(), Notice.Kind.READY, {"code": "typed", "text": "Kitsune v1 is ready"})
    changed = client.get(f"/desk?have={version}", headers=asked).content.decode()
    assert changed.startswith('<div id="desk"')
    assert "Kitsune v1 is ready" in changed


def test_own_bots_have_ratings_and_results_on_the_desk_only(client: Client) -> None:
    bot = factories.a_bot(factories.aya())
    other = factories.a_bot(factories.ben())
    client.force_login(factories.aya())
    listed = text_of(client, "/desk").partition('id="bots-title"')[2].partition("<footer")[0]
    assert f"/bots/{bot.public_id}" in listed
    assert f"/bots/{other.public_id}" not in listed
    assert 'id="bots-title"' not in text_of(client, "/")


def test_home_begins_with_the_desk_of_whoever_is_signed_in(client: Client) -> None:
    page = text_of(client, "/")
    assert 'id="desk"' not in page
    client.force_login(factories.aya())
    page = text_of(client, "/")
    assert page.index('id="desk"') < page.index('id="home-live"')
    assert page.count("<h1") == 1
