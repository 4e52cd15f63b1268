"""``rensho rulings``: what an organiser decides about fixtures and tables, and who did what."""

from __future__ import annotations

import argparse
from itertools import islice

from rich.console import Console

from bots.kit.client.address import public_id
from bots.kit.client.shapes import AdjudicationIn, Audit, FixtureDetail, Table
from bots.kit.display.console import answer, columns, console_for, print_table
from bots.kit.display.words import minute_text
from bots.kit.server.account import connected
from bots.kit.server.naming import add_dry_run
from bots.kit.subcommands import Commands, command, group

LISTED = 20
KINDS = {
    "forfeit": "count a fixture as if entries had forfeited every table",
    "draw": "score every board of a fixture as 0",
    "void": "exclude a fixture from the standings",
    "lift": "restore the played result of a fixture",
}


def register(commands: Commands) -> None:
    """Add ``rensho rulings``."""
    below = group(
        commands,
        "rulings",
        "an organiser's rulings: forfeit, draw, void, lift, rerun, retry; the audit log",
        "What an organiser decides about fixtures and tables of their tournaments. The last ruling applies.",
    )
    details = command(below, "show", "show a fixture and its rulings", _show)
    details.add_argument("fixture", metavar="FIXTURE", help="its id")
    for kind, words in KINDS.items():
        ruled = command(below, kind, words, _rule)
        ruled.add_argument("fixture", metavar="FIXTURE", help="its id")
        if kind == "forfeit":
            ruled.add_argument(
                "--entry",
                action="append",
                metavar="ENTRY",
                required=True,
                help="id of an entry that forfeits; may be repeated",
            )
        ruled.add_argument("--reason", metavar="TEXT", required=True, help="the reason, public")
        add_dry_run(ruled)
        ruled.set_defaults(kind=kind, entry=None)
    rerun = command(below, "rerun", "play a finished table again from the start", _rerun)
    rerun.add_argument("table", metavar="TABLE", help="its id, or the address of its page")
    rerun.add_argument("--reason", metavar="TEXT", required=True, help="the reason, public")
    add_dry_run(rerun)
    retry = command(below, "retry", "return a quarantined table to the queue", _retry)
    retry.add_argument("table", metavar="TABLE", help="its id, or the address of its page")
    add_dry_run(retry)
    audit = command(below, "audit", "list the audit log, newest first", _audit)
    audit.add_argument("--actor", metavar="NAME", help="only actions by this account")
    audit.add_argument("--verb", metavar="VERB", help="only this action, such as adjudicate")
    audit.add_argument(
        "--object", metavar="ID", help="only actions on the object with this id, such as a tournament"
    )
    audit.add_argument("--since", metavar="TIME", help="only from this time on, such as 2027-05-01T18:00Z")
    audit.add_argument(
        "--limit", type=int, metavar="N", default=LISTED, help="at most this many (%(default)s)"
    )


def _show(arguments: argparse.Namespace) -> int:
    with connected(needs_account=False) as client:
        fixture = client.fixture(public_id(arguments.fixture, "fixture"))
    return _fixture_print(arguments, fixture)


def _rule(arguments: argparse.Namespace) -> int:
    fields: AdjudicationIn = {"kind": arguments.kind, "reason": arguments.reason}
    if arguments.entry:
        fields["entries"] = arguments.entry
    with connected(needs_account=True) as client:
        fixture = client.fixture_adjudicate(
            public_id(arguments.fixture, "fixture"), fields, dry_run=arguments.dry_run
        )
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


def _rerun(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        table = client.table_rerun(
            public_id(arguments.table, "table"), arguments.reason, dry_run=arguments.dry_run
        )
    return _table_print(arguments, table)


def _retry(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        table = client.table_retry(public_id(arguments.table, "table"), dry_run=arguments.dry_run)
    return _table_print(arguments, table)


def _table_print(arguments: argparse.Namespace, table: Table) -> int:
    would = "Nothing was changed. It would be " if arguments.dry_run else ""
    return answer(arguments, table, lambda: print(f"table {table['id']}: {would}{table['state']}"))


def _audit(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        rows = client.audit(
            actor=arguments.actor, verb=arguments.verb, object=arguments.object, since=arguments.since
        )
        found = [*islice(rows, max(arguments.limit, 1))]
    return answer(arguments, found, lambda: _audit_print(found))


def _audit_print(actions: list[Audit]) -> None:
    if not actions:
        print("Nothing is recorded.")
        return
    rows = [
        (
            minute_text(action["at"]),
            action["actor"] or "the system",
            action["verb"],
            f"{action['kind']} {action['object']}",
        )
        for action in actions
    ]
    print_table(console_for(), columns(("at", "by", "action", "of"), rows))
