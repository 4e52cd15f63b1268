"""Logs as JSON: one line per record, rendered by structlog. Loaded only with ``RENSHO_LOG_FORMAT=json``."""

from __future__ import annotations

import datetime
import json
import logging
from typing import Any

from structlog.processors import JSONRenderer
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, WrappedLogger

from arena.common.errors import shortened

MAX_MESSAGE_CHARACTERS = 4_000
MAX_TRACEBACK_CHARACTERS = 8_000
"""A traceback keeps its beginning and end. journald splits lines of more than 48 KiB, message included."""


def json_formatter() -> logging.Formatter:
    """Return the formatter. Its lines have ``time`` (UTC), ``level``, ``logger`` and ``message``, then the
    fields of ``arena.common.log_context``, and ``exception`` with the traceback.
    """
    return ProcessorFormatter(
        foreign_pre_chain=(_describe,),
        processors=(
            ProcessorFormatter.remove_processors_meta,
            JSONRenderer(serializer=json.dumps, ensure_ascii=False),
        ),
    )


def _describe(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Replace structlog's event by our fields. Message, fields and traceback are printable already."""
    record: logging.LogRecord = event["_record"]
    created = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
    described: dict[str, Any] = {
        "time": created.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "level": record.levelname,
        "logger": record.name,
        "message": shortened(str(event["event"]), MAX_MESSAGE_CHARACTERS),
        **getattr(record, "context_fields", {}),
    }
    if record.exc_text:
        described["exception"] = shortened(record.exc_text, MAX_TRACEBACK_CHARACTERS)
    if record.stack_info:
        described["stack"] = shortened(record.stack_info, MAX_TRACEBACK_CHARACTERS)
    return {**described, "_record": record, "_from_structlog": False}
