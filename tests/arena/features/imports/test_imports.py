"""Imports: an event's export becomes a read-only page with its proof, or is refused and leaves nothing."""

from __future__ import annotations

import datetime
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from arena.common.blob_storages import BlobsUnavailable
from arena.common.errors import ArenaError, Conflict, Forbidden
from arena.common.features import AccountDeletion
from arena.common.models import Blob
from arena.common.packs import blob_path
from arena.competition.models import Tournament
from arena.features.imports import limits, services
from arena.features.imports.models import ImportedEvent, ImportedRound
from arena.features.imports.pages import claims
from arena.features.imports.selectors import blob_references, import_archive
from arena.features.imports.services import import_check, import_delete, import_submit, imports_sweep
from arena.matches.models import Table
from league import proof
from league.statements import key_id
from league.verify.archive import ArchiveLimits
from tests import factories
from tests.arena.features.imports.matrix import EXPORT
from tests.league.archives import PUBLIC, signed, unpacked
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def archive() -> bytes:
    """Fourteen tables of two stages, as release 1.0.0 exported them."""
    return EXPORT.read_bytes()


@pytest.fixture
def imported(archive: bytes) -> ImportedEvent:
    row = import_submit(archive, factories.sota(), origin="https://other.example/")
    import_check(row.pk)
    row.refresh_from_db()
    return row


