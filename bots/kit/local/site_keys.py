"""Public keys of a site, from ``/.well-known/rensho-key`` or as hex digits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from bots.kit.errors import InvalidInput
from engine.refusals import quoted
from league.verify.statements import keys_by_id, keys_of_text
from referee.text_files import text_decoded

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
    try:
        return keys_of_text(text)
    except ValueError as error:
        raise InvalidInput(f"{quoted(given)} is not a key file of a site ({error}); {REMEDY}.") from None
