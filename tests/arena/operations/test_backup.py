"""Backups of a running site: complete or absent, incremental, verified when made and when restored."""

from __future__ import annotations

import errno
import fcntl
import gzip
import io
import json
import os
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection

from arena.common.blob_holds import deletions_paused
from arena.common.blobs import blob_get, blob_path, blob_put
from arena.common.models import Blob, CompletedBackup, LostBlob
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.operations.backup import databases, last_backup_at, restoring, saving
from arena.operations.backup.repository import Manifest, Repository
from arena.settings.storage import blob_storage_of
from arena.web.site.metric_families.database import DatabaseCollector
from tests.arena.play import play_out
from tests.arena.web.conftest import under_way
from tests.object_storage import KEY_ID, SECRET, object_storage
from tests.refusals import refusal

pytestmark = pytest.mark.django_db(transaction=True)
TARGET_DATABASE = f"rensho_restored_{os.getpid()}"
"""Of this process: each worker of the tests has its own."""


class Site:
    """The data folder of the database of the test."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.backups = folder / "backups"

    def backup(self, *words: str) -> dict[str, object]:
        out = io.StringIO()
        call_command("backup", str(self.backups), "--json", *words, stdout=out)
        done: dict[str, object] = json.loads(out.getvalue())
        return done

    def backup_refused(self, *names: str) -> CommandError:
        """The error of a backup, which is one line with these texts."""
        error = refusal(CommandError, self.backup)
        assert "\n" not in str(error)
        assert [name for name in names if name not in str(error)] == []
        return error

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
    (made.data / "blob_cache").mkdir()
    (made.data / "blob_cache/copy").touch()
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
        is_postgresql = connection.vendor == "postgresql"
        if is_postgresql:
            with connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {TARGET_DATABASE} WITH (FORCE)")
                cursor.execute(f"CREATE DATABASE {TARGET_DATABASE} TEMPLATE template0")
        connection.close()
        connection.settings_dict["NAME"] = TARGET_DATABASE if is_postgresql else str(data / "arena.sqlite3")
        return data

    yield switch
    is_switched = connection.settings_dict["NAME"] != name
    connection.settings_dict["NAME"] = name
    connection.close()  # the rows of the test's own database are deleted after this
    if is_switched and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {TARGET_DATABASE} WITH (FORCE)")


def restored_rows(data: Path) -> set[str]:
    if connection.vendor == "postgresql":
        return set(Blob.objects.values_list("sha256", flat=True))
    with sqlite3.connect(data / "arena.sqlite3") as database:
        return {sha256.hex() for (sha256,) in database.execute("SELECT sha256 FROM common_blob")}


def fails_with(error: OSError) -> Callable[..., None]:
    def fail(*arguments: object) -> None:
        raise error

    return fail


def restore_refused(path: Path, *names: str) -> None:
    message = str(refusal(CommandError, call_command, "restore", str(path)))
    assert "\n" not in message
    assert [name for name in names if name not in message] == []


def test_a_running_site_is_saved_and_restored(site: Site, target, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = set(Blob.objects.values_list("sha256", flat=True))
    save = saving.blobs_save
    assert last_backup_at() is None

    def while_rows_are_written(*arguments):
        assert deletions_paused()
        blob_put(b"written after the database was dumped", "log")
        Blob.objects.filter(pk__in=rows).delete()
        return save(*arguments)

    monkeypatch.setattr(saving, "blobs_save", while_rows_are_written)
    done = site.backup()
    assert (done["blobs"], done["new_blobs"], done["lost"]) == (2, 2, [])
    assert not deletions_paused()
    assert last_backup_at() is not None
    assert "rensho_last_backup_age_seconds" in {family.name for family in DatabaseCollector().collect()}
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
    two = Blob.objects.get(sha256=sorted(site.saved_blobs())[0].removesuffix(".gz"))
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


@pytest.mark.parametrize("step", ["database_dump", "blobs_save", "_files_copy", "Manifest"])
def test_an_interrupted_backup_leaves_nothing(site: Site, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def interrupted(*arguments, **options):
        os.kill(os.getpid(), signal.SIGTERM)

    with monkeypatch.context() as patch:
        patch.setattr(saving, step, interrupted)
        assert site.backup_refused("nterrupted").returncode == 130
    assert site.snapshots() == []
    assert site.saved_blobs() == set()
    assert not deletions_paused()
    assert last_backup_at() is None


def test_a_killed_backup_is_no_backup_and_the_next_one_works(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(saving, "file_hash", killed)
        patch.setattr(Repository, "drafts_discard", lambda repository: None)
        site.backup_refused()
    (draft,) = site.snapshots()
    assert len(site.saved_blobs()) == 2
    assert last_backup_at() is None
    restore_refused(site.backups, "no complete backup")
    restore_refused(site.backups / "snapshots" / draft, draft)
    assert site.backup()["new_blobs"] == 2
    assert draft not in site.snapshots()


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
        site.backup_refused("Another backup")
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


def test_lost_blobs_are_named_and_earlier_backups_keep_theirs(site: Site, target) -> None:
    first = Path(str(site.backup()["snapshot"]))
    saved, _ = sorted(site.saved_blobs())
    damages = {b"missing": None, b"empty": b"", b"other": gzip.compress(b"another")}
    lost = {blob_path(blob_put(text, "record")): damage for text, damage in damages.items()}
    for name, damage in {**lost, blob_path(saved.removesuffix(".gz")): None}.items():
        (site.data / "blobs" / name).unlink()
        if damage is not None:
            (site.data / "blobs" / name).write_bytes(damage)
    assert site.backup_refused(*lost).returncode == 1
    assert {blob_path(sha256) for sha256 in LostBlob.objects.values_list("blob", flat=True)} == set(lost)
    assert len(site.snapshots()) == 2
    assert site.backup_refused(*lost).returncode == 1, "as long as they are lost"
    data = target()
    call_command("restore", str(site.backups), stdout=io.StringIO())
    assert {path.name for path in data.rglob("*.gz")} == site.saved_blobs()
    assert len(Manifest.read(first).lost) == 0


def test_an_absent_storage_ends_the_backup(site: Site) -> None:
    (site.data / "blobs").rename(site.data / "unmounted")
    site.backup_refused("blob storage", str(site.data / "blobs"))
    assert site.snapshots() == []
    assert not LostBlob.objects.exists()


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


def test_a_disk_that_cannot_be_written_ends_the_backup(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.backup()
    blob_put(b"record three", "record")
    for code in (errno.ENOSPC, errno.EACCES, errno.EROFS):
        with monkeypatch.context() as patch:
            patch.setattr(saving, "_files_copy", fails_with(OSError(code, "as the system says")))
            site.backup_refused(str(site.backups))
        assert (len(site.snapshots()), len(site.saved_blobs())) == (1, 2)
    assert site.backup()["new_blobs"] == 1


def test_a_disk_that_fills_during_a_restore_leaves_the_place_empty(
    site: Site, target, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.backup()
    data = target()
    (data / "secret_key").write_text("made by the first command")
    for owner, step in (
        (restoring, "_files_prepare"),
        (databases.DatabaseTarget, "prepare"),
        (databases.DatabaseTarget, "publish"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, step, fails_with(OSError(errno.ENOSPC, "No space left on device")))
            restore_refused(site.backups, str(data))
        assert [path.name for path in data.iterdir()] == ["secret_key"]
        assert (data / "secret_key").read_text() == "made by the first command"
    call_command("restore", str(site.backups), stdout=io.StringIO())
    assert (data / "secret_key").read_text() == "k" * 50


def test_a_small_disk_is_refused_before_anything_is_written(
    site: Site, target, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.backup()
    data = target()
    monkeypatch.setattr(restoring, "FREE_SPACE_FACTOR", 1 << 50)
    restore_refused(site.backups, str(data))


def test_a_backup_of_a_newer_release_is_refused(site: Site, target, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(saving, "applied_migrations", lambda using: {("common", "0099_of_the_future")})
        site.backup()
        patch.setattr(saving, "applied_migrations", lambda using: set())
        patch.setattr(saving, "oldest_release", lambda using: "99.0.0")
        site.backup()
    data = target()
    first, _ = site.snapshots()
    restore_refused(site.backups / "snapshots" / first, first, "0099_of_the_future")
    restore_refused(site.backups, "99.0.0")
    assert list(data.iterdir()) == []


@pytest.mark.full
def test_blobs_in_a_bucket(site: Site, target, settings, tmp_path: Path) -> None:
    (tmp_path / "weed").mkdir()
    with object_storage(tmp_path / "weed") as server:
        client = server.client()

        def use_prefix(name: str, key_id: str = KEY_ID, secret: str = SECRET) -> None:
            given = {
                "RENSHO_BLOBS": f"s3://bucket/{name}?endpoint={server.endpoint}",
                "AWS_ACCESS_KEY_ID": key_id,
                "AWS_SECRET_ACCESS_KEY": secret,
            }
            settings.STORAGES = {**settings.STORAGES, "blobs": blob_storage_of(given, settings.DATA)}

        client.create_bucket(Bucket="bucket")
        Blob.objects.all().delete()
        use_prefix("site")
        one, two, three = (blob_put(text, "record") for text in (b"one", b"two", b"three"))
        assert site.backup()["new_blobs"] == 3
        client.put_object(Bucket="bucket", Key=f"site/{blob_path(one)}", Body=b"damaged after it was saved")
        four = blob_put(b"four", "record")
        client.delete_object(Bucket="bucket", Key=f"site/{blob_path(four)}")
        site.backup_refused(blob_path(four))

        data = target()
        use_prefix("other")
        saved = {sha256: site.backups / "blobs" / blob_path(sha256) for sha256 in (one, two, three)}
        storages["blobs"].save(blob_path(two), ContentFile(saved[two].read_bytes()))
        intact = saved[three].read_bytes()
        saved[three].write_bytes(intact[:-1])
        restore_refused(site.backups, saved[three].name)
        assert [path for path in data.iterdir() if path.stat().st_size] == []
        saved[three].write_bytes(intact)
        use_prefix("other", secret="of another key")
        restore_refused(site.backups, "blob storage", "AWS_SECRET_ACCESS_KEY")
        use_prefix("other")
        call_command("restore", str(site.backups), stdout=io.StringIO())
        assert restored_rows(data) == {one, two, three, four}
        assert [blob_get(sha256, is_cached=False) for sha256 in saved] == [b"one", b"two", b"three"]

        server.stop()
        error = refusal(CommandError, call_command, "backup", str(tmp_path / "more"))
        assert "does not answer" in str(error)
        assert list((tmp_path / "more/snapshots").iterdir()) == []


@pytest.mark.full
def test_every_event_verifies_after_a_restore(site: Site, target) -> None:
    tournament = play_out(under_way(2))
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.FINAL)
    site.backup()
    record = Table.objects.values_list("record_sha256", flat=True)[0]
    data = target()
    call_command("restore", str(site.backups), stdout=io.StringIO())
    out = io.StringIO()
    call_command("events_verify", stdout=out)
    assert out.getvalue().startswith("1 ended")
    (data / "blobs" / blob_path(record)).unlink()
    out = io.StringIO()
    refusal(CommandError, call_command, "events_verify", stdout=out)
    assert tournament.public_id in out.getvalue()


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
