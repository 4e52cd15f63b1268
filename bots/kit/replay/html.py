"""``rensho replay FILE --html PAGE``: the viewer of the site with one record, as a single file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from analysis.shapes import NOTES_FORMAT, Notes
from bots.kit.errors import CheckFailed, InvalidInput
from bots.kit.files import write_atomic
from viewer.build import ViewError, view_of
from viewer.page import replay_page
from viewer.shapes import View
from viewer.texts import viewer_texts

MAX_NOTES_BYTES = 64 << 20


def page_write(
    path: Path,
    record: bytes,
    source: Path,
    names: dict[int, str],
    *,
    board: int | None,
    deal: int | None,
    language: str,
    notes_path: Path | None = None,
) -> int:
    """Write the page of a record, or of one of its boards or deals, and return its size in bytes.

    ``names`` has the name of the bot at each seat. ``notes_path`` is a file of ``rensho-notes/2``. Raise
    ``CheckFailed`` if the record violates the rules, ``InvalidInput`` without such a board or deal or for
    other notes, ``EnvironmentFailure`` if the page cannot be written.
    """
    try:
        view = view_of(record)
    except ViewError as error:
        raise CheckFailed(f"{source}: {error}") from None
    notes = None if notes_path is None else read_notes(notes_path, view["record_sha256"], source)
    view = _select(view, board, deal, source)
    title = f"{source.name}: {view['preset']}"
    try:
        page = replay_page(view, title=title, names=names, texts=viewer_texts(language), notes=notes)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if notes is None:
            raise
        raise InvalidInput(f"{notes_path}: these notes are damaged ({error!r})") from None
    encoded = page.encode()
    write_atomic(path, encoded)
    return len(encoded)


def read_notes(path: Path, record_sha256: str, source: Path) -> Notes:
    """Return the notes in a file, or raise ``InvalidInput`` for other files and notes on other records."""
    try:
        if path.stat().st_size > MAX_NOTES_BYTES:
            raise InvalidInput(f"notes {path} are larger than {MAX_NOTES_BYTES >> 20} MiB")
        notes = json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidInput(f"cannot read notes {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not {NOTES_FORMAT}: {error}") from None
    given = notes.get("format") if isinstance(notes, dict) else None
    if given != NOTES_FORMAT:
        raise InvalidInput(f"{path} is not {NOTES_FORMAT}: its format is {given!r}")
    if notes.get("record_sha256") != record_sha256:
        raise InvalidInput(f"{path} has notes on another record than {source}: analyse this record")
    return cast("Notes", notes)


def _select(view: View, board: int | None, deal: int | None, source: Path) -> View:
    boards = [part for part in view["boards"] if board in (None, part["board"])]
    if not boards:
        numbers = view["numbers"]
        raise InvalidInput(f"there is no board {board} in {source}: it has {numbers[0]} to {numbers[-1]}")
    if deal is not None:
        for part in boards:
            part["deals"] = [dealt for dealt in part["deals"] if dealt["deal"] == deal]
        boards = [part for part in boards if part["deals"]]
        if not boards:
            raise InvalidInput(f"no board of {source} has a deal {deal}: omit --deal")
    return {**view, "boards": boards, "numbers": [part["board"] for part in boards]}
