"""``manage.py blobs_copy``: copy the blobs of the data folder to the storage of RENSHO_BLOBS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from arena.common.blob_storages import BlobsUnavailable
from arena.common.management.database_command import DatabaseCommand
from arena.operations.blob_copy import blobs_copy, remote_storage

LISTED = 20


class Command(DatabaseCommand):
    """Copies files that the storage lacks; run it again after an interruption. Exit status 1 if a file is
    damaged.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--source", type=Path, help="folder with the blobs; default: blobs in the data folder"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        store = remote_storage()
        if store is None:
            raise CommandError("RENSHO_BLOBS is not set: blobs are in the data folder already.")
        source: Path = options["source"] or Path(settings.DATA) / "blobs"
        if not source.is_dir():
            raise CommandError(f"{source} is not a folder. Name the folder with --source.")
        try:
            counts = blobs_copy(source, store)
        except BlobsUnavailable as error:
            raise CommandError(f"{error.message} {error.remedy} Then run this again: it resumes.") from None
        except OSError as error:
            raise CommandError(f"{error.filename or source}: {error.strerror or error}.") from None
        self.stdout.write(f"{counts.copied} files copied to {store.place}, {counts.present} were there")
        for name in counts.damaged[:LISTED]:
            self.stdout.write(f"not copied, as it is damaged: {name}")
        if counts.damaged:
            raise CommandError(
                f"{len(counts.damaged)} files are damaged: manage.py blobs_check names remedies"
            )
