"""``rensho watch TOURNAMENT``: follow a tournament live to its end."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as TextTable
from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.address import public_id
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import Notice
from bots.kit.errors import DONE, FOUND_WRONG
from bots.kit.register import Commands
from bots.kit.replay_ink import DIM, console_for
from bots.kit.server.account import connected
from bots.kit.server.progress import Glance, RoundProgress, event_glances
from bots.kit.server.standings import standings_print, state_words

BAR_WIDTH = 30
SHOWN_ROUNDS = 12
"""The last ones: more would not fit a small terminal."""


def register(commands: Commands) -> None:
    """Add ``rensho watch``."""
    watch = commands.add_parser(
        "watch",
        help="follow a tournament live to its end",
        description="Follow a tournament live until it is final, then show its standings. Status 1 if it "
        "was cancelled.",
    )
    watch.add_argument("tournament", metavar="TOURNAMENT", help="its id, or the address of its page")
    watch.add_argument("--json", action="store_true", help="print every change as one line of JSON")
    watch.set_defaults(command=_watch)


def _watch(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    console = console_for()
    with connected(needs_account=False) as client:
        glances = event_glances(client, event_id, _note)
        if arguments.json:
            last = _json_lines(glances)
        elif console.is_terminal:
            last = _live(console, glances)
        else:
            last = _lines(console, glances)
        stages = client.standings(event_id)
        for notice in _unread(client):
            _note(f"{notice['text']} {notice['url']}".strip())
    if arguments.json:
        print(json.dumps({"standings": stages}), flush=True)
    else:
        standings_print(console, last.event, stages)
    return FOUND_WRONG if last.event["state"] == "cancelled" else DONE


def _unread(client: Client) -> list[Notice]:
    """What the caller has been told and not read: that a version was suspended, for one."""
    if not client.has_token:
        return []
    try:
        return list(client.notices(unread=True))
    except Refused:  # a server that has no notices
        return []


def _live(console: Console, glances: Iterator[Glance]) -> Glance:
    """A picture that changes in place."""
    with Live(console=console, auto_refresh=False) as live:
        for glance in glances:
            live.update(picture(glance), refresh=True)
    return glance


def picture(glance: Glance) -> RenderableType:
    """The tournament with a bar for each round."""
    event = glance.event
    head = Text.assemble((event["name"], "bold"), f", {event['preset']}: {state_words(event)}")
    if not glance.rounds:
        return Group(head, Text(f"{event['entries']} entries", DIM))
    rows: list[list[RenderableType]] = []
    if earlier := len(glance.rounds[:-SHOWN_ROUNDS]):
        rows.append([f"{earlier} before", "", "", "", ""])
    for one in glance.rounds[-SHOWN_ROUNDS:]:
        bar = ProgressBar(
            total=max(one.boards, 1),
            completed=one.boards_done,
            width=BAR_WIDTH,
            complete_style="cyan",
            finished_style="green",
        )
        rows.append([_round_name(one, glance), bar, *_progress(one)])
    table = TextTable.grid(padding=(0, 2))
    for row in rows:
        table.add_row(*row)
    return Group(head, table)


def _lines(console: Console, glances: Iterator[Glance]) -> Glance:
    """A line for every change, for a file or a pipe."""
    for glance in glances:
        event = glance.event
        words = [event["name"], state_words(event)]
        if glance.rounds:
            words += [_round_name(glance.rounds[-1], glance), *_progress(glance.rounds[-1])]
        else:
            words.append(f"{event['entries']} entries")
        console.print(", ".join(word for word in words if word), soft_wrap=True)
    return glance


def _round_name(one: RoundProgress, glance: Glance) -> str:
    has_stages = glance.rounds[-1].stage > 1
    return f"stage {one.stage}, round {one.round}" if has_stages else f"round {one.round}"


def _progress(one: RoundProgress) -> tuple[str, str, str]:
    playing = f"{one.playing} playing" if one.playing else one.waiting_for
    stuck = f"{one.stuck} stuck, waiting for the organiser" if one.stuck else ""
    void = f"{one.void} void" if one.void else ""
    return (
        f"{one.tables_done} of {one.tables} tables",
        f"{one.boards_done} of {one.boards} boards",
        ", ".join(word for word in (playing, stuck, void) if word),
    )


def _json_lines(glances: Iterator[Glance]) -> Glance:
    for glance in glances:
        event = glance.event
        told: dict[str, Any] = {
            "tournament": event["id"],
            "state": event["state"],
            "state_reason": event["state_reason"],
            "entries": event["entries"],
            "rounds": [one._asdict() for one in glance.rounds],
        }
        print(json.dumps(told), flush=True)
    return glance


def _note(message: str) -> None:
    print(f"rensho: {message}", file=sys.stderr)
