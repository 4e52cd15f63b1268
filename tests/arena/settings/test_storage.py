"""The storage of blobs from the environment: a folder, a bucket, and one line for what is wrong."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from arena.settings.storage import BLOBS, CACHE_MIB, KEY_ID, SECRET, blob_cache_bytes_of, blob_storage_of
from tests.refusals import refusal

DATA = Path("/srv/data")
BUCKET = "s3://blobs/site?endpoint=https://s3.example.org"


def test_without_a_setting_blobs_are_files_of_the_data_folder() -> None:
    assert blob_storage_of({}, DATA)["OPTIONS"] == {"location": DATA / "blobs"}
    assert blob_cache_bytes_of({CACHE_MIB: "5"}) == 0


def test_a_bucket_with_its_key() -> None:
    entry = blob_storage_of({BLOBS: BUCKET, KEY_ID: "key", SECRET: "secret"}, DATA)
    assert entry["OPTIONS"] == {
        "bucket_name": "blobs",
        "location": "site",
        "endpoint_url": "https://s3.example.org",
        "region_name": "us-east-1",
        "addressing_style": "path",
        "access_key": "key",
        "secret_key": "secret",
    }
    assert blob_cache_bytes_of({BLOBS: BUCKET, CACHE_MIB: "5"}) == 5 << 20
    amazon = blob_storage_of({BLOBS: "s3://blobs?region=eu-central-1"}, DATA)["OPTIONS"]
    assert (amazon["endpoint_url"], amazon["region_name"], amazon["addressing_style"]) == (
        None,
        "eu-central-1",
        "auto",
    )
    assert (amazon["location"], amazon["access_key"]) == ("", None)


@pytest.mark.parametrize(
    "url",
    [
        "/srv/blobs",
        "https://s3.example.org/blobs",
        "s3://",
        "s3://Blobs_",
        "s3://[blobs",
        "s3://key:secret-word@blobs",
        "s3://blobs/../other",
        "s3://blobs/a//b",
        "s3://blobs/" + "x" * 300,
        "s3://blobs?endpoint=s3.example.org",
        "s3://blobs?endpoint=https://secret-word:x@s3.example.org",
        "s3://blobs?endpoint=https://s3.example.org:99999",
        "s3://blobs?addressing=other",
        "s3://blobs?secret=secret-word",
        "s3://blobs#fragment",
    ],
)
def test_other_values_end_with_a_line_that_names_the_variable(url: str) -> None:
    said = str(refusal(SystemExit, blob_storage_of, {BLOBS: url}, DATA))
    assert BLOBS in said
    assert "\n" not in said
    assert "secret-word" not in said


@pytest.mark.parametrize(("given", "missing"), [(KEY_ID, SECRET), (SECRET, KEY_ID)])
def test_half_a_key_is_refused_without_showing_it(given: str, missing: str) -> None:
    said = str(refusal(SystemExit, blob_storage_of, {BLOBS: BUCKET, given: "secret-word"}, DATA))
    assert missing in said
    assert "secret-word" not in said


def test_a_missing_client_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    said = str(refusal(SystemExit, blob_storage_of, {BLOBS: BUCKET}, DATA))
    assert "rensho[s3]" in said
    assert blob_storage_of({}, DATA), "not needed for files"
