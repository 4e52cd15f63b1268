"""``rensho export TOURNAMENT``: download the unsealed data of a tournament and verify it."""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from bots.kit.client.errors import ServerUnavailable
from bots.kit.client.transport import Download
from bots.kit.display.console import print_lines, print_note, print_result, progress_bar
from bots.kit.display.formatting import bytes_text, count_text
from bots.kit.display.output import write_stdout
from bots.kit.errors import CHECK_FAILED, DONE, EnvironmentFailure, InvalidInput
from bots.kit.files import open_atomic
from bots.kit.local.verify import ExportVerification, export_verify, unfinished_lines, unverified_text
from bots.kit.server.account import connect
from bots.kit.server.arguments import add_tournament
from bots.kit.subcommands import Commands, add_command
from engine.refusals import clipped

MAX_TRIES = 3
STDOUT = "-"
MAX_LINE_BYTES = 16 << 20
"""Maximum bytes of a line. A longer line is cut and then fails as JSON."""
MAX_PRINTED = 10
"""Maximum disagreements in the output; ``rensho verify`` prints all."""
_CHUNK_BYTES = 1 << 20


class SavedExport(NamedTuple):
    bytes: int
    sha256: str
    verified: ExportVerification | None
    """None if the export was not verified."""

    @property
    def disagreements(self) -> list[str] | None:
        """One sentence each; None if the export was not verified."""
        return None if self.verified is None else self.verified.disagreements

    @property
    def is_verified(self) -> bool:
        """True if everything was verified and nothing disagrees."""
        return (
            self.verified is not None
            and self.verified.is_over
            and not self.verified.disagreements
            and not self.verified.unverified
        )


def register(commands: Commands) -> None:
    export = add_command(
        commands,
        "export",
        "save all data of a tournament as one file, and verify it",
        _export,
        description="Save all unsealed data of a tournament as one archive, and verify it as "
        "rensho verify does. The file appears only when it is complete; an interrupted export starts again.",
    )
    add_tournament(export)
    help_text = "where to save it, or - for standard output (ID.zip or ID.ndjson here)"
    export.add_argument("--output", metavar="FILE", help=help_text)
    export.add_argument(
        "--ndjson", action="store_true", help="one JSON object per line, without records, for other programs"
    )
    export.add_argument("--no-verify", action="store_true", help="do not verify it")


def _export(arguments: argparse.Namespace) -> int:
    event_id = arguments.tournament
    kind = "ndjson" if arguments.ndjson else "zip"
    output = arguments.output or f"{event_id}.{kind}"
    if output == STDOUT and arguments.json:
        raise InvalidInput("--json and --output - both use standard output: save the export to a file")
    if output != STDOUT and Path(output).is_dir():
        raise InvalidInput(f"{output} is a folder: name a file in it")
    wants_verified = not arguments.no_verify and kind == "zip"
    with connect(needs_account=False) as client:
        open_export = client.export_ndjson if arguments.ndjson else client.export

        def fetched(file: BinaryIO) -> SavedExport:
            _fetch(lambda: open_export(event_id), file, event_id)
            return _inspect(file, Path(output), kind, wants_verified=wants_verified)

        if output == STDOUT:
            with tempfile.TemporaryFile() as temporary:
                done = fetched(temporary)
                temporary.seek(0)
                write_stdout(iter(lambda: temporary.read(_CHUNK_BYTES), b""))
        else:
            with open_atomic(Path(output)) as file:
                done = fetched(file)
    saved = {
        "tournament": event_id,
        "file": output,
        "bytes": done.bytes,
        "sha256": done.sha256,
        "disagreements": done.disagreements,
        "is_verified": done.is_verified,
        "unverified": None if done.verified is None else done.verified.unverified,
        "is_over": None if done.verified is None else done.verified.is_over,
    }
    print_result(arguments, saved, lambda: _print(output, done))
    return CHECK_FAILED if done.disagreements else DONE


def _fetch(
    open_export: Callable[[], AbstractContextManager[Download]], file: BinaryIO, event_id: str
) -> None:
    for tried in range(1, MAX_TRIES + 1):
        file.seek(0)
        file.truncate()
        has_begun = False
        try:
            with (
                open_export() as download,
                progress_bar(f"Export of {event_id}", download.length_bytes) as advance,
            ):
                has_begun = True
                for chunk in download.chunks:
                    file.write(chunk)
                    advance(len(chunk))
            file.flush()
            return
        except ServerUnavailable as error:
            if not has_begun or tried == MAX_TRIES:
                raise
            print_note(f"{error}: {bytes_text(file.tell())} received; starting again")


def _inspect(file: BinaryIO, path: Path, kind: str, *, wants_verified: bool) -> SavedExport:
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK_BYTES):
        digest.update(chunk)
    length = file.tell()
    file.seek(0)
    if kind == "ndjson":
        _check_lines(file)
    verified = export_verify(path, file) if wants_verified else None
    return SavedExport(length, digest.hexdigest(), verified)


def _check_lines(file: BinaryIO) -> None:
    """Raise ``EnvironmentFailure`` unless the last line has the number of the others, all objects."""
    before = 0
    for number in itertools.count(1):
        line = file.readline(MAX_LINE_BYTES)
        if not line:
            break
        try:
            row = json.loads(line)
            kind = row["type"]
        except (ValueError, LookupError, TypeError, RecursionError):
            raise EnvironmentFailure(f"line {number} of the export is invalid: try again") from None
        if kind == "end":
            if row.get("lines") == before and not file.read(1):
                return
            break
        before += 1
    raise EnvironmentFailure(f"the export is incomplete: {before} lines came before its end; try again")


def _print(output: str, export: SavedExport) -> None:
    # If the export is on standard output, messages go to standard error.
    is_stderr = output == STDOUT
    if output != STDOUT:
        print_lines(
            f"Saved: {output} ({bytes_text(export.bytes)}, sha256 {export.sha256})", is_stderr=is_stderr
        )
    if export.is_verified:
        print_lines("Verified: every deal, result, score and standing follows from it.", is_stderr=is_stderr)
    elif export.verified is not None and not export.disagreements and export.verified.is_over:
        print_lines("Everything that can be verified follows from it.", is_stderr=is_stderr)
    elif export.verified is not None and not export.disagreements:
        state = export.verified.document["tournament"]["state"]
        print_lines(
            f"The tournament is not over yet ({state}): only part of it can be verified.", is_stderr=is_stderr
        )
        for line in unfinished_lines(export.verified):
            print_lines(line, is_stderr=is_stderr)
    if export.verified is not None and export.verified.unverified:
        print_lines(f"{unverified_text(export.verified.unverified)}.", is_stderr=is_stderr)
    for line in (export.disagreements or [])[:MAX_PRINTED]:
        print_lines(f"- {clipped(line)}", is_stderr=is_stderr)
    if export.disagreements:
        number = count_text(len(export.disagreements), "disagreement")
        hint = ": rensho verify prints all" if len(export.disagreements) > MAX_PRINTED else ""
        print_lines(f"{number}{hint}.", is_stderr=is_stderr)
