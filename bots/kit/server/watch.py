"""``rensho watch TOURNAMENT``: follow a tournament live to its end."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as TextTable
from rich.text import Text

from bots.kit.errors import DONE, FOUND_WRONG
from bots.kit.register import Commands
from bots.kit.replay_ink import DIM, console_for
from bots.kit.server.account import connected
from bots.kit.server.client import Client
from bots.kit.server.errors import Refused, ServerUnable
from bots.kit.server.shapes import OVER, Event, Fixture, Notice, Table, public_id
from bots.kit.server.standings import stages_of, standings_print, state_words

RECONNECT_S = 2.0
POLL_S = 5.0
"""How often we look while the server has no room for another stream."""
PATIENCE_S = 120.0
"""How long a server may be away before we give up."""
BAR_WIDTH = 30
SHOWN_ROUNDS = 12
"""The last ones: more would not fit a small terminal."""
FINISHED = "finished"
PLAYING = "leased"
STUCK = "quarantined"
WAITING = "waiting"


class RoundProgress(NamedTuple):
    """How far one round is."""

    stage: int
    round: int
    tables: int
    tables_done: int
    playing: int
    stuck: int
    boards: int
    boards_done: int
    waiting_for: str = ""
    """What its waiting tables wait for, if not for their turn: ``runtime_unavailable: ...``."""


class Glance(NamedTuple):
    """A tournament at one moment."""

    event: Event
    rounds: tuple[RoundProgress, ...]

    @property
    def mark(self) -> tuple[object, ...]:
        """What of it is worth a new line."""
        return self.event["state"], self.event["state_reason"], self.event["entries"], self.rounds


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
        stages = stages_of(client, event_id)
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
        return [*client.rows("notices", unread="true")]  # type: ignore[list-item]
    except Refused:  # a server that has no notices
        return []


def event_glances(
    client: Client,
    event_id: str,
    note: Callable[[str], None],
    *,
    patience_s: float = PATIENCE_S,
    reconnect_s: float = RECONNECT_S,
    poll_s: float = POLL_S,
) -> Iterator[Glance]:
    """The tournament now and after every change; the last glance is of its end.

    A server that goes away for a while is asked again.

    Raises:
        Refused: there is no such tournament, or none for this caller.
        ServerUnable: the server has been away for ``patience_s``.
    """
    glance = _look(client, event_id)
    yield glance
    answered_at = time.monotonic()
    while glance.event["state"] not in OVER:
        pause_s = reconnect_s
        try:
            with client.stream(f"tournaments/{event_id}/events") as changes:
                for _ in changes or ():
                    answered_at = time.monotonic()
                    earlier, glance = glance, _look(client, event_id)
                    if glance.mark != earlier.mark:
                        yield glance
                    if glance.event["state"] in OVER:
                        return
            # The stream ended by itself or broke off; what came in between is looked at below.
        except ServerUnable as error:
            if time.monotonic() - answered_at > patience_s:
                raise
            note(f"{error}; trying again ...")
            pause_s = poll_s
        time.sleep(pause_s)
        try:
            earlier, glance = glance, _look(client, event_id)
        except ServerUnable:
            continue
        answered_at = time.monotonic()
        if glance.mark != earlier.mark:
            yield glance


def _look(client: Client, event_id: str) -> Glance:
    event: Event = client.get(f"tournaments/{event_id}")
    fixtures: list[Fixture] = [*client.rows(f"tournaments/{event_id}/fixtures")]  # type: ignore[list-item]
    return Glance(event, tuple(_with_reason(client, rounds_of(fixtures), fixtures)))


def _with_reason(
    client: Client, rounds: Sequence[RoundProgress], fixtures: list[Fixture]
) -> Iterator[RoundProgress]:
    """The rounds, the first with waiting tables and none being played with what these wait for."""
    is_told = False
    for one in rounds:
        waiting = [
            table["id"]
            for fixture in fixtures
            if (fixture["stage"], fixture["round"]) == (one.stage, one.round)
            for table in fixture["tables"]
            if table["state"] == WAITING
        ]
        if is_told or one.playing or not waiting:
            yield one
            continue
        table: Table = client.get(f"tables/{waiting[0]}")
        is_told = True
        yield one._replace(waiting_for=table.get("reason") or "")


def rounds_of(fixtures: list[Fixture]) -> tuple[RoundProgress, ...]:
    """How far each round is, in the order they are played."""
    rounds: dict[tuple[int, int], list[Fixture]] = {}
    for fixture in fixtures:
        rounds.setdefault((fixture["stage"], fixture["round"]), []).append(fixture)
    found = []
    for (stage, number), of_round in sorted(rounds.items()):
        tables = [table for fixture in of_round for table in fixture["tables"]]
        states = [table["state"] for table in tables]
        found.append(
            RoundProgress(
                stage,
                number,
                len(tables),
                states.count(FINISHED),
                states.count(PLAYING),
                states.count(STUCK),
                sum(table["board_count"] for table in tables),
                sum(table["boards_done"] for table in tables),
            )
        )
    return tuple(found)


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
    return (
        f"{one.tables_done} of {one.tables} tables",
        f"{one.boards_done} of {one.boards} boards",
        ", ".join(word for word in (playing, stuck) if word),
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
