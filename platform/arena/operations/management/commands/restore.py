"""``manage.py restore``: restore a backup into an empty installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from arena.common.revisions import revision
from arena.operations.backup.command import BackupCommand
from arena.operations.backup.restoring import backup_restore
from arena.operations.backup.verification import events_verify


class Command(BackupCommand):
    """Restores a snapshot into an empty data folder and an empty database. Nothing is overwritten."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", type=Path, help="folder of backups, whose latest snapshot is restored, or a snapshot"
        )
        parser.add_argument(
            "--verify", action="store_true", help="then replay every record of every ended tournament"
        )
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        done = backup_restore(options["folder"])
        if not options["json"]:
            self.stdout.write(
                f"restored {done.snapshot}: {done.blobs:,} blobs in {done.seconds} s; "
                f"made at {done.made_at} by revision {done.revision}"
            )
            if done.revision != revision():
                self.stdout.write(
                    f"This code has the revision {revision()}. Run manage.py migrate, or first check out "
                    f"{done.revision}."
                )
        verified = self._verify() if options["verify"] else None
        if options["json"]:
            self.write_json({**done._asdict(), "verified": verified})

    def _verify(self) -> int:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError(
                "The site is restored, but not verified: its database needs manage.py migrate. Then run "
                "manage.py events_verify."
            )
        return events_verify(self.stdout.write)
