"""New versions from the pages: an archive or a written program; what is refused loses nothing typed."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.html import escape

from arena.accounts.models import User
from arena.jobs.sources import source_of
from arena.roster.models import Bot, BotVersion
from tests import factories
from tests.arena.web.authors import (
    MANIFEST,
    PROGRAM,
    submit_form,
    upload,
    versions,
    write_form,
    zipped,
)
from tests.arena.web.forms import once_in, page_of
from tests.arena.web.visits import text_of

pytestmark = pytest.mark.django_db
SOURCE = "# mine\nfrom bots.sdk import Bot\n"


@pytest.fixture
def bot(aya: User) -> Bot:
    """Hers, without versions."""
    return factories.a_bot(aya, "Kitsune")


def at(bot: Bot, page: str) -> str:
    return f"/bots/{bot.public_id}/{page}"


def test_an_archive_becomes_a_version_whose_check_waits(client: Client, bot: Bot, aya: User) -> None:
    form = submit_form(client, bot, notes="counts trumps")
    answer = client.post(at(bot, "submit"), form)
    (version,) = versions(aya)
    assert answer["Location"] == version.page
    assert (version.state, version.notes, version.entry_point) == ("uploaded", "counts trumps", "main.py")
    assert version.checks.get().state == "waiting"
    again = client.post(at(bot, "submit"), {**form, "bundle": upload()})
    assert (again.status_code, again["Location"]) == (302, version.page)
    again = client.post(at(bot, "submit"), {**form, "bundle": upload(), "visibility": "other"})
    assert again.status_code == 400
    assert "counts trumps</textarea>" in page_of(again)
    assert len(versions(aya)) == 1
    meant = {**form, "bundle": upload(), "once": once_in(page_of(again))}
    answer = client.post(at(bot, "submit"), meant, follow=True)
    assert answer.redirect_chain == [(version.page, 302)]
    assert len(versions(aya)) == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"bundle": ""}, "bundle"),
        ({"bundle": SimpleUploadedFile("kita.rar", b"Rar!\x1a\x07")}, "bundle"),
        ({"bundle": upload(zipped({"../main.py": PROGRAM}))}, "bundle"),
        ({"notes": "x" * 4001}, "notes"),
    ],
)
def test_what_is_refused_is_told_at_the_field_and_nothing_is_kept(
    client: Client, bot: Bot, fields: dict[str, Any], field: str
) -> None:
    answer = client.post(at(bot, "submit"), submit_form(client, bot, **{"notes": "my notes", **fields}))
    page = page_of(answer)
    assert answer.status_code == 400
    assert f'id="id_{field}_error"' in page
    assert "my notes</textarea>" in page or field == "notes"
    assert not BotVersion.objects.exists()
    mended = submit_form(client, bot, once=once_in(page))
    assert client.post(at(bot, "submit"), mended).status_code == 302


@pytest.mark.parametrize("game", ["kakeya", "kakkuri"])
def test_the_editor_begins_with_a_program_that_plays(client: Client, aya: User, game: str) -> None:
    bot = factories.a_bot(aya, 'My "Fox" 狐', game=game)
    page = text_of(client, at(bot, "write"))
    assert "class MyBot(Bot):" in page
    assert "name = &quot;My-Fox&quot;" in page
    source = page.partition('<textarea name="source"')[2].partition(">\n")[2].partition("</textarea>")[0]
    assert escape("request.legal[0]") in source


def test_what_is_written_becomes_a_version_and_the_next_begins_with_it(
    client: Client, bot: Bot, aya: User
) -> None:
    answer = client.post(at(bot, "write"), write_form(client, bot, "# mine\r\npass\r\n", notes="first"))
    (version,) = versions(aya)
    assert answer["Location"] == version.page
    assert (version.entry_point, version.runtime, version.notes) == ("main.py", "python/1", "first")
    written = source_of(version)
    assert written
    assert written.text == "# mine\npass\n"
    assert sorted(written.files) == ["main.py", "rensho.toml"]
    page = text_of(client, at(bot, "write"))
    assert "# mine\npass\n</textarea>" in page
    assert 'name="newest" value="1"' in page
    assert "# mine" not in text_of(client, at(bot, "write") + "?from=template")


def test_the_other_files_of_a_version_stay_as_they_are(client: Client, bot: Bot, aya: User) -> None:
    files = {"rensho.toml": MANIFEST, "main.py": PROGRAM, "data/book.json": b"{}"}
    client.post(at(bot, "submit"), submit_form(client, bot, bundle=upload(zipped(files))))
    page = text_of(client, at(bot, "write"))
    assert "data/book.json" in page
    client.post(at(bot, "write"), write_form(client, bot, SOURCE))
    written = source_of(versions(aya)[-1])
    assert written
    assert written.files == {**files, "main.py": SOURCE.encode()}


@pytest.mark.parametrize("source", ["", "x" * 200_001, "a\0b"], ids=["nothing", "too much", "NUL"])
def test_a_program_that_is_none_is_told_at_the_field(client: Client, bot: Bot, source: str) -> None:
    answer = client.post(at(bot, "write"), write_form(client, bot, source, notes="my notes"))
    page = page_of(answer)
    assert answer.status_code == 400
    assert 'id="id_source_error"' in page
    assert "my notes</textarea>" in page
    assert not BotVersion.objects.exists()


def test_a_stale_editor_says_so_and_keeps_what_was_typed(client: Client, bot: Bot, aya: User) -> None:
    form = write_form(client, bot, SOURCE)
    factories.an_upload(bot)
    answer = client.post(at(bot, "write"), form)
    page = page_of(answer)
    assert answer.status_code == 400
    assert "# mine" in page
    assert len(versions(aya)) == 1
    again = {**form, "newest": "1", "once": once_in(page)}
    assert 'name="newest" value="1"' in page
    assert client.post(at(bot, "write"), again).status_code == 302


def test_too_large_an_archive_is_refused(client: Client, bot: Bot, settings: Any) -> None:
    settings.BUNDLE_UPLOAD_BYTES_MAX = 10
    answer = client.post(at(bot, "submit"), submit_form(client, bot))
    assert answer.status_code == 400


def test_an_editor_takes_no_files_of_others(client: Client, bot: Bot, aya: User) -> None:
    stranger = factories.a_bot(factories.ben())
    client.force_login(factories.ben())
    client.post(at(stranger, "submit"), submit_form(client, stranger))
    foreign = versions(factories.ben())[0]
    client.force_login(aya)
    other = factories.a_version(factories.a_bot(aya))
    for base in (foreign, other):
        answer = client.post(at(bot, "write"), write_form(client, bot, SOURCE, base=base.public_id))
        assert answer.status_code == 400
        assert "# mine" in page_of(answer)
        assert client.get(at(bot, "write") + f"?from={base.public_id}").status_code in (400, 404)
    assert bot.versions.count() == 0
