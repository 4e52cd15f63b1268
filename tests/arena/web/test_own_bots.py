"""One's own bots: made, renamed, listed, and the verbs of their versions."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from arena.accounts.models import AuditEvent, User
from arena.common.blobs import blob_put
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.services import check_fail, version_retire
from tests import factories
from tests.arena.web.forms import once_in, page_of
from tests.arena.web.visits import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.full]


def bot_form(client: Client, **fields: Any) -> dict[str, Any]:
    page = page_of(client.get("/me/bots/new"))
    return {"name": "Kitsune", "game": "kakeya", "visibility": "public", "once": once_in(page), **fields}


def test_a_bot_is_made_and_its_first_version_comes_next(client: Client, aya: User) -> None:
    form = bot_form(client, then="write")
    answer = client.post("/me/bots/new", form)
    bot = Bot.objects.get()
    assert answer["Location"] == f"/bots/{bot.public_id}/write"
    assert (bot.name, bot.game, bot.owner.user) == ("Kitsune", "kakeya", aya)
    assert answer["Cache-Control"] == "no-store, private"
    again = client.post("/me/bots/new", form)
    assert (again.status_code, again["Location"]) == (302, answer["Location"])
    changed = client.post("/me/bots/new", {**form, "name": "Tanuki"})
    assert changed.status_code == 400, "what was typed since is on the page, and may be sent as another one"
    assert "Tanuki" in page_of(changed)
    assert Bot.objects.count() == 1
    private = client.post("/me/bots/new", bot_form(client, name="Tanuki", visibility="private"))
    assert private["Location"] == f"/bots/{Bot.objects.get(name='Tanuki').public_id}/submit"
    assert Bot.objects.get(name="Tanuki").visibility == "private"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"name": "Kit\N{RIGHT-TO-LEFT OVERRIDE}sune"}, "name"),
        ({"name": "Taken"}, "name"),
        ({"game": "chess"}, "game"),
        ({"visibility": "secret"}, "visibility"),
    ],
)
def test_a_bot_with_a_mistake_is_not_made_and_what_was_typed_stays(
    client: Client, aya: User, fields: dict[str, Any], field: str
) -> None:
    factories.a_bot(aya, "Taken")
    answer = client.post("/me/bots/new", bot_form(client, **fields))
    assert answer.status_code == 400
    page = page_of(answer)
    assert f'id="id_{field}_error"' in page
    if field != "name":
        assert 'value="Kitsune"' in page
    assert Bot.objects.count() == 1
    mended = client.post("/me/bots/new", {**bot_form(client), "once": once_in(page)})
    assert mended.status_code == 302, "what was refused may be sent again"


def test_a_bot_is_renamed_and_hidden(client: Client, aya: User) -> None:
    bot, other = factories.a_bot(aya, "Kitsune"), factories.a_bot(aya, "Tanuki")
    address = f"/bots/{bot.public_id}/change"
    client.post(address, {"name": "Neko", "visibility": "private"})
    bot.refresh_from_db()
    assert (bot.name, bot.visibility) == ("Neko", "private")
    answer = client.post(address, {"name": other.name, "visibility": "public"})
    assert answer.status_code == 400
    assert 'value="Tanuki"' in page_of(answer)
    assert 'id="id_name_error"' in page_of(answer)


def test_versions_are_activated_and_retired_once(client: Client, aya: User) -> None:
    bot = factories.a_bot(aya)
    first, second = factories.a_version(bot), factories.a_version(bot)
    page = client.post(f"{second.page}/activate", follow=True)
    assert page.redirect_chain == [(second.page, 302)]
    bot.refresh_from_db()
    assert bot.active_version == second
    assert f"{second.page}/retire" in text_of(client, second.page)
    client.post(f"{second.page}/retire")
    second.refresh_from_db()
    bot.refresh_from_db()
    assert (second.state, bot.active_version) == (BotVersion.State.RETIRED, None)
    assert f"{second.page}/retire" not in text_of(client, second.page)
    assert "flash error" in page_of(client.post(f"{second.page}/retire", follow=True))
    stale = client.post(f"{second.page}/activate", {"next": "own-bots"}, follow=True)
    assert stale.redirect_chain == [("/me/bots", 302)]
    assert "flash error" in page_of(stale)
    bot.refresh_from_db()
    assert bot.active_version is None
    assert first.page in text_of(client, "/me/bots")


def test_notes_are_changed_and_too_long_ones_stay_in_the_form(client: Client, aya: User) -> None:
    version = factories.a_version(factories.a_bot(aya), notes="first")
    address = f"{version.page}/notes"
    assert "first</textarea>" in text_of(client, address)
    client.post(address, {"notes": "counts trumps"})
    version.refresh_from_db()
    assert version.notes == "counts trumps"
    assert AuditEvent.objects.filter(action="annotate").count() == 1
    for wrong in ("x" * 4001, "counts \0 trumps"):
        answer = client.post(address, {"notes": wrong})
        assert answer.status_code == 400
        assert 'id="id_notes_error"' in page_of(answer)
        assert "x" * 4001 in page_of(answer) or "\0" in wrong
    version.refresh_from_db()
    assert version.notes == "counts trumps"


def test_a_bundle_is_for_its_owner_alone_and_never_a_page(client: Client, aya: User) -> None:
    data = b"<script>alert(1)</script>"
    version = factories.a_version(
        factories.a_bot(aya, 'Kit"sune\\ é'), bundle_sha256=blob_put(data, "bundle")
    )
    answer = client.get(f"{version.page}/bundle")
    assert answer.content == data
    assert answer["Content-Type"] == "application/x-tar"
    assert answer["Content-Disposition"] == "attachment; filename*=utf-8''Kit_sune_%C3%A9-v1.tar"
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cache-Control"] == "no-store, private"
    for name in ("ben", "odo", "sota"):
        client.force_login(getattr(factories, name)())
        assert client.get(f"{version.page}/bundle").status_code == 403, name
        assert data.decode() not in page_of(client.get(version.page))


def test_who_watches_a_check_is_sent_what_changed(client: Client, aya: User) -> None:
    version = factories.an_upload(factories.a_bot(aya))
    page = text_of(client, version.page)
    assert 'hx-trigger="every 1s"' in page
    assert '<noscript><meta http-equiv="refresh"' in page
    have = page.partition('id="check-version"')[2].partition('value="')[2].partition('"')[0]
    asked = {"hx-request": "true"}
    assert client.get(f"{version.page}?have={have}", headers=asked).status_code == 204
    check = factories.a_running_check(version)
    changed = page_of(client.get(f"{version.page}?have={have}", headers=asked))
    assert changed.startswith('<div id="version-check"')
    CheckRun.objects.filter(pk=check.pk).update(state=CheckRun.State.WAITING)
    factories.passed(version)
    done = page_of(client.get(f"{version.page}?have={have}", headers=asked))
    assert "hx-trigger" not in done
    assert "hx-trigger" not in text_of(client, version.page).partition('id="version-check"')[2][:300]


def test_a_retired_version_can_still_be_written_from(client: Client, aya: User) -> None:
    version = factories.a_version(factories.a_bot(aya))
    version_retire(version, aya)
    assert f"/write?from={version.public_id}" in text_of(client, version.page)


def test_a_check_that_failed_by_our_fault_is_asked_for_again(client: Client, aya: User) -> None:
    version = factories.an_upload(factories.a_bot(aya))
    assert "/recheck" not in text_of(client, version.page)
    for _ in range(3):
        check_fail(factories.a_running_check(version), "no namespaces")
    assert "/recheck" in text_of(client, version.page)
    client.post(f"{version.page}/recheck")
    assert version.checks.filter(state=CheckRun.State.WAITING).count() == 1
    assert "flash error" in page_of(client.post(f"{version.page}/recheck", follow=True))


def test_downloads_count_like_those_of_the_api(client: Client, aya: User, settings: Any) -> None:
    settings.API_RATES = {**settings.API_RATES, "exports": "1/hour"}
    version = factories.a_version(factories.a_bot(aya), bundle_sha256=blob_put(b"x", "bundle"))
    assert client.get(f"{version.page}/bundle").status_code == 200
    assert client.get(f"{version.page}/bundle").status_code == 429
