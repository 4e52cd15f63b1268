"""Verified records of a file or folder, and the names of their bots."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from bots.kit.errors import CheckFailed, InvalidInput
from bots.kit.replay.command import is_record, read_record
from engine import RecordError, Replay, replay

MAX_RECORDS = 1000
"""Maximum records of a folder."""
_TIMINGS = ".timings."


class RecordFile(NamedTuple):
    path: Path
    name: str
    """Path relative to the folder given, without ``.ndjson`` and ``.gz``."""
    data: bytes
    replayed: Replay

    @property
    def boards(self) -> tuple[int, ...]:
        return tuple(board.board.number for board in self.replayed.boards)

    @property
    def deals(self) -> int:
        return sum(len(board.outcome.deals) for board in self.replayed.boards)


def read_records(path: Path) -> list[RecordFile]:
    """Return the record of a file, or all records of a folder and its subfolders, in the order of names.

    Raise ``InvalidInput`` if there is none or a file is unreadable, ``CheckFailed`` if a record breaks the
    rules.
    """
    if not path.is_dir():
        data = read_record(path)
        return [_verified(path, _stem(path.name), data)]
    paths = sorted(
        file
        for ending in ("*.ndjson", "*.ndjson.gz")
        for file in path.rglob(ending)
        if _TIMINGS not in file.name
    )
    if len(paths) > MAX_RECORDS:
        raise InvalidInput(f"{path} has {len(paths)} records: the maximum is {MAX_RECORDS}, name a subfolder")
    if not paths:
        raise InvalidInput(
            f"{path} has no records (.ndjson or .ndjson.gz): create some with rensho play --record FOLDER"
        )
    return [_verified(file, _stem(str(file.relative_to(path))), read_record(file)) for file in paths]


def _stem(name: str) -> str:
    return name.removesuffix(".gz").removesuffix(".ndjson")


def _verified(path: Path, name: str, data: bytes) -> RecordFile:
    try:
        return RecordFile(path, name, data, replay(data))
    except RecordError as error:
        if not is_record(data):
            raise InvalidInput(f"{path} is not a record ({error})") from None
        raise CheckFailed(f"{path}: {error}") from None
