"""Base class of the commands ``backup`` and ``restore``."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError

from arena.common.management.database_command import DatabaseCommand
from arena.operations.backup.repository import BackupError


class BackupCommand(DatabaseCommand):
    """Turns errors of files and of pg_dump into one line, and a stop by systemd into a clean end."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            with _termination_interrupts():
                return super().execute(*args, **options)
        except BackupError as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            source = f" ({error.filename})" if error.filename else ""
            raise CommandError(
                f"{error.strerror or error}{source}. Free space, or give the folder to this user, and run "
                "this again."
            ) from None

    def write_json(self, value: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(value))


@contextlib.contextmanager
def _termination_interrupts() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that drafts are removed. Only the main thread may set handlers."""
    try:
        previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
