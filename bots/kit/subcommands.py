"""What a command module needs to add itself to ``rensho``, alone or below another word."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TypeAlias

# The class that argparse gives for subparsers has no public name; its parameter exists for checkers only.
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where ``register(commands)`` of a module adds its parsers."""

Run = Callable[[argparse.Namespace], int]
"""A command: its arguments in, its exit status out."""


def group(commands: Commands, name: str, help_text: str, description: str) -> Commands:
    """Where the commands below ``rensho name`` add themselves."""
    parser = commands.add_parser(name, help=help_text, description=description)
    return parser.add_subparsers(required=True, metavar="VERB", title="verbs")


def command(
    commands: Commands,
    name: str,
    help_text: str,
    run: Run,
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
