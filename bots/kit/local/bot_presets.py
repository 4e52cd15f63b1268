"""Presets that bots name in their ``rensho.toml``."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from bots.kit.display.console import print_note
from bots.kit.errors import InvalidInput
from engine import Game, all_games
from engine.refusals import quoted
from referee.bundle import import_path
from referee.errors import BundleError

DEFAULT_PRESET = "kakeya4"
PRESET_HELP = f"the one in the bot's rensho.toml, else {DEFAULT_PRESET}"
PAIR_SEPARATOR = "+"
MAX_SUGGESTION_CHARS = 40
"""Maximum characters of an unknown preset that are compared with known presets."""


def preset_for(given: str | None, sides: Iterable[str]) -> str:
    """Return the preset given on the command line, else that of the first bot that names one.

    Raise ``InvalidInput`` if a bot names an unknown preset.
    """
    for side in [] if given else sides:
        if preset := _preset_in(side):
            game_of(preset, f"rensho.toml of {side}: ")
            return preset
    return given or DEFAULT_PRESET


def _preset_in(argument: str) -> str:
    """Return the preset in the ``rensho.toml`` of a side; empty if it names none or cannot be read."""
    for part in [argument] if Path(argument).exists() else argument.split(PAIR_SEPARATOR):
        with suppress(BundleError):
            if part and Path(part).exists() and (preset := import_path(Path(part)).manifest.preset):
                return preset
    return ""


def warn_of_other_game(name: str, preset: str, rules_preset: str) -> None:
    """Print a note if a bot is for a preset of another game than these rules.

    Raise ``InvalidInput`` if its preset is unknown.
    """
    if preset and game_of(preset, f"rensho.toml of {name}: ") is not game_of(rules_preset):
        print_note(f"{name} is for {preset} (rensho.toml), but {rules_preset} belongs to another game")


def game_of(preset: str, source: str = "") -> Game:
    """Return the game of a preset. ``InvalidInput`` suggests the most similar preset and lists all.

    ``source`` precedes its message.
    """
    names = [name for game in all_games().values() for name in game.presets]
    for game in all_games().values():
        if preset in game.presets:
            return game
    near = difflib.get_close_matches(preset[:MAX_SUGGESTION_CHARS], names, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    raise InvalidInput(f"{source}unknown preset {quoted(preset)}{meant}; presets: {', '.join(names)}")
