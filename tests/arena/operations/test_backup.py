"""Backups of a running site: complete or absent, incremental, verified when restored."""

from __future__ import annotations

import fcntl
import gzip
import io
import json
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection

from arena.common.blob_holds import deletions_paused
from arena.common.blobs import blob_path, blob_put
from arena.common.models import Blob, CompletedBackup, LostBlob
from arena.operations.backup import databases, last_backup_at, saving
from arena.operations.backup.repository import Repository
from tests.refusals import refusal

pytestmark = pytest.mark.django_db(transaction=True)
TARGET_DATABASE = "rensho_restored"


class Site:
    """The data folder of the database of the test."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.backups = folder / "backups"

    def backup(self, *words: str) -> dict[str, object]:
        out = io.StringIO()
        call_command("backup", str(self.backups), "--json", *words, stdout=out, stderr=io.StringIO())
        done: dict[str, object] = json.loads(out.getvalue())
        return done

    def snapshots(self) -> list[str]:
        """All folders, complete or not."""
        return sorted(path.name for path in (self.backups / "snapshots").iterdir())

    def saved_blobs(self) -> set[str]:
        return {path.name for path in (self.backups / "blobs").rglob("*") if path.is_file()}


def use(settings, data: Path) -> None:
    data.mkdir(parents=True, exist_ok=True)
    settings.DATA = data
    blobs = {**settings.STORAGES["blobs"], "OPTIONS": {"location": data / "blobs"}}
    settings.STORAGES = {**settings.STORAGES, "blobs": blobs}


@pytest.fixture
def site(tmp_path: Path, settings) -> Site:
    """A site with two blobs, a secret key, and files that a backup leaves out."""
    made = Site(tmp_path)
    use(settings, made.data)
    (made.data / "secret_key").write_text("k" * 50)
    (made.data / "logs").mkdir()
    (made.data / "logs/web.log").write_text("long")
    blob_put(b"record one", "record")
    blob_put(b"record two", "record")
    return made


@pytest.fixture
def target(tmp_path: Path, settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Path]]:
    """Switches to an empty place, with an empty database of the same kind, and returns its data folder."""
    name = connection.settings_dict["NAME"]

    def switch() -> Path:
        data = tmp_path / "restored"
        use(settings, data)
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {TARGET_DATABASE} WITH (FORCE)")
                cursor.execute(f"CREATE DATABASE {TARGET_DATABASE} TEMPLATE template0")
            connection.close()
            connection.settings_dict["NAME"] = TARGET_DATABASE
        else:
            connection.settings_dict["NAME"] = str(data / "arena.sqlite3")
        return data

    yield switch
    is_switched = connection.settings_dict["NAME"] != name
    connection.settings_dict["NAME"] = name
    if is_switched and connection.vendor == "postgresql":
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {TARGET_DATABASE} WITH (FORCE)")


def restored_rows(data: Path) -> set[str]:
    if connection.vendor == "postgresql":
        return set(Blob.objects.values_list("sha256", flat=True))
    with sqlite3.connect(data / "arena.sqlite3") as database:
        return {sha256 for (sha256,) in database.execute("SELECT sha256 FROM common_blob")}


def restore_refused(path: Path, *names: str) -> None:
    message = str(refusal(CommandError, call_command, "restore", str(path)))
    assert "\n" not in message
    assert [name for name in names if name not in message] == []


def test_a_running_site_is_saved_and_restored(site: Site, target, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = set(Blob.objects.values_list("sha256", flat=True))
    copy = saving.blobs_copy
    assert last_backup_at() is None

    def while_rows_are_written(*arguments):
        assert deletions_paused()
        blob_put(b"written after the database was dumped", "log")
        Blob.objects.filter(pk__in=rows).delete()
        return copy(*arguments)

    monkeypatch.setattr(saving, "blobs_copy", while_rows_are_written)
    done = site.backup()
    assert (done["blobs"], done["new_blobs"], done["missing"]) == (2, 2, 0)
    assert not deletions_paused()
    assert last_backup_at() is not None
    assert CompletedBackup.objects.get().snapshot == Path(str(done["snapshot"])).name
    assert site.backups.stat().st_mode & 0o077 == 0
    data = target()
    out = io.StringIO()
    call_command("restore", str(site.backups), "--json", stdout=out)
    assert json.loads(out.getvalue())["blobs"] == 2
    assert restored_rows(data) == rows
    assert {path.name for path in data.rglob("*.gz")} == {f"{sha256}.gz" for sha256 in rows}
    assert (data / "secret_key").read_text() == "k" * 50
    assert sorted(path.name for path in data.iterdir() if "sqlite3" not in path.name) == [
        "blobs",
        "secret_key",
    ]
    restore_refused(site.backups, "tables")


def test_only_new_blobs_are_copied_and_old_snapshots_are_pruned(site: Site) -> None:
    first = site.backup()
    two = Blob.objects.get(sha256__endswith=sorted(site.saved_blobs())[0].removesuffix(".gz"))
    two.delete()
    blob_put(b"record three", "record")
    second = site.backup()
    assert (second["blobs"], second["new_blobs"]) == (2, 1)
    assert len(site.saved_blobs()) == 3
    # A file of the backup that was cut short is copied again.
    kept = next(iter(Blob.objects.all()))
    (site.backups / "blobs" / blob_path(kept.sha256)).unlink()
    third = site.backup("--keep", "2")
    assert (third["new_blobs"], third["removed_snapshots"]) == (1, 1)
    assert Path(str(first["snapshot"])).name not in site.snapshots()
    assert site.saved_blobs() == {f"{sha256}.gz" for sha256 in Blob.objects.values_list("sha256", flat=True)}


@pytest.mark.parametrize("step", ["database_dump", "blobs_copy", "_files_copy", "Manifest"])
def test_an_interrupted_backup_leaves_nothing(site: Site, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(saving, step, interrupted)
        refusal(KeyboardInterrupt, site.backup)
    assert site.snapshots() == []
    assert site.saved_blobs() == set()
    assert not deletions_paused()
    assert last_backup_at() is None


def test_the_next_run_removes_a_backup_that_was_killed(site: Site) -> None:
    Repository(site.backups).prepare()
    draft = site.backups / "snapshots/.draft-20261130T000000Z-abc"
    draft.mkdir()
    (site.backups / "blobs/half.gz").touch()
    (draft / "blobs.txt").write_text("half.gz 10\nother.g")
    site.backup()
    assert len(site.snapshots()) == 1
    assert len(site.saved_blobs()) == 2


def test_two_backups_do_not_write_at_the_same_time(site: Site) -> None:
    site.backup()
    with (site.backups / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "Another backup" in str(refusal(CommandError, site.backup))
    site.backup()


def test_folders_that_are_no_place_for_backups_are_refused(site: Site, tmp_path: Path) -> None:
    inside = site.data / "backups"
    assert "data folder" in str(refusal(CommandError, call_command, "backup", str(inside)))
    (tmp_path / "home").mkdir()
    (tmp_path / "home/letter").touch()
    assert "letter" in str(refusal(CommandError, call_command, "backup", str(tmp_path / "home")))
    assert str(tmp_path) in str(
        refusal(CommandError, call_command, "backup", str(tmp_path / "home/letter/backups"))
    )
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["letter"]


def test_a_lost_blob_is_reported_but_an_absent_storage_ends_the_backup(site: Site) -> None:
    one, two = Blob.objects.values_list("sha256", flat=True)
    storages["blobs"].delete(blob_path(one))
    assert site.backup()["missing"] == 1
    assert LostBlob.objects.get().blob_id == one
    (site.data / "blobs").rename(site.data / "unmounted")
    assert "blob storage" in str(
        refusal(CommandError, call_command, "backup", str(site.backups / "../other"))
    )
    assert two


def test_a_damaged_or_incomplete_backup_changes_nothing(site: Site, target) -> None:
    snapshot = Path(str(site.backup()["snapshot"]))
    blob = site.backups / "blobs" / blob_path(Blob.objects.values_list("sha256", flat=True)[0])
    manifest = snapshot / "manifest.json"
    data = target()
    restore_refused(site.backups / "nowhere", "nowhere")

    def refused_with(path: Path, content: bytes | None) -> None:
        saved = path.read_bytes()
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        restore_refused(snapshot, path.name)
        assert list(data.iterdir()) == []
        path.write_bytes(saved)

    (database,) = snapshot.glob("*database*")
    refused_with(manifest, None)
    refused_with(manifest, manifest.read_bytes()[:-20])
    refused_with(manifest, manifest.read_bytes().replace(b'"blobs": 2', b'"blobs": 1'))
    refused_with(snapshot / "blobs.txt", (snapshot / "blobs.txt").read_bytes()[:-1])
    refused_with(database, database.read_bytes()[:-1])
    refused_with(database, None)
    refused_with(blob, None)
    refused_with(blob, blob.read_bytes()[:-1])
    refused_with(blob, gzip.compress(b"another"))
    call_command("restore", str(snapshot), stdout=io.StringIO())


def test_a_place_that_is_in_use_is_refused(site: Site, target) -> None:
    site.backup()
    restore_refused(site.backups, "tables")
    data = target()
    (data / "logs").mkdir()
    restore_refused(site.backups, "logs")
    (data / "logs").rmdir()
    (data / "blobs").mkdir()
    (data / "blobs/file").touch()
    restore_refused(site.backups, "blobs")
    (data / "blobs/file").unlink()
    (data / "lost+found").mkdir()
    call_command("restore", str(site.backups), stdout=io.StringIO())
    assert (data / "secret_key").exists()


def test_a_backup_of_another_kind_of_database_is_refused(
    site: Site, target, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "postgresql" if connection.vendor == "sqlite" else "sqlite"
    with monkeypatch.context() as patch:
        patch.setattr(connection, "vendor", other)
        patch.setattr(databases, "connection", connection)
        patch.setattr(saving, "database_dump", _dump_of_this_kind)
        site.backup()
    target()
    restore_refused(site.backups, other, "DATABASE_URL")


def _dump_of_this_kind(draft, wait):
    dump = (
        databases._sqlite_dump
        if "sqlite" in connection.settings_dict["ENGINE"]
        else databases._postgresql_dump
    )
    return dump(draft, wait)


def test_a_full_disk_ends_the_backup_with_one_line(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments):
        raise OSError(28, "No space left on device", str(site.backups))

    with monkeypatch.context() as patch:
        patch.setattr(saving, "_files_copy", full)
        message = str(refusal(CommandError, site.backup))
    assert "No space left" in message
    assert str(site.backups) in message
    assert site.snapshots() == []


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no password")
def test_the_password_is_on_no_command_line(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    start = subprocess.Popen

    def noted(argv, **options):
        calls.append((argv, options["env"]))
        return start(argv, **options)

    monkeypatch.setattr(databases.subprocess, "Popen", noted)
    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "hidden-word")
    with databases.database_dump(site.data, lambda: None):
        pass
    ((argv, environment),) = calls
    assert "hidden-word" not in " ".join(argv)
    assert environment["PGPASSWORD"] == "hidden-word"
