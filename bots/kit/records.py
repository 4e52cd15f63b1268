"""What a match leaves in a folder: records, timings and logs of every table, and a summary."""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

from bots.kit.errors import InputUnusable
from bots.kit.match import Batch
from bots.kit.pool import Played

SUMMARY = "summary.json"


def table_stem(batch: Batch, rotation: int, boards: int) -> str:
    """How the names of a table's files begin: its boards and its rotation, counted from 1."""
    digits = len(str(boards))
    first, last = (f"{board:0{digits}}" for board in (batch.first_board, batch.last_board))
    return f"boards-{first}-{last}.rotation-{rotation + 1}"


def add_record_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--record``."""
    parser.add_argument(
        "--record", type=Path, metavar="FOLDER", help="save records, logs and a summary in a new folder"
    )


class RecordFolder:
    """A new or empty folder that takes in tables as they end."""

    def __init__(self, folder: Path, boards: int) -> None:
        """Make the folder; ``boards`` is the number of the last board, for names that sort.

        Raises:
            InputUnusable: it holds something already, or cannot be made.
        """
        self.folder = folder
        self._boards = boards
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise InputUnusable(
                    f"--record {folder}: the folder is not empty; name a new one, so that matches do not mix"
                )
        except OSError as error:
            raise InputUnusable(f"--record {folder}: cannot use it: {error.strerror}") from None

    def add(self, played: Played) -> None:
        """Write what one table left behind.

        Raises:
            InputUnusable: it cannot be written.
        """
        table, report, blobs = played.table, played.report, played.blobs
        stem = table_stem(table.batch, table.rotation, self._boards)
        files = {
            f"{stem}.ndjson.gz": report.record_sha256,
            f"{stem}.timings.ndjson.gz": report.timings_sha256,
            **{f"{stem}.seat-{seat.seat}.log": seat.log_sha256 for seat in report.seats},
        }
        for name, sha256 in files.items():
            if sha256 is not None:
                self._write(name, blobs[sha256])

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Write the summary; last, so that a folder without one is of a match cut short by force."""
        self._write(SUMMARY, json.dumps(summary, indent=2).encode() + b"\n")

    def _write(self, name: str, data: bytes) -> None:
        path = self.folder / name
        try:
            path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        except OSError as error:
            raise InputUnusable(f"cannot write {path}: {error.strerror}") from None


def record_folder(arguments: argparse.Namespace, boards: int) -> RecordFolder | None:
    """The folder of ``--record``, made; None if none is wanted.

    Raises:
        InputUnusable: it holds something already, or cannot be made.
    """
    return None if arguments.record is None else RecordFolder(arguments.record, boards)
