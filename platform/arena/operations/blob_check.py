"""Missing and damaged blobs: references to each, and possible repairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.core.files.storage import storages
from django.db.models import Q

from arena.common.blob_storages import BlobStorage
from arena.common.blobs import blob_path, blobs_verify
from arena.common.hash_field import HexOf
from arena.common.models import Blob, LostBlob
from arena.common.packs import pack_path, packs_outdate
from arena.jobs.record_repairs import lost_view_make, repairs_ask, tables_of_records
from arena.matches.models import RecordRepair, RuntimeArtifact, Table, TableSeat
from arena.mounts import FEATURES
from arena.roster.models import BotVersion, CheckRun

AT_ONCE = 200
LISTED = 5


class Loss(NamedTuple):
    """A blob that cannot be read."""

    sha256: str
    kind: str
    problem: str
    references: list[str]
    repair: str
    """``queued``, ``failed`` (the replay), ``replay``, ``view`` (it can be recreated), ``publish`` (a
    runtime), or ``backup`` (restore it, or upload the same bytes again).
    """
    remedy: str


def blobs_read() -> int:
    """Read every blob, record missing and damaged ones, and return the number of blobs.

    Raise ``BlobsUnavailable`` if the storage does not work.
    """
    after, count = "", 0
    while hashes := list(
        Blob.objects.filter(sha256__gt=after).order_by("sha256").values_list("sha256", flat=True)[:AT_ONCE]
    ):
        blobs_verify(hashes)
        after = hashes[-1]
        count += len(hashes)
    return count


def blobs_repair() -> tuple[int, int]:
    """Queue a replay of each table with a lost record, recreate lost views, and return the number of each.

    Packs with damaged blobs are rewritten later, so that a backup can copy the intact ones.
    """
    damaged = LostBlob.objects.filter(problem=LostBlob.Problem.DAMAGED)
    packs_outdate(set(damaged.values_list("blob__pack", flat=True)))
    lost_blobs = LostBlob.objects.values_list(HexOf("blob"), flat=True)
    queued = repairs_ask(tables_of_records(lost_blobs.filter(blob__kind=Blob.Kind.RECORD)))
    repaired = 0
    views = Table.objects.filter(
        state=Table.State.FINISHED, view_sha256__in=lost_blobs.filter(blob__kind=Blob.Kind.VIEW)
    )
    for table in views.select_related("fixture__board_set__round__stage__tournament"):
        repaired += lost_view_make(table)
    return queued, repaired


def losses() -> Iterator[Loss]:
    """Yield every lost blob in the order of hashes. Several queries per blob."""
    for row in LostBlob.objects.select_related("blob__pack").order_by("blob"):
        repair, remedy = _remedy(row.blob)
        yield Loss(row.blob_id, row.blob.kind, row.problem, _references(row.blob), repair, remedy)


def _references(blob: Blob) -> list[str]:
    sha256 = blob.sha256
    of_tables = Q(record_sha256=sha256) | Q(timings_sha256=sha256) | Q(view_sha256=sha256)
    tables = Table.objects.filter(of_tables).select_related("tournament")
    seats = TableSeat.objects.filter(log_sha256=sha256).select_related("table__tournament")
    report = Q(report__record_sha256=sha256) | Q(report__timings_sha256=sha256)
    versions = BotVersion.objects.filter(bundle_sha256=sha256)
    artifacts = RuntimeArtifact.objects.filter(sha256=sha256)
    return [
        *(_named(table) for table in tables[:LISTED]),
        *(_named(seat.table) for seat in seats[:LISTED]),
        *(f"check {check.public_id}" for check in CheckRun.objects.filter(report)[:LISTED]),
        *(f"version {version.public_id}" for version in versions[:LISTED]),
        *(f"runtime {artifact.runtime}" for artifact in artifacts[:LISTED]),
        *(name for feature in FEATURES for name in feature.blob_references(sha256)),
    ]


def _named(table: Table) -> str:
    return f"table {table.public_id} of tournament {table.tournament.public_id}"


def _remedy(blob: Blob) -> tuple[str, str]:
    kind = Blob.Kind
    path = blob_path(blob.sha256) if blob.pack is None else pack_path(blob.pack.sha256)
    store = storages["blobs"]
    target = store.place if isinstance(store, BlobStorage) else "the blobs"
    backup = f"restore {path} to {target} from a backup (blobs/{path} in its folder)"
    if blob.kind == kind.RECORD and (table := tables_of_records([blob.sha256]).first()) is not None:
        repair = RecordRepair.objects.filter(table=table).first()
        if repair is None:
            return "replay", f"blobs_check --repair replays the table; or {backup}"
        if repair.state != RecordRepair.State.FAILED:
            when = "" if table.fixture.board_set.state == "closed" else " once its boards are unsealed"
            return "queued", f"a worker replays the table{when}"
        return "failed", f"its replay failed ({repair.failure}: {repair.detail}); {backup}"
    if blob.kind == kind.VIEW and Table.objects.filter(view_sha256=blob.sha256).exists():
        return "view", "blobs_check --repair recreates it from the record"
    if blob.kind == kind.RUNTIME:
        return "publish", f"runtime_publish recreates the current one; or {backup}"
    if blob.kind == kind.BUNDLE:
        return "backup", f"{backup}, or have its owner upload the same files again"
    return "backup", backup
