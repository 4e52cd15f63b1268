"""Statements of an event: publications before, during and after play that make later changes detectable.

A statement is a JSON object; its digest covers the canonical form, its signature the digest. Each contains
the digest of the previous one. Labels (names of people, bots, the event) are included as salted hashes, so
that text and salt can be deleted later.

- ``opened``, when entry opens: ``settings``, the event's row without its secret, and ``stages``;
- ``locked``, when the field is fixed: ``entries`` that play, and ``field_digest`` of the first stage;
- ``final`` or ``cancelled``, when nothing can change any more: ``frame`` and ``lines``, digest and number of
  the lines of the whole export.

Every body also has ``format``, ``kind``, ``published_at``, ``previous`` and ``tournament`` (its id). Source:
docs/fair-deals.md#statements.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

FORMAT = "rensho-statement/1"
OPENED, LOCKED, FINAL, CANCELLED = "opened", "locked", "final", "cancelled"
ENDINGS = (FINAL, CANCELLED)
NOT_IN_SETTINGS = ("state", "secret")
"""Keys of the event's row that ``opened`` omits."""
MAY_CHANGE = ("budget_cpu_s",)
"""Keys of the settings in ``opened`` that may change during play, and are bound by ``final``."""
LABEL_KEYS = ("hash", "salt", "text")
"""Keys of a label in an export; salt and text are null once they were deleted."""

FrameLine = tuple[str, dict[str, Any]]
"""Kind and value of one line of a frame."""


def canonical(value: object) -> bytes:
    """Return the canonical JSON of a value: ASCII, sorted keys, no spaces; only finite floats."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def statement_digest(body: Mapping[str, Any]) -> str:
    """Return the digest under which a statement is published: 64 lowercase hex digits."""
    return hashlib.sha256(canonical(body)).hexdigest()


def signed_message(digest: str) -> bytes:
    """Return the bytes that the site's Ed25519 key signs for the statement with this digest."""
    return f"{FORMAT}\n{digest}".encode("ascii")


def key_id(public: bytes) -> str:
    """Return the id of a public key (32 raw bytes): 16 hex digits of its SHA-256."""
    return hashlib.sha256(public).hexdigest()[:16]


def label_hash(salt: str, text: str) -> str:
    """Return the hash that replaces a text; ``salt`` is 32 hex digits drawn for this event."""
    return hashlib.sha256(f"rensho-label/1|{salt}|{text}".encode()).hexdigest()


def label(salt: str, text: str) -> dict[str, str]:
    """Return a label as exported while text and salt exist."""
    return {"hash": label_hash(salt, text), "salt": salt, "text": text}


def hash_labels(value: Any) -> Any:
    """Return a value of an export with every label replaced by its hash."""
    if isinstance(value, Mapping):
        if set(value) == set(LABEL_KEYS):
            return value["hash"]
        return {key: hash_labels(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [hash_labels(part) for part in value]
    return value


def frame_lines(document: Mapping[str, Any]) -> Iterator[FrameLine]:
    """Yield every row of an export except records, statements and the event's state, with labels hashed."""
    tournament = {key: value for key, value in document["tournament"].items() if key != "state"}
    yield "tournament", hash_labels(tournament)
    for entry in document["entries"]:
        yield "entry", hash_labels(entry)
    for stage in document["stages"]:
        of_stage = {"stage": stage["number"]}
        parts = ("entries", "rounds", "standings")
        yield "stage", hash_labels({key: value for key, value in stage.items() if key not in parts})
        for row in stage["entries"]:
            yield "stage_entry", hash_labels({**of_stage, **row})
        for played in stage["rounds"]:
            of_round = {**of_stage, "round": played["number"]}
            yield (
                "round",
                hash_labels(
                    {**of_stage, **{key: value for key, value in played.items() if key != "fixtures"}}
                ),
            )
            for fixture in played["fixtures"]:
                tables = fixture["tables"]
                yield (
                    "fixture",
                    hash_labels(
                        {**of_round, **{key: value for key, value in fixture.items() if key != "tables"}}
                    ),
                )
                for table in tables:
                    yield "table", hash_labels({**of_round, "fixture": fixture["id"], **table})
        for row in stage["standings"]:
            yield "standing", hash_labels({**of_stage, **row})


def frame_digest(lines: Iterable[FrameLine]) -> tuple[str, int]:
    """Return SHA-256 over the canonical lines, each ended by a line feed, and the number of lines."""
    digest = hashlib.sha256()
    count = 0
    for kind, value in lines:
        digest.update(canonical({**value, "type": kind}) + b"\n")
        count += 1
    return digest.hexdigest(), count
