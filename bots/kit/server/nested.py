"""Commands of several words: ``rensho tournaments open ID``."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from rich.console import Console

from bots.kit.register import Commands
from bots.kit.replay_ink import console_for
from bots.kit.result_text import PLAIN_WIDTH

Command = Callable[[argparse.Namespace], int]


def out_console() -> Console:
    """Standard output; wide enough where it is no terminal that tables are not cut."""
    console = console_for()
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    return console


def group(commands: Commands, name: str, help_text: str, description: str) -> Commands:
    """Where the commands below ``rensho name`` add themselves."""
    parser = commands.add_parser(name, help=help_text, description=description)
    return parser.add_subparsers(required=True, metavar="VERB", title="verbs")


def command(
    commands: Commands, name: str, help_text: str, run: Command, *, json_help: str
) -> argparse.ArgumentParser:
    """One of them, with ``--json``."""
    parser = commands.add_parser(name, help=help_text, description=f"{help_text[0].upper()}{help_text[1:]}.")
    parser.add_argument("--json", action="store_true", help=json_help)
    parser.set_defaults(command=run)
    return parser
