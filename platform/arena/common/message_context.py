"""Messages to workers carry the request id and the public id of their object, for the logs of the task."""

from __future__ import annotations

from contextlib import ExitStack
from contextvars import ContextVar
from typing import Any

from celery import Task, current_task
from celery.signals import before_task_publish, task_postrun, task_prerun
from celery.states import FAILURE

from arena.common.ids import is_public_id
from arena.common.log_context import REQUEST_ID, TASK, log_fields_reset, log_fields_set
from arena.common.request_ids import MESSAGE_HEADER, current_request_id, is_request_id, new_request_id
from arena.common.tracing import TRACE_HEADER, mark_failed, span, trace_headers

SUBJECT_HEADER = "subject"
"""Header with the public id of the object that a message is about."""
UNKNOWN_SUBJECT = "?"

_running: ContextVar[tuple[ExitStack, Any] | None] = ContextVar("rensho_running_task", default=None)
"""Log fields and span of the current task, which end with it, and the span."""


def message_context_connect() -> None:
    before_task_publish.connect(_on_publish)
    task_prerun.connect(_on_begin)
    task_postrun.connect(_on_end)


def message_subject() -> str:
    """Return the public id that the current message carries, or ``?`` without one."""
    subject = current_task.request.get(SUBJECT_HEADER) if current_task else None
    return subject if isinstance(subject, str) and is_public_id(subject) else UNKNOWN_SUBJECT


def _on_publish(headers: dict[str, Any], **_: Any) -> None:
    """Add the id of the current request or task. Without one, as in beat, each message gets its own."""
    headers.setdefault(MESSAGE_HEADER, current_request_id() or new_request_id())
    headers.update(trace_headers())


def _on_begin(task: Task[Any, Any], **_: Any) -> None:
    if task.request.is_eager:  # the caller's fields apply
        return
    sent = task.request.get(MESSAGE_HEADER)
    request_id = sent if is_request_id(sent) else new_request_id()
    name = str(task.name).rpartition(".")[2]
    running = ExitStack()
    running.callback(log_fields_reset, log_fields_set({REQUEST_ID: request_id, TASK: name}))
    sender = {TRACE_HEADER: str(task.request.get(TRACE_HEADER, ""))}
    started = running.enter_context(span(f"task {name}", sender))
    _running.set((running, started))


def _on_end(task: Task[Any, Any], state: str | None = None, **_: Any) -> None:
    if task.request.is_eager:
        return
    if (current := _running.get()) is not None:
        _running.set(None)
        running, started = current
        if state == FAILURE:
            mark_failed(started, FAILURE)
        running.close()
