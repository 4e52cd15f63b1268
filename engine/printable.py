"""Escape untrusted text for terminals, logs and file names.

Control characters can move the cursor, clear the screen or end a line; direction marks can reorder a line.
"""

from __future__ import annotations

import re
from typing import Any, TextIO

_UNSAFE_CLASS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff"
)
"""Controls, direction marks, invisible characters, surrogates. Words and emoji need the joiners U+200C/D."""
_UNSAFE = re.compile(f"[{_UNSAFE_CLASS}]")
_UNSAFE_IN_A_LINE = re.compile(f"[{_UNSAFE_CLASS}\t\n]")
_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")
_SHORT = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}
FILE_NAME_CHARS = 100


def printable(text: str) -> str:
    r"""Return the text as one safe line; unsafe characters, line feeds and tabs are escaped.

    >>> printable("Kita\x1b[2J\nVerified.")
    'Kita\\x1b[2J\\nVerified.'
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE_IN_A_LINE.sub(_escaped, text)


def printable_lines(text: str) -> str:
    r"""Return the text with unsafe characters escaped; line feeds and tabs are kept.

    >>> printable_lines("one\n\ttwo\x07")
    'one\n\ttwo\\x07'
    """
    return _UNSAFE.sub(_escaped, text)


def without_unprintable(text: str) -> str:
    r"""Return the text without unsafe characters; line feeds and tabs are kept.

    >>> without_unprintable("one\n\ttwo\x07")
    'one\n\ttwo'
    """
    return _UNSAFE.sub("", text)


def file_name_part(text: str, fallback: str) -> str:
    """Return the text as part of a file name, or ``fallback`` if nothing remains; keeps letters, digits,
    ``._-``.

    >>> file_name_part("../Kita no.1", "bot"), file_name_part("..", "bot")
    ('_Kita_no.1', 'bot')
    """
    return _NOT_IN_FILE_NAMES.sub("_", text).strip(".")[:FILE_NAME_CHARS] or fallback


class PrintableStream:
    """A text stream that escapes everything but printable text, line feeds and tabs."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write the text, escaped, and return the number of characters of ``text``."""
        self.stream.write(printable_lines(text))
        return len(text)

    @property
    def rich_proxied_file(self) -> TextIO:
        """The raw stream, for rich consoles, which write control sequences and escape text themselves."""
        return self.stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
