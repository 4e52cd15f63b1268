"""``manage.py runtime_publish``: publish the kernel compiled here to all workers, for ``python/2``."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from arena.common.management.database_command import DatabaseCommand
from arena.operations.runtimes import kernel_publish
from referee.errors import SandboxUnavailable


class Command(DatabaseCommand):
    """Publishes the artefact of python/2, which workers load within a minute. Idempotent."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            published = kernel_publish()
        except SandboxUnavailable as error:
            raise CommandError(f"{error.step}. {error.remedy}") from None
        status = "published" if published.is_new else "is already in use"
        modules = ", ".join(published.modules)
        self.stdout.write(f"{published.runtime}: artefact {published.sha256} {status} ({modules})")
