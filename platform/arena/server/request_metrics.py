"""Counts and latencies of responses by route, of this process or of several (``process_metrics``)."""

from __future__ import annotations

import time
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)

from arena.common.metric_declarations import METRICS, PREFIX
from arena.common.serving import ROUTE_KEY
from arena.server.requests import Application, Message, Receive, Scope, Send

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER_METHOD = "other"
UNKNOWN_ROUTE = "unknown"
"""Requests that no route matched, or that were rejected before."""

disable_created_metrics()
process_registry = CollectorRegistry()
ProcessCollector(registry=process_registry)
_requests, _seconds = METRICS["http_requests"], METRICS["http_request_seconds"]
REQUESTS = Counter(f"{PREFIX}{_requests.name}", _requests.help, _requests.labels, registry=process_registry)
SECONDS = Histogram(
    f"{PREFIX}{_seconds.name}",
    _seconds.help,
    _seconds.labels,
    buckets=_seconds.buckets,
    registry=process_registry,
)


class MeasuredApplication:
    """ASGI middleware that records status and time of the first byte, and the wait for a slot within."""

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        started = time.perf_counter()
        is_recorded = False

        async def measured(message: Message) -> None:
            nonlocal is_recorded
            if not is_recorded and message["type"] == "http.response.start":
                is_recorded = True
                record(scope, message["status"], time.perf_counter() - started)
            await send(message)

        await self._application(scope, receive, measured)


def record(scope: Any, status: int, seconds: float) -> None:
    method = scope["method"] if scope["method"] in METHODS else OTHER_METHOD
    route = scope.get(ROUTE_KEY) or UNKNOWN_ROUTE
    REQUESTS.labels(method, route, str(status)).inc()
    SECONDS.labels(route).observe(seconds)
