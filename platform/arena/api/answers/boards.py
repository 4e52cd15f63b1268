"""Responses: the results of a board at all tables."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, NamedTuple, TypedDict

from arena.api.answers.entries import EntryName, entry_name_from
from arena.api.answers.fairness import published_seeds
from arena.api.base.parts import Part
from arena.api.base.shapes import build_shape
from arena.competition.selectors import NamedEntry, entry_name_columns
from arena.matches.fixture_selectors import seat_results
from arena.matches.models import BoardSet
from arena.standings.selectors import BoardKey, board_key, board_scores_of


class SeatResultOut(TypedDict):
    """The result of one seat on a board, with its table, entry and bot."""

    table: str
    fixture: str
    rotation: int
    seat: int
    entry: str
    bot: str
    stones: int
    verdict: str


class BoardScoreOut(EntryName):
    """The board score of an entry, and its place among all entries that played the board."""

    fixture: str
    value: Annotated[str, "An exact fraction: n or n/d."]
    place: Annotated[int, "From 1. Equal scores share a place."]


class BoardOut(Part):
    """A board with its results at all tables."""

    board_set: str
    number: int
    kind: str
    seed: Annotated[str | None, "Null while the set is open."]
    scores: Annotated[list[BoardScoreOut], "Best first."]
    results: Annotated[list[SeatResultOut], "As played, one per seat."]


class BoardContentKey(NamedTuple):
    """Everything that determines the response about a board."""

    board: BoardKey
    names: tuple[tuple[Any, ...], ...]
    """``NAME_COLUMNS`` of all entries."""


def board_content_key(tournament: int, board_set: BoardSet, number: int) -> BoardContentKey:
    """Return the key of a board, given the tournament's primary key. Three queries."""
    return BoardContentKey(board_key(board_set, number), entry_name_columns(tournament))


def board_out(key: BoardContentKey, board_set: BoardSet, number: int) -> BoardOut:
    """Return the board scores, best first, and the result of every seat. Three queries."""
    names = {columns[0]: NamedEntry.of_columns(columns) for columns in key.names}
    scores = board_scores_of(board_set, number)
    places: dict[Fraction, int] = {}
    for rank, score in enumerate(scores, 1):
        places.setdefault(score.value, rank)
    seeds = published_seeds(board_set)
    return {
        "next_first": None,
        "board_set": board_set.public_id,
        "number": number,
        "kind": board_set.kind,
        "seed": seeds[str(number)] if seeds else None,
        "scores": [
            {
                **entry_name_from(names[score.entry]),
                "fixture": score.fixture,
                "value": str(score.value),
                "place": places[score.value],
            }
            for score in scores
        ],
        "results": [build_shape(SeatResultOut, row) for row in seat_results(board_set, number)],
    }
