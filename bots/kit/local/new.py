"""``rensho new``: create a folder with a working bot."""

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
from bots.kit.display.console import print_lines, print_result
from bots.kit.errors import InvalidInput
from bots.kit.local.bot_presets import DEFAULT_PRESET
from bots.kit.local.languages import LANGUAGES, example_files
from bots.kit.local.rules import rules_named
from bots.kit.subcommands import Commands, add_command
from engine import Rules
from referee.bundle import MANIFEST, NAME_CHARACTERS

README = "README.md"
GENERIC = "generic"
"""Template for games without a template of their own."""
POLICY = "policy"
"""Template with a network for reinforcement learning."""
TEMPLATE_NAME = "my-bot"
"""Name of the bots in the templates."""
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{NAME_CHARACTERS - 1}}}")


class NewBot(NamedTuple):
    """A created bot and the commands for the next steps."""

    folder: Path
    files: tuple[str, ...]
    program: str
    """Source file of the bot."""
    build: str
    """Command that builds the program after a change, or empty."""
    check: str
    play: str
    compare: str


def register(commands: Commands) -> None:
    new = add_command(commands, "new", "create a folder with a bot that already plays", _new)
    new.add_argument("name", metavar="NAME", help="name of the bot and of the new folder; may be a path")
    new.add_argument("--preset", default=DEFAULT_PRESET, help="rules that the bot plays by (%(default)s)")
    help_text = "programming language; C is compiled immediately (%(default)s)"
    new.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help=help_text)
    help_text = "policy: a network in numpy, with random weights until you train it (docs/rl.md)"
    new.add_argument("--template", choices=(POLICY,), help=help_text)


def _new(arguments: argparse.Namespace) -> int:
    new_bot = create_bot(Path(arguments.name), arguments.preset, arguments.language, arguments.template)

    def show() -> None:
        print_lines(f"Created {new_bot.folder}: {', '.join(new_bot.files)}. It can play {arguments.preset}.")
        print_lines(f"Check it:           {new_bot.check}")
        print_lines(f"Play a match:       {new_bot.play}")
        steps = "build it, then test" if new_bot.build else "then test"
        print_lines(f"Change {new_bot.folder / new_bot.program}, {steps} whether it is better:")
        if new_bot.build:
            print_lines(f"                    {new_bot.build}")
        print_lines(f"                    {new_bot.compare}")

    return print_result(arguments, {**new_bot._asdict(), "folder": str(new_bot.folder)}, show)


def create_bot(
    folder: Path, preset: str, language: str = LANGUAGES[0], template: str | None = None
) -> NewBot:
    """Copy a template (that of the preset's game), or the example of another language, into a new folder.

    Raise ``InvalidInput`` if the preset is unknown, the name is invalid, the folder exists, or the language
    has no such template.
    """
    rules = rules_named(preset)
    if not _NAME.fullmatch(folder.name):
        raise InvalidInput(
            f"{folder.name!r} is not a valid bot name: use letters, digits, dots, dashes and underscores, "
            f"starting with a letter or digit, at most {NAME_CHARACTERS}"
        )
    if folder.exists() or folder.is_symlink():
        raise InvalidInput(f"{folder} already exists: choose another name, or remove it")
    commands = _next_commands(folder, rules)
    program, build = "main.py", ""
    if template and language != LANGUAGES[0]:
        raise InvalidInput(f"--template {template} is a bot in {LANGUAGES[0]}: leave --language out")
    if language == LANGUAGES[0]:
        source = _root() / template if template else template_folder(rules.game.key)
        files = {
            path.name: path.read_bytes().replace(TEMPLATE_NAME.encode(), folder.name.encode())
            for path in sorted(source.iterdir())
            if path.is_file()
        }
        if template == POLICY:
            files |= _policy_files(rules.game.key)
    else:
        program, build, files = example_files(language, folder.name)
        build = build.format(folder=shlex.quote(str(folder)))
    files[MANIFEST] += f'preset = "{preset}"\n'.encode()
    readme = string.Template((_root() / README).read_text(encoding="utf-8"))
    how = build and f"\nBuild it after every change:\n\n    {build}\n"
    texts = {"name": folder.name, "preset": preset, "program": program, "build": how}
    files[README] = readme.substitute(texts, **commands).encode()
    try:
        folder.mkdir()
        for name, content in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
    except FileNotFoundError:
        raise InvalidInput(
            f"cannot create {folder}: there is no folder {folder.parent}; create it, or name another one"
        ) from None
    except OSError as error:
        raise InvalidInput(f"cannot create {folder}: {error.strerror}") from None
    return NewBot(folder, tuple(sorted(files)), program, build, **commands)


def _policy_files(game: str) -> dict[str, bytes]:
    """Return an untrained network of a game, and the package that the runtimes of bots do not have."""
    # Imported here: numpy would slow down the start of every command.
    from bots.rl import layouts

    if game not in layouts.LAYOUTS:
        known = ", ".join(layouts.LAYOUTS)
        raise InvalidInput(f"there is no layout of {game} for networks: choose a preset of {known}")
    package = Path(layouts.__file__).parent
    files = {f"{package.name}/{path.name}": path.read_bytes() for path in sorted(package.glob("*.py"))}
    return files | {"policy.npz": layouts.untrained_policy(layouts.LAYOUTS[game]).to_bytes()}


def template_folder(game: str) -> Path:
    own = _root() / game
    return own if own.is_dir() else _root() / GENERIC


def _root() -> Path:
    return Path(bots.template.__file__).parent


def _next_commands(folder: Path, rules: Rules) -> dict[str, str]:
    has_greedy = f"{rules.game.key}_greedy" in house_folders()
    other = "house:greedy" if has_greedy else str(folder)

    def command(word: str, sides: Sequence[str]) -> str:
        return shlex.join(["rensho", word, *sides])

    return {
        "check": command("check", [str(folder)]),
        "play": command("play", [str(folder), *[other] * (len(rules.sides) - 1)]),
        "compare": command("compare", [str(folder), other]),
    }
