"""Lines of JSON read and written by the C parts of ``json`` alone.

``import json`` brings ``re`` and ``enum`` with it, a third of a small bot's start. Whatever the C parts
refuse or lack is left to ``json``, imported then, so results and errors are the same.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any  # fields of decoded JSON have no narrower type

_SPACE = " \t\n\r"


class _AsJsonReads:
    """The settings of ``json.loads``, as the scanner asks for them."""

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
    """What ``json.loads`` makes of the line.

    Raises:
        ValueError: it is not JSON.
    """
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
    """The message as one line of ASCII JSON, without spaces and line feed.

    Raises:
        TypeError: a value is none of JSON's.
        ValueError: it contains itself.
    """
    if _write is not None:
        try:
            return "".join(_write(message, 0)).encode("ascii")
        except (TypeError, ValueError, RecursionError):
            pass
    import json

    return json.dumps(message, separators=(",", ":")).encode("ascii")
