"""``manage.py import_event FILE``: verify the export of another site's tournament, and import it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.validators import URLValidator
from django.forms import ValidationError

from arena.common.management.database_command import DatabaseCommand
from arena.features.imports.limits import MAX_ARCHIVE_BYTES, MAX_KEYS_BYTES
from arena.features.imports.services import ImportRefused, import_now


class Command(DatabaseCommand):
    """Verifies the export of another site's tournament as rensho verify does, and imports it read-only.
    Nothing is stored unless it verifies.
    """

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="archive of rensho export")
        parser.add_argument("--origin", default="", metavar="URL", help="address of its site")
        parser.add_argument(
            "--key",
            default="",
            metavar="FILE",
            help="its site's keys, saved from /.well-known/rensho-key; every signature must then match",
        )

        parser.add_argument(
            "--commitment",
            action="append",
            default=[],
            metavar="HEX",
            help="published commitment to its secret, or digest of one of its statements; may be repeated",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["origin"]:
            try:
                URLValidator(schemes=["https", "http"])(options["origin"])
            except ValidationError:
                raise CommandError(f"--origin {options['origin']!r} is not a web address") from None
        keys = _read(Path(options["key"]), MAX_KEYS_BYTES) if options["key"] else b""
        data = _read(options["file"], MAX_ARCHIVE_BYTES)
        try:
            event = import_now(
                data,
                origin=options["origin"],
                keys=keys.decode("utf-8", "replace"),
                commitments=" ".join(options["commitment"]),
            )
        except ImportRefused as refused:
            for sentence in refused.findings:
                self.stderr.write(f"- {sentence}")
            raise CommandError(refused.message) from None
        self.stdout.write(f"{event.name}: verified and imported as /imports/{event.public_id}")


def _read(path: Path, most: int) -> bytes:
    """Return the bytes of a file, at most one more than allowed."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
