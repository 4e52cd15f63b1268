"""A replayed record in plain values, for those who score tables and need not know the rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.game import Seat
from engine.record import replay


class PlayedTable(NamedTuple):
    """What a record says once it has been found true. Everything by seat from 1."""

    game: str
    preset: str
    rules_version: int
    ruleset: Mapping[str, Any]
    """The options as the record names them."""
    forfeit_stones: int
    """What a forfeit of a game board costs."""
    bundles: Mapping[Seat, str]
    """SHA-256 of each seat's bundle."""
    seeds: Mapping[int, str]
    """Seed by board number."""
    stones: Mapping[tuple[int, Seat], int]
    """Result by board number and seat."""
    forfeited: tuple[Seat, ...]
    verdicts: Mapping[Seat, str]


def played_table(record: bytes) -> PlayedTable:
    """The table a record tells of.

    Raises:
        RecordError: the record contradicts the rules or itself.
    """
    told = replay(record)
    return PlayedTable(
        game=told.game.key,
        preset=told.ruleset.preset,
        rules_version=told.game.rules_version,
        ruleset=json.loads(record.splitlines()[0])["ruleset"],
        forfeit_stones=told.game.forfeit_stones(told.ruleset),
        bundles=dict(told.bots),
        seeds={played.board.number: played.board.seed for played in told.boards},
        stones={
            (played.board.number, seat): stones
            for played in told.boards
            for seat, stones in played.outcome.stones.items()
        },
        forfeited=told.forfeited,
        verdicts=dict(told.verdicts),
    )