def changed(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    members = unpacked(data)
    change(members.document)
    return members.packed()


def refused_code(data: bytes) -> str:
    """The code of the refusal, of which nothing is left."""
    with pytest.raises(ArenaError) as error:
        import_submit(data, factories.sota())
    assert len(error.value.message.splitlines()) == 1
    assert not ImportedEvent.objects.exists()
    assert not Blob.objects.filter(kind=Blob.Kind.EXPORT).exists()
    return error.value.code


# What verifies


def test_a_true_export_is_verified_and_shown(imported: ImportedEvent, archive: bytes, client: Client) -> None:
    document = unpacked(archive).document
    assert (imported.state, imported.origin_id) == ("verified", document["tournament"]["id"])
    summary = imported.summary
    assert (summary["tables"], summary["records"], summary["deals"]) == (14, 14, 4)
    page = client.get(f"/imports/{imported.public_id}")
    assert (page.status_code, b"noindex" in page.content) == (200, True)
    names = [version["bot"]["text"] for entry in document["entries"] for version in entry["versions"]]
    first = client.get(f"/imports/{imported.public_id}?stage=1").content.decode()
    assert all(name in first for name in names)
    assert 'href="/bots/' not in first
    assert imported.public_id.encode() in client.get("/imports").content


def test_rounds_and_replays_come_from_the_archive_alone(imported: ImportedEvent, client: Client) -> None:
    assert not Table.objects.exists()
    played = ImportedRound.objects.filter(event=imported).first()
    assert played is not None
    below = f"/imports/{imported.public_id}/rounds/{played.stage}/{played.number}"
    assert f"{below}/1/1".encode() in client.get(below).content
    replay = client.get(f"{below}/1/1?at=b1t2&seat=2")
    assert (replay.status_code, b"b1t2" in replay.content) == (200, True)
    assert client.get(f"{below}/1/1?at=b9t1").status_code == 400
    assert client.get(f"{below}/1/99").status_code == client.get(f"{below}9").status_code == 404


def test_the_archive_is_offered_byte_for_byte(
    imported: ImportedEvent, archive: bytes, client: Client
) -> None:
    assert client.get(f"/api/v1/imports/{imported.public_id}/export").content == archive
    detail = client.get(f"/api/v1/imports/{imported.public_id}").json()
    assert {claim["how"] for claim in detail["proof"]} == {"proven", "trusted"}
    assert [row["id"] for row in client.get("/api/v1/imports").json()["results"]] == [imported.public_id]


def test_it_counts_towards_nothing(imported: ImportedEvent, client: Client) -> None:
    assert not Tournament.objects.exists()
    found = client.get("/search", {"q": imported.public_id}).content
    assert f"/imports/{imported.public_id}".encode() not in found


def test_keys_bind_it_to_its_site(archive: bytes) -> None:
    key = {"id": key_id(PUBLIC), "public": PUBLIC.hex()}
    given = json.dumps({"format": "rensho-key/1", "keys": [key]})
    row = import_submit(signed(unpacked(archive)).packed(), factories.sota(), keys=given)
    import_check(row.pk)
    row.refresh_from_db()
    assert (row.state, list(row.keys)) == ("verified", [key["id"]])
    assert "bound" in {how for _, how, *_ in row.summary["proof"]}


def test_commitments_bind_the_secret(archive: bytes, client: Client) -> None:
    digest = unpacked(archive).document["tournament"]["commitment"]
    row = import_submit(archive, factories.sota(), commitments=f"{digest.upper()},\n{digest}")
    import_check(row.pk)
    row.refresh_from_db()
    assert (row.state, row.commitments) == ("verified", [digest])
    secret = next(claim for claim in row.summary["proof"] if claim[3] == "secret")
    assert (secret[1], secret[4]) == ("bound", "commitment")
    assert client.get(f"/api/v1/imports/{row.public_id}").json()["commitments"] == [digest]
    assert digest in client.get(f"/imports/{row.public_id}").content.decode()


def test_other_commitments_refuse_it(archive: bytes) -> None:
    row = import_submit(archive, factories.sota(), commitments="ab" * 32)
    import_check(row.pk)
    row.refresh_from_db()
    assert (row.state, len(row.findings)) == ("refused", 1)
    for wrong in ("ab" * 31, "xy" * 32, " ".join(f"{number:064x}" for number in range(101))):
        error = refusal(ArenaError, import_submit, archive, factories.sota(), commitments=wrong)
        assert (error.code, error.extra["field"]) == ("invalid_commitments", "commitments")


def test_claims_are_in_the_readers_language(imported: ImportedEvent, client: Client) -> None:
    assert set(claims.CLAIMS) | {claims.LOST_RECORDS} == set(proof.CLAIMS)
    assert set(claims.BASES) == set(proof.BASES)
    page = client.get(f"/imports/{imported.public_id}?lang=ja").content.decode()
    assert '<tr lang="en">' not in page
    assert "unchecked" not in page
    early = [claim[:3] for claim in imported.summary["proof"]]
    ImportedEvent.objects.filter(pk=imported.pk).update(summary={**imported.summary, "proof": early})
    page = client.get(f"/imports/{imported.public_id}?lang=ja").content.decode()
    assert page.count('<tr lang="en">') == len(early)


def test_of_another_key_it_is_refused(archive: bytes) -> None:
    row = import_submit(archive, factories.sota(), keys="ab" * 32)
    import_check(row.pk)
    row.refresh_from_db()
    assert (row.state, bool(row.findings)) == ("refused", True)
    with pytest.raises(ArenaError) as error:
        import_submit(archive, factories.sota(), keys="abc")
    assert error.value.code == "invalid_keys"


# What does not


def test_what_does_not_verify_is_named_and_not_stored(archive: bytes, client: Client) -> None:
    def another_result(document: dict[str, Any]) -> None:
        document["stages"][0]["rounds"][0]["fixtures"][0]["tables"][0]["results"][0][2] += 1

    row = import_submit(changed(archive, another_result), factories.sota())
    import_check(row.pk)
    row.refresh_from_db()
    assert (row.state, row.state_note["code"], bool(row.findings)) == ("refused", "import_disagrees", True)
    assert not Blob.objects.filter(sha256=row.sha256).exists()
    assert not ImportedRound.objects.exists()
    assert client.get(f"/imports/{row.public_id}").status_code == 404
    client.force_login(factories.sota())
    assert row.findings[0].encode()[:20] in client.get(f"/imports/{row.public_id}").content
    assert import_submit(changed(archive, another_result), factories.sota()).state == "checking"


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x05\x06" + bytes(18)])
def test_another_file_is_refused(data: bytes) -> None:
    assert refused_code(data) == "import_unreadable"


def test_bad_archives_are_refused_at_once(archive: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def of_state(state: str, document: dict[str, Any]) -> None:
        document["tournament"].update(state=state, secret=None)

    assert refused_code(archive[:-100]) == refused_code(archive + b"x") == "import_unreadable"
    newer = changed(archive, lambda document: document.update(format="rensho-export/9"))
    assert refused_code(newer) == "import_format_unsupported"
    running = changed(archive, lambda document: of_state("running", document))
    assert refused_code(running) == "import_unfinished"
    deep = io.BytesIO()
    with zipfile.ZipFile(deep, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("tournament.json", "[" * 100_000)
    assert refused_code(deep.getvalue()) in ("import_unreadable", "import_too_large")
    monkeypatch.setattr(services, "MAX_ARCHIVE_BYTES", len(archive) - 1)
    assert refused_code(archive) == "import_too_large"


@pytest.mark.parametrize(
    "bound",
    [
        {"members": 3},
        {"document_bytes": 1000},
        {"document_containers": 10},
        {"records_bytes": 1, "document_bytes": 1},
        {"ratio": 1},
    ],
)
def test_every_limit_holds(bound: dict[str, int], archive: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "LIMITS", ArchiveLimits(**{**limits.LIMITS._asdict(), **bound}))
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as whole, zipfile.ZipFile(packed, "w") as made:
        for name in whole.namelist():
            made.writestr(name, whole.read(name), zipfile.ZIP_DEFLATED)
    assert refused_code(packed.getvalue()) == "import_too_large"


def test_the_same_archive_leads_to_the_existing_import(imported: ImportedEvent, archive: bytes) -> None:
    with pytest.raises(Conflict, match=imported.public_id) as error:
        import_submit(archive, factories.sota())
    assert error.value.code == "import_exists"
    assert ImportedEvent.objects.count() == 1


def test_only_staff_import_and_delete(archive: bytes, imported: ImportedEvent, client: Client) -> None:
    with pytest.raises(Forbidden):
        import_submit(archive, factories.aya())
    with pytest.raises(Forbidden):
        import_delete(imported, factories.aya())
    client.force_login(factories.aya())
    assert client.get("/imports/new").status_code == 403


def test_a_deleted_import_leaves_no_blob(imported: ImportedEvent) -> None:
    assert blob_references(imported.sha256)
    import_delete(imported, factories.sota())
    assert not Blob.objects.filter(sha256=imported.sha256).exists()
    assert not ImportedEvent.objects.exists()


def test_a_deleted_account_leaves_its_imports(imported: ImportedEvent) -> None:
    services.imports_forget(AccountDeletion(factories.sota(), "", (), lambda value: value))
    imported.refresh_from_db()
    assert (imported.state, imported.imported_by) == ("verified", None)


# Interruptions


def test_without_its_storage_it_waits(archive: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(sha256: str) -> bytes:
        raise BlobsUnavailable("it is away")

    row = import_submit(archive, factories.sota())
    with monkeypatch.context() as patched:
        patched.setattr(services, "blob_get", away)
        with pytest.raises(BlobsUnavailable):
            import_check(row.pk)
    assert imports_sweep() == [row.pk]
    import_check(row.pk)
    row.refresh_from_db()
    assert row.state == "verified"


def test_a_lost_verification_is_tried_once_more(archive: bytes) -> None:
    row = import_submit(archive, factories.sota())
    before = timezone.now() - datetime.timedelta(seconds=limits.CHECK_TASK_S + 200)
    for attempts, waiting in ((1, [row.pk]), (2, [])):
        ImportedEvent.objects.filter(pk=row.pk).update(started_at=before, attempts=attempts)
        assert imports_sweep() == waiting
    row.refresh_from_db()
    assert (row.state, row.state_note["code"]) == ("refused", "import_timed_out")
    later = before - datetime.timedelta(days=limits.REFUSED_DAYS)
    ImportedEvent.objects.update(imported_at=later)
    imports_sweep()
    assert not ImportedEvent.objects.exists()


def test_two_workers_verify_it_once(archive: bytes) -> None:
    row = import_submit(archive, factories.sota())
    ImportedEvent.objects.update(started_at=timezone.now(), attempts=1)
    import_check(row.pk)
    row.refresh_from_db()
    assert (row.state, row.attempts) == ("checking", 1)


# The command and the form


def test_the_command_imports_or_names_what_disagrees(
    archive: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cup.zip"
    path.write_bytes(archive)
    with pytest.raises(CommandError, match="web address"):
        call_command("import_event", path, origin="javascript:x")
    call_command("import_event", path)
    row = ImportedEvent.objects.get()
    assert (row.state, row.imported_by) == ("verified", None)
    assert row.public_id in capsys.readouterr().out
    assert import_archive(row) == archive
    path.write_bytes(changed(archive, lambda document: document["tournament"].update(secret="00" * 32)))
    with pytest.raises(CommandError, match="does not verify"):
        call_command("import_event", path)
    assert capsys.readouterr().err.startswith("- ")
    assert ImportedEvent.objects.count() == Blob.objects.filter(kind=Blob.Kind.EXPORT).count() == 1
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_event", tmp_path / "none.zip")


def test_the_form_stores_what_a_worker_verifies(archive: bytes, client: Client) -> None:
    client.force_login(factories.sota())
    given = {"archive": SimpleUploadedFile("cup.zip", archive), "origin": "https://other.example"}
    answer = client.post("/imports/new", given)
    row = ImportedEvent.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/imports/{row.public_id}")
    assert storages["blobs"].exists(blob_path(row.sha256))
    assert client.get(answer["Location"]).status_code == 200
    again = client.post("/imports/new", {"archive": SimpleUploadedFile("cup.zip", archive)})
    assert (again.status_code, row.public_id.encode() in again.content) == (400, True)
    assert client.post(f"/imports/{row.public_id}/delete").status_code == 302
    assert not ImportedEvent.objects.exists()
