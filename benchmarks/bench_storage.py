"""Database bytes and files per table.

    python benchmarks/bench_storage.py [--database all] [--tables 360] [--relations] [--json]

Plays round robins of 10 entries on 16 boards of kakeya4, with views, in SQLite and in PostgreSQL, by the
services that workers call and with bots in this process. After each round the due work of a tick runs:
standings, luck, ratings. In the end, housekeeping does what it does within two weeks: it packs the blobs and
deletes old entries of the event log.

Database bytes are the growth of all relations by these events, measured after ``VACUUM FULL`` (SQLite:
``VACUUM``), with and without the event log; ``as written`` is before packing and without vacuuming. A first
event is not counted. ``--relations`` also prints the bytes of each table and index.

Status 0 if a table takes at most 4 KB of database and 0.2 files.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.harness import Row, at_most, database_arguments, installation, positive, report_databases

if TYPE_CHECKING:
    from arena.roster.models import BotVersion

ENTRIES, BOARDS = 10, 16
MAX_BYTES, MAX_FILES = 4096.0, 0.2
LOG = "warning: unknown card"


class Sizes(NamedTuple):
    relations: Counter[str]
    """Bytes by table of the database, and by its indexes."""
    files: int
    file_bytes: int


def database_bytes(*, is_vacuumed: bool) -> Counter[str]:
    from django.db import connection

    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            if is_vacuumed:
                cursor.execute("VACUUM")
            cursor.execute(
                "SELECT CASE m.type WHEN 'table' THEN m.name ELSE m.tbl_name || ': ' || m.name END, s.pgsize"
                " FROM dbstat('main', 1) s JOIN sqlite_master m ON m.name = s.name"
            )
        else:
            if is_vacuumed:
                cursor.execute("VACUUM FULL")
            cursor.execute(
                "SELECT relname, pg_table_size(oid) FROM pg_class"
                " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace UNION ALL"
                " SELECT t.relname || ': ' || c.relname, pg_relation_size(c.oid) FROM pg_index i"
                " JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid"
                " WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace"
            )
        return Counter(dict(cursor.fetchall()))


def sizes(*, is_vacuumed: bool = True) -> Sizes:
    from django.conf import settings

    folder = Path(settings.DATA) / "blobs"
    files = [path for path in folder.rglob("*") if path.is_file()]
    return Sizes(
        database_bytes(is_vacuumed=is_vacuumed), len(files), sum(path.stat().st_size for path in files)
    )


def event_play(versions: list[BotVersion]) -> int:
    """Play an event to its end. Return the number of its tables."""
    from arena.competition.entries.services import entry_create
    from arena.jobs.flow import table_done
    from arena.matches.models import Table
    from arena.matches.results import table_finish
    from arena.mounts import FEATURES
    from arena.standings.luck import luck_compute_due
    from arena.standings.past_standings import past_standings_build
    from arena.tables.artifacts import TableArtifacts
    from arena.tables.views import report_view
    from tests import factories
    from tests.arena.play import claimed, played, started, waiting

    tournament = factories.an_open_tournament(preset="kakeya4", boards_per_round=BOARDS)
    for version in versions:
        entry_create(tournament, version, version.bot.owner.user)
    started(tournament)
    while tables := waiting(tournament):
        for table in tables:
            lease = claimed(table)
            artifacts = TableArtifacts()
            done = played(lease.order, keep=lambda data, kind, to=artifacts: to.keep(data))  # type: ignore[misc]
            report_view(artifacts, lease.order, done, str(table))
            artifacts.write(done)
            assert table_finish(lease.table_id, lease.fence, done, artifacts.view_sha256)
            artifacts.note(done)
            table_done(tournament.public_id)
        past_standings_build()
        luck_compute_due()
        for feature in FEATURES:
            for callback in feature.tick:
                list(callback())
    tournament.refresh_from_db()
    assert tournament.state == tournament.State.FINAL, tournament.state
    return Table.objects.filter(tournament=tournament).count()


def blobs_pack() -> float:
    """Run the hourly task as in the week after the events; return the CPU milliseconds of packing."""
    from django.db.models import F

    from arena.common.blob_sweep import blobs_sweep
    from arena.common.models import Pack
    from arena.jobs import blob_packing
    from arena.matches.models import BoardSet

    BoardSet.objects.update(closed_at=F("closed_at") - datetime.timedelta(days=9))
    began = time.process_time()
    blob_packing.blobs_pack()
    cpu_ms = (time.process_time() - began) * 1000
    Pack.objects.update(state_at=F("state_at") - datetime.timedelta(hours=2))
    blob_packing.blobs_pack()
    blobs_sweep(older_than_s=0)
    return cpu_ms


def event_log_prune() -> None:
    """Delete the entries of the event log as two weeks later."""
    from django.conf import settings
    from django.db.models import F

    from arena.accounts.events import events_prune
    from arena.accounts.models import Event

    Event.objects.update(created_at=F("created_at") - datetime.timedelta(days=settings.RETENTION.events_days))
    events_prune()


def rows_of(
    database: str,
    tables: int,
    before: Sizes,
    written: Sizes,
    packed: Sizes,
    pruned: Sizes,
    by_relation: bool,
) -> list[Row]:
    def per_table(now: Sizes) -> Counter[str]:
        return Counter({name: now.relations[name] - before.relations[name] for name in now.relations})

    spent, spent_raw = per_table(pruned), per_table(written)
    total = spent.total() / tables
    files = (packed.files - before.files) / tables
    rows = [
        Row(f"{database}: database bytes per table", {"": total}, *at_most(total, MAX_BYTES)),
        Row(
            f"{database}: database bytes per table, with the event log of two weeks",
            {"": per_table(packed).total() / tables},
        ),
        Row(f"{database}: database bytes per table, as written", {"": spent_raw.total() / tables}),
        Row(f"{database}: files per table", {"": files}, *at_most(files, MAX_FILES)),
        Row(f"{database}: files per table, as written", {"": (written.files - before.files) / tables}),
        Row(
            f"{database}: bytes of files per table",
            {"": (packed.file_bytes - before.file_bytes) / tables},
        ),
    ]
    if by_relation:
        rows += [
            Row(f"{database}: {name}", {"bytes per table": count / tables})
            for name, count in spent.most_common()
            if count >= tables
        ]
    return rows


def run_here(database: str, options: argparse.Namespace) -> list[Row]:
    with installation():
        from tests import factories

        versions = [
            factories.a_version(factories.a_bot(owner, game="kakeya")) for owner in factories.players(ENTRIES)
        ]
        event_play(versions)  # Else the first pages of every table and index would be counted.
        blobs_pack()
        event_log_prune()
        before = sizes()
        count = 0
        while count < options.tables:
            count += event_play(versions)
        written = sizes(is_vacuumed=False)
        cpu_ms = blobs_pack()
        packed = sizes()
        event_log_prune()
        rows = rows_of(database, count, before, written, packed, sizes(), options.relations)
        return [*rows, Row(f"{database}: packing per table", {"ms CPU": cpu_ms / count})]


def main() -> int:
    parser = database_arguments(__doc__)
    parser.add_argument("--tables", type=positive, default=360, help="at least so many tables (360)")
    parser.add_argument("--relations", action="store_true", help="also print bytes by relation")
    return report_databases(__file__, "storage per table", parser.parse_args(), run_here)


if __name__ == "__main__":
    sys.exit(main())
