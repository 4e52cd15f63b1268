"""Registry of games: every subpackage with a ``GAME``. docs/adding-a-game.md describes how to add one."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
from functools import cache

from engine.errors import EngineError, UnknownGame
from engine.game import Game, Ruleset
from engine.refusals import quoted

MAX_SEATS = 16
"""Maximum seats of a table."""


@cache
def all_games() -> dict[str, Game]:
    """Return all games by key, sorted. Raise ``TypeError`` for a missing ``GAME`` or a duplicate name."""
    games: dict[str, Game] = {}
    claimed: dict[str, str] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        if not module.ispkg:
            continue
        game = getattr(importlib.import_module(f"{__name__}.{module.name}"), "GAME", None)
        if not isinstance(game, Game):
            raise TypeError(f"engine/games/{module.name} has no GAME: its __init__.py must make one")
        for name in {game.key, *game.presets}:
            if name in claimed:
                raise TypeError(f"engine/games/{module.name} and {claimed[name]} both claim {name!r}")
            claimed[name] = module.name
        games[game.key] = game
    return dict(sorted(games.items()))


def game_named(key: str) -> Game:
    """Return the game with this key, or raise ``UnknownGame`` with a list of the keys."""
    games = all_games()
    if key not in games:
        raise UnknownGame(f"unknown game {quoted(key)}; games: {', '.join(games)}")
    return games[key]


def family_of(preset: str) -> str:
    """Return the family of a preset, which is also the name of its page in ``docs/rules``.

    >>> family_of("kakeya6.league"), family_of("etori.simple6"), family_of("kakkuri")
    ('kakeya', 'etori', 'kakkuri')
    """
    return preset.partition(".")[0].rstrip("0123456789")


def preset_named(preset: str) -> tuple[Game, Ruleset]:
    """Return the game and the ruleset of a preset, or raise ``UnknownGame`` with a list of the presets."""
    for game in all_games().values():
        if preset in game.presets:
            return game, game.presets[preset]
    names = ", ".join(name for game in all_games().values() for name in game.presets)
    raise UnknownGame(f"unknown preset {quoted(preset)}; presets: {names}")


@cache
def seat_counts(preset: str) -> tuple[int, ...]:
    """Return the possible numbers of seats of a preset, ascending; several if the number is an option.

    >>> seat_counts("kakeya4"), seat_counts("kakkuri")
    ((4,), (2, 3, 4, 5, 6, 7, 8))
    """
    game, ruleset = preset_named(preset)
    counts = []
    for count in range(2, MAX_SEATS + 1):
        with contextlib.suppress(EngineError):  # the preset does not allow this number
            ruleset.replace(seats=count)
            counts.append(count)
    return tuple(counts) or (game.seats(ruleset),)
