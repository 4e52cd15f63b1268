"""Secrets from files: each variable has one, and an unusable file is one line without its content."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.settings.secret_files import MAX_SECRET_BYTES, SECRETS, file_variable, secret_of
from tests.refusals import refusal

ROOT = Path(__file__).resolve().parents[3]
VALUES = {
    "SECRET_KEY": "k" * 40,
    "SECRET_KEY_FALLBACKS": "f" * 40,
    "DATABASE_URL": "postgres://rensho:pass-word@db.example.org/rensho",
    "REDIS_URL": "redis://:queue-word@queue.example.org:6379/0",
    "AWS_ACCESS_KEY_ID": "key-id",
    "AWS_SECRET_ACCESS_KEY": "key-secret",
    "RENSHO_EMAIL_URL": "smtp://rensho:mail-word@mail.example.org",
    "RENSHO_METRICS": "token:0123456789abcdef, 10.0.0.0/24",
    "RENSHO_OIDC_CLIENT_SECRET": "oidc-word",
    "RENSHO_SENTRY_DSN": "https://sentry-key@sentry.example.org/1",
}
READ = """
import json
from arena.settings import base
print(json.dumps({
    "SECRET_KEY": base.SECRET_KEY,
    "SECRET_KEY_FALLBACKS": base.SECRET_KEY_FALLBACKS[0],
    "DATABASE_URL": base.DATABASES["default"]["PASSWORD"],
    "REDIS_URL": base.REDIS_URL,
    "AWS_ACCESS_KEY_ID": base.STORAGES["blobs"]["OPTIONS"]["access_key"],
    "AWS_SECRET_ACCESS_KEY": base.STORAGES["blobs"]["OPTIONS"]["secret_key"],
    "RENSHO_EMAIL_URL": base.EMAIL_HOST_PASSWORD,
    "RENSHO_METRICS": base.METRICS_ACCESS.tokens[0],
    "RENSHO_OIDC_CLIENT_SECRET": base.OIDC.client_secret,
    "RENSHO_SENTRY_DSN": base.SENTRY_DSN,
}))
"""


def test_the_settings_read_every_secret_from_its_file(tmp_path: Path) -> None:
    assert set(VALUES) == set(SECRETS)
    environment = {name: value for name, value in os.environ.items() if name not in VALUES}
    for name, value in VALUES.items():
        path = tmp_path / name.lower()
        path.write_text(f"{value}\n")
        environment[file_variable(name)] = str(path)
    environment |= {
        "RENSHO_BLOBS": "s3://blobs/site",
        "RENSHO_EMAIL_FROM": "rensho@example.org",
        "RENSHO_OIDC_ISSUER": "https://login.example.org",
        "RENSHO_OIDC_CLIENT_ID": "rensho",
        "RENSHO_DATA": str(tmp_path / "data"),
        "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
    }
    done = subprocess.run(
        [sys.executable, "-c", READ],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    read = json.loads(done.stdout)
    assert [name for name in SECRETS if read[name] not in VALUES[name]] == []
    assert not (tmp_path / "data" / "secret_key").exists()


def test_a_variable_a_file_or_neither(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("  of the file\r\n\n")
    assert secret_of({}, "X") == secret_of({"X": " ", "X_FILE": " "}, "X") == ""
    assert secret_of({"X": " given ", "X_FILE": ""}, "X") == "given"
    assert secret_of({"X": "", "X_FILE": str(path)}, "X") == "of the file"
    path.write_text("x" * MAX_SECRET_BYTES)
    assert len(secret_of({"X_FILE": str(path)}, "X")) == MAX_SECRET_BYTES


def test_both_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("of the file")
    text = str(refusal(SystemExit, secret_of, {"X": "given", "X_FILE": str(path)}, "X"))
    assert text.startswith("rensho: X and X_FILE ")
    assert "given" not in text


@pytest.mark.parametrize(
    "problem", ["missing", "folder", "pipe", "unreadable", "empty", "large", "lines", "bytes"]
)
def test_a_file_that_cannot_be_used_is_one_line(problem: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if problem == "folder":
        path.mkdir()
    elif problem == "pipe":
        os.mkfifo(path)
    elif problem == "unreadable":
        path = Path("/proc/self/mem")
    elif problem != "missing":
        path.write_bytes(
            {
                "empty": b" \n",
                "large": b"secret-word" * MAX_SECRET_BYTES,
                "lines": b"secret-word\nsecret-word\n",
                "bytes": b"secret-word\xff",
            }[problem]
        )
    text = str(refusal(SystemExit, secret_of, {"X_FILE": str(path)}, "X"))
    assert text.startswith(f"rensho: X_FILE: '{path}' ")
    assert "\n" not in text
    assert "secret-word" not in text


def test_a_path_with_a_null_byte_is_refused_too() -> None:
    assert str(refusal(SystemExit, secret_of, {"X_FILE": "a\0b"}, "X")).startswith("rensho: X_FILE: ")
