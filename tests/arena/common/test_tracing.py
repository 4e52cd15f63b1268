"""Traces: which spans there are, how they hang together, and that they contain nothing private."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.test import Client
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from arena.common import tracing
from arena.common.log_context import bound_log_fields
from arena.common.trace_export import QuietExporter
from tests.arena.common.messages import app as app
from tests.arena.common.messages import message_headers, run

ALLOWED = {
    "http.request.method",
    "http.route",
    "http.response.status_code",
    "error.type",
    "rensho.request_id",
    "rensho.task",
    "rensho.table",
    "rensho.tournament",
    "rensho.attempt",
}


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    tracing.tracing_start("1", exporter)
    yield exporter
    tracing.tracing_stop()


def finished(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def test_nothing_is_traced_until_it_is_asked_for() -> None:
    with tracing.span("nothing") as started:
        assert started is None
    assert tracing.trace_headers() == {}


@pytest.mark.django_db
def test_the_span_of_a_request_has_its_route_and_no_address(spans: InMemorySpanExporter) -> None:
    secret = "MQ/set-9f8e7d6c5b4a"
    response = Client().get(f"/bots/{'q' * 12}?token={secret}", headers={"User-Agent": "visitor"})
    (span,) = spans.get_finished_spans()
    assert span.name == "GET /bots/<id:public_id>"
    attributes = dict(span.attributes or {})
    assert attributes["http.response.status_code"] == 404
    assert attributes["rensho.request_id"] == response["X-Request-ID"]
    assert set(attributes) <= ALLOWED
    assert not {"q" * 12, secret, "visitor", "127.0.0.1"} & set(map(str, attributes.values()))


@pytest.mark.django_db
def test_the_method_of_a_request_is_a_known_one(spans: InMemorySpanExporter) -> None:
    Client().generic("BREW" * 5, "/healthz")
    (span,) = spans.get_finished_spans()
    assert (span.attributes or {})["http.request.method"] == tracing.OTHER_METHOD


def test_a_task_continues_the_trace_of_its_sender(spans: InMemorySpanExporter, app: Any) -> None:
    with bound_log_fields(request_id="q7x2k9mp4tzn"), tracing.span("sender"):
        headers = message_headers(app)
    run(app, headers)
    sender, task = (finished(spans)[name] for name in ("sender", "task look"))
    assert task.parent is not None
    assert sender.context is not None
    assert task.parent.span_id == sender.context.span_id
    assert task.kind == SpanKind.CONSUMER
    assert dict(task.attributes or {}) == {"rensho.request_id": "q7x2k9mp4tzn", "rensho.task": "look"}


def test_of_an_error_only_the_type_is_recorded(spans: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError), tracing.span("report"):
        raise ValueError("KH QH")
    (span,) = spans.get_finished_spans()
    assert span.status.status_code == StatusCode.ERROR
    assert "KH" not in span.to_json()
    assert (span.attributes or {})["error.type"] == "ValueError"


class Receiver(BaseHTTPRequestHandler):
    """Accepts all traces."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_receiver_that_is_away_costs_a_line_and_another_when_it_is_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    port = server.server_port
    server.server_close()
    sender = QuietExporter(OTLPSpanExporter(f"http://127.0.0.1:{port}/v1/traces", timeout=0.5))
    tracing.tracing_start("1", sender)
    try:
        for _ in range(3):
            with tracing.span("lost"):
                pass
        server = HTTPServer(("127.0.0.1", port), Receiver)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for _ in range(2):
            with tracing.span("sent"):
                pass
    finally:
        tracing.tracing_stop()
        server.shutdown()
        server.server_close()
    first, second = (record.getMessage() for record in caplog.records)
    assert "dropped" in first
    assert "sent again" in second
