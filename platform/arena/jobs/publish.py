"""Nudging workers. The row is the truth: a nudge that fails is logged only, the tick sends it again."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from arena.celery import app

log = logging.getLogger(__name__)

TABLE_PLAY = "arena.jobs.tasks.table_play"
VERSION_CHECK = "arena.jobs.tasks.version_check"


def _send(task: str, ids: Iterable[int], expires_s: int) -> None:
    """Send one message an id once the present transaction has committed."""

    def send() -> None:
        for one in ids:
            try:
                app.send_task(
                    task, (one,), queue=settings.CELERY_TASK_ROUTES[task]["queue"], expires=expires_s
                )
            except OperationalError as error:
                log.warning("broker not reached, %s %s waits for the tick: %s", task, one, error)
                return

    transaction.on_commit(send)


def tables_publish(table_ids: Iterable[int]) -> None:
    """Ask workers to play these tables."""
    _send(TABLE_PLAY, list(table_ids), settings.TABLE_MESSAGE_S)


def checks_publish(check_ids: Iterable[int]) -> None:
    """Ask workers to check these versions."""
    _send(VERSION_CHECK, list(check_ids), settings.TABLE_MESSAGE_S)
