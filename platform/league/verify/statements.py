"""Verification of statements: their chain, their content against the export, and their signatures.

Source: docs/fair-deals.md#statements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from league.export_shape import quoted
from league.fairness import commitment_message
from league.statements import (
    CANCELLED,
    ENDINGS,
    FINAL,
    FORMAT,
    LOCKED,
    MAY_CHANGE,
    NOT_IN_SETTINGS,
    OPENED,
    canonical,
    frame_digest,
    frame_lines,
    hash_labels,
    key_id,
    signed_message,
    statement_digest,
)

Document = Mapping[str, Any]
KEY_FORMAT = "rensho-key/1"
_KEY_HEX = re.compile(r"[0-9a-f]{64}")
ORDER = {OPENED: 0, LOCKED: 1, FINAL: 2, CANCELLED: 2}
"""Position of each kind; each occurs at most once, in this order."""
PLAN = ("number", "format", "options", "qualify", "boards_per_round")
LOCKED_ENTRY = ("id", "player", "partner", "seed", "versions", "own")
STATES_BY_ENDING = {FINAL: ("final", "archived"), CANCELLED: ("cancelled",)}
"""States of an event by its last statement."""
UNFINISHED_STATES = ("draft", "open", "locked", "running", "paused", "provisional")
"""States of an event whose secret is not revealed yet."""


def is_unfinished(document: Document) -> bool:
    """Return whether an event is not over by its state, and has no revealed secret."""
    tournament = document["tournament"]
    return tournament.get("state") in UNFINISHED_STATES and tournament.get("secret") is None


def statement_disagreements(document: Document) -> Iterator[str]:
    """Yield contradictions within the statements and with the export, without signatures, in linear time."""
    tournament = document["tournament"]
    statements = document["statements"]
    by_kind = {statement["kind"]: statement["body"] for statement in statements}
    yield from _chain(tournament["id"], statements)
    if OPENED in by_kind:
        yield from _opened(document, by_kind[OPENED])
    if LOCKED in by_kind:
        yield from _locked(document, by_kind[LOCKED])
    ending = next((kind for kind in ENDINGS if kind in by_kind), None)
    if ending is not None:
        if tournament["state"] not in STATES_BY_ENDING[ending]:
            yield f"the tournament is {tournament['state']}, but its last statement is {ending}"
        frame, lines = frame_digest(frame_lines(document))
        if (frame, lines) != (by_kind[ending]["frame"], by_kind[ending]["lines"]):
            yield (
                f"the export is not what the statement {ending!r} binds: its {lines} lines have the digest "
                f"{frame[:12]}…, not the {by_kind[ending]['lines']} of {by_kind[ending]['frame'][:12]}…"
            )
    elif tournament["state"] in (state for states in STATES_BY_ENDING.values() for state in states):
        yield f"the tournament is {tournament['state']}, but the statement that binds all of it is missing"


def _chain(event: str, statements: Sequence[Document]) -> Iterator[str]:
    previous: str | None = None
    position, time = -1, ""
    for number, statement in enumerate(statements, 1):
        body, kind = statement["body"], statement["kind"]
        where = f"statement {number} ({kind})"
        if body["format"] != FORMAT or body["kind"] != kind or body["tournament"] != event:
            yield f"{where}: its format, kind or tournament is not that of this export"
        if statement["digest"] != statement_digest(body):
            yield f"{where}: its digest is not that of its body"
        if body["previous"] != previous:
            yield f"{where}: it does not name the statement before it"
        if ORDER[kind] <= position:
            yield f"{where}: it comes out of order"
        if body["published_at"] < time:
            yield f"{where}: it was made before the one before it"
        previous, position, time = statement["digest"], ORDER[kind], body["published_at"]


def _opened(document: Document, body: Document) -> Iterator[str]:
    settings = {
        key: value
        for key, value in document["tournament"].items()
        if key not in (*NOT_IN_SETTINGS, *MAY_CHANGE)
    }
    stated = {key: value for key, value in body["settings"].items() if key not in MAY_CHANGE}
    for key in sorted(settings.keys() | stated.keys()):
        if canonical(hash_labels(settings.get(key))) != canonical(stated.get(key)):
            yield f"tournament.{key} differs from the statement"
    plan = [{key: stage[key] for key in PLAN} for stage in document["stages"]]
    if len(plan) != len(body["stages"]):
        yield f"{len(plan)} stages are exported, {len(body['stages'])} are in the statement"
    for number, (stage, planned) in enumerate(zip(plan, body["stages"], strict=False), 1):
        if canonical(stage) != canonical(planned):
            yield f"stage {number}: its format, options or numbers differ from the statement"


def _locked(document: Document, body: Document) -> Iterator[str]:
    first = document["stages"][0]
    if body["field_digest"] != first["field_digest"]:
        yield "stage 1: its field digest is not the one that was published when the field was fixed"
    playing = {
        entry["id"]: hash_labels({key: entry[key] for key in LOCKED_ENTRY})
        for entry in document["entries"]
        if entry["status"] in ("entered", "left")
    }
    stated = {entry["id"]: entry for entry in body["entries"]}
    if list(stated) != list(playing) or len(stated) != len(body["entries"]):
        yield "the entries are not those that were locked"
        return
    for name, entry in playing.items():
        if canonical(entry) != canonical(stated[name]):
            yield f"entry {name}: its player, versions, seed or mark is not what was locked"


def published_disagreements(
    document: Document, commitments: Collection[str] = (), keys: Mapping[str, bytes] | None = None
) -> Iterator[str]:
    """Yield contradictions to data that the reader has from other sources.

    ``commitments`` are published digests (64 hex digits) of the secret or of a statement. ``keys`` are raw
    public keys of the site by id: every statement must then be signed by one of them.
    """
    statements = document["statements"]
    known = {document["tournament"]["commitment"], *(statement["digest"] for statement in statements)}
    yield from unknown_commitments(known, commitments)
    if keys is None:
        return
    if is_unfinished(document):
        pass  # the first statement is made when entry opens, the last one at the end
    elif not statements:
        yield "the export has no signed statements, so no key can show who wrote it; download it again"
    elif statements[-1]["kind"] not in ENDINGS:
        yield "the export has no last statement, so nothing signed binds its results; download it again later"
    yield from _queue_signed(document["tournament"], keys)
    yield from signature_disagreements(statements, keys)


def unknown_commitments(known: Collection[str], commitments: Collection[str]) -> Iterator[str]:
    """Yield each published digest that a document does not have."""
    for digest in commitments:
        if digest not in known:
            yield (
                f"nothing in this export has the commitment {digest[:12]}…: it is of another tournament or "
                "day, or another one was promised; compare the digest with the one you noted"
            )


def signature_disagreements(statements: Sequence[Document], keys: Mapping[str, bytes]) -> Iterator[str]:
    """Yield statements that none of these keys signed."""
    strange = sorted({statement["key"] for statement in statements} - set(keys))
    if strange:
        yield (
            f"it is signed by the key {', '.join(strange)}, which is not one of the given keys; save "
            "/.well-known/rensho-key again from the site that published it"
        )
    for number, statement in enumerate(statements, 1):
        key = keys.get(statement["key"])
        if key is not None and not is_signed(key, statement["digest"], statement["signature"]):
            yield (
                f"statement {number} ({statement['kind']}): its signature is not that of the key "
                f"{statement['key']}; somebody else wrote it, or changed it since"
            )


def _queue_signed(tournament: Document, keys: Mapping[str, bytes]) -> Iterator[str]:
    """Check that the site signed the commitment with this number when it posted it in its queue."""
    queue = tournament.get("queue")
    if queue is None:
        return
    number, key = queue["number"], keys.get(queue["key"])
    posted = commitment_message(number, tournament["commitment"], queue["posted_at"])
    if key is None or not is_signed_message(key, posted, queue["signature"]):
        yield (
            f"number {number} of the queue of commitments is not signed, as it is here, by a key among those "
            "given; compare it with /api/v1/commitments of the site, and with the copy you kept"
        )


def is_signed(public: bytes, digest: str, signature: str) -> bool:
    """Return whether an Ed25519 key (32 raw bytes) signed the statement with this digest."""
    return is_signed_message(public, signed_message(digest), signature)


def is_signed_message(public: bytes, message: bytes, signature: str) -> bool:
    """Return whether an Ed25519 key (32 raw bytes) signed these bytes."""
    # Imported here because all other checks work without it.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def keys_of_text(text: str) -> dict[str, bytes]:
    """Return the public keys of a key document, or of 64 hex digits, by id. Raise ``ValueError``."""
    if _KEY_HEX.fullmatch(text.strip().lower()):
        return keys_by_id([bytes.fromhex(text.strip())])
    try:
        document = json.loads(text)
        if document["format"] != KEY_FORMAT:
            raise ValueError(f"its format is {quoted(document['format'])}, not {KEY_FORMAT}")
        keys = keys_by_id([_public(row["public"]) for row in document["keys"]])
        if not keys or set(keys) != {row["id"] for row in document["keys"]}:
            raise ValueError("its ids do not match its keys")
    except (LookupError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return keys


def _public(text: object) -> bytes:
    if not isinstance(text, str) or not _KEY_HEX.fullmatch(text):
        raise ValueError(f"{quoted(text)} is not a key of 64 lowercase hex digits")
    return bytes.fromhex(text)


def keys_by_id(publics: Collection[bytes]) -> dict[str, bytes]:
    """Return public keys (32 raw bytes each) by the ids that statements use."""
    return {key_id(public): public for public in publics}
