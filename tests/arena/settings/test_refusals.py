"""Settings that are wrong: each command ends with one sentence that names the variable, and no secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.settings.database import database_of
from arena.settings.groups import control_groups_check
from arena.settings.hosts import LOCAL_HOSTS, hosts_of, origins_of
from arena.settings.logs import log_level_of
from arena.settings.private import data_folder_of
from arena.settings.secret import (
    MAX_FALLBACKS,
    MIN_CHARACTERS,
    configured_secret_key,
    load_or_create_secret_key,
    secret_key_fallbacks_of,
)
from arena.settings.switches import switch_of
from tests.refusals import refusal

ROOT = Path(__file__).resolve().parents[3]
WRONG = {
    "RENSHO_HTTPS": "true",
    "RENSHO_DEBUG": "yes",
    "RENSHO_LOG_LEVEL": "loud",
    "RENSHO_LOG_FORMAT": "xml",
    "RENSHO_HOSTS": "https://rensho.example.org",
    "RENSHO_ORIGINS": "rensho.example.org",
    "RENSHO_CORS_ORIGINS": "https://stats.example.org/",
    "SECRET_KEY": "short-word",
    "SECRET_KEY_FALLBACKS": "short-word",
    "SANDBOX_CGROUP": "maybe",
    "DATABASE_URL": "mysql://rensho:pass-word@localhost/rensho",
    "REDIS_URL": "redis://:pass#word@localhost:6379/0",
    "RENSHO_BLOBS": "s3://key:pass-word@blobs",
}
READ = """
import importlib, json, os, sys
base = "arena.settings.base"
said = {}
for name, value in json.loads(sys.argv[1]).items():
    os.environ[name] = value
    sys.modules.pop(base, None)
    try:
        importlib.import_module(base)
        said[name] = ""
    except SystemExit as end:
        said[name] = str(end)
    del os.environ[name]
