"""Which rules a command plays by: preset, options and kind of board from the command line."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Sequence
from typing import Any

from bots.kit.errors import InvalidInput
from engine import BoardKind, EngineError, Game, Rules, all_games
from engine.refusals import quoted

DEFAULT_PRESET = "kakeya4"
MAX_SUGGESTION_CHARS = 40
"""Of an unknown preset, to look for one like it."""


def add_rules_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--preset``, ``--option`` and ``--kind``."""
    parser.add_argument("--preset", default=DEFAULT_PRESET, help="the rules to play by (%(default)s)")
    help_text = "change one option of the rules, such as debt=false or seats=5; may be repeated"
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=help_text)
    help_text = "what a board is: one deal, or a whole game to its end (%(default)s)"
    parser.add_argument("--kind", choices=("deal", "game"), default="deal", help=help_text)


def rules_from(arguments: argparse.Namespace) -> Rules:
    """The rules these arguments name.

    Raises:
        InvalidInput: no such preset, option or value, options that contradict each other, or a game
            that may never end.
    """
    rules = rules_named(arguments.preset, arguments.option, arguments.kind)
    if rules.kind == "game" and rules.decisions_bound is None:
        raise InvalidInput(
            f"a game of {arguments.preset} may last for ever: end it after so many deals with "
            "--option hand_cap=60, or play --kind deal"
        )
    return rules


def rules_named(preset: str, options: Sequence[str] = (), kind: BoardKind = "deal") -> Rules:
    """A preset with options given as ``NAME=VALUE``.

    Raises:
        InvalidInput: no such preset, option or value, or options that contradict each other.
    """
    game = game_of(preset)
    try:
        return Rules(game, game.ruleset(preset, _options(options)), kind)
    except EngineError as error:
        raise InvalidInput(f"{error}; docs/rules describes every option") from None


def game_of(preset: str) -> Game:
    """The game that has this preset.

    Raises:
        InvalidInput: none has it; the message lists the presets, the likeliest first.
    """
    names = [name for game in all_games().values() for name in game.presets]
    for game in all_games().values():
        if preset in game.presets:
            return game
    near = difflib.get_close_matches(preset[:MAX_SUGGESTION_CHARS], names, n=1)
    meant = f"; did you mean {near[0]}?" if near else ";"
    raise InvalidInput(f"unknown preset {quoted(preset)}{meant} presets: {', '.join(names)}")


def _options(words: Sequence[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise InvalidInput(
                f"--option {quoted(word)} is not NAME=VALUE: write it like debt=false or seats=5"
            )
        if name in options:
            raise InvalidInput(f"--option {name} is given twice: leave one out")
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    """A number, true, false or null as JSON has them (none, yes and no are understood too); else the word."""
    lowered = text.lower()
    if lowered in _LITERALS:
        return _LITERALS[lowered]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int) else text


_LITERALS = {"true": True, "yes": True, "false": False, "no": False, "null": None, "none": None}
