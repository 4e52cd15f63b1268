"""Who plays: what one argument of ``rensho play`` or ``rensho compare`` stands for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bots.house import house_folders
from bots.kit.errors import InvalidInput
from engine import Rules, Seat, all_games
from referee.bundle import Bundle, import_path
from referee.errors import BundleError

HOUSE_PREFIX = "house:"
PAIR_SEPARATOR = "+"
EXAMPLE_BOT = f"{HOUSE_PREFIX}greedy"
"""A house bot that every game has."""


class Contender(NamedTuple):
    """One side of a match."""

    label: str
    """As on the command line, numbered where the same comes twice, then values of ``--param``."""
    bundles: tuple[Bundle, ...]
    """One bot that plays every seat of its side, or one a seat, the lower seat first."""
    argument: str = ""
    """As on the command line; empty if that is the label."""

    def argument_at(self, seat: Seat, rules: Rules) -> str:
        """The bot on one seat, as on the command line."""
        argument = self.argument or self.label
        if len(self.bundles) == 1:
            return argument
        side = next(side for side in rules.sides if seat in side)
        return argument.split(PAIR_SEPARATOR)[side.index(seat)]


def contenders_from(arguments: Sequence[str], rules: Rules) -> list[Contender]:
    """The sides these arguments name, in their order.

    Raises:
        InvalidInput: too few or too many, or one that cannot be read or does not play this game.
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


def check_count(arguments: Sequence[str], rules: Rules) -> None:
    """Refuse another number of arguments than the game has sides.

    Raises:
        InvalidInput: too few or too many.
    """
    wanted, given = len(rules.sides), len(arguments)
    if given == wanted:
        return
    counts = f"{rules.ruleset.preset} has {wanted} sides; {given} given"
    if given > wanted:
        raise InvalidInput(
            f"{counts}: leave out {_some(given - wanted)}, or choose other rules with --preset"
        )
    missing = " ".join([EXAMPLE_BOT] * (wanted - given))
    raise InvalidInput(f"{counts}: add {_some(wanted - given)}, for example {missing}")


def bundles_of(argument: str, seats: int, rules: Rules) -> tuple[Bundle, ...]:
    """The bot, or the bots of a pair, that an argument names.

    Raises:
        InvalidInput: it cannot be read, or there are more bots than seats.
    """
    parts = [argument]
    # A path may have a plus sign in it; what exists is taken as it is.
    if PAIR_SEPARATOR in argument and not Path(argument).exists():
        parts = argument.split(PAIR_SEPARATOR)
    if len(parts) not in (1, seats):
        sides = "a side has one seat" if seats == 1 else f"a side has {seats} seats"
        raise InvalidInput(
            f"{argument!r} names {len(parts)} bots, but in {rules.ruleset.preset} {sides}: "
            f"name one bot{'' if seats == 1 else f', or {seats} joined by {PAIR_SEPARATOR}'}"
        )
    if not all(parts):
        raise InvalidInput(f"{argument!r} has an empty name of a bot: name one, the folder you are in by .")
    return tuple(_bundle(part, rules) for part in parts)


def _bundle(name: str, rules: Rules) -> Bundle:
    path = house_path(name, rules) if name.startswith(HOUSE_PREFIX) else Path(name)
    if not path.exists():
        raise InvalidInput(
            f"there is no bot at {name!r}: give a folder with rensho.toml, an archive of one, a .py file, "
            f"or a house bot such as {EXAMPLE_BOT}"
        )
    try:
        return import_path(path)
    except BundleError as error:
        raise InvalidInput(f"{name}: {error.message}") from None


def house_path(name: str, rules: Rules) -> Path:
    """The folder of ``house:NAME``; ``house:greedy`` is the one of the game being played.

    Raises:
        InvalidInput: there is none, or it plays another game.
    """
    word = name.removeprefix(HOUSE_PREFIX)
    folders, key = house_folders(), rules.game.key
    for game in all_games():
        if game != key and word in folders and word.startswith(f"{game}_"):
            alike = word.removeprefix(f"{game}_")
            instead = f"{HOUSE_PREFIX}{alike}" if f"{key}_{alike}" in folders else EXAMPLE_BOT
            raise InvalidInput(
                f"{name} plays {game}, not {key}: take {instead}, or a preset of {game} with --preset"
            )
    for found in (word, f"{key}_{word}"):
        if found in folders:
            return folders[found]
    own = f"{key}_"
    ours = ", ".join(f"{HOUSE_PREFIX}{each.removeprefix(own)}" for each in folders if each.startswith(own))
    raise InvalidInput(f"there is no house bot {name!r}; those for {key}: {ours or 'none yet'}")


def _some(count: int) -> str:
    return "one" if count == 1 else str(count)
