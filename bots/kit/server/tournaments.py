"""``rensho tournaments``: list, show, make and run them."""

from __future__ import annotations

import argparse
import json
from itertools import islice
from typing import Any

from rich.console import Console

from bots.kit.client import Client
from bots.kit.client.address import public_id
from bots.kit.client.shapes import Tournament
from bots.kit.client.tournaments import VERBS
from bots.kit.errors import DONE
from bots.kit.register import Commands
from bots.kit.replay_ink import DIM
from bots.kit.server.account import connected
from bots.kit.server.crosstables import crosstable_print
from bots.kit.server.drafts import add_options, changed_fields, new_fields
from bots.kit.server.nested import command, group, out_console
from bots.kit.server.plans import plan_print
from bots.kit.server.standings import events_print, state_words

LISTED = 20
STATES = (
    "draft",
    "registration",
    "locked",
    "running",
    "paused",
    "provisional",
    "final",
    "archived",
    "cancelled",
)
WITH_REASON = ("pause", "cancel", "close_early")
WORDS = {
    "open": "open registration and publish the commitment to the deals",
    "lock": "close registration and publish the digest of the field",
    "start": "start the first round",
    "pause": "start no further table",
    "resume": "go on",
    "retry_tables": "send every table that faults of the platform hold up back to waiting",
    "finalise": "run the audit of a provisional one now",
    "close_early": "end it after the rounds closed so far",
    "cancel": "end it without a result; what is open is void, everything is revealed",
    "archive": "put a final one away; it stays readable",
}


def register(commands: Commands) -> None:
    """Add ``rensho tournaments``."""
    below = group(
        commands,
        "tournaments",
        "list, show, make and run tournaments",
        "List, show, make and run tournaments. Making and running them needs an organiser's token.",
    )
    listed = command(below, "list", "list tournaments, newest first", _list, json_help="print them as JSON")
    listed.add_argument(
        "--state", action="append", choices=STATES, metavar="STATE", help="in this state; may be repeated"
    )
    listed.add_argument("--game", metavar="GAME", help="of this game")
    listed.add_argument("--preset", metavar="PRESET", help="by these rules")
    listed.add_argument("--organiser", metavar="NAME", help="of this organiser")
    listed.add_argument("--player", metavar="HANDLE", help="in which this player has entered")
    listed.add_argument(
        "--limit", type=int, metavar="N", default=LISTED, help="so many at most (%(default)s)"
    )
    shown = command(
        below, "show", "show everything about one", _show, json_help="print what the server says as JSON"
    )
    shown.add_argument("tournament", metavar="TOURNAMENT", help="its id, or the address of its page")
    shown.add_argument("--plan", action="store_true", help="with what it takes and costs at most")
    made = command(
        below,
        "new",
        "make a draft from a file, from options, or both",
        _new,
        json_help="print the draft, or the plan, as JSON",
    )
    add_options(made)
    made.add_argument("--dry-run", action="store_true", help="make nothing; show plan and cost")
    changed = command(
        below,
        "change",
        "change fields of one, as far as its state allows",
        _change,
        json_help="print what came of it as JSON",
    )
    changed.add_argument("tournament", metavar="TOURNAMENT", help="its id, or the address of its page")
    add_options(changed)
    for verb in VERBS:
        moved = command(below, spelled(verb), WORDS[verb], _act, json_help="print what came of it as JSON")
        moved.add_argument("tournament", metavar="TOURNAMENT", help="its id, or the address of its page")
        if verb in WITH_REASON:
            moved.add_argument("--reason", metavar="TEXT", help="why, for all to read")
        moved.add_argument(
            "--dry-run",
            action="store_true",
            help="do nothing; tell whether it may be done, and what would be",
        )
        moved.set_defaults(verb=verb, reason=None)
    crossed = command(
        below,
        "crosstable",
        "show how each fared against each, from closed rounds",
        _crosstable,
        json_help="print it as JSON, fractions exact",
    )
    crossed.add_argument("tournament", metavar="TOURNAMENT", help="its id, or the address of its page")
    crossed.add_argument("--stage", type=int, metavar="N", help="of this stage (the last one begun)")


def spelled(verb: str) -> str:
    """A verb as it is typed: ``close-early``."""
    return verb.replace("_", "-")


