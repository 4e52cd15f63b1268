"""``rensho tables TOURNAMENT`` and ``rensho logs TABLE``: tables, and what one's own bots wrote there."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.errors import Refused, SealedYet
from bots.kit.client.shapes import Fixture, Seat, Table, TableState
from bots.kit.display.console import answer, answer_table, note, say, say_log
from bots.kit.errors import InputUnusable, MachineUnable
from bots.kit.server.account import connected
from bots.kit.server.arguments import add_paged, add_states, add_tournament, server_command
from bots.kit.subcommands import Commands, command

STATES = get_args(TableState)


def register(commands: Commands) -> None:
    """Add ``rensho tables`` and ``rensho logs``."""
    help_text = "list the tables of a tournament with their ids"
    tables = server_command(commands, "tables", help_text, _tables, needs_account=False)
    add_tournament(tables)
    tables.add_argument("--stage", type=int, metavar="N", help="only this stage")
    tables.add_argument("--round", type=int, metavar="N", help="only this round of each stage")
    tables.add_argument("--player", metavar="HANDLE", help="only tables with this player")
    add_states(tables, STATES)
    logs = command(
        commands,
        "logs",
        "show the logs of your bots at a table",
        _logs,
        description="Show what your own bots wrote to standard error at a table, once its round is closed.",
    )
    add_paged(logs, "table")
    logs.add_argument("--seat", type=int, metavar="N", help="only this seat (all of yours)")
    logs.add_argument(
        "--record", type=Path, metavar="FILE", help="also save the table's record there, for rensho replay"
    )


def _tables(client: Client, arguments: argparse.Namespace) -> int:
    asked = client.fixtures(arguments.tournament, stage=arguments.stage, round=arguments.round)
    found = [
        _with_tables(fixture, arguments.state)
        for fixture in asked
        if arguments.player in (None, *(side["player"] for side in fixture["sides"]))
    ]
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
    head = ("id", "stage.round.fixture", "bots", "boards", "rotation", "state", "done")
    empty = "No table: they are made when a round begins."
    return answer_table(arguments, found, head, rows, empty=empty, right={4}, fold={2})


def _with_tables(fixture: Fixture, states: list[str] | None) -> Fixture:
    """A fixture with its tables of these states alone."""
    tables = [table for table in fixture["tables"] if states is None or table["state"] in states]
    return {**fixture, "tables": tables}


def _logs(arguments: argparse.Namespace) -> int:
    table_id: str = arguments.table
    wants_record = arguments.record is not None
    with connected(needs_account=not wants_record) as client:
        try:
            table = client.table(table_id)
            seats = _own_seats(client, table, arguments.seat, may_be_none=wants_record)
            found = [(seat, _log(client, table_id, seat["seat"])) for seat in seats]
            record = client.record(table_id) if wants_record else b""
        except SealedYet:
            raise SealedYet(
                f"table {table_id} is sealed until every table of its round is done, so that nobody learns "
                "the deals early: ask again then (rensho watch TOURNAMENT tells when)",
                423,
                "sealed",
            ) from None
        except Refused as refusal:
            if refusal.code == "not_the_owner":
                raise Refused(
                    f"seat {arguments.seat} of table {table_id} is not yours: logs are their owner's",
                    refusal.http_status,
                    refusal.code,
                ) from None
            raise
    if wants_record:
        _save(arguments.record, record)

    def show() -> None:
        for seat, log in found:
            say(f"Seat {seat['seat']}: {seat['bot']}, {_conduct(seat)}")
            say_log(log or "(it wrote nothing)")
        if wants_record:
            note(f"Record saved: rensho replay {arguments.record}")

    return answer(
        arguments, {"table": table_id, "seats": [{**seat, "log": log} for seat, log in found]}, show
    )


def _own_seats(client: Client, table: Table, seat: int | None, *, may_be_none: bool) -> list[Seat]:
    """The seats whose logs are asked for; none if ``may_be_none`` and the caller only watches.

    Raises:
        InputUnusable: there is no such seat, or none of them is the caller's.
    """
    if seat is not None:
        found = [place for place in table["seats"] if place["seat"] == seat]
        if not found:
            raise InputUnusable(f"table {table['id']} has seats 1 to {len(table['seats'])}, no seat {seat}")
        return found
    handle = client.me()["handle"] if client.has_token else None
    own = [place for place in table["seats"] if handle and place["player"] == handle]
    if not own and not may_be_none:
        raise InputUnusable(f"no seat of table {table['id']} is yours: logs are shown to their owner")
    return own


def _log(client: Client, table_id: str, seat: int) -> str:
    return client.log(table_id, seat).decode("utf-8", "replace")


def _conduct(seat: Seat) -> str:
    return f"{seat['verdict'] or 'not judged yet'}{', forfeited' if seat['forfeited'] else ''}"


def _save(path: Path, record: bytes) -> None:
    try:
        path.write_bytes(record)
    except OSError as error:
        raise MachineUnable(f"cannot write {path}: {error.strerror}") from None
