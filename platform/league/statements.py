"""What an event publishes before, while and after it is played, so that nothing of it can change unnoticed.

A statement is a JSON object; its digest covers the canonical form, its signature the digest. Each names
the digest of the one before it. Labels (names of people, bots, the event) stand in statements as salted
hashes: text and salt can be deleted later, and everything else still holds.

- ``registered``, when registration opens: ``settings``, the event's own line of the frame without its
  secret, and ``stages``, the plan of each;
- ``locked``, when the field is fixed: ``entries``, the line of each that plays, and ``field_digest``, that of
  the first stage;
- ``final`` or ``cancelled``, when no more can change: ``frame`` and ``lines``, digest and number of the lines
  of the whole export.

Every body has ``format``, ``kind``, ``at``, ``previous`` and ``tournament`` (its id) besides.

Source: docs/fair-deals.md#statements.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

FORMAT = "rensho-statement/1"
REGISTERED, LOCKED, FINAL, CANCELLED = "registered", "locked", "final", "cancelled"
ENDINGS = (FINAL, CANCELLED)
NOT_IN_SETTINGS = ("state", "secret")
"""Of the event's own line: what ``registered`` leaves out."""
MAY_CHANGE = ("budget_cpu_s",)
"""Of the settings in ``registered``: what may be changed while it is played, and is bound by ``final``."""
LABEL_KEYS = ("hash", "salt", "text")
"""Of a label in an export; salt and text are null once they were deleted."""

FrameLine = tuple[str, dict[str, Any]]
"""Kind and value of one line of a frame."""


def canonical(value: object) -> bytes:
    """JSON of a value in its one form: ASCII, keys sorted, no spaces; no floats but finite ones."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def statement_digest(body: Mapping[str, Any]) -> str:
    """What a statement is published and named by: 64 lowercase hex digits."""
    return hashlib.sha256(canonical(body)).hexdigest()


def signed_message(digest: str) -> bytes:
    """The bytes that the site's Ed25519 key signs for the statement of this digest."""
    return f"{FORMAT}\n{digest}".encode("ascii")


def key_id(public: bytes) -> str:
    """The name of a public key (32 raw bytes): 16 hex digits of its SHA-256."""
    return hashlib.sha256(public).hexdigest()[:16]


def label_hash(salt: str, text: str) -> str:
    """The hash that stands for a text; ``salt`` is 32 hex digits drawn for this event."""
    return hashlib.sha256(f"rensho-label/1|{salt}|{text}".encode()).hexdigest()


def label(salt: str, text: str) -> dict[str, str]:
    """A label as an export shows it while text and salt are kept."""
    return {"hash": label_hash(salt, text), "salt": salt, "text": text}


def hash_labels(value: Any) -> Any:
    """A value of an export with every label in it replaced by its hash."""
    if isinstance(value, Mapping):
        if set(value) == set(LABEL_KEYS):
            return value["hash"]
        return {key: hash_labels(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [hash_labels(part) for part in value]
    return value


def frame_lines(document: Mapping[str, Any]) -> Iterator[FrameLine]:
    """Everything of an export but its records and statements, a line a row, labels hashed.

    Left out: the state of the event, which may yet become ``archived``; the kind of the statement says it.
    """
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
    """SHA-256 over the canonical lines, each ended by a line feed, and how many there are."""
    digest = hashlib.sha256()
    count = 0
    for kind, value in lines:
        digest.update(canonical({**value, "type": kind}) + b"\n")
        count += 1
    return digest.hexdigest(), count
