"""Sending spans, with one log line when the receiver fails and one when it works again."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http import trace_exporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

log = logging.getLogger(__name__)
MAX_REASON_CHARACTERS = 300


class QuietExporter(SpanExporter):
    """Replaces the messages of the library, which logs an error for each batch."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._reason = ""
        self._is_failing = False
        logging.getLogger(trace_exporter.__name__).addFilter(self._take)

    def _take(self, record: logging.LogRecord) -> bool:
        """Suppress a message of the library; keep the first of a batch, which has the reason."""
        self._reason = self._reason or record.getMessage()[:MAX_REASON_CHARACTERS]
        return False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._reason = ""
        result = self._exporter.export(spans)
        was_failing, self._is_failing = self._is_failing, result is not SpanExportResult.SUCCESS
        if self._is_failing and not was_failing:
            log.warning("traces are dropped until their receiver accepts them again: %s", self._reason)
        elif was_failing and not self._is_failing:
            log.warning("traces are sent again")
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()
        logging.getLogger(trace_exporter.__name__).removeFilter(self._take)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)
