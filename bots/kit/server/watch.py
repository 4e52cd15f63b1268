"""``rensho watch TOURNAMENT``: follow a tournament until its end."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as TextTable
from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.errors import Refused
from bots.kit.display.console import DIM, console_for, print_json, print_note, styled_line
from bots.kit.display.formatting import count_text
from bots.kit.display.standings import standings_print
from bots.kit.display.tournament import state_text
from bots.kit.errors import CHECK_FAILED, DONE
from bots.kit.server.account import connect
from bots.kit.server.arguments import add_tournament
from bots.kit.server.progress import RoundProgress, TournamentProgress, follow_progress
from bots.kit.subcommands import Commands, add_command

BAR_WIDTH = 30
SUSPENDED = "suspended"
MAX_ROUNDS_DISPLAYED = 12
"""Maximum rounds in the live view of a small terminal."""


def register(commands: Commands) -> None:
    watch = add_command(
        commands,
        "watch",
        "follow a tournament live to its end",
        _watch,
        json_help="print every change as one line of JSON",
        description="Follow a tournament live until it is final, then show its standings. Status 1 if it "
        "was cancelled.",
    )
    add_tournament(watch)


def _watch(arguments: argparse.Namespace) -> int:
    event_id = arguments.tournament
    console = console_for()
    with connect(needs_account=False) as client:
        glances = follow_progress(client, event_id, print_note)
        if arguments.json:
            last = _json_lines(glances)
        elif console.is_terminal:
            last = _live(console, glances)
        else:
            last = _lines(console, glances)
        stages = client.standings(event_id)
        _notices_print(client, event_id)
    if arguments.json:
        print_json({"standings": stages}, indent=None)
    else:
        standings_print(console, last.event, stages)
    return CHECK_FAILED if last.event["state"] == "cancelled" else DONE


def _notices_print(client: Client, event_id: str) -> None:
    """Print unread notices about this tournament and suspended entered versions; mark them as read."""
    if not client.has_token:
        return
    try:
        unread = list(client.notices(unread=True))
        suspended = [notice for notice in unread if notice["kind"] == SUSPENDED]
        pages = _version_pages(client, event_id) if suspended else set()
        for notice in unread:
            is_of_version = notice in suspended and notice["url_path"] in pages
            if is_of_version or notice["url_path"] == f"/tournaments/{event_id}":
                print_note(f"{notice['text']} {notice['url']}".strip())
                client.notice_read(notice["id"])
    except Refused:  # a server that has no notices, or a token that may not mark them
        return


def _version_pages(client: Client, event_id: str) -> set[str]:
    return {
        f"/versions/{version['id']}"
        for entry in client.entries(event_id)
        for version in (entry["version"], entry["partner_version"])
        if version is not None
    }


def _live(console: Console, glances: Iterator[TournamentProgress]) -> TournamentProgress:
    with Live(console=console, auto_refresh=False) as live:
        for glance in glances:
            live.update(progress_view(glance), refresh=True)
    return glance


def progress_view(glance: TournamentProgress) -> RenderableType:
    """Return the live view of a tournament, with one bar per round."""
    event = glance.event
    head = styled_line((event["name"], "bold"), f", {event['preset']}: {state_text(event)}")
    if not glance.rounds:
        return Group(head, Text(count_text(event["entries"], "entry", "entries"), DIM))
    table = TextTable.grid(padding=(0, 2))
    if earlier := len(glance.rounds[:-MAX_ROUNDS_DISPLAYED]):
        table.add_row(f"{earlier} earlier", "", "", "", "")
    for progress in glance.rounds[-MAX_ROUNDS_DISPLAYED:]:
        bar = ProgressBar(
            total=max(progress.boards, 1),
            completed=progress.boards_done,
            width=BAR_WIDTH,
            complete_style="cyan",
            finished_style="green",
        )
        table.add_row(_round_name(progress, glance), bar, *_progress(progress))
    return Group(head, table)


def _lines(console: Console, glances: Iterator[TournamentProgress]) -> TournamentProgress:
    for glance in glances:
        event = glance.event
        parts = [event["name"], state_text(event)]
        if glance.rounds:
            parts += [_round_name(glance.rounds[-1], glance), *_progress(glance.rounds[-1])]
        else:
            parts.append(count_text(event["entries"], "entry", "entries"))
        console.print(", ".join(word for word in parts if word), soft_wrap=True)
    return glance


def _round_name(progress: RoundProgress, glance: TournamentProgress) -> str:
    stage = f"stage {progress.stage}, " if glance.rounds[-1].stage > 1 else ""
    return f"{stage}round {progress.round}"


def _progress(progress: RoundProgress) -> tuple[str, str, str]:
    playing = f"{progress.playing} playing" if progress.playing else progress.waiting_for
    stuck = f"{progress.stuck} stuck, waiting for the organiser" if progress.stuck else ""
    void = f"{progress.void} void" if progress.void else ""
    return (
        f"{progress.tables_done} of {count_text(progress.tables, 'table')}",
        f"{progress.boards_done} of {count_text(progress.boards, 'board')}",
        ", ".join(filter(None, (playing, stuck, void))),
    )


def _json_lines(glances: Iterator[TournamentProgress]) -> TournamentProgress:
    for glance in glances:
        event = glance.event
        line = {
            "tournament": event["id"],
            "state": event["state"],
            "state_reason": event["state_reason"],
            "review_until": event["review_until"],
            "entries": event["entries"],
            "rounds": [progress._asdict() for progress in glance.rounds],
        }
        print_json(line, indent=None)
    return glance
