"""Files of strangers given to the kit: whatever is in them, one short line and the status of bad input."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from engine.refusals import REFUSAL_CHARS
from league.verify import archive
from league.verify.archive import ArchiveLimits
from tests.referee.bombs import BOMBS

LONG = "\x01" * 100_000


def exported(path: Path, document: bytes, **records: bytes) -> Path:
    """A zip with this document and these records."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tournament.json", document)
        for sha256, record in records.items():
            archive.writestr(f"records/{sha256}.ndjson", record)
    return path


def a_document(**fields: Any) -> bytes:
    """An export with one table, whose record has the hash ``a``."""
    table = {"record_sha256": "a"}
    stages = [{"rounds": [{"fixtures": [{"tables": [table]}]}]}]
    document = {"format": "rensho-export/3", "tournament": {"secret": None}, "stages": stages, "entries": []}
    return json.dumps({**document, **fields}).encode()


@pytest.mark.parametrize(
    "document",
    [
        b"[" * 100_000,
        b"[]",
        b'"' + b"x" * 100_000 + b'"',
        b'{"tournament": []}',
        b'{"tournament": "' + b"x" * 100_000 + b'", "stages": []}',
        b'{"tournament": {}, "stages": "' + b"x" * 100_000 + b'"}',
        b'{"tournament": {}, "stages": [{"rounds": 7}]}',
        b'{"tournament": {}, "stages": [' + b"9" * 5000 + b"]}",
        a_document(stages=[{"rounds": [{"fixtures": [{"tables": [{"record_sha256": ["a"]}]}]}]}]),
    ],
)
def test_an_export_that_is_none(rensho, tmp_path, document):
    path = exported(tmp_path / "x.zip", document)
    rensho.refuses("verify", path, names=str(path))


def test_disagreements_are_short_too(rensho, tmp_path):
    path = exported(tmp_path / "x.zip", a_document(format=LONG, tournament={"id": "t", "name": "t"}))
    (found,) = rensho.json("verify", path, status=1)["disagreements"]
    assert len(found) <= REFUSAL_CHARS


def test_a_document_that_unpacks_to_more_than_it_may(rensho, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "ArchiveLimits", lambda: ArchiveLimits(document_bytes=1 << 20))
    path = exported(tmp_path / "x.zip", bytes(2 << 20))
    rensho.refuses("verify", path, names=("'tournament.json'", "1 MiB"))


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000 + b"\n",
        gzip.compress(b"[" * 100_000, mtime=0),
        lambda: gzip.compress(bytes((64 << 20) + 1), mtime=0),
        gzip.compress(b"x", mtime=0)[:-9],
        b"\x1f\x8b" + b"x" * 100,
        b"\n" * 1000,
    ],
    ids=["brackets", "brackets packed", "a bomb", "torn", "no gzip", "empty lines"],
)
def test_a_record_that_is_none(rensho, tmp_path, data):
    path = tmp_path / "x.ndjson"
    path.write_bytes(data() if callable(data) else data)
    rensho.refuses("replay", path, names=str(path))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b'{"format":"rensho-fault/1"}',
        b"[" * 100_000,
        b'{"format": "' + b"x" * 100_000 + b'"}',
        json.dumps({"format": "rensho-fault/1", "fault": {LONG: 1, "verdict": "OK"}}).encode(),
        json.dumps({"format": "rensho-fault/1", "fault": {"verdict": LONG}}).encode(),
    ],
)
def test_a_fault_file_that_is_none(rensho, tmp_path, data):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    rensho.refuses("reproduce", path, names=str(path))


@pytest.mark.parametrize("name", ["long names of a zip", "manifest with a long field", "overlapping members"])
@pytest.mark.parametrize("command", ["check", "play"])
def test_an_archive_of_a_bot(rensho, tmp_path, command, name):
    path = tmp_path / "bot.zip"
    path.write_bytes(BOMBS[name][1]())
    words = ["check", path] if command == "check" else ["play", path, "house:greedy"]
    status, out, err = rensho(*words)
    assert status in (1, 2)
    assert len(out + err) <= REFUSAL_CHARS + len(str(path)) + 100


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", "[" * 100_000),
        ("x.json", json.dumps({LONG: 1})),
        ("x.toml", "a = " + "[" * 100_000),
        ("x.toml", "a." * 50_000 + "a = 1"),
        ("x.toml", "a = {" + "k" * 7000 + " = 1, " + "k" * 7000 + " = 1}"),
        ("x.toml", "x" * (2 << 20)),
    ],
)
def test_a_tournament_from_a_file(rensho, tmp_path, monkeypatch, name, text):
    monkeypatch.setenv("RENSHO_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("RENSHO_TOKEN", "t")
    path = tmp_path / name
    path.write_text(text)
    rensho.refuses("tournaments", "new", path)
