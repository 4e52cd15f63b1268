"""How a line of a record is written: ASCII, sorted keys, no spaces, always the same bytes."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any


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


@functools.lru_cache(maxsize=1024)
def act_line(phase: str, seat: int, action: str) -> bytes:
    """The line of an act that the seat chose itself: most lines are, and the same few hundred."""
    return format_line({"e": "act", "phase": phase, "seat": seat, "action": action})
