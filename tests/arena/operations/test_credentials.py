"""Rotation of the database password and the bucket key: both are valid while processes restart in turn."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import psycopg
import pytest
from botocore.exceptions import ClientError
from django.core.files.base import ContentFile

from arena.common.s3_storage import S3BlobStorage
from arena.settings.storage import blob_storage_of
from tests import postgres
from tests.object_storage import KEY_ID, SECRET, ObjectStorage, object_storage

pytestmark = pytest.mark.full
ROOT = Path(__file__).resolve().parents[3]
WAIT_S = 60.0
WORKER = """
import os, signal, sys, time
from pathlib import Path
from django.conf import settings
from arena.settings.database import database_of
settings.configure(DATABASES={"default": database_of(os.environ, Path("/"))})
from django.db import connection
ends = []
signal.signal(signal.SIGTERM, lambda *_: ends.append(True))
while not ends:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO work VALUES (%s)", [os.getpid()])
    connection.close()
    time.sleep(0.05)
"""
"""A process with the site's settings of the database, which connects again for each of its requests."""


@pytest.fixture
def server() -> Iterator[postgres.Server]:
    """A server on which all roles but the superuser's need a password."""
    with postgres.server() as started:
        rules = f"local all {postgres.USER} trust\nlocal all all scram-sha-256\n"
        (started.folder / "data" / "pg_hba.conf").write_text(rules)
        with admin(started, "postgres") as connection:
            connection.execute("SELECT pg_reload_conf()")
            connection.execute("CREATE ROLE site LOGIN PASSWORD 'first'")
            connection.execute("CREATE DATABASE site OWNER site")
        yield started


def admin(server: postgres.Server, database: str) -> psycopg.Connection[Any]:
    return psycopg.connect(host=str(server.folder), user=postgres.USER, dbname=database, autocommit=True)


def url_of(server: postgres.Server, role: str, password: str) -> str:
    return f"postgres://{role}:{password}@{str(server.folder).replace('/', '%2F')}/site"


def test_processes_move_to_a_second_role_one_after_the_other(server: postgres.Server, tmp_path: Path) -> None:
    secret = tmp_path / "database_url"
    secret.write_text(url_of(server, "site", "first"))
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"DATABASE_URL_FILE": str(secret), "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"}
    with psycopg.connect(url_of(server, "site", "first")) as connection:
        connection.execute("CREATE TABLE work (pid integer)")
    started: list[subprocess.Popen[bytes]] = []
    with admin(server, "site") as connection:

        def start() -> subprocess.Popen[bytes]:
            process = subprocess.Popen([sys.executable, "-c", WORKER], env=environment)
            started.append(process)
            works(process)
            return process

        def works(process: subprocess.Popen[bytes]) -> None:
            """Wait for new rows of a process."""
            connection.execute("DELETE FROM work WHERE pid = %s", [process.pid])
            until = time.monotonic() + WAIT_S
            while not connection.execute("SELECT 1 FROM work WHERE pid = %s", [process.pid]).fetchone():
                assert process.poll() is None
                assert time.monotonic() < until
                time.sleep(0.02)

        def end(process: subprocess.Popen[bytes]) -> None:
            process.send_signal(signal.SIGTERM)
            assert process.wait(WAIT_S) == 0, "a request of this process failed"

        try:
            earlier = [start(), start()]
            connection.execute("CREATE ROLE site_2 LOGIN PASSWORD 'second' IN ROLE site")
            connection.execute("ALTER ROLE site_2 SET ROLE site")
            secret.write_text(url_of(server, "site_2", "second"))
            for process in earlier:
                start()
                end(process)
            connection.execute("ALTER ROLE site NOLOGIN PASSWORD NULL")
            for process in started[2:]:
                works(process)
                end(process)
        finally:
            for process in started:
                process.kill()
                process.wait()
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(url_of(server, "site", "first"))
        with psycopg.connect(url_of(server, "site_2", "second")) as later:
            later.execute("ALTER TABLE work ADD COLUMN note text")
            later.execute("CREATE TABLE added ()")
        owners = connection.execute("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'")
        assert owners.fetchall() == [("site",)], "a migration under the second role keeps the owner"


class Reader(threading.Thread):
    """A process of the site, which reads its key when it starts, and uses the bucket until it ends."""

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__(daemon=True)
        entry = blob_storage_of(environment, Path("/nowhere"))
        self._storage = S3BlobStorage(**entry["OPTIONS"])
        self.requests = 0
        self.error: Exception | None = None
        self._ends = threading.Event()
        self.start()
        self.works()

    def run(self) -> None:
        while not self._ends.wait(0.02):
            try:
                self._storage.save(f"{id(self)}", ContentFile(b"x"))
                with self._storage.open(f"{id(self)}") as file:
                    assert file.read() == b"x"
            except Exception as error:
                self.error = error
                return
            self.requests += 1

    def works(self) -> None:
        goal, until = self.requests + 2, time.monotonic() + WAIT_S
        while self.requests < goal:
            assert self.error is None
            assert time.monotonic() < until
            time.sleep(0.01)

    def end(self) -> None:
        self._ends.set()
        self.join(WAIT_S)
        assert self.error is None


def credentials_set(server: ObjectStorage, **secrets: str) -> None:
    """Let the server accept these keys of the site, at once."""
    file = server.folder / "s3.json"
    config = json.loads(file.read_text())
    config["identities"][0]["credentials"] = [
        {"accessKey": key, "secretKey": secret} for key, secret in secrets.items()
    ]
    file.write_text(json.dumps(config))
    assert server._process is not None
    server._process.send_signal(signal.SIGHUP)


def test_processes_move_to_a_second_key_one_after_the_other(tmp_path: Path) -> None:
    key_id, secret = tmp_path / "key_id", tmp_path / "secret"
    (tmp_path / "server").mkdir()
    with object_storage(tmp_path / "server") as server:
        server.client().create_bucket(Bucket="rensho")
        environment = {
            "RENSHO_BLOBS": f"s3://rensho/site?endpoint={server.endpoint}&addressing=path",
            "AWS_ACCESS_KEY_ID_FILE": str(key_id),
            "AWS_SECRET_ACCESS_KEY_FILE": str(secret),
        }
        key_id.write_text(KEY_ID)
        secret.write_text(SECRET)
        earlier = [Reader(environment), Reader(environment)]
        credentials_set(server, **{KEY_ID: SECRET, "site-key-2": "second"})
        key_id.write_text("site-key-2")
        secret.write_text("second")
        until = time.monotonic() + WAIT_S
        while not accepts(server, "site-key-2", "second"):
            assert time.monotonic() < until
            time.sleep(0.05)
        later = []
        for process in earlier:
            later.append(Reader(environment))
            process.end()
        credentials_set(server, **{"site-key-2": "second"})
        while accepts(server, KEY_ID, SECRET):
            assert time.monotonic() < until
            time.sleep(0.05)
        for process in later:
            process.works()
            process.end()


def accepts(server: ObjectStorage, key_id: str, secret: str) -> bool:
    client = boto3.client(
        "s3",
        endpoint_url=server.endpoint,
        aws_access_key_id=key_id,
        aws_secret_access_key=secret,
        region_name="us-east-1",
    )
    try:
        client.head_bucket(Bucket="rensho")
    except ClientError:
        return False
    return True
