"""Views of tables, built from their records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from engine import RecordError, Replay, replay
from viewer.banks import Bank, add_banks
from viewer.clocks import decision_times
from viewer.games import deals_of
from viewer.shapes import VIEW_FORMAT, View, ViewBoard

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode


class ViewError(Exception):
    """No view can be built from a record; the message says why."""


def view_of(
    record: bytes, timings: bytes | None = None, *, bank: Bank | None = None, decks_from_seed: bool = True
) -> View:
    """Return the view of an uncompressed ``rensho-record/1``.

    ``timings`` is the table's ``rensho-timings/1``; a seat whose times do not match its answers has none in
    the view. ``bank`` adds the remaining banks to each deal. ``decks_from_seed=False`` takes the recorded
    decks. Takes about a millisecond per deal. Raise ``ViewError`` if the record contradicts the rules or
    itself, or this installation does not know its rules or its game.
    """
    try:
        replayed = replay(record, decks_from_seed=decks_from_seed, keep_states=True)
    except RecordError as error:
        raise ViewError(f"cannot show this record: {error}") from None
    game = replayed.game.key
    make = deals_of(game)
    if make is None:
        raise ViewError(f"cannot show records of {game}: viewer/games/{game} has no DEALS")
    clocks = decision_times(replayed, timings) if timings else {}
    boards: list[ViewBoard] = [
        {
            "board": played.board.number,
            "kind": played.board.kind,
            "result": stones_by_seat(played.outcome.stones),
            "deals": make(replayed, played, clocks),
        }
        for played in replayed.boards
    ]
    if bank is not None:
        add_banks(boards, bank)
    return {
        "format": VIEW_FORMAT,
        "record_sha256": hashlib.sha256(record).hexdigest(),
        "game": game,
        "preset": replayed.ruleset.preset,
        "options": _options(replayed),
        "seats": replayed.game.seats(replayed.ruleset),
        "sides": [list(side) for side in replayed.game.sides(replayed.ruleset)],
        "numbers": [board["board"] for board in boards],
        "boards": boards,
        "forfeited": sorted(replayed.forfeited),
    }


def view_bytes(view: View) -> bytes:
    """Return a view in canonical form: ASCII, sorted keys, no spaces, no line feed."""
    return _encode(view).encode("ascii")


def stones_by_seat(stones: Mapping[int, int]) -> dict[str, int]:
    return {str(seat): number for seat, number in sorted(stones.items())}


def _options(replayed: Replay) -> dict[str, Any]:
    preset = replayed.game.presets[replayed.ruleset.preset].as_dict()
    return {name: value for name, value in replayed.ruleset.as_dict().items() if value != preset[name]}
