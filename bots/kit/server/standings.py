"""``rensho standings [TOURNAMENT]``: standings of a tournament, or a list of tournaments."""

from __future__ import annotations

import argparse
from itertools import islice

from bots.kit.client import Client
from bots.kit.display.console import DIM, console_for, print_result
from bots.kit.display.formatting import count_text
from bots.kit.display.standings import standings_print
from bots.kit.display.tournament import events_print, state_text
from bots.kit.errors import InvalidInput
from bots.kit.server.arguments import add_tournament, server_command
from bots.kit.subcommands import Commands

MAX_LISTED = 20


def register(commands: Commands) -> None:
    standings = server_command(
        commands,
        "standings",
        "show the standings of a tournament, or list tournaments",
        _standings,
        needs_account=False,
        description="Show the standings of a tournament after its closed rounds; without one, list the "
        "newest tournaments of the server.",
    )
    add_tournament(standings, nargs="?")
    standings.add_argument("--stage", metavar="N", type=int, help="only this stage (all that have begun)")
    help_text = "as of this closed round of the stage, or of a time such as 2027-05-01T18:00Z"
    standings.add_argument("--as-of", metavar="WHEN", help=help_text)


def _standings(client: Client, arguments: argparse.Namespace) -> int:
    console, as_of = console_for(), arguments.as_of
    if arguments.tournament is None:
        if arguments.stage is not None or as_of is not None:
            raise InvalidInput("--stage and --as-of go with a tournament: name one")
        events = [*islice(client.tournaments(), MAX_LISTED)]
        return print_result(arguments, events, lambda: events_print(console, client.url, events))
    event = client.tournament(arguments.tournament)
    stages = client.standings(event["id"], stage=arguments.stage, as_of=as_of)

    def show() -> None:
        entries = count_text(event["entries"], "entry", "entries")
        console.print(f"{event['name']}: {state_text(event)}, {event['preset']}, {entries}")
        if as_of is not None:
            console.print(f"As of {f'round {as_of}' if as_of.isdigit() else as_of}", style=DIM)
        standings_print(console, event, stages)

    return print_result(arguments, {"tournament": event, "stages": stages}, show)
