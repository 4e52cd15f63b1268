"""The rules a tournament froze, as the engine's own objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from arena.competition.models import Tournament
from engine import BoardKind, EngineError, Game, Rules, Ruleset, Side, game_named


def rules_of(tournament: Tournament) -> Rules:
    """The game, the ruleset and the kind of board of a tournament."""
    game = game_named(tournament.game)
    ruleset = game.ruleset(tournament.preset, tournament.ruleset)
    return Rules(game, ruleset, cast(BoardKind, tournament.board_kind))


def rules_named(game: str, preset: str) -> tuple[Game, Ruleset]:
    """A game and one of its presets as it stands; raises UnknownGame or another EngineError."""
    game_object = game_named(game)
    return game_object, game_object.ruleset(preset)


def sides_of(tournament: Tournament) -> tuple[Side, ...]:
    """The seats of each side: pairs, or single seats in a free-for-all."""
    return rules_of(tournament).sides


def per_side_of(tournament: Tournament) -> int:
    """Seats of a side: 2 where pairs play, 1 where everybody plays alone."""
    return len(sides_of(tournament)[0])


def decisions_bound(rules: Rules) -> int:
    """The most decisions of one seat on one board. Events refuse rules without a bound.

    Raises:
        EngineError: there is none.
    """
    bound = rules.decisions_bound
    if bound is None:
        raise EngineError(f"a {rules.kind} of {rules.ruleset.preset} has no bound on its decisions")
    return bound


def cpu_ms_per_seat(rules: Rules, clock: Mapping[str, int]) -> int:
    """CPU one seat may use on one board: its bank and every increment."""
    return clock[f"bank_cpu_ms_per_{rules.kind}_board"] + clock["increment_cpu_ms"] * decisions_bound(rules)
