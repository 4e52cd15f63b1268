"""OpenTelemetry traces of requests, tasks and tables; without effect until ``tracing_start``.

Spans have a fixed set of attributes: route, method, status, and the fields of ``arena.common.log_context``.
The instrumentation packages of OpenTelemetry would also record addresses of visitors, and URLs, of which some
contain secrets, such as links to reset a password. Incoming trace headers of requests are ignored.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from arena.common.log_context import log_fields

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

PREFIX = "rensho."
"""Prefix of attributes that are fields of log records."""
SERVICE_NAME = "OTEL_SERVICE_NAME"
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
OTHER_METHOD = "_OTHER"
TRACE_HEADER = "traceparent"
FLUSH_MS = 2000

_provider: TracerProvider | None = None
_tracer: Tracer | None = None


def tracing_start(version: str, exporter: SpanExporter | None = None) -> None:
    """Send spans from now on to the endpoint of the environment, or to ``exporter`` without a delay.

    The sender is a thread: call it in the process that creates the spans, after it was forked.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

    from arena.common.trace_export import QuietExporter

    global _provider, _tracer
    named = {} if os.environ.get(SERVICE_NAME) else {"service.name": "rensho"}
    _provider = TracerProvider(resource=Resource.create({**named, "service.version": version}))
    _provider.add_span_processor(
        SimpleSpanProcessor(exporter) if exporter else BatchSpanProcessor(QuietExporter(OTLPSpanExporter()))
    )
    _tracer = _provider.get_tracer("rensho")


def tracing_stop() -> None:
    """Send the remaining spans and create no more."""
    global _provider, _tracer
    if _provider is not None:
        _provider.force_flush(FLUSH_MS)
        _provider.shutdown()
    _provider = _tracer = None


@contextlib.contextmanager
def span(name: str, headers: Mapping[str, str] | None = None) -> Iterator[Span | None]:
    """Context manager of a span with the current log fields, or of None while tracing is off.

    With ``headers`` of a message, it continues the trace of the sender. Of an exception, only the type is
    recorded.
    """
    if _tracer is None:
        yield None
        return
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    parent = None if headers is None else TraceContextTextMapPropagator().extract(headers)
    with _tracer.start_as_current_span(
        name,
        context=parent,
        kind=SpanKind.INTERNAL if headers is None else SpanKind.CONSUMER,
        attributes={PREFIX + field: value for field, value in log_fields().items()},
        record_exception=False,
        set_status_on_exception=False,
    ) as started:
        try:
            yield started
        except BaseException as error:
            mark_failed(started, type(error).__name__)
            raise


@contextlib.contextmanager
def request_span(request: HttpRequest) -> Iterator[Callable[[HttpResponseBase], None]]:
    """Context manager of the span of a request: a function that records the response."""
    method = request.method if request.method and request.method in METHODS else OTHER_METHOD
    with span(method) as started:

        def record(response: HttpResponseBase) -> None:
            if started is not None:
                _record_response(started, method, request, response)

        yield record


def _record_response(started: Span, method: str, request: HttpRequest, response: HttpResponseBase) -> None:
    route = getattr(request.resolver_match, "route", "")
    started.update_name(f"{method} /{route}" if route else method)
    started.set_attributes(
        {
            "http.request.method": method,
            "http.route": f"/{route}",
            "http.response.status_code": response.status_code,
        }
    )
    if response.status_code >= 500:
        mark_failed(started, str(response.status_code))


def mark_failed(started: Span | None, kind: str) -> None:
    """Set the status of a span to an error of this kind, such as the name of an exception."""
    if started is not None:
        from opentelemetry.trace import StatusCode

        started.set_status(StatusCode.ERROR, kind)
        started.set_attribute("error.type", kind)


def trace_headers() -> dict[str, str]:
    """Return headers by which the receiver of a message continues the current trace; none while it is off."""
    headers: dict[str, str] = {}
    if _tracer is not None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        TraceContextTextMapPropagator().inject(headers)
    return headers
