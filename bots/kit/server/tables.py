"""``rensho tables TOURNAMENT``: every table of a tournament, with the ids that logs and pages take."""

from __future__ import annotations

import argparse
from typing import get_args

from rich.text import Text

from bots.kit.client.shapes import Fixture, TableState
from bots.kit.display.console import answer, columns, console_for, print_table
from bots.kit.server.account import connected
from bots.kit.server.naming import add_tournament
from bots.kit.subcommands import Commands, command

STATES = get_args(TableState)


def register(commands: Commands) -> None:
    """Add ``rensho tables``."""
    tables = command(commands, "tables", "list the tables of a tournament with their ids", _tables)
    add_tournament(tables)
    tables.add_argument("--stage", type=int, metavar="N", help="only this stage")
    tables.add_argument("--round", type=int, metavar="N", help="only this round of each stage")
    tables.add_argument("--player", metavar="HANDLE", help="only tables with this player")
    tables.add_argument(
        "--state", action="append", choices=STATES, metavar="STATE", help="in this state; may be repeated"
    )


def _tables(arguments: argparse.Namespace) -> int:
    with connected(needs_account=False) as client:
        asked = client.fixtures(arguments.tournament, stage=arguments.stage, round=arguments.round)
        found = [
            _with_tables(fixture, arguments.state)
            for fixture in asked
            if arguments.player in (None, *(side["player"] for side in fixture["sides"]))
        ]

    def show() -> None:
        rows = [
            (
                table["id"],
                f"{fixture['stage']}.{fixture['round']}.{fixture['number']}",
                Text(" - ".join(side["bot"] for side in fixture["sides"])),
                f"{table['first_board']}-{table['first_board'] + table['board_count'] - 1}",
                # The API counts rotations from 0, people and file names from 1.
                str(table["rotation"] + 1),
                table["state"],
                f"{table['boards_done']} of {table['board_count']}",
            )
            for fixture in found
            for table in fixture["tables"]
        ]
        if not rows:
            print("No table: they are made when a round begins.")
            return
        head = ("id", "stage.round.fixture", "bots", "boards", "rotation", "state", "done")
        print_table(console_for(), columns(head, rows, right={4}, fold={2}))

    return answer(arguments, found, show)


def _with_tables(fixture: Fixture, states: list[str] | None) -> Fixture:
    """A fixture with its tables of these states alone."""
    tables = [table for table in fixture["tables"] if states is None or table["state"] in states]
    return {**fixture, "tables": tables}
