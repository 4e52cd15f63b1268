"""Rules from the command line: preset, options and kind of board."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from typing import Any

from bots.kit.errors import InvalidInput
from bots.kit.local.bot_presets import PRESET_HELP, game_of, preset_for
from engine import BoardKind, EngineError, Rules
from engine.refusals import quoted


def add_rules_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", help=f"preset of rules ({PRESET_HELP})")
    help_text = "change one option of the rules, such as debt=false or seats=5; may be repeated"
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=help_text)
    help_text = "kind of board: one deal, or a complete game (deal)"
    parser.add_argument("--kind", choices=("deal", "game"), help=help_text)


def rules_from(arguments: argparse.Namespace, sides: Sequence[str]) -> Rules:
    """Return the rules of a command line, by default those of the first side that names a preset.

    Raise ``InvalidInput`` if a name or value is unknown, options contradict each other, or games may not end.
    """
    preset = preset_for(arguments.preset, sides)
    return require_bounded(rules_named(preset, arguments.option, arguments.kind or "deal"))


def require_bounded(rules: Rules) -> Rules:
    """Return the rules, or raise ``InvalidInput`` if a board may never end."""
    if rules.kind == "game" and rules.decisions_bound is None:
        raise InvalidInput(
            f"a game of {rules.ruleset.preset} may never end: limit its deals with the option hand_cap=60, "
            "or play boards of the kind deal"
        )
    return rules


def rules_named(preset: str, options: Sequence[str] = (), kind: BoardKind = "deal") -> Rules:
    """Return the rules of a preset with options as ``NAME=VALUE``, or raise ``InvalidInput``."""
    return rules_with(preset, parse_options(options), kind)


def rules_with(preset: str, options: Mapping[str, Any], kind: BoardKind) -> Rules:
    """Return the rules of a preset with some options changed, or raise ``InvalidInput``."""
    game = game_of(preset)
    try:
        return Rules(game, game.ruleset(preset, options), kind)
    except EngineError as error:
        raise InvalidInput(f"{error}; docs/rules describes every option") from None


def parse_options(assignments: Sequence[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name or not value:
            raise InvalidInput(
                f"--option {quoted(assignment)} is not NAME=VALUE: write it like debt=false or seats=5"
            )
        if name in options:
            raise InvalidInput(f"--option {name} is given twice: remove one")
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    """Parse a number, true, false or null (also none, yes and no); any other text stays a string."""
    lowered = text.lower()
    if lowered in _LITERALS:
        return _LITERALS[lowered]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, int) else text


_LITERALS = {"true": True, "yes": True, "false": False, "no": False, "null": None, "none": None}
