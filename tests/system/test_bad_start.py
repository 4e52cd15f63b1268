"""Processes that start while a service is away name the setting, the address and the remedy in one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.system.conftest import REPOSITORY

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

PATIENCE_S = 200.0
"""A guard against hanging, not a measure."""
PASSWORD = "pass-4711"
BROKER = f"redis://:{PASSWORD}@127.0.0.1:1/0"
DATABASE = f"postgres://rensho:{PASSWORD}@127.0.0.1:1/rensho"
BLOBS = "s3://blobs/site?endpoint=http://127.0.0.1:1"
CELERY = ("celery", "-A", "arena", "--quiet")
HOUSEKEEPING = ("worker", "-n", "housekeeping@%h", "-Q", "housekeeping", "-c", "1")
WITHOUT_GOSSIP = ("--without-gossip", "--without-mingle")


def environment(data: Path, **services: str) -> dict[str, str]:
    outer = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "SECRET_KEY")}
    return {
        **outer,
        "DJANGO_SETTINGS_MODULE": "arena.settings.base",
        "PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'platform'}",
        "PYTHONUNBUFFERED": "1",
        "CELERY_SKIP_CHECKS": "1",
        "RENSHO_DATA": str(data),
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": PASSWORD,
        **services,
    }


def lines(log: Path, setting: str) -> list[str]:
    return [line for line in log.read_text().splitlines() if setting in line]


def waiting(data: Path, words: tuple[str, ...], settings: tuple[str, ...], **services: str) -> str:
    """Start a process, wait until it has named these settings, end it with SIGTERM, and return its log."""
    log = data / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=data,
            env=environment(data, **services),
            stdout=output,
            stderr=output,
        )
    try:
        deadline = time.monotonic() + PATIENCE_S
        while not all(lines(log, setting) for setting in settings):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        finally:
            process.kill()
    return log.read_text()


def expect_one_line_each(log: str, settings: tuple[str, ...]) -> None:
    for setting in settings:
        (line,) = [line for line in log.splitlines() if setting in line]
        assert "127.0.0.1" in line
    assert PASSWORD not in log
    assert "Traceback" not in log


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ((*CELERY, *HOUSEKEEPING, *WITHOUT_GOSSIP), ("REDIS_URL", "DATABASE_URL", "RENSHO_BLOBS")),
        ((*CELERY, "beat", "--schedule", "beat", "--pidfile="), ("REDIS_URL",)),
        (("django", "serve", "--port", "0"), ("REDIS_URL", "DATABASE_URL", "RENSHO_BLOBS")),
    ],
    ids=["housekeeping", "beat", "web"],
)
def test_a_process_names_each_service_that_is_away_and_waits(
    tmp_path: Path, words: tuple[str, ...], settings: tuple[str, ...]
) -> None:
    services = {"REDIS_URL": BROKER, "DATABASE_URL": DATABASE, "RENSHO_BLOBS": BLOBS}
    expect_one_line_each(waiting(tmp_path, words, settings, **services), settings)


@pytest.mark.parametrize(
    ("setting", "services"),
    [("REDIS_URL", {"REDIS_URL": BROKER}), ("RENSHO_BLOBS", {"RENSHO_BLOBS": BLOBS})],
    ids=["broker", "storage"],
)
def test_up_ends_before_it_changes_anything(tmp_path: Path, setting: str, services: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "django", "up", "--port", "0"],
        cwd=tmp_path,
        env=environment(tmp_path, **services),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    expect_one_line_each(done.stderr, (setting,))
    assert not (tmp_path / "arena.sqlite3").exists()
