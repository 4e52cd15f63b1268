"""Entries or invitations from a CSV file."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import NamedTuple

from bots.kit.client import Client
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import Entry, EntryIn
from bots.kit.errors import InvalidInput
from bots.kit.files import read_text
from engine.refusals import clipped, quoted

MAX_FILE_BYTES = 1 << 20
MAX_ROWS = 1_000
MAX_ERRORS_PRINTED = 5
SEPARATORS = (",", ";", "\t")
"""Accepted separators of cells; a file uses one of them."""
YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": False}
ENTRY_COLUMNS = ("bot", "partner", "any_partner", "seed")
"""Columns of an entry file, named like the arguments of ``rensho entries``. ``bot`` is required."""
PLAYER_COLUMNS = ("player",)


class EntryRow(NamedTuple):
    line: int
    bot: str
    partner: str
    any_partner: bool
    seed: int | None


def entry_rows(path: Path) -> list[EntryRow]:
    """Return the entries of a file. ``InvalidInput`` names the first invalid lines."""
    rows: list[EntryRow] = []
    faults: list[str] = []
    for line, cells in _csv_rows(path, ENTRY_COLUMNS):
        seed, any_partner = cells["seed"], cells["any_partner"].lower()
        if not cells["bot"]:
            faults.append(f"line {line}: no bot")
        elif seed and not (seed.isascii() and seed.isdigit() and len(seed) < 10 and int(seed)):
            faults.append(f"line {line}: seed {quoted(seed)} is not a number from 1")
        elif any_partner not in YES_NO:
            faults.append(f"line {line}: any_partner {quoted(any_partner)} is neither yes nor no")
        else:
            seed_number = int(seed) if seed else None
            rows.append(EntryRow(line, cells["bot"], cells["partner"], YES_NO[any_partner], seed_number))
    _raise_if_any(path, faults)
    return rows


def players_read(path: Path) -> list[str]:
    """Return the handles of the players of a file, or raise ``InvalidInput``."""
    cells = _csv_rows(path, PLAYER_COLUMNS)
    _raise_if_any(path, [f"line {line}: no player" for line, row in cells if not row["player"]])
    return [row["player"] for _, row in cells]


def entries_create(
    client: Client, event_id: str, path: Path, requests: list[tuple[EntryRow, EntryIn]], *, is_dry_run: bool
) -> list[Entry]:
    """Create all entries after a dry run of each. ``InvalidInput`` states how many were created."""
    faults: list[str] = []
    planned: list[Entry] = []
    for row, fields in requests:
        try:
            planned.append(client.entry_create(event_id, fields, dry_run=True))
        except Refused as refusal:
            faults.append(f"line {row.line}: {refusal}")
    _raise_if_any(path, faults)
    if is_dry_run:
        return planned
    entries: list[Entry] = []
    for row, fields in requests:
        try:
            entries.append(client.entry_create(event_id, fields))
        except Refused as refusal:
            raise InvalidInput(
                f"{path}, line {row.line}: {clipped(str(refusal), 200)}; the {len(entries)} before it are "
                "entered: remove their lines and try again"
            ) from None
    return entries


def _csv_rows(path: Path, columns: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
    """Return line number and stripped cells of each line that is not empty. Missing cells are empty.

    Raise ``InvalidInput`` if the file is not CSV with these columns, or lacks the first one.
    """
    example = f"its first line names the columns, such as {','.join(columns)}"
    text = read_text(path, MAX_FILE_BYTES)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=_separator(text))
        head = [name.strip().lower() for name in reader.fieldnames or ()]
        unknown = [name for name in head if name not in columns]
        if unknown or columns[0] not in head or len(set(head)) < len(head):
            named = (
                f"column {quoted(unknown[0])} is unknown"
                if unknown
                else f"the column {columns[0]} is missing or repeated"
            )
            raise InvalidInput(f"{path}: {named}; {example}")
        reader.fieldnames = head
        rows = []
        for cells in reader:
            if None in cells:
                raise ValueError(f"line {reader.line_num} has more cells than there are columns")
            rows.append((reader.line_num, {name: (cells.get(name) or "").strip() for name in columns}))
            if len(rows) > MAX_ROWS:
                raise InvalidInput(f"{path} has more than {MAX_ROWS} lines: divide it")
    except (ValueError, csv.Error) as error:
        raise InvalidInput(f"{path} is not a CSV file: {clipped(str(error), 200)}; {example}") from None
    if not rows:
        raise InvalidInput(f"{path} has no lines below its first; {example}")
    return rows


def _separator(text: str) -> str:
    return max(SEPARATORS, key=text.partition("\n")[0].count)


def _raise_if_any(path: Path, faults: list[str]) -> None:
    if faults:
        more = f"; and {len(faults) - MAX_ERRORS_PRINTED} more" if len(faults) > MAX_ERRORS_PRINTED else ""
        listed = "; ".join(clipped(fault, 120) for fault in faults[:MAX_ERRORS_PRINTED])
        raise InvalidInput(f"{path}: nothing was changed: {listed}{more}")
