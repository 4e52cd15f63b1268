"""Error messages of bounded length, since they quote untrusted input, which escaping makes longer."""

from __future__ import annotations

import reprlib

REFUSAL_CHARS = 500
"""Maximum characters of an error message, wherever it is shown, sent or stored."""
QUOTED_CHARS = 60
"""Maximum characters quoted from the input."""

_ESCAPED_CHARS = 2 * QUOTED_CHARS
"""Additional characters allowed for escapes in short text."""


def quoted(value: object, characters: int = QUOTED_CHARS) -> str:
    """Return the ``repr`` of a value; longer values are cut after ``characters``, with their length.

    >>> quoted("a" * 1000, 8)
    "'aaaaaaaa...' (1000 characters)"
    """
    if isinstance(value, str | bytes):
        text = repr(value[:characters])
        if len(value) <= characters and len(text) <= characters + _ESCAPED_CHARS:
            return text
        unit = "bytes" if isinstance(value, bytes) else "characters"
        mark = text[-1]
        return f"{text[: text.index(mark) + 1 + characters]}...{mark} ({len(value)} {unit})"
    try:
        text = _SHORT.repr(value)
    except ValueError:  # a whole number of thousands of digits
        text = f"a huge {type(value).__name__}"
    return text if len(text) <= _ESCAPED_CHARS else f"{text[:_ESCAPED_CHARS]}..."


def clipped(text: str, characters: int = REFUSAL_CHARS) -> str:
    """Shorten the text in the middle: its beginning names the culprit, its end the remedy.

    >>> clipped("member " + "a" * 1000 + ": rename it", 60)
    'member aaaaaaaaaaaa [... cut, 1018 characters ...] rename it'
    """
    if len(text) <= characters:
        return text
    mark = f" [... cut, {len(text)} characters ...] "
    end = (characters - len(mark)) // 3
    return text[: characters - len(mark) - end] + mark + text[len(text) - end :]


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = QUOTED_CHARS
