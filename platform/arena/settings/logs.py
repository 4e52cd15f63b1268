"""Level and format of logs, and a filter that passes the first records of a kind per minute.

``RENSHO_LOG_FORMAT=json`` writes one JSON object per record (``arena.settings.json_logs``); the default is a
text line, which ends with its traceback, if any.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Mapping
from typing import Any

from arena.common.log_context import REQUEST_ID, log_fields
from engine.printable import printable, printable_lines

LEVEL_VARIABLE = "RENSHO_LOG_LEVEL"
FORMAT_VARIABLE = "RENSHO_LOG_FORMAT"
FORMATTERS = {"text": "arena.settings.logs.TextFormatter", "json": "arena.settings.json_logs.json_formatter"}
"""Formats, and the formatter of each by dotted path: only JSON loads structlog."""
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
WINDOW_S = 60
MAX_RECORDS = 10
"""Maximum records of one kind per window."""
MAX_KINDS = 1000
"""Maximum kinds that are counted; beyond it, all counters restart."""
UNKNOWN_HOST_LOGGER = "django.security.DisallowedHost"
WEBSOCKET_ADVICE = "No supported WebSocket library"
"""Beginning of a uvicorn message that recommends a library which this site does not need."""


def log_level_of(environment: Mapping[str, str]) -> str:
    """Return the log level in capitals, INFO by default. Raise ``SystemExit`` if the value is not a level."""
    text = environment.get(LEVEL_VARIABLE, "").strip()
    if text and text.upper() not in LEVELS:
        raise SystemExit(f"rensho: {LEVEL_VARIABLE}={text[:40]!r} is not one of {', '.join(LEVELS)}.")
    return text.upper() or "INFO"


def log_formatter_of(environment: Mapping[str, str]) -> str:
    """Return the dotted path of the formatter. Raise ``SystemExit`` if the format is unknown."""
    text = environment.get(FORMAT_VARIABLE, "").strip()
    if text and text.lower() not in FORMATTERS:
        raise SystemExit(f"rensho: {FORMAT_VARIABLE}={text[:40]!r} is not one of {', '.join(FORMATTERS)}.")
    return FORMATTERS[text.lower() or "text"]


class PrintableRecord(logging.LogRecord):
    """A record whose message is one printable line, with the fields of ``arena.common.log_context``."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.context_fields = {name: printable(value) for name, value in log_fields().items()}
        if self.exc_info and self.exc_info[0]:
            lines = "".join(traceback.format_exception(*self.exc_info)).rstrip("\n")
            self.exc_text = printable_lines(lines)

    def getMessage(self) -> str:
        return printable(super().getMessage())


class TextFormatter(logging.Formatter):
    """A line with local time, level, logger, request id in brackets, and message; then the traceback."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(request_part)s%(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        request_id = getattr(record, "context_fields", {}).get(REQUEST_ID, "")
        record.request_part = f"[{request_id}] " if request_id else ""
        return super().formatMessage(record)


class FloodFilter(logging.Filter):
    """Passes ``MAX_RECORDS`` of a kind per window; the next one says how many were dropped.

    For loggers of invalid requests. Platform errors (level ERROR outside of ``django.security``) always pass.
    A request for an unknown host is logged as a warning that names the variable to set.
    """

    def __init__(self, name: str = "") -> None:
        super().__init__(name)
        self._windows: dict[str, tuple[int, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
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
