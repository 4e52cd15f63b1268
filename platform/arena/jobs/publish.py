"""Nudging workers. The row is the truth: a nudge that fails is logged only, the tick sends it again."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from arena.celery import app
from arena.jobs.queues import CHECKS, TABLES, queue_for
from arena.matches.common_boards import board_waits_end
from arena.matches.dispatch import tables_due, wall_limit_granted_s
from arena.matches.models import Table
from arena.matches.waits import delayed_tables_release, runtime_waits_update, tables_mark_unpublished
from arena.matches.workers import fleet_alive
from arena.roster.checks import checks_retries_end
from arena.roster.models import CheckRun
from arena.roster.services import checks_sweep
from referee.contract import held_up_limit_s

log = logging.getLogger(__name__)

TABLE_PLAY = "arena.jobs.tasks.table_play"
RECORD_REPLAY = "arena.jobs.tasks.record_replayed"
AUDIT = "arena.jobs.tasks.tournament_audited"
AUDIT_TASK_S = 6 * 3600
"""How long the audit of a large event may take; it is asked for again after that."""
VERSION_CHECK = "arena.jobs.tasks.version_check"
WALL_MARGIN_S = 60
"""For what comes before and after a table's play."""


class Nudge(NamedTuple):
    """One message: which row to work on, where, and for how long at most."""

    id: int
    queue: str
    soft_s: int


def _send(task: str, nudges: list[Nudge], unsent: Callable[[list[int]], object] = lambda ids: None) -> None:
    """Send the messages once the present transaction has committed; ``unsent`` gets the ids of those that
    could not be."""
    margin_s = settings.CELERY_TASK_TIME_LIMIT - settings.CELERY_TASK_SOFT_TIME_LIMIT

    def send() -> None:
        for place, nudge in enumerate(nudges):
            try:
                app.send_task(
                    task,
                    (nudge.id,),
                    queue=nudge.queue,
                    expires=settings.TABLE_MESSAGE_S,
                    soft_time_limit=nudge.soft_s,
                    time_limit=nudge.soft_s + margin_s,
                )
            except OperationalError as error:
                log.warning("broker not reached, %s %s waits for the tick: %s", task, nudge.id, error)
                unsent([left.id for left in nudges[place:]])
                return

    transaction.on_commit(send)


def tables_publish(table_ids: Iterable[int], kernel: str = "") -> None:
    """Ask workers that have the runtimes to play these tables, each for as long as its wall limit says and a
    busy machine may stretch it.

    With a ``kernel`` only those of that machine are asked.
    """
    ids = list(table_ids)
    if not ids:
        return
    tables = Table.objects.order_by().select_related("runtimes").in_bulk(ids)
    nudges = []
    for pk in ids:
        if table := tables.get(pk):
            nudges.append(Nudge(pk, queue_for(TABLES, table.runtimes.names, kernel), _soft_s(table)))
    sent_at = timezone.now()
    _send(TABLE_PLAY, nudges, lambda left: tables_mark_unpublished(left, sent_at))


def _soft_s(table: Table) -> int:
    """Seconds a worker is given for a table, however busy its machine is."""
    granted_s = wall_limit_granted_s(table.wall_limit_s, table.board_count)
    usual = settings.CELERY_TASK_SOFT_TIME_LIMIT
    return max(usual, math.ceil(granted_s + held_up_limit_s(granted_s)) + WALL_MARGIN_S)


def record_replays_send(tables: Iterable[Table]) -> None:
    """Ask workers that have the runtimes to replay these tables, which come with their runtimes."""
    _send(
        RECORD_REPLAY,
        [Nudge(table.pk, queue_for(TABLES, table.runtimes.names), _soft_s(table)) for table in tables],
    )


def replay_limit_s(table: Table) -> float:
    """Seconds after which a worker that replays a table is lost."""
    return _soft_s(table) + settings.CELERY_TASK_TIME_LIMIT - settings.CELERY_TASK_SOFT_TIME_LIMIT


def tables_offer() -> None:
    """Fill the window of messages about waiting tables, whosever turn it is.

    First come those that waited for others of the same boards on some machine, and may be played on another.
    """
    for kernel, ids in board_waits_end().items():
        tables_publish(ids, kernel)
    tables_publish(tables_due())


def audit_publish(
    tournament_id: int, unsent: Callable[[], object] = lambda: None, *, actor: int | None = None
) -> None:
    """Ask for the audit of a large event, once the present transaction has committed; ``unsent`` is called
    if it could not be asked for. ``actor`` is the key of the account that ends its review."""

    def send() -> None:
        try:
            app.send_task(
                AUDIT,
                (tournament_id,) if actor is None else (tournament_id, actor),
                queue="housekeeping",
                expires=AUDIT_TASK_S,
                soft_time_limit=AUDIT_TASK_S,
                time_limit=AUDIT_TASK_S + 60,
            )
        except OperationalError as error:
            log.warning("broker not reached, the audit of %s waits: %s", tournament_id, error)
            unsent()

    transaction.on_commit(send)


def checks_publish(check_ids: Iterable[int]) -> None:
    """Ask workers that have the runtime to check these versions."""
    ids = list(check_ids)
    runtimes = dict(CheckRun.objects.filter(pk__in=ids).values_list("pk", "version__runtime"))
    usual = settings.CELERY_TASK_SOFT_TIME_LIMIT
    _send(
        VERSION_CHECK,
        [Nudge(pk, queue_for(CHECKS, [runtimes[pk]]), usual) for pk in ids if pk in runtimes],
    )


def waiting_publish() -> None:
    """Look what waits: nudge workers about what they can run, note at the rest which runtime it waits for."""
    fleet = fleet_alive()
    runtime_waits_update(fleet)
    tables_offer()
    checks_publish(checks_sweep(fleet.refusal))


def repaired_publish() -> None:
    """As a machine is repaired: what its faults sent back need not wait any longer."""
    delayed_tables_release()
    checks_retries_end()
    waiting_publish()
