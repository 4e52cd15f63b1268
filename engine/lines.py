"""Lines of ``rensho-record/1``, and events that bring theirs.

Source: docs/contracts.md#record. NDJSON in ASCII, keys sorted, no spaces, one line feed after every line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from engine.game import Event


def _line_encoder() -> Callable[[Mapping[str, Any]], str]:
    """What ``JSONEncoder(sort_keys=True, separators=(",", ":")).encode`` gives, for half the time.

    That makes an encoder in C for every line it writes; this makes one for all, where there is one.
    """
    plain = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    try:
        encode = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
            None, plain.default, json.encoder.encode_basestring_ascii, None, ":", ",", True, False, True
        )
    except (AttributeError, TypeError):  # Not part of the library's documented interface.
        return plain.encode
    return lambda line: "".join(encode(line, 0))


_encode = _line_encoder()


def format_line(line: Mapping[str, Any]) -> bytes:
    """The one spelling of a line, with its line feed."""
    return _encode(line).encode("ascii") + b"\n"


def written(kind: str, public: Mapping[str, Any]) -> Event:
    """An event of public fields alone with its line: for those that a game makes once and tells often."""
    return Event(kind, public, line=format_line({"e": kind, **public}))
