"""Text output of tournaments, lists of tournaments and plans."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from bots.kit.client.shapes import Plan, Stage, Tournament
from bots.kit.client.tournaments import VERBS
from bots.kit.display.console import DIM, print_table, text_table
from bots.kit.display.formatting import count_text, duration_text, minute_text, name_text

_HOUR_S = 3600
PROVISIONAL = "provisional"


def state_text(event: Tournament) -> str:
    reason = event["state_reason"]
    state = str(event["state"])
    if state == PROVISIONAL and (until := review_until(event)):
        state += f" until {minute_text(until)} UTC"
    return f"{state} ({reason})" if reason else state


def review_until(event: Tournament) -> str | None:
    """Return the end of the review period as the server sent it, or None if it has passed or never was."""
    until = event["review_until"]
    if until is None or datetime.datetime.fromisoformat(until) <= datetime.datetime.now(datetime.UTC):
        return None
    return until


def verb_option(verb: str) -> str:
    """Return the command name of an action: ``close-early``."""
    return verb.replace("_", "-")


def events_print(console: Console, url: str, events: Sequence[Tournament]) -> None:
    if not events:
        console.print(f"{url} has no tournament yet.")
        return
    head = ("id", "name", "preset", "state", "entries")
    rows = [
        (event["id"], Text(event["name"]), event["preset"], event["state"], str(event["entries"]))
        for event in events
    ]
    print_table(console, text_table(head, rows, right={4}, fold={1}))


def event_print(console: Console, event: Tournament) -> None:
    console.print(f"{event['name']}: {state_text(event)}", style="bold", soft_wrap=True)
    for name, value in _properties(event):
        if value not in (None, ""):
            console.print(f"  {name:<11} {value}", soft_wrap=True)
    verbs_print(console, event)


def verbs_print(console: Console, event: Tournament) -> None:
    verbs = [verb_option(verb) for verb in event["allowed_actions"] if verb in VERBS]
    if verbs:
        console.print(f"Allowed now: {', '.join(verbs)}", style=DIM, soft_wrap=True)


def _properties(event: Tournament) -> list[tuple[str, Any]]:
    boards = count_text(event["boards_per_round"], f"{event['board_kind']} board")
    return [
        ("id", event["id"]),
        ("organiser", ", ".join([event["organiser"], *event["co_organisers"]])),
        ("rules", f"{event['preset']} ({event['game']}), {event['seats']} seats"),
        ("boards", f"{boards} a round, {name_text(event['scoring'])}"),
        ("tie-breaks", name_text(", ".join(event["tie_breaks"]))),
        ("entries", f"{event['entries']} of {event['min_entries']} to {event['max_entries']}"),
        *((f"stage {stage['number']}", _stage_text(stage)) for stage in event["stages"]),
        ("review", _review_text(event["review_hours"])),
        ("closes at", event["closes_at"]),
        ("starts at", event["starts_at"]),
        ("commitment", event["commitment"]),
        ("by entrants", ", ".join(verb_option(act["action"]) for act in event["entrant_actions"])),
        ("about", " ".join(event["description"].split())),
    ]


def _review_text(hours: int) -> str:
    return f"{count_text(hours, 'hour')} after the last round" if hours else ""


def _stage_text(stage: Stage) -> str:
    rounds = count_text(stage["rounds"], "round") if stage["rounds"] else "rounds not known yet"
    options = ", ".join(f"{name}={value}" for name, value in stage["options"].items() if value is not None)
    return ", ".join(filter(None, [name_text(stage["format"]), rounds, stage["state"], options]))


def plan_print(console: Console, plan: Plan) -> None:
    head = ("", "format", "entries", "rounds", "fixtures", "tables", "boards", "decisions", "CPU")
    rows = [
        (
            str(stage["number"]),
            name_text(stage["format"]),
            str(stage["entries"]),
            _rounds_text(stage["rounds"], stage["passes"]),
            *(f"{count:,}" for count in (stage["fixtures"], stage["tables"], stage["boards"])),
            f"{stage['decisions']:,}",
            duration_text(stage["cpu_s_max"]),
        )
        for stage in plan["stages"]
    ]
    console.print(f"With {count_text(plan['entries'], 'entry', 'entries')}, at most:", style="bold")
    print_table(console, text_table(head, rows, right={0, *range(2, len(head))}))
    # Without measurements, the server explains this in its notes.
    if plan["cpu_s_expected"] is not None:
        console.print(f"Expected CPU: {duration_text(plan['cpu_s_expected'])}", soft_wrap=True)
    if plan["hours_max"] is not None and plan["capacity"]:
        time = f"{duration_text(plan['hours_max'] * _HOUR_S)} at most"
        if plan["hours_expected"] is not None:
            time += f", {duration_text(plan['hours_expected'] * _HOUR_S)} expected"
        console.print(f"With {count_text(plan['capacity'], 'table')} at a time: {time}", soft_wrap=True)
    if plan["budget_cpu_s"] is not None:
        console.print(f"Budget: {duration_text(plan['budget_cpu_s'])} of CPU", soft_wrap=True)
    for remark in plan["notes"]:
        console.print(f"Note: {remark}", soft_wrap=True)


def _rounds_text(rounds: int | None, passes: int) -> str:
    number = "by results" if rounds is None else str(rounds)
    return f"{number} x {passes}" if passes > 1 else number
