"""``rensho tournaments``: list, show, create and run tournaments."""

from __future__ import annotations

import argparse
from typing import get_args

from bots.kit.client import Client
from bots.kit.client.shapes import TournamentState
from bots.kit.client.tournaments import VERBS
from bots.kit.display.console import console_for, print_json, print_result
from bots.kit.display.crosstable import crosstable_print
from bots.kit.display.tournament import (
    event_print,
    events_print,
    plan_print,
    state_text,
    verb_option,
    verbs_print,
)
from bots.kit.errors import DONE
from bots.kit.server.account import connect
from bots.kit.server.arguments import (
    NOTHING_CHANGED,
    NOTHING_CREATED,
    add_dry_run,
    add_limit,
    add_reason,
    add_states,
    add_tournament,
    server_command,
    take_limit,
)
from bots.kit.server.drafts import add_options, changed_fields, new_fields
from bots.kit.server.prompts import confirm, prompt_fields
from bots.kit.subcommands import Commands, add_command, add_group

STATES = get_args(TournamentState)
WITH_REASON = ("pause", "cancel", "close_early")
VERB_HELP = {
    "open": "open entry and publish the commitment to the deals",
    "lock": "close entry and publish the digest of the field",
    "start": "start the first round",
    "pause": "start no further tables until resume",
    "resume": "end a pause",
    "retry_tables": "return every quarantined table to the queue",
    "finalise": "audit a provisional tournament now and end its review",
    "close_early": "end it after the rounds closed so far",
    "cancel": "end it without a result: open tables become void, all deals are revealed",
    "archive": "archive a final tournament; it stays readable",
}


def register(commands: Commands) -> None:
    below = add_group(
        commands,
        "tournaments",
        "list, show, create and run tournaments",
        "List, show, create and run tournaments. Creating and running them needs an organiser's token.",
    )
    listed = server_command(below, "list", "list tournaments, newest first", _list, needs_account=False)
    add_states(listed, STATES)
    listed.add_argument("--game", metavar="GAME", help="of this game")
    listed.add_argument("--preset", metavar="PRESET", help="with these rules")
    listed.add_argument("--organiser", metavar="NAME", help="of this organiser")
    listed.add_argument("--player", metavar="HANDLE", help="in which this player has entered")
    add_limit(listed)
    help_text = "show all details of a tournament"
    details = server_command(below, "show", help_text, _show, needs_account=False)
    add_tournament(details)
    details.add_argument("--plan", action="store_true", help="include the plan and the maximum cost")
    new = add_command(below, "new", "create a draft from a file, from options, or both", _new)
    add_options(new)
    new.add_argument("--dry-run", action="store_true", help="create nothing; show plan and cost")
    help_text = "create nothing; print the fields as JSON, for a file"
    new.add_argument("--print", action="store_true", help=help_text)
    help_text = "prompt for missing fields, and before creating the draft"
    new.add_argument("--interactive", action="store_true", help=help_text)
    help_text = "change those fields of a tournament that its state allows"
    change = add_command(below, "change", help_text, _change)
    add_tournament(change)
    add_options(change)
    for verb in VERBS:
        act = server_command(below, verb_option(verb), VERB_HELP[verb], _act)
        add_tournament(act)
        if verb in WITH_REASON:
            add_reason(act)
        add_dry_run(act)
        act.set_defaults(verb=verb)
    help_text = "show the results of every entry against every other, from closed rounds"
    crosstable = server_command(below, "crosstable", help_text, _crosstable, needs_account=False)
    add_tournament(crosstable)
    crosstable.add_argument("--stage", type=int, metavar="N", help="this stage (the last one begun)")


def _list(client: Client, arguments: argparse.Namespace) -> int:
    rows = client.tournaments(
        state=arguments.state,
        game=arguments.game,
        preset=arguments.preset,
        organiser=arguments.organiser,
        player=arguments.player,
    )
    events = take_limit(arguments, rows)
    return print_result(arguments, events, lambda: events_print(console_for(), client.url, events))


def _show(client: Client, arguments: argparse.Namespace) -> int:
    event = client.tournament(arguments.tournament)
    plan = client.plan(arguments.tournament) if arguments.plan else None

    def show() -> None:
        console = console_for()
        event_print(console, event)
        if plan is not None:
            plan_print(console, plan)

    return print_result(arguments, {"tournament": event, "plan": plan} if plan else event, show)


def _new(arguments: argparse.Namespace) -> int:
    console = console_for()
    if not arguments.interactive:
        fields = new_fields(arguments)  # refused before a server is asked for
        if arguments.print:
            print_json(fields)
            return DONE
    with connect(needs_account=True) as client:
        if arguments.interactive:
            # Prompts go to standard error, so that standard output has only the result.
            questions = console_for(is_stderr=True)
            prompt_fields(client, questions, arguments)
            fields = new_fields(arguments)
            if arguments.print:
                print_json(fields)
                return DONE
        if arguments.dry_run:
            plan = client.plan_preview(fields)

            def show_plan() -> None:
                plan_print(console, plan)
                console.print(NOTHING_CREATED)

            return print_result(arguments, plan, show_plan)
        if arguments.interactive:
            plan_print(questions, client.plan_preview(fields))
            if not confirm(questions, "Create the draft?"):
                questions.print("Nothing was created.")
                return DONE
        event = client.tournament_create(fields)

    def show() -> None:
        event_print(console, event)
        console.print(f"Next: rensho tournaments open {event['id']}", soft_wrap=True)

    return print_result(arguments, event, show)


def _change(arguments: argparse.Namespace) -> int:
    fields = changed_fields(arguments)
    with connect(needs_account=True) as client:
        event = client.tournament_change(arguments.tournament, fields)
    return print_result(arguments, event, lambda: event_print(console_for(), event))


def _act(client: Client, arguments: argparse.Namespace) -> int:
    """Apply an action, or report its result with ``--dry-run``. A rejected dry run is an error, too."""
    reason = (arguments.reason or None) if arguments.verb in WITH_REASON else None
    event = client.tournament_act(arguments.tournament, arguments.verb, reason, dry_run=arguments.dry_run)

    def show() -> None:
        console = console_for()
        if arguments.dry_run:
            console.print(f"{NOTHING_CHANGED}: {event['name']} would be {state_text(event)}.", soft_wrap=True)
        else:
            console.print(f"{event['name']}: {state_text(event)}", soft_wrap=True)
            verbs_print(console, event)

    return print_result(arguments, event, show)


def _crosstable(client: Client, arguments: argparse.Namespace) -> int:
    table = client.crosstable(arguments.tournament, stage=arguments.stage)
    return print_result(arguments, table, lambda: crosstable_print(console_for(), table))
