"""Helpers with which a command module adds itself to ``rensho``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

# The class that argparse gives for subparsers has no public name; its parameter exists for checkers only.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Collection of parsers that ``register(commands)`` of a module extends."""

CommandFunction = Callable[[argparse.Namespace], int]
"""Implementation of a command: takes its arguments, returns its exit status."""


def add_group(commands: Commands, name: str, help_text: str, description: str) -> Commands:
    """Add a command with subcommands and return their collection."""
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
    """Add a command with ``--json``. ``epilog`` is printed with its own line breaks."""
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
    help_text = "a folder with rensho.toml, an archive of one, or a .py file"
    parser.add_argument("path", type=Path, help=help_text)


def add_no_sandbox(parser: argparse.ArgumentParser, process_text: str = "it as an ordinary process") -> None:
    parser.add_argument("--no-sandbox", action="store_true", help=f"run {process_text}: trusted bots only")


def add_no_color(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-color", action="store_true", help="print without colours, as with NO_COLOR set")
