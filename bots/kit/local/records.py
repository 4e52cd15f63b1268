"""Folder of a match: records, timings, logs, fault files and a summary."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

from bots.kit.errors import InvalidInput
from bots.kit.local.match import BoardBatch
from bots.kit.local.pool import FinishedTable
from bots.kit.replay.bot_names import SUMMARY
from engine import Seat
from referee.contract import SeatReport
from referee.reproduce import fault_file, spent_by_decision

MAX_FAULT_FILES = 20
"""Maximum fault files per side."""


def table_stem(batch: BoardBatch, rotation: int, boards: int) -> str:
    digits = len(str(boards))
    first, last = (f"{board:0{digits}}" for board in (batch.first_board, batch.last_board))
    return f"boards-{first}-{last}.rotation-{rotation + 1}"


def fault_name(stem: str, seat: Seat, number: int) -> str:
    """Return the name of a fault file; faults of a seat are counted from 1."""
    return f"{stem}.seat-{seat}.fault-{number}.json"


class RecordFolder:
    def __init__(self, folder: Path, boards: int) -> None:
        """Create the folder, or raise ``InvalidInput`` unless it is empty; ``boards`` is the last number."""
        self.folder = folder
        self._boards = boards
        self._waiting: dict[int, FinishedTable] = {}
        """Tables that ended before an earlier table: faults are saved in table order."""
        self._next_table = 0
        self._faults: Counter[int] = Counter()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()):
                raise InvalidInput(
                    f"the folder for records, {folder}, is not empty: name a new one, "
                    "so that matches do not mix"
                )
        except OSError as error:
            raise InvalidInput(f"cannot use {folder} for records: {error.strerror}") from None

    def add(self, played: FinishedTable) -> None:
        """Save the files of a table. Raise ``InvalidInput`` if a file cannot be written."""
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
        self._waiting[table.number] = played
        while self._next_table in self._waiting:
            self._write_faults(self._waiting.pop(self._next_table))
            self._next_table += 1

    def fault_path(self, batch: BoardBatch, rotation: int, seat: Seat) -> Path:
        return self.folder / fault_name(table_stem(batch, rotation, self._boards), seat, 1)

    def log_path(self, batch: BoardBatch, rotation: int, seat: Seat) -> Path:
        return self.folder / f"{table_stem(batch, rotation, self._boards)}.seat-{seat}.log"

    def write_waiting_faults(self) -> None:
        """Save the faults of tables that ended before an unfinished table."""
        for number in sorted(self._waiting):
            self._write_faults(self._waiting.pop(number))

    def _write_faults(self, played: FinishedTable) -> None:
        table = played.table
        for seat in played.report.seats:
            position = table.seating[seat.seat]
            for number, _ in enumerate(seat.faults, start=1):
                if self._faults[position] < MAX_FAULT_FILES:
                    self._faults[position] += 1
                    stem = table_stem(table.batch, table.rotation, self._boards)
                    self._write(fault_name(stem, seat.seat, number), seat_fault_file(played, seat, number))

    def write_summary(self, summary: dict[str, Any]) -> None:
        """Write the summary. It is written last: a folder without it is of a killed match."""
        self.write_waiting_faults()
        self._write(SUMMARY, json.dumps(summary, indent=2).encode() + b"\n")

    def _write(self, name: str, data: bytes) -> None:
        path = self.folder / name
        try:
            path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        except OSError as error:
            raise InvalidInput(f"cannot write {path}: {error.strerror}") from None


def seat_fault_file(played: FinishedTable, seat: SeatReport, number: int) -> bytes:
    table, report, blobs = played.table, played.report, played.blobs
    return fault_file(
        table.order,
        seat.seat,
        seat.faults[number - 1],
        blobs[report.record_sha256 or ""],
        origin={"table": table.order.table},
        spent_ms=spent_by_decision(blobs[report.timings_sha256 or ""], seat),
    )
