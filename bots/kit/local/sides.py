"""Sides of a match from command-line arguments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bots.house import house_folders
from bots.kit.errors import InvalidInput
from bots.kit.local.bot_presets import PAIR_SEPARATOR, warn_of_other_game
from engine import Rules, Seat, all_games
from referee.bundle import Bundle, import_path
from referee.errors import BundleError

HOUSE_PREFIX = "house:"
EXAMPLE_BOT = f"{HOUSE_PREFIX}greedy"
"""House bot that every game has."""


class Contender(NamedTuple):
    """One side of a match."""

    label: str
    bundles: tuple[Bundle, ...]
    """One bot for all seats of the side, or one per seat from the lower seat."""
    argument: str = ""
    """Argument of the command line; empty if equal to the label."""

    def argument_at(self, seat: Seat, rules: Rules) -> str:
        argument = self.argument or self.label
        return argument if len(self.bundles) == 1 else argument.split(PAIR_SEPARATOR)[_place(seat, rules)]

    def bundle_at(self, seat: Seat, rules: Rules) -> Bundle:
        return self.bundles[0 if len(self.bundles) == 1 else _place(seat, rules)]


def _place(seat: Seat, rules: Rules) -> int:
    """Return the position of a seat within its side."""
    return next(side.index(seat) for side in rules.sides if seat in side)


def contenders_from(arguments: Sequence[str], rules: Rules) -> list[Contender]:
    """Return the sides that the arguments name, in order.

    Raise ``InvalidInput`` if the number is wrong, or a bot cannot be read or does not play this game.
    """
    check_count(arguments, rules)
    seats = {len(side) for side in rules.sides}
    names: dict[str, int] = {}
    contenders = []
    for argument in arguments:
        bundles = bundles_of(argument, max(seats), rules)
        names[argument] = names.get(argument, 0) + 1
        label = argument if names[argument] == 1 else f"{argument} #{names[argument]}"
        contenders.append(Contender(label, bundles, argument))
    return contenders


def check_count(arguments: Sequence[object], rules: Rules) -> None:
    """Raise ``InvalidInput`` unless there is one argument per side."""
    required, given = len(rules.sides), len(arguments)
    if given == required:
        return
    counts = f"{rules.ruleset.preset} has {required} sides; {given} given"
    if given > required:
        raise InvalidInput(f"{counts}: omit {_some(given - required)}, or choose another preset")
    missing = " ".join([EXAMPLE_BOT] * (required - given))
    raise InvalidInput(f"{counts}: add {_some(required - given)}, for example {missing}")


def bundles_of(argument: str, seats: int, rules: Rules) -> tuple[Bundle, ...]:
    """Return the bot, or the bots of a pair, that an argument names, or raise ``InvalidInput``."""
    parts = [argument]
    # An existing path may contain a plus sign.
    if PAIR_SEPARATOR in argument and not Path(argument).exists():
        parts = argument.split(PAIR_SEPARATOR)
    if len(parts) not in (1, seats):
        sides = "a side has one seat" if seats == 1 else f"a side has {seats} seats"
        raise InvalidInput(
            f"{argument!r} names {len(parts)} bots, but in {rules.ruleset.preset} {sides}: "
            f"name one bot{'' if seats == 1 else f', or {seats} joined by {PAIR_SEPARATOR}'}"
        )
    if not all(parts):
        raise InvalidInput(f"{argument!r} has an empty bot name: use . for the current folder")
    return tuple(_bundle(part, rules) for part in parts)


def _bundle(name: str, rules: Rules) -> Bundle:
    path = house_path(name, rules) if name.startswith(HOUSE_PREFIX) else Path(name)
    if not path.exists():
        raise InvalidInput(
            f"there is no bot at {name!r}: give a folder with rensho.toml, an archive of one, a .py file, "
            f"or a house bot such as {EXAMPLE_BOT}"
        )
    try:
        bundle = import_path(path)
    except BundleError as error:
        raise InvalidInput(f"{name}: {error.message}") from None
    warn_of_other_game(name, bundle.manifest.preset, rules.ruleset.preset)
    return bundle


def house_path(name: str, rules: Rules) -> Path:
    """Return the folder of ``house:NAME``. Raise ``InvalidInput`` if no such bot plays this game."""
    word = name.removeprefix(HOUSE_PREFIX)
    folders, key = house_folders(), rules.game.key
    for game in all_games():
        if game != key and word in folders and word.startswith(f"{game}_"):
            alike = word.removeprefix(f"{game}_")
            instead = f"{HOUSE_PREFIX}{alike}" if f"{key}_{alike}" in folders else EXAMPLE_BOT
            raise InvalidInput(f"{name} plays {game}, not {key}: use {instead}, or a preset of {game}")
    for folder_name in (word, f"{key}_{word}"):
        if folder_name in folders:
            return folders[folder_name]
    own = f"{key}_"
    ours = ", ".join(f"{HOUSE_PREFIX}{each.removeprefix(own)}" for each in folders if each.startswith(own))
    raise InvalidInput(f"no house bot {name!r}; house bots for {key}: {ours or 'none yet'}")


def _some(count: int) -> str:
    return "one" if count == 1 else str(count)
