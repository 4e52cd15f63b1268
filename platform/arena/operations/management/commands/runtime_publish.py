"""``manage.py runtime_publish``: all workers get the kernel that is compiled here, for ``python/2``."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from arena.common.management.database_command import DatabaseCommand
from arena.operations.runtimes import kernel_publish
from referee.errors import SandboxUnavailable


class Command(DatabaseCommand):
    """Publishes the artefact of python/2; workers take it within a minute. A second run changes nothing."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        """One line: the hash in use, and of which modules it is made."""
        try:
            published = kernel_publish()
        except SandboxUnavailable as error:
            raise CommandError(f"{error.step}. {error.remedy}") from None
        what = "published" if published.is_new else "is in use already"
        modules = ", ".join(published.modules)
        self.stdout.write(f"{published.runtime}: artefact {published.sha256} {what} ({modules})")
