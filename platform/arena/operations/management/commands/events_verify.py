"""``manage.py events_verify``: verify every ended tournament of this site."""

from __future__ import annotations

from typing import Any

from arena.operations.backup.command import BackupCommand
from arena.operations.backup.verification import events_verify


class Command(BackupCommand):
    """Replays every record of every ended tournament, and computes deals, scores and standings again. Exit
    status 1 if anything disagrees.
    """

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        events_verify(self.stdout.write)