print(json.dumps(said))
"""


def refusals(wrong: dict[str, str], data: Path) -> dict[str, str]:
    """What the settings of an installation say of each of these values, set alone."""
    plain = {name: value for name, value in os.environ.items() if name not in wrong}
    done = subprocess.run(
        [sys.executable, "-c", READ, json.dumps(wrong)],
        env={**plain, "RENSHO_DATA": str(data), "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
        cwd=data,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    said: dict[str, str] = json.loads(done.stdout)
    return said


def test_every_command_names_the_variable_that_is_wrong(tmp_path: Path) -> None:
    said = refusals(WRONG, tmp_path)
    assert [name for name, text in said.items() if not text.startswith(f"rensho: {name}")] == []
    assert [text for text in said.values() if "\n" in text] == []
    assert [text for text in said.values() if "pass" in text and "word@" in text] == []


def test_what_is_empty_is_as_if_it_were_not_set(tmp_path: Path) -> None:
    assert set(refusals(dict.fromkeys(WRONG, ""), tmp_path).values()) == {""}


def test_a_switch_is_0_or_1() -> None:
    assert [switch_of({"X": text}, "X") for text in ("1", " 1 ", "0", "")] == [True, True, False, False]
    assert not switch_of({}, "X")
    for text in ("true", "yes", "on", "01", "2"):
        with pytest.raises(SystemExit, match=f"X='{text}'"):
            switch_of({"X": text}, "X")


def test_an_empty_data_folder_is_the_usual_one_and_not_where_the_command_was_typed(tmp_path: Path) -> None:
    assert data_folder_of({"RENSHO_DATA": ""}, tmp_path) == tmp_path
    assert data_folder_of({"RENSHO_DATA": " "}, tmp_path) == tmp_path
    assert data_folder_of({"RENSHO_DATA": "/srv/rensho"}, tmp_path) == Path("/srv/rensho")


def test_hosts_are_names_alone() -> None:
    for nothing in ({}, {"RENSHO_HOSTS": " , "}):
        assert hosts_of(nothing) == list(LOCAL_HOSTS)
    text = "rensho.example.org, .example.org,*,[::1],127.0.0.1"
    assert hosts_of({"RENSHO_HOSTS": text}) == [word.strip() for word in text.split(",")]
    for wrong in ("https://a.org", "a.org:8443", "a.org/path", "a b"):
        assert "RENSHO_HOSTS" in str(refusal(SystemExit, hosts_of, {"RENSHO_HOSTS": f"b.org,{wrong}"}))


def test_origins_have_a_scheme_and_lose_their_blanks() -> None:
    assert origins_of({}) == []
    text = "https://a.org, https://*.b.org ,http://localhost:8000"
    assert origins_of({"RENSHO_ORIGINS": text}) == [
        "https://a.org",
        "https://*.b.org",
        "http://localhost:8000",
    ]
    for wrong in ("a.org", "https://a.org/", "https://a.org/path", "https://", "ftp://a.org", "https://a:x"):
        with pytest.raises(SystemExit, match="RENSHO_ORIGINS"):
            origins_of({"RENSHO_ORIGINS": f"https://b.org,{wrong}"})


def test_levels_are_read_in_any_case() -> None:
    assert [log_level_of({"RENSHO_LOG_LEVEL": text}) for text in ("info", "Error", "")] == [
        *("INFO", "ERROR", "INFO")
    ]
    assert "RENSHO_LOG_LEVEL='loud'" in str(refusal(SystemExit, log_level_of, {"RENSHO_LOG_LEVEL": "loud"}))


def test_a_key_that_could_be_guessed_is_refused_and_not_shown() -> None:
    assert configured_secret_key({}) == configured_secret_key({"SECRET_KEY": ""}) == ""
    assert configured_secret_key({"SECRET_KEY": "k" * MIN_CHARACTERS}) == "k" * MIN_CHARACTERS
    with pytest.raises(SystemExit, match="SECRET_KEY") as refusal:
        configured_secret_key({"SECRET_KEY": "hunter2"})
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    ("held", "problem"),
    [
        (b"hunter2\n", "has 7 characters; at least 24 are required"),
        (b"", "has 0 characters"),
        (b"\xff" * 48, "is not text"),
    ],
)
def test_a_key_put_into_the_data_folder_is_looked_at_as_well(
    tmp_path: Path, held: bytes, problem: str
) -> None:
    (tmp_path / "secret_key").write_bytes(held)
    with pytest.raises(SystemExit, match=problem) as refusal:
        load_or_create_secret_key(tmp_path)
    assert str(tmp_path / "secret_key") in str(refusal.value)
    assert "hunter2" not in str(refusal.value)
    (tmp_path / "secret_key").write_text("k" * MIN_CHARACTERS + "\n")
    assert load_or_create_secret_key(tmp_path) == "k" * MIN_CHARACTERS


def test_control_groups_are_a_word_or_a_path() -> None:
    for right in ("", "auto", "off", "/rensho", "/a/b"):
        control_groups_check({"SANDBOX_CGROUP": right})
    for wrong in ("maybe", "/", "rensho", "/a/../b"):
        assert "SANDBOX_CGROUP" in str(refusal(SystemExit, control_groups_check, {"SANDBOX_CGROUP": wrong}))


def test_a_database_is_postgresql_or_a_file(tmp_path: Path) -> None:
    for nothing in ({}, {"DATABASE_URL": ""}):
        assert database_of(nothing, tmp_path)["NAME"] == str(tmp_path / "arena.sqlite3")
    found = database_of({"DATABASE_URL": "postgresql://me:p%23w@db:5433/rensho?sslmode=require"}, tmp_path)
    assert (found["HOST"], found["PORT"], found["NAME"], found["PASSWORD"]) == ("db", 5433, "rensho", "p#w")
    assert found["OPTIONS"]["sslmode"] == "require"
    assert database_of({"DATABASE_URL": f"sqlite:///{tmp_path}/x"}, tmp_path)["NAME"] == f"{tmp_path}/x"


@pytest.mark.parametrize(
    "url",
    [
        "hidden",
        "mysql://me:hidden@db/rensho",
        "postgres://me:hid#hidden@db/rensho",
        "postgres://me:hidden@db:port/rensho",
        "postgres://me:hidden@[::1/rensho",
        "postgres://me:hidden@db",
        "hidden and more://db/rensho",
        "sqlite://",
        "sqlite://:memory:",
    ],
)
def test_any_other_database_is_refused_without_the_password(url: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="DATABASE_URL") as refusal:
        database_of({"DATABASE_URL": url}, tmp_path)
    assert "hidden" not in str(refusal.value)


def test_earlier_keys_are_few_and_as_long_as_the_key() -> None:
    keys = [letter * MIN_CHARACTERS for letter in "abcdef"]
    assert secret_key_fallbacks_of({}) == []
    assert secret_key_fallbacks_of({"SECRET_KEY_FALLBACKS": ", ".join(keys[:2])}) == keys[:2]
    for wrong in (",".join(keys[: MAX_FALLBACKS + 1]), f"{keys[0]},hunter2"):
        text = str(refusal(SystemExit, secret_key_fallbacks_of, {"SECRET_KEY_FALLBACKS": wrong}))
        assert text.startswith("rensho: SECRET_KEY_FALLBACKS")
        assert "hunter2" not in text
