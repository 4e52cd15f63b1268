"""What is logged: from which level on, and a filter for logs that strangers can fill: the first few of a kind
each minute, without tracebacks."""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Mapping
from typing import Any

from engine.printable import printable, printable_lines

LEVEL_VARIABLE = "RENSHO_LOG_LEVEL"
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
WINDOW_S = 60
MAX_RECORDS = 10
"""Of one message, whatever its arguments, in a window."""
MAX_KINDS = 1000
"""Kinds of messages remembered; with more of them all are counted anew."""
UNKNOWN_HOST_LOGGER = "django.security.DisallowedHost"
WEBSOCKET_ADVICE = "No supported WebSocket library"
"""How uvicorn advises to install what this site does not use, after its word on the request itself."""


def log_level_of(environment: Mapping[str, str]) -> str:
    """The level from which on records are written, in capitals; INFO where it is not set or empty.

    Raises:
        SystemExit: it is no level.
    """
    text = environment.get(LEVEL_VARIABLE, "").strip()
    if text and text.upper() not in LEVELS:
        raise SystemExit(f"rensho: {LEVEL_VARIABLE}={text[:40]!r} is none of {', '.join(LEVELS)}.")
    return text.upper() or "INFO"


class PrintableRecord(logging.LogRecord):
    """A record whose message is one line without control characters, whatever strangers sent is quoted in it.

    Tracebacks keep their lines. In place of a formatter, as Celery replaces formatters.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.exc_info and self.exc_info[0]:
            lines = "".join(traceback.format_exception(*self.exc_info)).rstrip("\n")
            self.exc_text = printable_lines(lines)

    def getMessage(self) -> str:
        """The message on one line."""
        return printable(super().getMessage())


class FloodFilter(logging.Filter):
    """Lets ``MAX_RECORDS`` of a kind through in a window; the first of the next says how many were left out.

    Attached to loggers of what requests get wrong; errors of ours, at level ERROR outside of
    ``django.security``, always pass whole. A host that is not served is a warning, and names the variable
    that operators set.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._windows: dict[str, tuple[int, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; one that is loses its traceback."""
        if record.levelno >= logging.ERROR and not record.name.startswith("django.security"):
            return True
        if str(record.msg).startswith(WEBSOCKET_ADVICE):
            return False
        if record.name == UNKNOWN_HOST_LOGGER:
            record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
            record.msg = str(record.msg).replace("ALLOWED_HOSTS", "RENSHO_HOSTS")
        record.exc_info = record.exc_text = None
        window, kind = int(time.monotonic() // WINDOW_S), f"{record.levelno} {str(record.msg)[:24]}"
        since, count = self._windows.get(kind, (window, 0))
        if since != window:
            if count > MAX_RECORDS:
                record.msg = f"{record.msg} (and {count - MAX_RECORDS} more like it before)"
            since, count = window, 0
        if len(self._windows) >= MAX_KINDS and kind not in self._windows:
            self._windows.clear()
        self._windows[kind] = (since, count + 1)
        return count < MAX_RECORDS
