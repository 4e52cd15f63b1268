"""A replayed record as plain values, for scoring without knowledge of the rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.game import Seat
from engine.record import replay


class PlayedTable(NamedTuple):
    """Contents of a verified record; seats count from 1."""

    game: str
    preset: str
    rules_version: int
    ruleset: Mapping[str, Any]
    """Options by name, as in the record."""
    forfeit_stones: int
    """Cost of a forfeited game board."""
    bundles: Mapping[Seat, str]
    """SHA-256 of the bundle by seat."""
    kinds: frozenset[str]
    """Kinds of its boards: ``deal``, ``game``."""
    seeds: Mapping[int, str]
    """Match seed by board number."""
    stones: Mapping[tuple[int, Seat], int]
    """Stones won or lost, by board number and seat."""
    forfeited: tuple[Seat, ...]
    verdicts: Mapping[Seat, str]
    acts: Mapping[Seat, tuple[str | None, ...]]
    """For every decision of a seat, in order: None, or the verdict for which the referee decided."""


def played_table(record: bytes) -> PlayedTable:
    """Verify a record and return its contents. Raise ``RecordError`` if it is contradictory."""
    replayed = replay(record)
    acts: dict[Seat, list[str | None]] = {}
    for played in replayed.boards:
        for decision in played.decisions:
            for act in decision:
                acts.setdefault(act.seat, []).append(act.verdict)
    return PlayedTable(
        game=replayed.game.key,
        preset=replayed.ruleset.preset,
        rules_version=replayed.game.rules_version,
        ruleset=json.loads(record.splitlines()[0])["ruleset"],
        forfeit_stones=replayed.game.forfeit_stones(replayed.ruleset),
        bundles=dict(replayed.bots),
        kinds=frozenset(played.board.kind for played in replayed.boards),
        seeds={played.board.number: played.board.seed for played in replayed.boards},
        stones={
            (played.board.number, seat): stones
            for played in replayed.boards
            for seat, stones in played.outcome.stones.items()
        },
        forfeited=replayed.forfeited,
        verdicts=dict(replayed.verdicts),
        acts={seat: tuple(verdicts) for seat, verdicts in sorted(acts.items())},
    )
