"""Fair deals: commitment, field digest, board seeds and lots, which nobody can choose afterwards.

An event publishes the hash of a secret before its field is known; every deal follows from both. Vectors and
limits: docs/fair-deals.md. Source: docs/contracts.md#fair-deals.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable

from league.errors import FairnessError

SECRET_BYTES = 32
COMMITMENT_FORMAT = "rensho-commitment/1"
"""First line of the message that the site signs for a commitment in its queue."""
ID_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
"""Characters of the ids of events that take a secret from the queue."""
ID_LENGTH = 12

_SHA256 = re.compile(r"[0-9a-f]{64}")


def commitment(secret: bytes) -> str:
    """Return the commitment that is published before a secret is used: its SHA-256 in hex."""
    return hashlib.sha256(_checked_secret(secret)).hexdigest()


def commitment_message(number: int, digest: str, posted_at: str) -> bytes:
    """Return the bytes that the site's key signs when it posts a commitment; ``posted_at`` as in an export.

    Two different signed messages with one number prove that the queue was changed.
    """
    return f"{COMMITMENT_FORMAT}\n{number}|{_checked_digest(digest, 'commitment')}|{posted_at}".encode(
        "ascii"
    )


def queued_id(secret: bytes, number: int) -> str:
    """Return the public id, twelve characters, of the event that takes this secret from the queue.

    Every seed depends on the id, so it must be as fixed as the secret, which is known before the field.

    >>> queued_id(bytes(range(32)), 7)
    'zwvqq7et3r48'
    """
    digest = hmac.new(
        _checked_secret(secret), f"rensho-id/1|{number}".encode("ascii"), hashlib.sha256
    ).digest()
    value = int.from_bytes(digest)
    characters = []
    for _ in range(ID_LENGTH):
        value, index = divmod(value, len(ID_ALPHABET))
        characters.append(ID_ALPHABET[index])
    return "".join(characters)


def field_digest(bundle_sha256s: Iterable[str]) -> str:
    """Return SHA-256 of the bundles' hashes, sorted and joined by line feeds: one per version and entry."""
    hashes = sorted(bundle_sha256s)
    for value in hashes:
        _checked_digest(value, "bundle hash")
    return hashlib.sha256("\n".join(hashes).encode("ascii")).hexdigest()


def board_seed(secret: bytes, public_id: str, digest: str, stage: int, round_number: int, board: int) -> str:
    """Return the match seed of one board, 64 hex digits.

    Stages, rounds within the stage, and boards count from 1. Without stages (ladder rounds, challenges,
    experiment batches) stage and round are 0.
    """
    for name, number, least in (("stage", stage, 0), ("round", round_number, 0), ("board", board, 1)):
        if number < least:
            raise FairnessError(f"{name} must be {least} or more, not {number}")
    digest = _checked_digest(digest, "field digest")
    message = f"rensho-board/1|{_checked_id(public_id)}|{digest}|{stage}|{round_number}|{board}"
    return _hmac(secret, message)


def lot(secret: bytes, public_id: str, digest: str, stage: int, entry_public_id: str) -> str:
    """Return the lot of an entry in a stage, 64 hex digits; the lower one comes first."""
    digest = _checked_digest(digest, "field digest")
    message = f"rensho-lot/1|{_checked_id(public_id)}|{digest}|{stage}|{_checked_id(entry_public_id)}"
    return _hmac(secret, message)


def ladder_lot(secret: bytes, season: str, round_number: int, digest: str, attempt: int = 0) -> str:
    """Return the seed of the pairings of a ladder round, 64 hex digits.

    ``season`` is the public id of the ladder's season, ``digest`` the field digest of all contenders. If a
    draw pairs no entries, it is repeated with the next ``attempt``, from 0.
    """
    for name, number, least in (("round", round_number, 1), ("attempt", attempt, 0)):
        if number < least:
            raise FairnessError(f"{name} must be {least} or more, not {number}")
    digest = _checked_digest(digest, "field digest")
    return _hmac(secret, f"rensho-ladder/1|{_checked_id(season)}|{round_number}|{digest}|{attempt}")


def local_board_seed(seed: str | int, board: int) -> str:
    """Return the match seed of a board played locally, 64 hex digits, derived from a freely chosen seed."""
    if board < 1:
        raise FairnessError(f"board must be 1 or more, not {board}")
    return hashlib.sha256(f"rensho-local/1|{seed}|{board}".encode()).hexdigest()


def _hmac(secret: bytes, message: str) -> str:
    return hmac.new(_checked_secret(secret), message.encode("utf-8"), hashlib.sha256).hexdigest()


def _checked_secret(secret: bytes) -> bytes:
    if len(secret) != SECRET_BYTES:
        raise FairnessError(f"a secret has {SECRET_BYTES} bytes, this one has {len(secret)}")
    return secret


def _checked_digest(value: str, name: str) -> str:
    if not _SHA256.fullmatch(value):
        raise FairnessError(f"a {name} is 64 lowercase hex digits, not {value!r}")
    return value


def _checked_id(public_id: str) -> str:
    if not public_id or "|" in public_id:
        raise FairnessError(f"a public id is not empty and has no '|': {public_id!r}")
    return public_id
