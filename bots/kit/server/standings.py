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
from bots.kit.errors import DONE, InputUnusable
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
PROGRESS = "progress"
"""How far an entry got, where the format says so: it comes before everything."""
ACROSS = ("group", "place", "score_per_fixture", "board_score_difference")
"""What orders entries of different groups."""
LEFT = "left"


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
    standings.add_argument("--stage", metavar="N", type=int, help="this stage alone (all that have begun)")
    standings.add_argument(
        "--as-of",
        metavar="WHEN",
        help="as they stood after this closed round of the stage, or at a moment such as 2027-05-01T18:00Z",
    )
    standings.add_argument("--json", action="store_true", help="print what the server says as JSON")
    standings.set_defaults(command=_standings)


def _standings(arguments: argparse.Namespace) -> int:
    console = console_for()
    with connected(needs_account=False) as client:
        if arguments.tournament is None:
            if arguments.stage is not None or arguments.as_of is not None:
                raise InputUnusable("--stage and --as-of go with a tournament: name one")
            events = [*islice(client.tournaments(), LISTED)]
            if arguments.json:
                print(json.dumps(events, indent=2))
            else:
                events_print(console, client.url, events)
            return DONE
        event_id = public_id(arguments.tournament, "tournament")
        event = client.tournament(event_id)
        stages = client.standings(event_id, stage=arguments.stage, as_of=arguments.as_of)
    if arguments.json:
        print(json.dumps({"tournament": event, "stages": stages}, indent=2))
    else:
        console.print(f"{event['name']}: {state_words(event)}, {event['preset']}, {event['entries']} entries")
        if arguments.as_of is not None:
            when = arguments.as_of if not arguments.as_of.isdigit() else f"round {arguments.as_of}"
            console.print(f"As of {when}", style=DIM)
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
    """A table for each stage, or for each of its groups: every value that orders it, and what decided."""
    if not any(stage["rows"] for stage in stages):
        console.print("No standings yet: they come when the first round is closed.", style=DIM)
    for stage in stages:
        rows = stage["rows"]
        if not rows:
            continue
        if len(stages) > 1:
            console.print(f"\nStage {stage['stage']}, {stage['state']}", style="bold")
        groups = sorted({int(row["values"]["group"]) for row in rows if row["values"].get("group")})
        for group in groups:
            console.print(f"Group {group}", style="bold")
            of_group = [row for row in rows if int(row["values"]["group"]) == group]
            of_group.sort(key=lambda row: int(row["values"]["place"]))
            _print_rows(console, event, of_group, place="place", decided_by="place_by")
        if groups:
            console.print("All groups", style="bold")
        _print_rows(console, event, rows, is_across=bool(groups))


def _print_rows(
    console: Console,
    event: Tournament,
    rows: list[Standing],
    *,
    place: str = "",
    decided_by: str = "",
    is_across: bool = False,
) -> None:
    """Rows as a table; place and what decided are values where these are named, else those of the stage."""
    deciding = {
        row["entry"]: row["values"].get(decided_by) if decided_by else row["decided_by"] for row in rows
    }
    names = _shown(event, rows, {str(one) for one in deciding.values()}, is_across=is_across)
    has_counts = all(name in row["values"] for row in rows for name in COUNTS) and not is_across
    head = ["", "bot", "player", *(SHORT.get(name, title(name)) for name in names)]
    head += ["W-D-L", "decided by"] if has_counts else ["decided by"]
    lines: list[list[Text | str]] = []
    for row in rows:
        values = row["values"]
        number = str(values[place] if place else row["rank"])
        bot = Text(row["bot"], "bold") + Text(" (left)" if row["status"] == LEFT else "", DIM)
        cells: list[Text | str] = [number, bot, Text(row["player"])]
        cells += [number_text(values.get(name)) for name in names]
        if has_counts:
            cells.append("-".join(str(values[name]) for name in COUNTS))
        lines.append([*cells, Text(title(str(deciding[row["entry"]] or "")), DIM)])
    table = columns(head, lines, right={0, *range(3, len(head) - 1)})
    for column in table.columns[1:3]:
        column.no_wrap, column.overflow = False, "fold"
    console.print(table)


def _shown(event: Tournament, rows: list[Standing], deciding: set[str], *, is_across: bool) -> list[str]:
    """The values worth a column: those that order the table and say anything about anybody."""
    own = (PROGRESS, event["scoring"], *event["tie_breaks"])
    names = dict.fromkeys(ACROSS if is_across else own)
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
