"""The games and presets on offer, described as plain values from the engine alone."""

from __future__ import annotations

from typing import Any

from arena.common.errors import NotFound
from engine.errors import UnknownGame
from engine.game import Board, Game
from engine.games import all_games, game_named

SAMPLE_SEED = "0" * 64
JSON_TYPES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    list: "array",
    dict: "object",
    type(None): "null",
}


def game_keys() -> list[str]:
    """The key of every game installed, sorted."""
    return list(all_games())


def games_described() -> list[dict[str, Any]]:
    """Every game with the names of its presets."""
    return [
        {"key": game.key, "rules_version": game.rules_version, "presets": list(game.presets)}
        for game in all_games().values()
    ]


def preset_described(key: str, preset: str) -> dict[str, Any]:
    """One preset: seats, sides, options, what a bot observes, how long a board can be.

    Raises:
        NotFound: no such game or preset; names those there are.
    """
    try:
        game = game_named(key)
    except UnknownGame as error:
        raise NotFound(f"{error}.", "unknown_game", allowed=game_keys()) from None
    if preset not in game.presets:
        names = list(game.presets)
        raise NotFound(
            f"{key} has no preset {preset!r}; presets: {', '.join(names)}.", "unknown_preset", allowed=names
        )
    ruleset = game.presets[preset]
    sides = game.sides(ruleset)
    return {
        "game": game.key,
        "preset": preset,
        "rules_version": game.rules_version,
        "seats": game.seats(ruleset),
        "sides": [list(side) for side in sides],
        "tables_per_fixture": len(sides),
        "starting_stones": game.starting_stones(ruleset),
        "options": ruleset.as_dict(),
        "decisions_bound": {kind: game.decisions_bound(ruleset, kind) for kind in ("deal", "game")},
        "observation": observation_fields(game, preset),
    }


def observation_fields(game: Game, preset: str) -> dict[str, str]:
    """JSON type by field of the first observation of a deal board; docs/bot-protocol.md explains them."""
    state = game.start(game.presets[preset], Board("deal", 1, SAMPLE_SEED))
    seen = state.observe(state.to_act[0])
    return {name: JSON_TYPES[type(value)] for name, value in sorted(seen.items())}
