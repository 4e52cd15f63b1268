"""Public keys of a site, from ``/.well-known/rensho-key`` or as hex digits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from bots.kit.errors import InvalidInput
from engine.refusals import quoted
from league.verify.statements import keys_by_id
from referee.text_files import text_decoded

FORMAT = "rensho-key/1"
MAX_KEY_BYTES = 1 << 20
_HEX = re.compile(r"[0-9a-f]{64}")
REMEDY = "save /.well-known/rensho-key from the site as a file, or give a key of 64 hex digits"


def keys_read(given: str) -> Mapping[str, bytes]:
    """Return keys (32 bytes) by id, from a file or from hex digits. Raise ``InvalidInput`` without any."""
    if _HEX.fullmatch(given.lower()):
        return keys_by_id([bytes.fromhex(given)])
    try:
        with Path(given).open("rb") as file:
            text = text_decoded(file.read(MAX_KEY_BYTES), given).strip()
    except FileNotFoundError:
        raise InvalidInput(f"{quoted(given)}: no such file; {REMEDY}.") from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{quoted(given)} cannot be read as keys ({error}); {REMEDY}.") from None
    if _HEX.fullmatch(text.lower()):
        return keys_by_id([bytes.fromhex(text)])
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {quoted(document['format'])}, not {FORMAT}")
        keys = keys_by_id([_public(row["public"]) for row in document["keys"]])
        if not keys or set(keys) != {row["id"] for row in document["keys"]}:
            raise ValueError("its ids do not match its keys")
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise InvalidInput(f"{quoted(given)} is not a key file of a site ({error}); {REMEDY}.") from None
    return keys


def _public(text: object) -> bytes:
    if not isinstance(text, str) or not _HEX.fullmatch(text):
        raise ValueError(f"{quoted(text)} is not a key of 64 lowercase hex digits")
    return bytes.fromhex(text)
