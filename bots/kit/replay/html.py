"""``rensho replay FILE --html PAGE``: the viewer of the site with one record, as a single file."""

from __future__ import annotations

from pathlib import Path

from bots.kit.errors import CheckFailed, InvalidInput
from bots.kit.files import write_atomic
from viewer.build import ViewError, view_of
from viewer.page import replay_page
from viewer.shapes import View
from viewer.texts import viewer_texts

HASH_CHARACTERS = 8


def page_write(
    path: Path,
    record: bytes,
    source: Path,
    bots: dict[int, str],
    *,
    board: int | None,
    deal: int | None,
    language: str,
) -> int:
    """Write the page of a record, or of one of its boards or deals, and return its size in bytes.

    ``bots`` has the SHA-256 of each seat's bundle, whose first digits name the bots. Raise ``CheckFailed`` if
    the record violates the rules, ``InvalidInput`` without such a board or deal, ``EnvironmentFailure`` if
    the page cannot be written.
    """
    try:
        view = view_of(record)
    except ViewError as error:
        raise CheckFailed(f"{source}: {error}") from None
    view = _select(view, board, deal, source)
    names = {seat: sha256[:HASH_CHARACTERS] for seat, sha256 in bots.items()}
    title = f"{source.name}: {view['preset']}"
    page = replay_page(view, title=title, names=names, texts=viewer_texts(language)).encode()
    write_atomic(path, page)
    return len(page)


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
