"""A task that records what it sees, its messages, and a run of it as in a worker."""

from __future__ import annotations

from typing import Any

import pytest
from celery import Celery, shared_task
from celery.app.trace import build_tracer
from kombu import Connection, Queue

from arena.common.log_context import log_fields
from arena.common.message_context import message_subject

seen: list[tuple[dict[str, str], str]] = []


@shared_task(name="tests.look")
def look() -> None:
    seen.append((dict(log_fields()), message_subject()))


@pytest.fixture
def app() -> Celery:
    """An application whose messages stay in this process."""
    return Celery("tests", broker="memory://request-ids", set_as_current=False)


def message_headers(app: Celery, **options: Any) -> dict[str, Any]:
    """The headers of a message that is published now."""
    with Connection("memory://request-ids") as connection, connection.channel() as channel:
        queue = Queue("looks", routing_key="looks", channel=channel)
        queue.declare()
        app.send_task("tests.look", queue="looks", connection=connection, **options)
        message = queue.get(no_ack=True)
        assert message is not None
        headers: dict[str, Any] = message.headers
        return headers


def run(app: Celery, headers: dict[str, Any]) -> tuple[dict[str, str], str]:
    """Run the task of a message as a worker does, and return what it saw."""
    seen.clear()
    tracer = build_tracer("tests.look", look, app=app)
    tracer("1", [], {}, {**headers, "id": "1", "is_eager": False})
    return seen[0]
