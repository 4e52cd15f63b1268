"""Nudging workers. The row is the truth: a nudge that fails is logged only, the tick sends it again."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping

from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from arena.celery import app
from arena.matches.models import Table

log = logging.getLogger(__name__)

TABLE_PLAY = "arena.jobs.tasks.table_play"
VERSION_CHECK = "arena.jobs.tasks.version_check"
WALL_MARGIN_S = 60
"""For what comes before and after a table's play."""


def _send(task: str, ids: Iterable[int], expires_s: int, soft_s: Mapping[int, int] | None = None) -> None:
    """Send one message an id once the present transaction has committed.

    ``soft_s`` is how long the work on an id may take, where that is longer than tasks commonly may.
    """
    usual = settings.CELERY_TASK_SOFT_TIME_LIMIT

    def send() -> None:
        for one in ids:
            seconds = max(usual, (soft_s or {}).get(one, 0))
            try:
                app.send_task(
                    task,
                    (one,),
                    queue=settings.CELERY_TASK_ROUTES[task]["queue"],
                    expires=expires_s,
                    soft_time_limit=seconds,
                    time_limit=seconds + settings.CELERY_TASK_TIME_LIMIT - usual,
                )
            except OperationalError as error:
                log.warning("broker not reached, %s %s waits for the tick: %s", task, one, error)
                return

    transaction.on_commit(send)


def tables_publish(table_ids: Iterable[int]) -> None:
    """Ask workers to play these tables, each for as long as its wall limit says and no longer."""
    ids = list(table_ids)
    limits = dict(Table.objects.filter(pk__in=ids).values_list("pk", "wall_limit_s"))
    soft_s = {pk: math.ceil(limit_s) + WALL_MARGIN_S for pk, limit_s in limits.items()}
    _send(TABLE_PLAY, ids, settings.TABLE_MESSAGE_S, soft_s)


def checks_publish(check_ids: Iterable[int]) -> None:
    """Ask workers to check these versions."""
    _send(VERSION_CHECK, list(check_ids), settings.TABLE_MESSAGE_S)
