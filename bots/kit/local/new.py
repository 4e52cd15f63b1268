"""``rensho new``: a folder with a bot that plays already."""

from __future__ import annotations

import argparse
import re
import shlex
import string
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import bots.template
from bots.house import house_folders
from bots.kit.display.console import answer
from bots.kit.errors import InputUnusable
from bots.kit.local.rules import DEFAULT_PRESET, Rules, rules_named
from bots.kit.subcommands import Commands, command
from referee.bundle import NAME_CHARACTERS

README = "README.md"
GENERIC = "generic"
"""The template of a game that has none of its own."""
TEMPLATE_NAME = "my-bot"
"""What bots are called in the templates."""
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{NAME_CHARACTERS - 1}}}")


class Made(NamedTuple):
    """What was made, and what to do next."""

    folder: Path
    files: tuple[str, ...]
    check: str
    play: str
    compare: str


def register(commands: Commands) -> None:
    """Add ``rensho new``."""
    new = command(commands, "new", "create a folder with a bot that already plays", _new)
    new.add_argument("name", metavar="NAME", help="name of the bot and of the new folder; may be a path")
    new.add_argument("--preset", default=DEFAULT_PRESET, help="the rules it plays by (%(default)s)")


def _new(arguments: argparse.Namespace) -> int:
    made = make_bot(Path(arguments.name), arguments.preset)

    def show() -> None:
        print(f"Made {made.folder}: {', '.join(made.files)}. It plays {arguments.preset} already.")
        print(f"Try it:             {made.check}")
        print(f"Play a match:       {made.play}")
        print(f"Change {made.folder / 'main.py'}, then see whether it got better:")
        print(f"                    {made.compare}")

    return answer(arguments, {**made._asdict(), "folder": str(made.folder)}, show)


def make_bot(folder: Path, preset: str) -> Made:
    """Write the template of the preset's game into a new folder.

    Raises:
        InputUnusable: an unknown preset, a name no bot can have, or a folder that is there already.
    """
    rules = rules_named(preset)
    if not _NAME.fullmatch(folder.name):
        raise InputUnusable(
            f"{folder.name!r} cannot name a bot: take letters, digits, dots, dashes and underscores, a "
            f"letter or digit first, at most {NAME_CHARACTERS}"
        )
    if folder.exists() or folder.is_symlink():
        raise InputUnusable(f"{folder} is there already: choose another name, or remove it first")
    template = template_folder(rules.game.key)
    commands = _next_commands(folder, preset, rules)
    files = {
        path.name: path.read_text(encoding="utf-8").replace(TEMPLATE_NAME, folder.name)
        for path in sorted(template.iterdir())
        if path.is_file()
    }
    readme = string.Template((template.parent / README).read_text(encoding="utf-8"))
    files[README] = readme.substitute(name=folder.name, preset=preset, **commands)
    try:
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputUnusable(f"cannot make {folder}: {error.strerror}") from None
    return Made(folder, tuple(sorted(files)), **commands)


def template_folder(game: str) -> Path:
    """The template for a game: its own, or the one that plays any."""
    root = Path(bots.template.__file__).parent
    own = root / game
    return own if own.is_dir() else root / GENERIC


def _next_commands(folder: Path, preset: str, rules: Rules) -> dict[str, str]:
    has_greedy = f"{rules.game.key}_greedy" in house_folders()
    other = "house:greedy" if has_greedy else str(folder)

    def command(word: str, sides: Sequence[str]) -> str:
        return shlex.join(["rensho", word, *sides, "--preset", preset])

    return {
        "check": command("check", [str(folder)]),
        "play": command("play", [str(folder), *[other] * (len(rules.sides) - 1)]),
        "compare": command("compare", [str(folder), other]),
    }
