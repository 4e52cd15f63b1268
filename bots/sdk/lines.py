"""JSON lines, read and written by the C functions of ``json`` alone.

``import json`` also imports ``re`` and ``enum``, a third of a small bot's start. It is the fallback for input
that the C functions refuse, so results and errors are the same.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any  # fields of decoded JSON have no narrower type

_SPACE = " \t\n\r"


class _AsJsonReads:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def _refused(value: object) -> object:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


_scan: Callable[[str, int], tuple[Any, int]] | None = None
_write: Callable[[Mapping[str, Any], int], tuple[str, ...]] | None = None
try:
    import _json

    _scan = _json.make_scanner(_AsJsonReads())  # type: ignore[arg-type]  # stated as the scanner itself
    _write = _json.make_encoder(
        None, _refused, _json.encode_basestring_ascii, None, ":", ",", False, False, True
    )
except (ImportError, AttributeError, TypeError):  # Another interpreter than ours.
    pass


def decoded(line: bytes | str) -> Any:
    """Decode a line like ``json.loads``. Raise ``ValueError`` if it is not JSON."""
    if _scan is not None:
        try:
            text = line if isinstance(line, str) else line.decode()
            value, end = _scan(text, 0)
            if end == len(text) or not text[end:].strip(_SPACE):
                return value
        except (StopIteration, ValueError):
            pass
    import json

    return json.loads(line)


def encoded(message: Mapping[str, Any]) -> bytes:
    """Encode the message as a line of ASCII JSON, without spaces and line feed.

    Raise ``TypeError`` for a value that is not serializable, ``ValueError`` for one that contains itself.
    """
    if _write is not None:
        try:
            return "".join(_write(message, 0)).encode("ascii")
        except (TypeError, ValueError, RecursionError):
            pass
    import json

    return json.dumps(message, separators=(",", ":")).encode("ascii")
