"""What must be true of an installation whose events are over, whatever happened to its processes.

For a process with the settings of the installation, whose bots are those of ``tests.chaos.events``.
"""

from __future__ import annotations

import contextlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import F, OuterRef, Subquery, Sum

from arena.common.blob_sweep import blob_folders, blobs_sweep
from arena.common.blobs import blob_get
from arena.common.errors import NotFound
from arena.common.models import Blob, LostBlob, SweepProgress
from arena.common.packs import known_names, storage_names
from arena.competition.models import Tournament
from arena.matches.models import (
    FaultGroup,
    LostLease,
    PendingReport,
    RuntimeArtifact,
    Table,
    TableSeat,
)
from arena.matches.orders import table_order
from arena.roster.models import BotVersion, CheckRun
from tests.chaos.bare import order_play

SWEEP_S = 600.0
ENDED = (Tournament.State.FINAL, Tournament.State.ARCHIVED)


class Problem(NamedTuple):
    code: str
    subject: str
    """What has the problem: an event, a table, a version, a hash."""
    detail: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, self))


def audit(tables: int | None = None) -> list[Problem]:
    """Return all problems; ``tables`` is how many the events must have. Sweeps the blobs first."""
    return [
        *_events(),
        *_tables(tables),
        *_charges(),
        *_unfinished_work(),
        *_records(),
        *blob_problems(),
    ]


def main(tables: str) -> None:
    """Print the problems as a JSON list of texts."""
    print(json.dumps([str(problem) for problem in audit(int(tables))]))


def _events() -> Iterator[Problem]:
    """Every event is final and verifies: its deals, records, results and standings are derived again."""
    for event in Tournament.objects.exclude(state__in=ENDED):
        yield Problem("event_unfinished", event.public_id, event.state)
    output = io.StringIO()
    with contextlib.suppress(CommandError):
        call_command("events_verify", stdout=output)
        return
    for line in output.getvalue().splitlines():
        public_id, _, detail = line.partition(": ")
        yield Problem("event_disagrees", public_id, detail)


def _tables(expected: int | None) -> Iterator[Problem]:
    """Every table is finished and has one result of each seat on each board."""
    count = Table.objects.count()
    if expected is not None and count != expected:
        yield Problem("tables_missing", "all events", f"{count} of {expected}")
    for table in Table.objects.exclude(state=Table.State.FINISHED):
        is_quarantined = table.state == Table.State.QUARANTINED
        code = "table_quarantined" if is_quarantined else "table_unfinished"
        yield Problem(code, table.public_id, f"{table.state} {table.reason}")
    seats = dict(TableSeat.objects.order_by().values_list("table").annotate(count=Sum(1)))
    for table in Table.objects.filter(state=Table.State.FINISHED):
        boards = range(table.first_board, table.first_board + table.board_count)
        expected_results = {(board, seat) for board in boards for seat in range(1, seats[table.pk] + 1)}
        if {(result.board, result.seat) for result in table.results} != expected_results:
            yield Problem("table_results", table.public_id, table.compact_results)


def _charges() -> Iterator[Problem]:
    """No entrant pays for a fault of the platform."""
    for seat in TableSeat.objects.exclude(verdict="OK", forfeited=False, faults=[]).select_related("table"):
        yield Problem("entrant_charged", seat.table.public_id, f"seat {seat.seat} {seat.verdict}")
    for group in FaultGroup.objects.select_related("version"):
        yield Problem("entrant_charged", group.version.public_id, f"{group.count} x {group.verdict}")
    for version in BotVersion.objects.exclude(state=BotVersion.State.READY):
        yield Problem("bot_refused", version.public_id, f"{version.state} {version.reasons}")


def _unfinished_work() -> Iterator[Problem]:
    """Nothing waits for a worker or the tick, and no transaction is open."""
    for check in CheckRun.objects.filter(state__in=(CheckRun.State.WAITING, CheckRun.State.RUNNING)):
        yield Problem("check_open", check.public_id, check.state)
    for lease in LostLease.objects.select_related("table"):
        yield Problem("lease_left", lease.table.public_id, lease.worker)
    pending = Counter(PendingReport.objects.values_list("tournament__public_id", flat=True))
    for public_id, count in pending.items():
        yield Problem("report_uncounted", public_id, f"{count} reports")
    cpu = TableSeat.objects.order_by().filter(table__tournament=OuterRef("pk")).values("table__tournament")
    counted = Tournament.objects.annotate(cpu_ms=Subquery(cpu.annotate(sum=Sum("cpu_ms")).values("sum")))
    for event in counted.filter(cpu_ms_spent__lt=F("cpu_ms")):
        yield Problem("report_uncounted", event.public_id, f"{event.cpu_ms_spent} ms of CPU")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pid::text, left(query, 100) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid != pg_backend_pid() AND state LIKE 'idle in transaction%%'"
            )
            for pid, query in cursor.fetchall():
                yield Problem("transaction_open", pid, query)


def _records() -> Iterator[Problem]:
    """Every record has the bytes of a bare execution of the same order."""
    finished = Table.objects.filter(state=Table.State.FINISHED).order_by("pk")
    for table in finished.select_related("fixture__board_set__round__stage__tournament"):
        try:
            record = blob_get(table.record_sha256)
        except NotFound as error:
            yield Problem("record_lost", table.public_id, str(error))
            continue
        bare = order_play(table_order(table), blob_get)
        if record != bare:
            pairs = zip(record.splitlines(), bare.splitlines(), strict=False)
            line = next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 0)
            yield Problem("record_differs", table.public_id, f"line {line}")


def blob_problems() -> list[Problem]:
    """Sweep the blobs; return rows without bytes, files without rows, and blobs that nothing refers to."""
    SweepProgress.objects.all().delete()  # A sweep that was stopped has left its position.
    blobs_sweep(older_than_s=0, most_s=SWEEP_S)
    files = {f"{folder}/{name}" for folder in blob_folders() for name in storages["blobs"].listdir(folder)[1]}
    rows = set(Blob.objects.values_list("sha256", flat=True))
    used = set(_references())
    return [
        *_problems("blob_missing", set(storage_names()) - files),
        *_problems("blob_unregistered", files - known_names(files)),
        *_problems("blob_unused", rows - used),
        *_problems("blob_unknown", used - rows),
        *(Problem("blob_lost", lost.blob_id, lost.problem) for lost in LostBlob.objects.all()),
    ]


def _problems(code: str, subjects: Iterable[str]) -> list[Problem]:
    return [Problem(code, subject) for subject in sorted(subjects)]


def _references() -> Iterator[str]:
    """Yield the hashes to which rows of tables, bots, checks and runtimes refer."""
    for name in ("record_sha256", "timings_sha256", "view_sha256"):
        yield from filter(None, Table.objects.order_by().values_list(name, flat=True))
    yield from TableSeat.objects.order_by().exclude(log_sha256="").values_list("log_sha256", flat=True)
    yield from BotVersion.objects.exclude(bundle_sha256="").values_list("bundle_sha256", flat=True)
    yield from RuntimeArtifact.objects.values_list("sha256", flat=True)
    for report in CheckRun.objects.values_list("report", flat=True):
        if report is not None:
            hashes = [report["record_sha256"], report["timings_sha256"]]
            yield from filter(None, [*hashes, *(seat["log_sha256"] for seat in report["seats"])])
