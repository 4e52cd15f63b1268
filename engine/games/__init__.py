"""The games there are: every folder here that has a ``GAME``. Adding one edits nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from engine.errors import UnknownGame
from engine.game import Game, Ruleset


@cache
def all_games() -> dict[str, Game]:
    """Every game by key, sorted."""
    found: dict[str, Game] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        game = importlib.import_module(f"{__name__}.{module.name}").GAME
        found[game.key] = game
    return dict(sorted(found.items()))


def game_named(key: str) -> Game:
    """The game of this key.

    Raises:
        UnknownGame: there is none; the message lists the keys.
    """
    games = all_games()
    if key not in games:
        raise UnknownGame(f"unknown game {key!r}; games: {', '.join(games)}")
    return games[key]


def preset_named(preset: str) -> tuple[Game, Ruleset]:
    """The game that has this preset, and its ruleset.

    Raises:
        UnknownGame: no game has it; the message lists the presets.
    """
    for game in all_games().values():
        if preset in game.presets:
            return game, game.presets[preset]
    names = ", ".join(name for game in all_games().values() for name in game.presets)
    raise UnknownGame(f"unknown preset {preset!r}; presets: {names}")
