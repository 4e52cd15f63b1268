"""Send messages to workers. The row is authoritative: failures are only logged, and the tick sends again."""

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
from arena.common.maintenance import maintenance_read
from arena.common.message_context import SUBJECT_HEADER
from arena.competition.models import Tournament
from arena.jobs.queues import CHECKS, TABLES, queue_for
from arena.matches.common_boards import board_waits_end
from arena.matches.dispatch import tables_due, wall_limit_granted_s
from arena.matches.models import Table
from arena.matches.waits import delayed_tables_release, runtime_waits_update, tables_mark_unpublished
from arena.matches.workers import fleet_alive
from arena.roster.checks import checks_retry_now
from arena.roster.models import CheckRun
from arena.roster.services import checks_sweep
from referee.contract import machine_delay_limit_s

log = logging.getLogger(__name__)

TABLE_PLAY = "arena.jobs.tasks.table_play"
RECORD_REPLAY = "arena.jobs.tasks.record_repair"
AUDIT = "arena.jobs.tasks.tournament_finalise"
AUDIT_TASK_S = 6 * 3600
"""Maximum seconds of the audit of a large event; it is requested again afterwards."""
VERSION_CHECK = "arena.jobs.tasks.version_check"
WALL_MARGIN_S = 60
"""Additional seconds for the work before and after play."""


class Message(NamedTuple):
    """A message to a worker: the row with its public id, the queue, and the time limit in seconds."""

    id: int
    public_id: str
    queue: str
    soft_s: int


def _send(task: str, nudges: list[Message], unsent: Callable[[list[int]], object] = lambda ids: None) -> None:
    """Send messages after the current transaction commits; ``unsent`` is called with the ids that failed."""
    margin_s = settings.CELERY_TASK_TIME_LIMIT - settings.CELERY_TASK_SOFT_TIME_LIMIT

    def send() -> None:
        for position, nudge in enumerate(nudges):
            try:
                app.send_task(
                    task,
                    (nudge.id,),
                    queue=nudge.queue,
                    headers={SUBJECT_HEADER: nudge.public_id},
                    expires=settings.TABLE_MESSAGE_TTL_S,
                    soft_time_limit=nudge.soft_s,
                    time_limit=nudge.soft_s + margin_s,
                )
            except OperationalError as error:
                log.warning("broker not reached, %s %s waits for the tick: %s", task, nudge.public_id, error)
                unsent([left.id for left in nudges[position:]])
                return

    transaction.on_commit(send)


def tables_publish(table_ids: Iterable[int], kernel: str = "") -> None:
    """Send these tables to workers that have the runtimes, each with its wall-time limit."""
    ids = list(table_ids)
    if not ids:
        return
    tables = Table.objects.order_by().select_related("runtimes").in_bulk(ids)
    nudges = []
    for pk in ids:
        if table := tables.get(pk):
            queue = queue_for(TABLES, table.runtimes.names, kernel)
            nudges.append(Message(pk, table.public_id, queue, _soft_limit_s(table)))
    sent_at = timezone.now()
    _send(TABLE_PLAY, nudges, lambda left: tables_mark_unpublished(left, sent_at))


def _soft_limit_s(table: Table) -> int:
    """Return the maximum seconds of a table, however busy the machine is."""
    granted_s = wall_limit_granted_s(table.wall_limit_s, table.board_count)
    usual = settings.CELERY_TASK_SOFT_TIME_LIMIT
    return max(usual, math.ceil(granted_s + machine_delay_limit_s(granted_s)) + WALL_MARGIN_S)


def record_replays_send(tables: Iterable[Table]) -> None:
    """Send replays of these tables to workers that have the runtimes; select the runtimes."""
    _send(
        RECORD_REPLAY,
        [
            Message(table.pk, table.public_id, queue_for(TABLES, table.runtimes.names), _soft_limit_s(table))
            for table in tables
        ],
    )


def replay_limit_s(table: Table) -> float:
    """Return the seconds after which a worker that replays a table counts as lost."""
    return _soft_limit_s(table) + settings.CELERY_TASK_TIME_LIMIT - settings.CELERY_TASK_SOFT_TIME_LIMIT


def tables_offer() -> None:
    """Dispatch waiting tables up to the prefetch window, fairly.

    Tables that may now run on another machine come first. In maintenance mode, nothing is dispatched.
    """
    if maintenance_read() is not None:
        return
    for kernel, ids in board_waits_end().items():
        tables_publish(ids, kernel)
    tables_publish(tables_due())


def audit_publish(
    tournament: Tournament, unsent: Callable[[], object] = lambda: None, *, actor: int | None = None
) -> None:
    """Request the audit of a large event after the current transaction commits.

    ``unsent`` is called if the message cannot be sent. ``actor`` is the key of the account that ends the
    review.
    """

    def send() -> None:
        try:
            app.send_task(
                AUDIT,
                (tournament.pk,) if actor is None else (tournament.pk, actor),
                queue="housekeeping",
                headers={SUBJECT_HEADER: tournament.public_id},
                expires=AUDIT_TASK_S,
                soft_time_limit=AUDIT_TASK_S,
                time_limit=AUDIT_TASK_S + 60,
            )
        except OperationalError as error:
            log.warning("broker not reached, the audit of %s waits: %s", tournament.public_id, error)
            unsent()

    transaction.on_commit(send)


def checks_publish(check_ids: Iterable[int]) -> None:
    ids = list(check_ids)
    checks = CheckRun.objects.select_related("version").only("public_id", "version__runtime").in_bulk(ids)
    usual = settings.CELERY_TASK_SOFT_TIME_LIMIT
    _send(
        VERSION_CHECK,
        [
            Message(pk, checks[pk].public_id, queue_for(CHECKS, [checks[pk].version.runtime]), usual)
            for pk in ids
            if pk in checks
        ],
    )


def waiting_publish() -> None:
    """Send waiting work to workers that can run it; record on the rest which runtime it waits for.

    In maintenance mode, nothing is sent.
    """
    if maintenance_read() is not None:
        return
    fleet = fleet_alive()
    runtime_waits_update(fleet)
    tables_offer()
    checks_publish(checks_sweep(fleet.refusal))


def retry_after_repair() -> None:
    """Send work again that faults of this machine had returned, after its repair."""
    delayed_tables_release()
    checks_retry_now()
    waiting_publish()
