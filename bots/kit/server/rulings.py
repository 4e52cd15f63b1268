"""``rensho rulings``: what an organiser decides about fixtures and tables, and who did what."""

from __future__ import annotations

import argparse

from rich.console import Console

from bots.kit.client import Client
from bots.kit.client.shapes import AdjudicationIn, FixtureDetail, Table
from bots.kit.display.console import answer, answer_table, console_for, say
from bots.kit.display.words import minute_text
from bots.kit.server.arguments import (
    add_dry_run,
    add_limit,
    add_paged,
    add_reason,
    limited,
    server_command,
)
from bots.kit.subcommands import Commands, group

KINDS = {
    "forfeit": "count a fixture as if entries had forfeited every table",
    "draw": "score every board of a fixture as 0",
    "void": "exclude a fixture from the standings",
    "lift": "restore the played result of a fixture",
}
OF_REPLAYS = (
    "In an elimination a ruling on a fixture that was replayed changes the scores only: to decide the match, "
    "rule on the replay."
)


def register(commands: Commands) -> None:
    """Add ``rensho rulings``."""
    below = group(
        commands,
        "rulings",
        "an organiser's rulings: forfeit, draw, void, lift, rerun, retry; the audit log",
        "What an organiser decides about fixtures and tables of their tournaments. The last ruling applies.",
    )
    details = server_command(below, "show", "show a fixture and its rulings", _show, needs_account=False)
    add_paged(details, "fixture")
    for kind, words in KINDS.items():
        ruled = server_command(below, kind, words, _rule, description=OF_REPLAYS)
        add_paged(ruled, "fixture")
        if kind == "forfeit":
            help_text = "id of an entry that forfeits; may be repeated"
            ruled.add_argument("--entry", action="append", metavar="ENTRY", required=True, help=help_text)
        add_reason(ruled, required=True)
        add_dry_run(ruled)
        ruled.set_defaults(kind=kind, entry=None)
    rerun = server_command(below, "rerun", "play a finished table again from the start", _rerun)
    add_paged(rerun, "table")
    add_reason(rerun, required=True)
    add_dry_run(rerun)
    retry = server_command(below, "retry", "return a quarantined table to the queue", _retry)
    add_paged(retry, "table")
    add_dry_run(retry)
    audit = server_command(below, "audit", "list the audit log, newest first", _audit)
    audit.add_argument("--actor", metavar="NAME", help="only actions by this account")
    audit.add_argument("--verb", metavar="VERB", help="only this action, such as adjudicate")
    help_text = "only actions on the object with this id, such as a tournament"
    audit.add_argument("--object", metavar="ID", help=help_text)
    audit.add_argument("--since", metavar="TIME", help="only from this time on, such as 2027-05-01T18:00Z")
    add_limit(audit)


def _show(client: Client, arguments: argparse.Namespace) -> int:
    return _fixture_print(arguments, client.fixture(arguments.fixture))


def _rule(client: Client, arguments: argparse.Namespace) -> int:
    fields: AdjudicationIn = {"kind": arguments.kind, "reason": arguments.reason}
    if arguments.entry:
        fields["entries"] = arguments.entry
    fixture = client.fixture_adjudicate(arguments.fixture, fields, dry_run=arguments.dry_run)
    return _fixture_print(arguments, fixture, is_dry_run=arguments.dry_run)


def _fixture_print(arguments: argparse.Namespace, fixture: FixtureDetail, *, is_dry_run: bool = False) -> int:
    return answer(arguments, fixture, lambda: fixture_print(console_for(), fixture, is_dry_run=is_dry_run))


def fixture_print(console: Console, fixture: FixtureDetail, *, is_dry_run: bool = False) -> None:
    """A fixture with the ids of its entries and tables, and its rulings."""
    if is_dry_run:
        console.print("Nothing was changed. The fixture would be:")
    sides = " : ".join(side["bot"] for side in fixture["sides"])
    place = f"stage {fixture['stage']}, round {fixture['round']}, fixture {fixture['number']}"
    console.print(f"{sides}: {fixture['state']}", style="bold", soft_wrap=True)
    console.print(f"  {'id':<11} {fixture['id']} ({place})", soft_wrap=True)
    for side in fixture["sides"]:
        console.print(f"  {'entry':<11} {side['entry']} ({side['bot']})", soft_wrap=True)
    for table in fixture["tables"]:
        console.print(f"  {'table':<11} {table['id']}: {table['state']}", soft_wrap=True)
    for ruling in fixture["adjudications"]:
        entries = f" by {', '.join(ruling['entries'])}" if ruling["entries"] else ""
        by = ruling["by"] or "the system"
        at = minute_text(ruling["at"])
        text = f"{ruling['number']}: {ruling['kind']}{entries}: {ruling['reason']} ({by}, {at})"
        console.print(f"  {'ruling':<11} {text}", soft_wrap=True)


def _rerun(client: Client, arguments: argparse.Namespace) -> int:
    table = client.table_rerun(arguments.table, arguments.reason, dry_run=arguments.dry_run)
    return _table_print(arguments, table)


def _retry(client: Client, arguments: argparse.Namespace) -> int:
    return _table_print(arguments, client.table_retry(arguments.table, dry_run=arguments.dry_run))


def _table_print(arguments: argparse.Namespace, table: Table) -> int:
    would = "Nothing was changed. It would be " if arguments.dry_run else ""
    return answer(arguments, table, lambda: say(f"table {table['id']}: {would}{table['state']}"))


def _audit(client: Client, arguments: argparse.Namespace) -> int:
    actions = client.audit(
        actor=arguments.actor, verb=arguments.verb, object=arguments.object, since=arguments.since
    )
    found = limited(arguments, actions)
    rows = [
        (
            minute_text(action["at"]),
            action["actor"] or "the system",
            action["verb"],
            f"{action['kind']} {action['object']}",
        )
        for action in found
    ]
    return answer_table(arguments, found, ("at", "by", "action", "of"), rows, empty="Nothing is recorded.")
