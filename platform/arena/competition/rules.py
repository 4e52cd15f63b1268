"""The frozen rules of a tournament as objects of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from arena.competition.models import Tournament
from engine import BoardKind, EngineError, Game, Rules, Ruleset, Side, game_named


def rules_of(tournament: Tournament) -> Rules:
    game = game_named(tournament.game)
    ruleset = game.ruleset(tournament.preset, tournament.ruleset)
    return Rules(game, ruleset, cast(BoardKind, tournament.board_kind))


def rules_named(game: str, preset: str) -> tuple[Game, Ruleset]:
    game_object = game_named(game)
    return game_object, game_object.ruleset(preset)


def sides_of(tournament: Tournament) -> tuple[Side, ...]:
    return rules_of(tournament).sides


def per_side_of(tournament: Tournament) -> int:
    return len(sides_of(tournament)[0])


def decisions_bound(rules: Rules) -> int:
    """Return the maximum number of decisions of a seat on a board. Raises EngineError without one."""
    bound = rules.decisions_bound
    if bound is None:
        raise EngineError(f"a {rules.kind} of {rules.ruleset.preset} has no bound on its decisions")
    return bound


def cpu_ms_per_seat(rules: Rules, clock: Mapping[str, int]) -> int:
    """Return the CPU ms that a seat may use on a board: the bank and all increments."""
    return clock[f"bank_cpu_ms_per_{rules.kind}_board"] + clock["increment_cpu_ms"] * decisions_bound(rules)
