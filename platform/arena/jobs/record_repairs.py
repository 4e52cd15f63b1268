"""Replay tables whose records are lost: the same seeds, key, bundles and artefacts give the same record.

A worker with the runtimes replays a table of a ``RecordRepair`` row, whose boards are unsealed, and stores
the record only if it has the hash of the lost one. Results never change.
"""

from __future__ import annotations

import dataclasses
import datetime
import logging
from collections.abc import Collection, Iterable

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from arena.common.blobs import BlobDamaged, BlobMissing, blob_get, blobs_write
from arena.common.models import Blob, LostBlob
from arena.common.packs import blobs_delete
from arena.jobs.play import Player
from arena.jobs.publish import record_replays_send, replay_limit_s
from arena.jobs.selftest import Selftest
from arena.matches.models import BoardSet, RecordRepair, Table
from arena.matches.orders import table_order
from arena.tables.artifacts import TableArtifacts
from arena.tables.machine_faults import cause_of
from arena.tables.views import ViewImpossible, table_view_make
from referee.contract import TableOrder
from referee.execute import execute
from referee.runtimes import require_artifact, stage_artifact

log = logging.getLogger(__name__)

ATTEMPTS = 3
OFFERED_AT_ONCE = 2
"""Maximum replays in the queue; tables that count have priority."""
State, Failure = RecordRepair.State, RecordRepair.Failure


def tables_of_records(sha256s: Collection[str] | QuerySet[LostBlob, str]) -> QuerySet[Table]:
    return Table.objects.filter(state=Table.State.FINISHED, record_sha256__in=sha256s)


def repairs_ask(tables: Iterable[Table]) -> int:
    """Queue replays of these tables, including those that failed before, and return the number queued now."""
    count = 0
    for table in tables:
        RecordRepair.objects.filter(table=table, state=State.FAILED).delete()
        RecordRepair.objects.get_or_create(table=table)
        count += 1
    return count


def repairs_offer() -> int:
    """Send waiting replays to workers; return those of lost workers to waiting. Returns the number sent."""
    now = timezone.now()
    late = RecordRepair.objects.filter(state=State.PLAYING, until__lte=now)
    for repair in late.select_related("table"):
        _return_to_waiting(repair.table, "no report came in time")
    stale = now - datetime.timedelta(seconds=settings.TABLE_MESSAGE_TTL_S)
    open_sets = BoardSet.objects.exclude(state=BoardSet.State.CLOSED)
    waiting = RecordRepair.objects.filter(state=State.WAITING).exclude(
        Exists(open_sets.filter(pk=OuterRef("table__fixture__board_set")))
    )
    busy = RecordRepair.objects.filter(
        Q(state=State.PLAYING) | Q(state=State.WAITING, requeued_at__gt=stale)
    ).count()
    free = max(0, OFFERED_AT_ONCE - busy)
    due = waiting.filter(Q(requeued_at=None) | Q(requeued_at__lte=stale)).order_by("pk")[:free]
    tables = [repair.table for repair in due.select_related("table__runtimes")]
    RecordRepair.objects.filter(table__in=tables).update(requeued_at=now)
    record_replays_send(tables)
    return len(tables)


def record_replay(table_id: int, player: Player = execute, selftest: Selftest | None = None) -> bool:
    """Replay a waiting table and store its record if it equals the lost one; return whether it does.

    Returns at once if nothing is to do. Failures of this machine are retried, ``ATTEMPTS`` times in total.
    """
    table = _claim(table_id)
    if table is None:
        return False
    artifacts = TableArtifacts()
    try:
        order = _order(table)
        report = player(order, blob_get, artifacts.keep, lambda *_: None)
    except (BlobMissing, BlobDamaged) as error:
        _failed(table, Failure.BLOB_LOST, error.message)
        return False
    except Exception as error:
        log.exception("replay of table %s: the platform failed", table.public_id)
        reason = f"{type(error).__name__}: {error}"
        (selftest or Selftest()).explain(reason, cause_of(error))
        _return_to_waiting(table, reason)
        return False
    if report.platform_fault is not None:
        _return_to_waiting(table, report.platform_fault)
        return False
    if report.record_sha256 != table.record_sha256:
        _failed(table, Failure.OTHER_RECORD, f"the replay's record is {report.record_sha256}")
        return False
    blobs_write([artifacts.kept(table.record_sha256)])
    RecordRepair.objects.filter(table_id=table_id).delete()
    log.warning("the record of table %s is stored again, made by a replay", table.public_id)
    if Blob.objects.filter(sha256=table.view_sha256, lost__isnull=False).exists():
        lost_view_make(table)
    return True


def lost_view_make(table: Table) -> bool:
    """Recreate a lost view; return whether it is equal. A different one deletes the lost blob."""
    before = table.view_sha256
    try:
        after = table_view_make(table)
    except ViewImpossible as error:
        log.warning("no view of table %s: %s", table.public_id, error)
        return False
    if after != before and not Table.objects.filter(view_sha256=before).exists():
        blobs_delete(Blob.objects.filter(sha256=before, kind=Blob.Kind.VIEW))
    return after is not None


def _claim(table_id: int) -> Table | None:
    table = (
        Table.objects.select_related("fixture__board_set__round__stage__tournament")
        .filter(pk=table_id, state=Table.State.FINISHED)
        .first()
    )
    repair = RecordRepair.objects.filter(table_id=table_id)
    if table is None or not LostBlob.objects.filter(blob=table.record_sha256).exists():
        repair.delete()  # played again by order of the organiser, or restored
        return None
    if table.fixture.board_set.state != BoardSet.State.CLOSED:
        return None
    until = timezone.now() + datetime.timedelta(seconds=replay_limit_s(table))
    claimed = repair.filter(state=State.WAITING).update(
        state=State.PLAYING, until=until, attempts=F("attempts") + 1
    )
    return table if claimed else None


def _order(table: Table) -> TableOrder:
    """Return the order of a table as it was played, with its artefacts staged."""
    order = table_order(table)
    seats = []
    for seat in order.seats:
        artifact = table.runtime_artifacts.get(seat.runtime, "")
        require_artifact(seat.runtime, artifact)
        if artifact:
            stage_artifact(artifact, blob_get)
        seats.append(dataclasses.replace(seat, runtime_sha256=artifact))
    return dataclasses.replace(order, seats=tuple(seats))


def _return_to_waiting(table: Table, reason: str) -> None:
    """Return a replay to waiting after a platform fault, unless it was the last attempt."""
    playing = RecordRepair.objects.filter(table=table, state=State.PLAYING)
    if playing.filter(attempts__gte=ATTEMPTS).exists():
        _failed(table, Failure.PLATFORM, reason)
    else:
        playing.update(state=State.WAITING, until=None, requeued_at=timezone.now(), detail=reason[:300])


def _failed(table: Table, failure: RecordRepair.Failure, detail: str) -> None:
    RecordRepair.objects.filter(table=table, state=State.PLAYING).update(
        state=State.FAILED, until=None, failure=failure, detail=detail[:300]
    )
    log.error("replay of table %s failed (%s): %s", table.public_id, failure, detail)
