"""Records of a match in memory, and their replay pages."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from bots.kit.errors import InvalidInput
from bots.kit.files import write_atomic
from bots.kit.local.match import LocalMatch, MatchTable
from bots.kit.local.pool import FinishedTable
from engine.printable import printable
from viewer.build import view_of
from viewer.markup import element
from viewer.page import replay_page
from viewer.texts import viewer_texts

MAX_STORED_BYTES = 64 << 20
"""Maximum bytes of all compressed records of a match in memory."""
FRAME_STYLE = "width:100%;height:44rem;border:1px solid #8888"


class StoredTable(NamedTuple):
    table: MatchTable
    record: bytes
    """Compressed; empty if the limit was reached."""
    stones: Mapping[int, Mapping[int, int]]
    """Stones by board number and side, as played."""


class RecordStore:
    """Collects the tables of a match while it is played."""

    def __init__(self) -> None:
        self.tables: list[StoredTable] = []
        self._bytes = 0

    def add(self, played: FinishedTable) -> None:
        record = gzip.compress(played.blobs[played.report.record_sha256 or ""], compresslevel=6, mtime=0)
        if self._bytes + len(record) > MAX_STORED_BYTES:
            record = b""
        self._bytes += len(record)
        stones: dict[int, dict[int, int]] = {}
        for result in played.report.results:
            stones.setdefault(result.board, {})[played.table.seating[result.seat]] = result.stones
        self.tables.append(StoredTable(played.table, record, stones))

    def table_of(self, board: int, rotation: int) -> StoredTable:
        """Return the table of a board and a rotation, both counted from 1, or raise ``InvalidInput``."""
        for stored in self.tables:
            batch = stored.table.batch
            if batch.first_board <= board <= batch.last_board and stored.table.rotation == rotation - 1:
                return stored
        raise InvalidInput(f"the match has no board {board} in rotation {rotation}")

    def worst(self, side: int, scores: list[Fraction]) -> tuple[int, int]:
        """Return board and rotation at which a side lost most; there must be scores."""
        board = scores.index(min(scores)) + 1
        at_board = [
            stored
            for stored in self.tables
            if stored.table.batch.first_board <= board <= stored.table.batch.last_board
        ]
        worst = min(at_board, key=lambda stored: (stones_on(stored, board)[side], stored.table.rotation))
        return board, worst.table.rotation + 1


def stones_on(stored: StoredTable, board: int) -> Mapping[int, int]:
    return stored.stones[number_of(stored, board)]


def number_of(stored: StoredTable, board: int) -> int:
    """Return the number, in the record, of a board counted within the match."""
    return stored.table.order.boards[board - stored.table.batch.first_board].number


class Replay:
    """The replay of a board at one table: a page that needs no server. Notebooks show it in place."""

    def __init__(self, match: LocalMatch, stored: StoredTable, board: int, language: str) -> None:
        self.board = board
        self.rotation = stored.table.rotation + 1
        self._match = match
        self._stored = stored
        self._language = language

    @property
    def names(self) -> dict[int, str]:
        """Name of the bot in each seat."""
        contenders, seats = self._match.contenders, self._stored.table.seating
        return {seat: printable(contenders[position].label) for seat, position in sorted(seats.items())}

    @property
    def html(self) -> str:
        """The whole page."""
        if not self._stored.record:
            raise InvalidInput(
                f"the record of board {self.board} was not kept, since the match has more than "
                f"{MAX_STORED_BYTES >> 20} MiB of them: use record=FOLDER and rensho replay"
            )
        view = view_of(gzip.decompress(self._stored.record))
        number = number_of(self._stored, self.board)
        boards = [part for part in view["boards"] if part["board"] == number]
        view = {**view, "boards": boards, "numbers": [number]}
        title = f"{view['preset']}, board {self.board}, rotation {self.rotation}"
        return replay_page(view, title=title, names=self.names, texts=viewer_texts(self._language))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file and return its path. Raise ``EnvironmentFailure`` if that fails."""
        target = Path(path)
        write_atomic(target, self.html.encode())
        return target

    def __repr__(self) -> str:
        return f"Replay(board={self.board}, rotation={self.rotation})"

    def _repr_html_(self) -> str:
        # Scripts run without access to the notebook: the frame has an origin of its own.
        attributes = {
            "srcdoc": self.html,
            "sandbox": "allow-scripts",
            "loading": "lazy",
            "title": repr(self),
            "style": FRAME_STYLE,
        }
        return element("iframe", attributes)
