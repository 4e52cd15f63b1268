"""What a command module needs to add itself to ``rensho``, alone or below another word."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

# The class that argparse gives for subparsers has no public name; its parameter exists for checkers only.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where ``register(commands)`` of a module adds its parsers."""

CommandFunction = Callable[[argparse.Namespace], int]
"""A command: its arguments in, its exit status out."""


def add_group(commands: Commands, name: str, help_text: str, description: str) -> Commands:
    """Where the commands below ``rensho name`` add themselves."""
    parser = commands.add_parser(name, help=help_text, description=description)
    return parser.add_subparsers(required=True, metavar="VERB", title="verbs")


def add_command(
    commands: Commands,
    name: str,
    help_text: str,
    run: CommandFunction,
    *,
    json_help: str = "print the result as JSON",
    description: str = "",
    epilog: str | None = None,
) -> argparse.ArgumentParser:
    """A command with ``--json`` and no other argument yet; ``epilog`` is printed line by line as it is."""
    parser = commands.add_parser(
        name,
        help=help_text,
        description=description or f"{help_text[0].upper()}{help_text[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter if epilog else argparse.HelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help=json_help)
    parser.set_defaults(command=run)
    return parser


def add_bot_path(parser: argparse.ArgumentParser) -> None:
    """Add ``path``, the bot to read."""
    help_text = "a folder with rensho.toml, an archive of one, or a .py file"
    parser.add_argument("path", type=Path, help=help_text)


def add_no_sandbox(parser: argparse.ArgumentParser, what: str = "it as an ordinary process") -> None:
    """Add ``--no-sandbox``."""
    parser.add_argument("--no-sandbox", action="store_true", help=f"run {what}: trusted bots only")


def add_no_color(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-color``."""
    parser.add_argument("--no-color", action="store_true", help="no colours, as with NO_COLOR set")
