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


@pytest.fixture
def saved(site: Installation, tmp_path: Path) -> Path:
    """A backup of it."""
    done = site.run("backup.sh", tmp_path / "saved")
    assert done.returncode == 0, done.stderr
    return tmp_path / "saved"


def assert_refused(done: subprocess.CompletedProcess[str], *names: str) -> None:
    """It failed with one line of error that has these texts."""
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert [name for name in names if name not in done.stderr] == []


def test_what_was_saved_comes_back(saved: Path, tmp_path: Path) -> None:
    other = Installation(tmp_path, "other")
    # A disk of its own has this and is empty all the same.
    (other.data / "lost+found").mkdir(parents=True)
    restored = other.run("restore.sh", saved)
    assert restored.returncode == 0, restored.stderr
    names = sorted(path.name for path in other.data.iterdir() if path.name != "lost+found")
    assert names == ["arena.sqlite3", "blobs", "secret_key"]
    with sqlite3.connect(other.data / "arena.sqlite3") as database:
        assert database.execute("SELECT x FROM t").fetchall() == [(42,)]
    assert (other.data / "blobs/ab/abcd").read_bytes() == b"record"
    assert (other.data / "secret_key").read_text() == "key"
    assert saved.stat().st_mode & 0o077 == 0, "others may not read secrets"


def test_nothing_is_overwritten(site: Installation, saved: Path) -> None:
    assert_refused(site.run("backup.sh", saved), str(saved))
    assert_refused(site.run("restore.sh", saved), str(site.data))


@pytest.mark.parametrize("script", ["backup.sh", "restore.sh"])
def test_a_slip_of_the_pen_is_one_line(site: Installation, tmp_path: Path, script: str) -> None:
    usage = subprocess.run([DEPLOY / script], capture_output=True, text=True, timeout=60, check=False)
    assert_refused(usage, script)


def test_what_cannot_be_saved_or_restored_leaves_nothing(saved: Path, tmp_path: Path) -> None:
    empty, other = Installation(tmp_path, "empty"), Installation(tmp_path, "other")
    empty.data.mkdir()
    assert_refused(empty.run("backup.sh", tmp_path / "new"), "empty")
    assert not list(tmp_path.glob("new*"))
    assert_refused(other.run("restore.sh", tmp_path / "nowhere"), "nowhere")
    with (saved / "files.tar.gz").open("ab") as file:
        file.write(b"x")
    damaged = other.run("restore.sh", saved)
    assert (damaged.returncode, str(saved) in damaged.stderr) == (1, True)
    assert not other.data.exists()


def test_an_interrupted_backup_leaves_nothing(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "tar").write_text("#!/bin/sh\nkill -TERM $PPID\n")
    (tools / "tar").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    assert_refused(site.run("backup.sh", tmp_path / "backups" / "saved"), "backup.sh: interrupted")
    assert list((tmp_path / "backups").iterdir()) == []


@pytest.mark.parametrize(
    "lines",
    [
        "RENSHO_DATA={0}/other\nDATABASE_URL=sqlite:///{0}/missing/db\n",
        "RENSHO_DATA={0}/file/data\nDATABASE_URL=sqlite:///{0}/db\n",
    ],
    ids=["database", "files"],
)
def test_a_restore_that_has_no_place_changes_nothing(saved: Path, tmp_path: Path, lines: str) -> None:
    other = Installation(tmp_path, "other")
    (tmp_path / "file").touch()
    other.env.write_text(lines.format(tmp_path))
    refused = other.run("restore.sh", saved)
    assert (refused.returncode, str(tmp_path) in refused.stderr) == (1, True)
    assert not other.data.exists()
    assert not (tmp_path / "db").exists()


def test_a_restored_database_may_lie_elsewhere(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    other = Installation(tmp_path, "other", f"sqlite:///{tmp_path}/there/arena.sqlite3")
    restored = other.run("restore.sh", saved)
    assert restored.returncode == 0, restored.stderr
    assert (tmp_path / "there/arena.sqlite3").is_file()


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
    assert_refused(done, "rensho.env")


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
