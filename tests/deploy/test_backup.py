"""A backup taken from a running installation comes back whole, and nothing is ever overwritten."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


class Installation:
    """A data folder, the env file that names it, and the scripts run on them."""

    def __init__(self, folder: Path, name: str, database_url: str = "") -> None:
        self.data = folder / name
        self.env = folder / f"{name}.env"
        lines = [f"RENSHO_DATA={self.data}", *([f"DATABASE_URL={database_url}"] if database_url else [])]
        self.env.write_text("\n".join(lines) + "\n")

    def run(self, script: str, folder: Path) -> subprocess.CompletedProcess[str]:
        argv = [str(DEPLOY / script), str(folder), str(self.env)]
        return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Installation]:
    """One with a row that is still in the write-ahead log, a blob, a key, and what is not to be saved."""
    found = Installation(tmp_path, "site")
    (found.data / "blobs/ab").mkdir(parents=True)
    (found.data / "blobs/ab/abcd").write_bytes(b"record")
    (found.data / "secret_key").write_text("key")
    (found.data / "logs").mkdir()
    (found.data / "logs/web.log").write_text("long")
    (found.data / "broker").mkdir()
    (found.data / "up.json").write_text("{}")
    open_database = sqlite3.connect(found.data / "arena.sqlite3")
    open_database.execute("PRAGMA journal_mode=WAL")
    open_database.execute("CREATE TABLE t (x)")
    open_database.execute("INSERT INTO t VALUES (42)")
    open_database.commit()
    yield found
    open_database.close()


def test_what_was_saved_comes_back(site: Installation, tmp_path: Path) -> None:
    saved = site.run("backup.sh", tmp_path / "saved")
    assert saved.returncode == 0, saved.stderr
    other = Installation(tmp_path, "other")
    restored = other.run("restore.sh", tmp_path / "saved")
    assert restored.returncode == 0, restored.stderr
    assert sorted(path.name for path in other.data.iterdir()) == ["arena.sqlite3", "blobs", "secret_key"]
    with sqlite3.connect(other.data / "arena.sqlite3") as database:
        assert database.execute("SELECT x FROM t").fetchall() == [(42,)]
    assert (other.data / "blobs/ab/abcd").read_bytes() == b"record"
    assert (other.data / "secret_key").read_text() == "key"
    assert (tmp_path / "saved").stat().st_mode & 0o077 == 0, "others may not read secrets"


def test_nothing_is_overwritten(site: Installation, tmp_path: Path) -> None:
    assert site.run("backup.sh", tmp_path / "saved").returncode == 0
    again = site.run("backup.sh", tmp_path / "saved")
    assert (again.returncode, "exists" in again.stderr) == (1, True)
    onto = site.run("restore.sh", tmp_path / "saved")
    assert (onto.returncode, "not empty" in onto.stderr) == (1, True)


def test_a_damaged_backup_is_refused(site: Installation, tmp_path: Path) -> None:
    assert site.run("backup.sh", tmp_path / "saved").returncode == 0
    with (tmp_path / "saved/files.tar.gz").open("ab") as file:
        file.write(b"x")
    other = Installation(tmp_path, "other")
    refused = other.run("restore.sh", tmp_path / "saved")
    assert (refused.returncode, "damaged" in refused.stderr) == (1, True)
    assert not other.data.exists()


@pytest.mark.parametrize(
    ("script", "folder", "sentence"),
    [
        ("backup.sh", "", "usage"),
        ("restore.sh", "nowhere", "no backup"),
    ],
)
def test_a_slip_of_the_pen_is_one_sentence(
    site: Installation, tmp_path: Path, script: str, folder: str, sentence: str
) -> None:
    argv = [str(DEPLOY / script), *([str(tmp_path / folder), str(site.env)] if folder else [])]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert sentence in done.stderr


def test_a_failed_backup_leaves_nothing(tmp_path: Path) -> None:
    empty = Installation(tmp_path, "empty")
    empty.data.mkdir()
    done = empty.run("backup.sh", tmp_path / "saved")
    assert (done.returncode, "missing" in done.stderr) == (1, True)
    assert not list(tmp_path.glob("saved*"))


def test_an_interrupted_backup_leaves_nothing(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "tar").write_text("#!/bin/sh\nkill -TERM $PPID\n")
    (tools / "tar").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    saved = site.run("backup.sh", tmp_path / "backups" / "saved")
    assert (saved.returncode, saved.stderr) == (1, "backup.sh: interrupted; nothing was saved\n")
    assert list((tmp_path / "backups").iterdir()) == []


def test_a_restore_that_has_no_place_for_the_database_changes_nothing(
    site: Installation, tmp_path: Path
) -> None:
    assert site.run("backup.sh", tmp_path / "saved").returncode == 0
    other = Installation(tmp_path, "other", f"sqlite:///{tmp_path}/missing/arena.sqlite3")
    refused = other.run("restore.sh", tmp_path / "saved")
    assert (refused.returncode, "missing" in refused.stderr) == (1, True)
    assert not other.data.exists()
    (tmp_path / "missing").mkdir()
    restored = other.run("restore.sh", tmp_path / "saved")
    assert restored.returncode == 0, restored.stderr
    assert (tmp_path / "missing/arena.sqlite3").is_file()


def test_a_restore_that_has_no_place_for_the_files_changes_nothing(
    site: Installation, tmp_path: Path
) -> None:
    assert site.run("backup.sh", tmp_path / "saved").returncode == 0
    other = Installation(tmp_path, "other")
    (tmp_path / "file").touch()
    other.env.write_text(f"RENSHO_DATA={tmp_path}/file/data\nDATABASE_URL=sqlite:///{tmp_path}/db\n")
    refused = other.run("restore.sh", tmp_path / "saved")
    assert (refused.returncode, "Nothing was changed" in refused.stderr) == (1, True)
    assert not (tmp_path / "db").exists()


def test_a_disk_of_its_own_is_empty(site: Installation, tmp_path: Path) -> None:
    (site.data / "lost+found").mkdir()
    assert site.run("backup.sh", tmp_path / "saved").returncode == 0
    other = Installation(tmp_path, "other")
    (other.data / "lost+found").mkdir(parents=True)
    restored = other.run("restore.sh", tmp_path / "saved")
    assert restored.returncode == 0, restored.stderr


@pytest.mark.parametrize("closed", ["etc/rensho.env", "etc"])
def test_who_may_not_read_the_env_file_of_the_units_is_told_so(closed: str) -> None:
    """With the settings of the environment instead, another installation would be saved, or none."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "deploy").mkdir()
        (folder / "etc").mkdir()
        (folder / "etc/rensho.env").write_text("RENSHO_DATA=/nowhere\n")
        shutil.copy(DEPLOY / "backup.sh", folder / "deploy")
        text = (DEPLOY / "settings.sh").read_text()
        assert "/etc/rensho/rensho.env" in text
        text = text.replace("/etc/rensho/rensho.env", f"{folder}/etc/rensho.env")
        (folder / "deploy/settings.sh").write_text(text)
        (folder / closed).chmod(0)
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        done = subprocess.run(
            [*(as_nobody if os.geteuid() == 0 else []), folder / "deploy/backup.sh", folder / "saved"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        (folder / closed).chmod(0o755)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "rensho.env is there but this user may not read it. Run this as root." in done.stderr


@pytest.mark.django_db(transaction=True)
def test_postgresql_goes_through_its_own_tools(tmp_path: Path) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("needs PostgreSQL: make test-postgres")
    if not shutil.which("pg_dump"):
        pytest.fail("pg_dump is missing: apt-get install postgresql-client")
    values = connection.get_connection_params()
    where = "&".join(f"{name}={values[name]}" for name in ("host", "port") if values.get(name))
    base = f"postgres://{values.get('user', '')}@/{{}}?{where}"
    with connection.cursor() as cursor:
        cursor.execute("CREATE DATABASE backup_source")
        cursor.execute("CREATE DATABASE backup_target")
    try:
        source = Installation(tmp_path, "source", base.format("backup_source"))
        source.data.mkdir()
        (source.data / "secret_key").write_text("key")
        psql = ["psql", "--no-psqlrc", "-qAt", base.format("backup_source")]
        made = "CREATE TABLE t (x int); INSERT INTO t VALUES (42)"
        subprocess.run([*psql, "-c", made], check=True, env=os.environ)
        saved = source.run("backup.sh", tmp_path / "saved")
        assert saved.returncode == 0, saved.stderr
        target = Installation(tmp_path, "target", base.format("backup_target"))
        restored = target.run("restore.sh", tmp_path / "saved")
        assert restored.returncode == 0, restored.stderr
        psql[-1] = base.format("backup_target")
        found = subprocess.run([*psql, "-c", "SELECT x FROM t"], check=True, capture_output=True, text=True)
        assert found.stdout.strip() == "42"
        shutil.rmtree(target.data)
        onto = target.run("restore.sh", tmp_path / "saved")
        assert (onto.returncode, "1 tables" in onto.stderr) == (1, True)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP DATABASE backup_source WITH (FORCE)")
            cursor.execute("DROP DATABASE backup_target WITH (FORCE)")
