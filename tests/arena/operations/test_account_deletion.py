"""A deleted account: its name is nowhere any more, and what it played can still be verified."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.urls import reverse

from arena.accounts.form_drafts import draft_save
from arena.accounts.models import AuditEvent, FormDraft, User
from arena.accounts.services import token_authenticate, token_create
from arena.accounts.sign_up import account_sign_up
from arena.common.blobs import blob_put
from arena.common.errors import ArenaError, Conflict, Forbidden, Invalid
from arena.common.models import Blob
from arena.competition.challenges import challenge_create
from arena.competition.models import Entry, Tournament
from arena.competition.problem_reports import report_close, report_open
from arena.competition.services import entry_create, tournament_lock, tournament_start
from arena.jobs.deleted_accounts import deleted_bundles_drop
from arena.jobs.flow import tournament_cancel
from arena.operations.account_deletion import account_delete
from arena.roster.models import Bot, BotVersion
from arena.roster.services import bot_update, player_of
from arena.web.base.access import SIGNED_IN_AT_KEY
from bots.kit.local.verify import export_verify
from tests import factories
from tests.arena.once import given, made_once
from tests.arena.play import play_out
from tests.refusals import refusal

pytestmark = pytest.mark.django_db

NAME, BOT = "Himawari-77", "Yukinohana ∴ bloom"
PASSWORD = "many-cranes-fly-9"
ADMIN = ("accounts_user", "accounts_auditevent", "roster_bot")
NAMES = re.compile("himawari|yukinohana", re.IGNORECASE)
STATE = Tournament.State


@override_settings(SIGN_UP="open")
def signed_up() -> User:
    """With a token and what she writes herself."""
    user = account_sign_up(NAME, PASSWORD, "himawari@example.org")
    player_of(user)
    token_create(user, name=f"token of {NAME}", scopes=["read"], actor=user)
    return user


def enter(event: Tournament, user: User) -> Entry:
    bot = factories.a_bot(user, game=event.game)
    count = Bot.objects.filter(owner__user=user).count()
    if user.username == NAME:
        bot_update(bot, user, name=f"{BOT} {count}")
    version = factories.a_version(bot, notes=f"by {user.username}", bundle_sha256=stored(f"of bot {bot.pk}"))
    return entry_create(event, version, user)


def stored(text: str) -> str:
    return blob_put(text.encode(), Blob.Kind.BUNDLE)


def event_of(*users: User, is_begun: bool = True) -> Tournament:
    event = factories.an_open_tournament()
    for user in users:
        enter(event, user)
    if is_begun:
        tournament_lock(event, event.organiser)
        tournament_start(event, event.organiser)
    return event


def signed_up_with_a_past() -> tuple[User, Tournament]:
    """Somebody, and an event she won or lost long ago."""
    user = signed_up()
    return user, play_out(event_of(user, factories.ben(), factories.chie()))


rows_of_hers = made_once(signed_up_with_a_past, serials=1000)


@pytest.fixture
def her_past(rows_of_hers: tuple[User, Tournament], db: None) -> tuple[User, Tournament]:
    """The same for all tests here."""
    return given(rows_of_hers)


@pytest.fixture
def hima(her_past: tuple[User, Tournament], settings: object) -> User:
    """Signed up, with a bot in an event, a token, notices to and about her."""
    settings.SIGN_UP = "open"  # type: ignore[attr-defined]
    return her_past[0]


@pytest.fixture
def played(her_past: tuple[User, Tournament]) -> Tournament:
    """An event she won or lost long ago."""
    return her_past[1]


def texts_in_database() -> Iterator[tuple[str, str]]:
    """Every value of every row of every table, as text, by table."""
    for model in apps.get_models():
        for row in model._default_manager.values():
            yield model.__name__, repr(row)


def addresses(event: Tournament) -> list[str]:
    """Pages and end points that show an event and who plays in it."""
    own = f"/tournaments/{event.public_id}"
    api = f"/api/v1{own}"
    return [
        *("/", "/tournaments", "/players", "/bots", "/cups", "/search?q=himawari", "/search?q=yukinohana"),
        *(f"{own}{part}" for part in ("", "/standings", "/crosstable", "/entries", "/rounds", "/rounds/1/1")),
        *(f"{api}{part}" for part in ("", "/entries", "/standings", "/crosstable", "/fixtures", "/fairness")),
        *("/api/v1/bots", "/api/v1/audit", "/api/v1/notices"),
        *(reverse(f"admin:{rows}_changelist") for rows in ADMIN),
    ]


def test_the_name_is_nowhere_and_what_was_played_is_still_proven(
    hima: User, played: Tournament, tmp_path: Path
) -> None:
    versions = [factories.a_version(factories.a_bot(factories.ben())), BotVersion.objects.earliest("pk")]
    duel = play_out(challenge_create(factories.ben(), versions, preset="kakeya4", boards=2))
    assert NAMES.search(duel.name)
    open_for_entries = event_of(hima, factories.ben(), is_begun=False)
    under_way = event_of(hima, factories.ben(), factories.chie())
    entries = {entry.player.user: entry for entry in under_way.entries.all()}
    hers = report_open(entries[hima], hima, f"{NAME} saw a wrong deal")
    about_her = report_open(entries[factories.ben()], factories.ben(), f"{NAME} knew my cards")
    report_close(about_her, under_way.organiser, f"{NAME} did not")
    staff = Client()
    staff.force_login(factories.sota())
    events = (played, under_way, open_for_entries, duel)
    watched = list(dict.fromkeys(address for event in events for address in addresses(event)))
    assert sum(bool(NAMES.search(staff.get(address).content.decode())) for address in watched) > 20
    digests = [row["digest"] for row in staff.get(f"/api/v1{played.page}/fairness").json()["statements"]]

    client = signed_in(hima)
    assert client.post("/me/delete", {"name": NAME, "password": PASSWORD})["Location"] == "/"

    assert {model for model, text in texts_in_database() if NAMES.search(text)} == set()
    for address in watched:
        page = staff.get(address).content.decode()
        assert not re.search(f"{NAME}|{BOT}", page), address
    assert staff.get(f"/players/{NAME}").status_code == 404
    for event in (played, duel):
        answer = staff.get(f"/api/v1/tournaments/{event.public_id}/export")
        content = b"".join(answer.streaming_content)  # type: ignore[arg-type]
        assert not NAMES.search(content.decode("latin-1"))
        (saved := tmp_path / f"{event.public_id}.zip").write_bytes(content)
        promised = [event.commitment, *(digests if event == played else [])]
        assert export_verify(saved, commitments=promised).disagreements == []
    hers.refresh_from_db()
    about_her.refresh_from_db()
    assert (hers.text, about_her.text, about_her.answer) == (
        "(deleted)",
        "(deleted) knew my cards",
        "(deleted) did not",
    )
    left = {entry.tournament: entry.status for entry in Entry.objects.filter(player__user=hima)}
    assert left[open_for_entries] == Entry.Status.WITHDRAWN
    assert left[under_way] == Entry.Status.LEFT
    assert play_out(under_way).state == STATE.FINAL


def test_nothing_opens_the_account_any_more_and_nobody_takes_its_name(hima: User, played: Tournament) -> None:
    _, plain = token_create(hima, name="x", scopes=["read"], actor=hima)
    browser = Client()
    browser.post("/sign-in", {"username": NAME, "password": PASSWORD})
    assert browser.get("/me").status_code == 200
    account_delete(hima)
    assert token_authenticate(plain) is None
    assert browser.get("/me").status_code == 302
    assert Client().post("/sign-in", {"username": NAME, "password": PASSWORD}).status_code == 400
    for name in (NAME, NAME.upper(), "h1mawari-77"):
        assert "taken" in str(refusal(Invalid, account_sign_up, name, PASSWORD))
    hima.refresh_from_db()
    assert (hima.is_active, hima.has_usable_password(), hima.email) == (False, False, "")
    assert AuditEvent.objects.filter(action="delete", object_id=hima.public_id).count() == 1
    versions = BotVersion.objects.filter(bot__owner__user=hima)
    assert {(version.state, version.notes) for version in versions} == {("retired", "")}


def test_what_was_typed_and_not_sent_goes_with_its_account_alone(hima: User) -> None:
    draft_save(hima, "event", {"name": "A cup for friends"})
    other = draft_save(factories.chie(), "event", {"name": "Another"})
    account_delete(hima)
    assert [row.pk for row in FormDraft.objects.all()] == [other.pk]


def test_code_goes_once_no_event_needs_it_and_nobody_else_has_it(hima: User, played: Tournament) -> None:
    under_way = event_of(hima, factories.ben(), factories.chie())
    own = BotVersion.objects.filter(bot__owner__user=hima)
    of_played = own.get(entries__tournament=played).bundle_sha256
    of_running = own.get(entries__tournament=under_way).bundle_sha256
    shared = stored("shared")
    factories.a_version(factories.a_bot(hima), bundle_sha256=shared)
    factories.a_version(factories.a_bot(factories.chie()), bundle_sha256=shared)
    account_delete(hima)

    def kept() -> set[str]:
        return set(Blob.objects.filter(kind=Blob.Kind.BUNDLE).values_list("sha256", flat=True))

    assert of_played not in kept()
    assert {of_running, shared} <= kept()
    tournament_cancel(under_way, under_way.organiser, "rain")
    assert deleted_bundles_drop() == 1
    assert of_running not in kept()
    assert shared in kept()


def test_who_runs_events_or_is_staff_cannot_go(hima: User) -> None:
    assert "staff" in str(refusal(Forbidden, account_delete, factories.sota()))
    assert "house" in str(refusal(Forbidden, account_delete, factories._user("house-greedy")))
    event = factories.an_open_tournament(factories.rin())
    assert "Cup" in str(refusal(Conflict, account_delete, factories.rin()))
    tournament_cancel(event, factories.rin(), "rain")
    account_delete(factories.rin())
    assert not User.objects.filter(username="rin").exists()


def signed_in(user: User) -> Client:
    """A browser in which the account has just shown its password."""
    client = Client()
    client.force_login(user)
    session = client.session
    session[SIGNED_IN_AT_KEY] = 4e9
    session.save()
    return client


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": NAME.lower()}, "name"),
        ({"name": ""}, "name"),
        ({"name": "aya"}, "name"),
        ({"password": "wrong"}, "password"),
        ({"password": ""}, "password"),
    ],
)
def test_the_form_asks_for_the_very_name_and_the_password(
    hima: User, fields: dict[str, str], field: str
) -> None:
    client = signed_in(hima)
    answer = client.post("/me/delete", {"name": NAME, "password": PASSWORD, **fields})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert f'id="id_{field}_error"' in page
    assert PASSWORD not in page
    assert User.objects.filter(username=NAME).exists()


def test_the_form_deletes_and_signs_out(hima: User) -> None:
    client = signed_in(hima)
    assert client.get("/me/delete").status_code == 200
    answer = client.post("/me/delete", {"name": NAME, "password": PASSWORD})
    assert answer["Location"] == "/"
    assert "Your account is deleted" in client.get("/").content.decode()
    assert client.get("/me").status_code == 302
    again = client.post("/me/delete", {"name": NAME, "password": PASSWORD})
    assert again.status_code == 403, "twice does no harm"
    assert "You were signed out" in again.content.decode()


def test_the_form_says_why_it_cannot_be_now(hima: User) -> None:
    page = signed_in(factories.sota()).get("/me/delete").content.decode()
    assert "cannot be deleted yet" in page
    assert 'name="password"' not in page
    signed_in(factories.sota()).post("/me/delete", {"name": "sota", "password": "x"})
    assert User.objects.filter(username="sota").exists()


def test_an_export_has_what_is_stored_and_no_secret(hima: User, played: Tournament) -> None:
    token, plain = token_create(hima, name="laptop", scopes=["read"], actor=hima)
    client = signed_in(hima)
    client.get("/me")
    answer = client.post("/me/export")
    assert answer["Content-Disposition"] == f'attachment; filename="rensho-account-{hima.public_id}.json"'
    assert answer["Cache-Control"] == "no-store, private"
    text = answer.content.decode()
    data = json.loads(text)
    assert data["format"] == "rensho-account/1"
    assert data["account"]["username"] == NAME
    assert data["account"]["email"] == "himawari@example.org"
    assert [row["tournament"] for row in data["entries"]] == [played.public_id]
    assert data["bots"][0]["versions"][0]["notes"] == f"by {NAME}"
    assert {row["name"] for row in data["tokens"]} == {"laptop", f"token of {NAME}"}
    assert data["problem_reports"] == []
    assert data["sessions"]
    token.refresh_from_db()
    for secret in (plain, token.token_hash, hima.password, client.session.session_key or ""):
        assert secret not in text
    assert AuditEvent.objects.filter(actor=hima, action="export").count() == 1
    assert signed_in(factories.ben()).get("/me/export").status_code == 405


def test_a_closed_account_gets_no_link(hima: User) -> None:
    account_delete(hima)
    assert "sign in" in str(refusal(CommandError, call_command, "reset_link", f"gone-{hima.public_id}"))
    refusal(ArenaError, account_sign_up, f"gone-{hima.public_id}", PASSWORD)