def _list(arguments: argparse.Namespace) -> int:
    with connected(needs_account=False) as client:
        rows = client.tournaments(
            state=arguments.state,
            game=arguments.game,
            preset=arguments.preset,
            organiser=arguments.organiser,
            player=arguments.player,
        )
        events = [*islice(rows, max(arguments.limit, 1))]
    if arguments.json:
        print(json.dumps(events, indent=2))
    else:
        events_print(out_console(), client.url, events)
    return DONE


def _show(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    with connected(needs_account=False) as client:
        event = client.tournament(event_id)
        plan = client.plan(event_id) if arguments.plan else None
    if arguments.json:
        print(json.dumps({"tournament": event, "plan": plan} if plan else event, indent=2))
        return DONE
    console = out_console()
    event_print(console, event)
    if plan is not None:
        plan_print(console, plan)
    return DONE


def _new(arguments: argparse.Namespace) -> int:
    fields = new_fields(arguments)
    console = out_console()
    with connected(needs_account=True) as client:
        if arguments.dry_run:
            plan = client.plan_of(fields)
            if arguments.json:
                print(json.dumps(plan, indent=2))
            else:
                plan_print(console, plan)
            return DONE
        event = client.tournament_create(fields)
    if arguments.json:
        print(json.dumps(event, indent=2))
    else:
        event_print(console, event)
        console.print(f"To go on: rensho tournaments open {event['id']}", soft_wrap=True)
    return DONE


def _change(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    fields = changed_fields(arguments)
    with connected(needs_account=True) as client:
        event = client.tournament_change(event_id, fields)
    if arguments.json:
        print(json.dumps(event, indent=2))
    else:
        event_print(out_console(), event)
    return DONE


def _act(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    console = out_console()
    with connected(needs_account=True) as client:
        if arguments.dry_run:
            return _tell_would(client, console, arguments, event_id)
        event = client.tournament_act(event_id, arguments.verb, arguments.reason)
    if arguments.json:
        print(json.dumps(event, indent=2))
    else:
        console.print(f"{event['name']}: {state_words(event)}", soft_wrap=True)
        _tell_verbs(console, event)
    return DONE


def _tell_verbs(console: Console, event: Tournament) -> None:
    verbs = [spelled(verb) for verb in event["verbs"] if verb in VERBS]
    if verbs:
        console.print(f"You may now: {', '.join(verbs)}", style=DIM, soft_wrap=True)


def _tell_would(client: Client, console: Console, arguments: argparse.Namespace, event_id: str) -> int:
    """What a verb would come to; a refusal is told as one that was meant."""
    event = client.tournament_act(event_id, arguments.verb, arguments.reason, dry_run=True)
    if arguments.json:
        print(json.dumps(event, indent=2))
    else:
        console.print(f"Nothing was done. {event['name']} would be {state_words(event)}.", soft_wrap=True)
    return DONE


def _crosstable(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    with connected(needs_account=False) as client:
        table = client.crosstable(event_id, stage=arguments.stage)
    if arguments.json:
        print(json.dumps(table, indent=2))
    else:
        crosstable_print(out_console(), table)
    return DONE


def event_print(console: Console, event: Tournament) -> None:
    """A tournament, a line a matter."""
    console.print(f"{event['name']}: {state_words(event)}", style="bold", soft_wrap=True)
    for name, told in _matters(event):
        if told not in (None, ""):
            console.print(f"  {name:<11} {told}", soft_wrap=True)
    _tell_verbs(console, event)


def _matters(event: Tournament) -> list[tuple[str, Any]]:
    kind = f"{event['board_kind']} boards a round, {event['scoring'].replace('_', ' ')}"
    return [
        ("id", event["id"]),
        ("organiser", event["organiser"]),
        ("rules", f"{event['preset']} ({event['game']}), {event['seats']} seats"),
        ("boards", f"{event['boards_per_round']} {kind}"),
        ("tie-breaks", ", ".join(event["tie_breaks"]).replace("_", " ")),
        ("entries", f"{event['entries']} of {event['min_entries']} to {event['max_entries']}"),
        *((f"stage {stage['number']}", _stage_words(stage)) for stage in event["stages"]),
        ("closes at", event["closes_at"]),
        ("starts at", event["starts_at"]),
        ("commitment", event["commitment"]),
        ("about", " ".join(event["description"].split())),
    ]


def _stage_words(stage: Any) -> str:
    rounds = f"{stage['rounds']} rounds" if stage["rounds"] else "rounds not known yet"
    options = ", ".join(f"{name}={value}" for name, value in stage["options"].items() if value is not None)
    words = [stage["format"].replace("_", " "), rounds, stage["state"], options]
    return ", ".join(word for word in words if word)
