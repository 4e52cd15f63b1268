"""``manage.py blobs_check``: read every blob, list missing and damaged ones, and repair them."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.common.management.database_command import DatabaseCommand
from arena.operations.blob_check import blobs_read, blobs_repair, losses


class Command(DatabaseCommand):
    """Reads every blob, lists missing and damaged ones, and repairs them. Exit status 1 if any is missing or
    damaged.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--repair",
            action="store_true",
            help="queue a replay of each table whose record is lost, in a worker's sandbox, and make lost "
            "views again; a record is stored only if it has the hash of the lost one",
        )
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        count = blobs_read()
        queued, repaired = blobs_repair() if options["repair"] else (0, 0)
        lost_blobs = list(losses())
        if options["json"]:
            counts = {
                "blobs": count,
                "queued": queued,
                "made": repaired,
                "lost": [loss._asdict() for loss in lost_blobs],
            }
            self.stdout.write(json.dumps(counts, indent=1))
        else:
            for loss in lost_blobs:
                self.stdout.write(f"{loss.problem} {loss.kind} {loss.sha256}")
                for reference in loss.references or ["nothing"]:
                    self.stdout.write(f"  of {reference}")
                self.stdout.write(f"  {loss.remedy}")
            if options["repair"]:
                self.stdout.write(f"{queued} replays queued, {repaired} views made")
        if lost_blobs:
            raise CommandError(f"{len(lost_blobs)} of {count} blobs are missing or damaged")
        if not options["json"]:
            self.stdout.write(f"{count} blobs, none missing or damaged")
