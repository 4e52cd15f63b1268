"""Consequences of a platform fault at a table: how long the table waits, and whether the attempt counts.

A fault of the machine does not count as an attempt, nor does one that several tables of a host have in
common. A table that fails on its own is quarantined at the attempt limit. Codes decide, never the text of a
reason.
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from arena.accounts.events import event_add
from arena.common.backoff import backoff_s
from arena.common.causes import BOT_CAUSES, MACHINE_CAUSES, WORKER_LOSS_CAUSES, Cause
from arena.common.metric_declarations import LOSS_CAUSES
from arena.common.metrics import count
from arena.common.notes import Note, note_in_english
from arena.competition.models import Tournament
from arena.competition.services import tournament_touch
from arena.competition.transitions import organiser_notify, tournament_row_lock
from arena.matches.common_boards import lost_leases_record
from arena.matches.models import Table
from arena.matches.stalls import stall_begin

State = Table.State
MIN_COMMON_FAILURES = 3
"""Minimum tables of a host with the same cause that make it a fault of the host."""
MIN_COMMON_LOSSES = 2
"""The same for causes by which a worker is lost."""
COMMON_WINDOW_S = 120.0
"""Seconds within which these tables must fail, without a finished table of the host in between."""
UNNOTICED_CAUSES = frozenset({Cause.HEARTBEAT_LOST, Cause.NO_PROGRESS})
"""Causes that end an attempt possibly without its worker noticing."""
RESET_COLUMNS: Mapping[str, Any] = {
    "attempt": 0,
    "cause": "",
    "killed_bundles": [],
    "failures": 0,
    "failed_at": None,
    "failing_since": None,
    "retry_at": None,
}
"""Columns of a table that starts over as if it had never failed."""


@transaction.atomic
def tables_release(tables: QuerySet[Table], cause: Cause, note: Note) -> int:
    """Send the leased ones of these tables back to waiting, and return how many. No entry is charged."""
    leased = tables.filter(state=State.LEASED)
    for tournament in sorted(set(leased.order_by().values_list("tournament", flat=True))):
        tournament_row_lock(pk=tournament)
    leased = leased.select_for_update(of=("self",))
    by_host = defaultdict(list)
    for table in leased.select_related("tournament").order_by("pk"):
        by_host[table.worker.partition(":")[0]].append(table)
    if cause in UNNOTICED_CAUSES:
        lost_leases_record(table for tables_of_host in by_host.values() for table in tables_of_host)
    quarantined: list[int] = []
    for host, tables_of_host in by_host.items():
        is_spent = not (cause in MACHINE_CAUSES or _is_host_failure(host, tables_of_host, cause))
        for table in tables_of_host:
            if _send_back(table, cause, note, is_spent=is_spent):
                quarantined.append(table.pk)
            elif not is_spent and not _is_being_played(table.tournament):
                stall_begin(table.tournament, cause, note)
    quarantine_notify(quarantined)
    released = sum(map(len, by_host.values()))
    transaction.on_commit(lambda: _failures_count(cause, released))
    return released


def _failures_count(cause: Cause, tables: int) -> None:
    outcome = "lost" if cause in LOSS_CAUSES else "failed"
    count("table_attempts", tables, outcome=outcome, cause=cause)
    count("platform_faults", tables, cause=cause)


def _send_back(table: Table, cause: Cause, note: Note, *, is_spent: bool) -> bool:
    now = timezone.now()
    failures = table.failures + 1
    is_worn_out = is_spent and table.attempt >= settings.TABLE_ATTEMPTS_MAX
    Table.objects.filter(pk=table.pk).update(
        state=State.QUARANTINED if is_worn_out else State.WAITING,
        state_at=now,
        fence="",
        lease_until=None,
        note=note,
        boards_done=0,
        decisions=0,
        published_at=None,
        attempt=table.attempt if is_spent else table.attempt - 1,
        cause=cause,
        failures=failures,
        failed_at=now,
        failing_since=table.failing_since or now,
        retry_at=now + datetime.timedelta(seconds=backoff_s(failures)),
    )
    return is_worn_out


def _is_host_failure(host: str, failed: Sequence[Table], cause: Cause) -> bool:
    if cause in BOT_CAUSES or not host:
        return False
    now = timezone.now()
    alike = list(
        Table.objects.filter(
            cause=cause,
            failed_at__gte=now - datetime.timedelta(seconds=COMMON_WINDOW_S),
            worker__startswith=f"{host}:",
            state__in=(State.WAITING, State.LEASED),
        )
        .exclude(pk__in=[table.pk for table in failed])
        .values_list("pk", "failed_at")
    )
    if len(alike) + len(failed) < (MIN_COMMON_LOSSES if cause in WORKER_LOSS_CAUSES else MIN_COMMON_FAILURES):
        return False
    first = min((failed_at for _, failed_at in alike if failed_at), default=now)
    finished_since = Table.objects.filter(
        tournament__state=Tournament.State.RUNNING,
        state=State.FINISHED,
        finished_at__gte=first,
        worker__startswith=f"{host}:",
    )
    if finished_since.exists():
        return False
    spent = Table.objects.filter(pk__in=[pk for pk, _ in alike], state=State.WAITING, attempt__gt=0)
    spent.update(attempt=F("attempt") - 1)
    return True


def _is_being_played(tournament: Tournament) -> bool:
    return Table.objects.filter(tournament=tournament, state=State.LEASED).exists()


def quarantine_notify(table_ids: Collection[int]) -> None:
    """Publish quarantined tables; notify organisers at the first one of their tournament."""
    tables = Table.objects.filter(pk__in=table_ids).select_related("tournament", "fixture").order_by("pk")
    first: dict[Tournament, Table] = {}
    for table in tables:
        event_add(
            "table.quarantined",
            table,
            tournament=table.tournament.public_id,
            fixture=table.fixture.public_id,
            reason=note_in_english(table.note),
        )
        first.setdefault(table.tournament, table)
    for tournament, table in first.items():
        tournament_touch(tournament)
        earlier = Table.objects.filter(tournament=tournament, state=State.QUARANTINED)
        if not earlier.exclude(pk__in=table_ids).exists() and tournament.quarantine_hours:
            organiser_notify(
                tournament,
                {
                    "code": "table_held_back",
                    "tournament": tournament.name,
                    "why": table.note,
                    "hours": tournament.quarantine_hours,
                },
            )
