"""Celery task that verifies an import, and the functions that queue it."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from celery import shared_task
from django.db import transaction
from kombu.exceptions import OperationalError

from arena.common.features import DueTournament
from arena.features.imports.limits import CHECK_TASK_S
from arena.features.imports.models import ImportedEvent
from arena.features.imports.services import import_check, imports_sweep

log = logging.getLogger(__name__)

MESSAGE_EXPIRES_S = 60
"""Seconds until a message expires; then the tick sends another one."""


@shared_task(acks_late=False, soft_time_limit=CHECK_TASK_S, time_limit=CHECK_TASK_S + 60)
def import_verify(pk: int) -> None:
    """Acknowledged early, because it may exceed the queue's visibility timeout."""
    import_check(pk)


def import_request(event: ImportedEvent) -> None:
    """Queue the verification after the current transaction commits."""
    transaction.on_commit(lambda: _send(event.pk))


def imports_due() -> Iterable[DueTournament]:
    for pk in imports_sweep():
        _send(pk)
    return ()


def _send(pk: int) -> None:
    try:
        import_verify.apply_async((pk,), expires=MESSAGE_EXPIRES_S)
    except OperationalError as error:
        log.warning("cannot reach the broker, an import waits for the next tick: %s", error)
