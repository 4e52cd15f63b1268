"""``rensho standings [TOURNAMENT]``: the standings of one, or the tournaments there are."""

from __future__ import annotations

import argparse
import json
from fractions import Fraction
from itertools import islice

from rich.console import Console
from rich.text import Text

from bots.kit.client.address import public_id
from bots.kit.client.shapes import StageStandings, Standing, Tournament
from bots.kit.errors import DONE
from bots.kit.register import Commands
from bots.kit.replay_ink import DIM, columns, console_for
from bots.kit.server.account import connected

LISTED = 20
COUNTS = ("won", "drawn", "lost")
COUNTS_AGAIN = ("wins",)
"""Said by the counts already; shown where it decides."""
WORDLESS = ("lot",)
"""Shown where it decides: nobody reads a hash for pleasure."""
SHORT = {
    "match_points": "points",
    "board_score": "score",
    "board_score_difference": "diff",
    "sonneborn_berger": "S-B",
    "buchholz": "Buch",
    "head_to_head": "h2h",
}
"""Heads of columns."""
LONGEST_VALUE = 8


def register(commands: Commands) -> None:
    """Add ``rensho standings``."""
    standings = commands.add_parser(
        "standings",
        help="show the standings of a tournament, or list the tournaments",
        description="Show the standings of a tournament after its closed rounds; without one, list the "
        "newest tournaments of the server.",
    )
    standings.add_argument(
        "tournament", metavar="TOURNAMENT", nargs="?", help="its id, or the address of its page"
    )
    standings.add_argument("--json", action="store_true", help="print what the server says as JSON")
    standings.set_defaults(command=_standings)


def _standings(arguments: argparse.Namespace) -> int:
    console = console_for()
    with connected(needs_account=False) as client:
        if arguments.tournament is None:
            events = [*islice(client.tournaments(), LISTED)]
            if arguments.json:
                print(json.dumps(events, indent=2))
            else:
                events_print(console, client.url, events)
            return DONE
        event_id = public_id(arguments.tournament, "tournament")
        event = client.tournament(event_id)
        stages = client.standings(event_id)
    if arguments.json:
        print(json.dumps({"tournament": event, "stages": stages}, indent=2))
    else:
        console.print(f"{event['name']}: {state_words(event)}, {event['preset']}, {event['entries']} entries")
        standings_print(console, event, stages)
    return DONE


def state_words(event: Tournament) -> str:
    """The state, with its reason if it has one."""
    reason = event["state_reason"]
    return f"{event['state']} ({reason})" if reason else event["state"]


def events_print(console: Console, url: str, events: list[Tournament]) -> None:
    """The tournaments, newest first."""
    if not events:
        console.print(f"{url} has no tournament yet.")
        return
    rows = [
        (one["id"], Text(one["name"]), one["preset"], one["state"], str(one["entries"])) for one in events
    ]
    console.print(columns(("id", "name", "preset", "state", "entries"), rows, right={4}))


def standings_print(console: Console, event: Tournament, stages: list[StageStandings]) -> None:
    """A table for each stage: every value that can order it, and which one decided."""
    if not any(stage["rows"] for stage in stages):
        console.print("No standings yet: they come when the first round is closed.", style=DIM)
    for stage in stages:
        if not stage["rows"]:
            continue
        if len(stages) > 1:
            console.print(f"\nStage {stage['stage']}, {stage['state']}", style="bold")
        names = _shown(event, stage["rows"])
        has_counts = all(name in row["values"] for row in stage["rows"] for name in COUNTS)
        head = ["", "bot", "player", *(SHORT.get(name, title(name)) for name in names)]
        head += ["W-D-L", "decided by"] if has_counts else ["decided by"]
        rows: list[list[Text | str]] = []
        for row in stage["rows"]:
            values = row["values"]
            cells: list[Text | str] = [str(row["rank"]), Text(row["bot"], "bold"), Text(row["player"])]
            cells += [number_text(values.get(name)) for name in names]
            if has_counts:
                cells.append("-".join(str(values[name]) for name in COUNTS))
            rows.append([*cells, Text(title(row["decided_by"]), DIM)])
        table = columns(head, rows, right={0, *range(3, len(head) - 1)})
        for column in table.columns[1:3]:
            column.no_wrap, column.overflow = False, "fold"
        console.print(table)


def _shown(event: Tournament, rows: list[Standing]) -> list[str]:
    """The values worth a column: those that order the table and say anything about anybody."""
    names = dict.fromkeys((event["scoring"], *event["tie_breaks"]))
    deciding = {row["decided_by"] for row in rows}
    return [
        name
        for name in names
        if any(row["values"].get(name) is not None for row in rows)
        and (name not in (*WORDLESS, *COUNTS_AGAIN) or name in deciding)
    ]


def title(name: str) -> str:
    """The name of a value in words."""
    return name.replace("_", " ")


def number_text(value: str | int | None) -> str:
    """An exact fraction as people read it: at most three digits after the point.

    >>> number_text("7/3"), number_text("4"), number_text(None)
    ('2.333', '4', '')
    """
    if value is None:
        return ""
    try:
        exact = Fraction(value)
    except (ValueError, ZeroDivisionError):
        return str(value)[:LONGEST_VALUE]
    return str(exact) if exact.denominator == 1 else f"{float(exact):.3f}"
