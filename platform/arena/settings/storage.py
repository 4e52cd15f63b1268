"""The storage of blobs, from the environment: the data folder, or a bucket with the S3 protocol.

RENSHO_BLOBS            ``s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION&addressing=path``
AWS_ACCESS_KEY_ID       the key; without it boto3 looks in its usual places, such as the role of a machine
AWS_SECRET_ACCESS_KEY
RENSHO_BLOB_CACHE_MIB   MiB of blobs that each machine keeps in its data folder; 0 for none
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from arena.settings.numbers import number_of
from arena.settings.secret_files import secret_of

BLOBS = "RENSHO_BLOBS"
KEY_ID = "AWS_ACCESS_KEY_ID"
SECRET = "AWS_SECRET_ACCESS_KEY"
CACHE_MIB = "RENSHO_BLOB_CACHE_MIB"
VARIABLES = (BLOBS, CACHE_MIB)
CACHE_MIB_DEFAULT = 1024
FORM = "s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION"
PARAMETERS = ("endpoint", "region", "addressing")
ADDRESSINGS = ("auto", "path", "virtual")
REGION_DEFAULT = "us-east-1"
"""Servers other than Amazon's accept it too."""
BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", re.ASCII)
PREFIX = re.compile(r"[A-Za-z0-9_.=-]+(/[A-Za-z0-9_.=-]+)*", re.ASCII)
MAX_PREFIX_CHARACTERS = 200
CLIENT_MODULES = ("boto3", "storages")


def blob_storage_of(environment: Mapping[str, str], data: Path) -> dict[str, Any]:
    """Return the entry of ``STORAGES``. SystemExit names the variable and the remedy, without its value."""
    text = environment.get(BLOBS, "").strip()
    if not text:
        return {
            "BACKEND": "arena.common.blob_storages.AtomicFileStorage",
            "OPTIONS": {"location": data / "blobs"},
        }
    options = _s3_options(text)
    key_id, secret = (secret_of(environment, name) for name in (KEY_ID, SECRET))
    if bool(key_id) != bool(secret):
        given, missing = (KEY_ID, SECRET) if key_id else (SECRET, KEY_ID)
        raise SystemExit(f"rensho: {given} is set without {missing}. Set both, or neither.")
    if absent := [name for name in CLIENT_MODULES if importlib.util.find_spec(name) is None]:
        raise SystemExit(
            f"rensho: {BLOBS} needs the package {absent[0]}, which is not installed. Run "
            "make setup EXTRAS=1 or pip install 'rensho[s3]', or leave the variable out."
        )
    return {
        "BACKEND": "arena.common.s3_storage.S3BlobStorage",
        "OPTIONS": {**options, "access_key": key_id or None, "secret_key": secret or None},
    }


def blob_cache_bytes_of(environment: Mapping[str, str]) -> int:
    """Return the maximum size of the local cache; 0 if blobs are files of the data folder."""
    mib = number_of(environment, CACHE_MIB, CACHE_MIB_DEFAULT, range(1 << 20))
    return mib << 20 if environment.get(BLOBS, "").strip() else 0


def _s3_options(text: str) -> dict[str, Any]:
    try:
        parts = urlsplit(text)
        given = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
        endpoint = urlsplit(given.get("endpoint", ""))
        is_endpoint = not given.get("endpoint") or (
            endpoint.scheme in ("http", "https")
            and bool(endpoint.hostname)
            and endpoint.port != 0
            and not endpoint.username
            and endpoint.path in ("", "/")
            and not endpoint.query
        )
    except ValueError:
        raise SystemExit(f"rensho: {BLOBS} is not a URL. Write {FORM}.") from None
    prefix = parts.path.strip("/")
    if "@" in parts.netloc:
        raise SystemExit(f"rensho: {BLOBS} has a key. Put it into {KEY_ID} and {SECRET} instead.")
    if parts.scheme != "s3" or parts.fragment:
        raise SystemExit(f"rensho: {BLOBS} is not the URL of a bucket. Write {FORM}, or leave it out.")
    if not BUCKET.fullmatch(parts.netloc):
        raise SystemExit(
            f"rensho: {BLOBS} has the bucket {parts.netloc[:70]!r}, which is no name. Write {FORM}."
        )
    if prefix and (not PREFIX.fullmatch(prefix) or len(prefix) > MAX_PREFIX_CHARACTERS or ".." in prefix):
        raise SystemExit(
            f"rensho: {BLOBS} has the prefix {prefix[:70]!r}. Use at most {MAX_PREFIX_CHARACTERS} letters, "
            "digits and _.=-, separated by single slashes."
        )
    if unknown := sorted(set(given) - set(PARAMETERS)):
        raise SystemExit(
            f"rensho: {BLOBS} has the unknown parameter {unknown[0][:40]!r}. Use {', '.join(PARAMETERS)}."
        )
    if not is_endpoint:
        raise SystemExit(
            f"rensho: {BLOBS} has an endpoint that is not a URL such as https://s3.example.org:9000."
        )
    addressing = given.get("addressing") or ("path" if given.get("endpoint") else "auto")
    if addressing not in ADDRESSINGS:
        raise SystemExit(
            f"rensho: {BLOBS} has addressing={addressing[:40]!r}; use {' or '.join(ADDRESSINGS)}."
        )
    return {
        "bucket_name": parts.netloc,
        "location": prefix,
        "endpoint_url": given.get("endpoint") or None,
        "region_name": given.get("region") or REGION_DEFAULT,
        "addressing_style": addressing,
    }
