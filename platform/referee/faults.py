"""Fault texts for authors, from text that the bot controls: cleaned, capped, fingerprinted."""

from __future__ import annotations

import hashlib
import re

from engine.printable import without_unprintable
from referee.contract import Verdict

LOG_LINES = 20
LOG_TAIL_CHARACTERS = 2000
ANSWER_CHARACTERS = 4096
CUT_MARK = "[...]"
DEBUG_BYTES = 64 << 10
"""Maximum bytes of ``debug`` text stored for one bot at a table."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_HEX = re.compile(r"\b(?:0x[0-9a-fA-F]+|[0-9a-f]{8,})\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TRACE_LINE = re.compile(
    r"\s|[})\]]|\[\.\.\.\]$|Node\.js v\d|Emitted 'error' event "
    r"|\(Use `node |----- Native |Require stack:|- /|\d+: 0x[0-9a-f]|note: run with"
)
"""Line starts with which interpreters report the location of an error rather than its cause."""
_GOROUTINE = re.compile(r"^goroutine \d+ ", re.MULTILINE)
_FINGERPRINT_DIGITS = 16


def clean_text(raw: bytes | str) -> str:
    """Return the text without terminal escapes, control and direction codes."""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return without_unprintable(_ESCAPES.sub("", text))


def capped(text: str, characters: int) -> str:
    """Return the text, cut and marked if it is longer than ``characters``."""
    return text if len(text) <= characters else text[: characters - len(CUT_MARK)] + CUT_MARK


def log_tail(raw: bytes) -> str:
    """Return the last lines of a log, cleaned; a mark replaces the lines before."""
    text = clean_text(raw).strip("\n")
    tail = "\n".join(text.split("\n")[-LOG_LINES:])[-LOG_TAIL_CHARACTERS:]
    return tail if tail == text else f"{CUT_MARK}\n{tail}"


def last_error_line(log: str) -> str:
    r"""Return the last line of a log that names the error, without the trace printed below it.

    >>> last_error_line("TypeError: x is undefined\n    at act (/bot/main.js:8:1)\n\nNode.js v20.20.2\n")
    'TypeError: x is undefined'
    """
    goroutine = _GOROUTINE.search(log)
    lines = [line for line in log[: goroutine.start() if goroutine else None].split("\n") if line.strip()]
    telling = (line for line in reversed(lines) if not _TRACE_LINE.match(line))
    return next(telling, lines[-1] if lines else "").strip()


def fingerprint(verdict: Verdict, phase: str, log: str) -> str:
    """Return 16 hex digits, equal for faults with the same verdict, phase and last error line in the log.

    Ignores numbers and quoted words of that line, such as the key of a ``KeyError``.
    """
    last = last_error_line(log)
    last = _NUMBER.sub("#", _HEX.sub("#", _QUOTED.sub("''", last)))
    text = "\n".join((verdict, phase, " ".join(last.split())))
    return hashlib.sha256(text.encode()).hexdigest()[:_FINGERPRINT_DIGITS]


class DebugLog:
    __slots__ = ("_text",)

    def __init__(self) -> None:
        self._text = bytearray()

    def add(self, text: str) -> None:
        room = DEBUG_BYTES - len(self._text)
        if room > 0:
            line = f"{clean_text(text)}\n".encode()
            self._text += line if len(line) <= room else line[:room] + b"\n[debug cut]\n"

    def section(self) -> bytes:
        return b"\n--- debug ---\n" + self._text if self._text else b""
