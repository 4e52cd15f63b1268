"""``manage.py blobs_check``: reads every blob, lists those that are missing or damaged, and repairs them."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.operations.blob_check import blobs_read, blobs_repair, losses


class Command(DatabaseCommand):
    """Exit status 1 if a blob is missing or damaged, also while its replay waits."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Whether to repair, and how to print."""
        parser.add_argument(
            "--repair",
            action="store_true",
            help="queue a replay of each table whose record is lost, in a worker's sandbox, and make lost "
            "views again; a record is stored only if it has the hash of the lost one",
        )
        parser.add_argument("--json", action="store_true", help="print what was found as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read all blobs, repair if asked, then list what is still lost."""
        count = blobs_read()
        queued, made = blobs_repair() if options["repair"] else (0, 0)
        lost = list(losses())
        if options["json"]:
            found = {
                "blobs": count,
                "queued": queued,
                "made": made,
                "lost": [loss._asdict() for loss in lost],
            }
            self.stdout.write(json.dumps(found, indent=1))
        else:
            for loss in lost:
                self.stdout.write(f"{loss.problem} {loss.kind} {loss.sha256}")
                for reference in loss.references or ["nothing"]:
                    self.stdout.write(f"  of {reference}")
                self.stdout.write(f"  {loss.remedy}")
            if options["repair"]:
                self.stdout.write(f"{queued} replays queued, {made} views made")
        if lost:
            raise CommandError(f"{len(lost)} of {count} blobs are missing or damaged")
        if not options["json"]:
            self.stdout.write(f"{count} blobs, none missing or damaged")
