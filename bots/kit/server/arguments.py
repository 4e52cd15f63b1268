"""Commands that talk to a server, and arguments that they share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from pathlib import Path
from typing import TypeVar

from bots.kit.client import Client
from bots.kit.client.address import public_id
from bots.kit.server.account import connect
from bots.kit.subcommands import Commands, add_command

Row = TypeVar("Row")
ClientRun = Callable[[Client, argparse.Namespace], int]
"""Implementation of a command: takes a client and the arguments, returns the exit status."""


def server_command(
    commands: Commands,
    name: str,
    help_text: str,
    run: ClientRun,
    *,
    needs_account: bool = True,
    description: str = "",
) -> argparse.ArgumentParser:
    """Add a command with ``--json`` whose ``run`` receives a connected client."""

    def run_connected(arguments: argparse.Namespace) -> int:
        with connect(needs_account=needs_account) as client:
            return run(client, arguments)

    return add_command(commands, name, help_text, run_connected, description=description)


def tournament_id(text: str) -> str:
    """Argument type: the id, or the address of a tournament's page (otherwise ``InvalidInput``)."""
    return public_id(text, "tournament")


def add_tournament(parser: argparse.ArgumentParser, *, nargs: str | None = None, more_help: str = "") -> None:
    help_text = f"its id, or the address of its page{more_help}"
    parser.add_argument("tournament", metavar="TOURNAMENT", type=tournament_id, nargs=nargs, help=help_text)


def add_page_id(parser: argparse.ArgumentParser, kind: str) -> None:
    def as_id(text: str) -> str:
        return public_id(text, kind)

    help_text = "its id, or the address of its page"
    parser.add_argument(kind, metavar=kind.upper(), type=as_id, help=help_text)


def add_file(parser: argparse.ArgumentParser) -> None:
    help_text = "its fields as TOML, or as JSON if the name ends in .json"
    parser.add_argument("file", metavar="FILE", type=Path, nargs="?", help=help_text)


NOTHING_CREATED = "Dry run: nothing was created."
NOTHING_CHANGED = "Dry run, nothing was changed"


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    """Add ``--dry-run``. The value is None or True, as the client expects."""
    help_text = "change nothing; show whether the action is allowed, and its result"
    parser.add_argument("--dry-run", action="store_const", const=True, help=help_text)


def add_reason(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", metavar="TEXT", default="", help="public reason")


def add_states(parser: argparse.ArgumentParser, states: Collection[str], name: str = "state") -> None:
    help_text = f"only rows with this {name}: {', '.join(states)}; may be repeated"
    parser.add_argument(f"--{name}", action="append", choices=states, metavar=name.upper(), help=help_text)


def add_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--limit", type=int, metavar="N", default=20, help="maximum number of rows (%(default)s)"
    )


def take_limit(arguments: argparse.Namespace, rows: Iterable[Row]) -> list[Row]:
    """Return the first rows up to ``--limit``, at least one."""
    return [*islice(rows, max(arguments.limit, 1))]
