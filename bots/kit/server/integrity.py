"""``rensho integrity``: results that do not fit, for organisers and staff, and rulings on pairs."""

from __future__ import annotations

import argparse

from bots.kit.client import Client
from bots.kit.client.shapes import PairRuling, ReportDetail
from bots.kit.display.console import answer, answer_table, console_for, say
from bots.kit.display.integrity import report_print, ruling_text
from bots.kit.display.words import minute_text
from bots.kit.server.arguments import (
    add_dry_run,
    add_limit,
    add_reason,
    add_tournament,
    event_id,
    limited,
    server_command,
)
from bots.kit.subcommands import Commands, group


def register(commands: Commands) -> None:
    """Add ``rensho integrity``."""
    below = group(
        commands,
        "integrity",
        "for organisers and staff: results that do not fit, and rulings on pairs",
        "Results, forfeits and waits that do not fit, with boards to look at, and rulings on pairs.",
    )
    listed = server_command(below, "list", "list reports, the latest first", _list)
    help_text = "only those in which something stands out"
    listed.add_argument("--flagged", action="store_const", const=True, help=help_text)
    add_limit(listed)
    add_tournament(server_command(below, "event", "show what stands out in an event", _event))
    help_text = "show what stands out in a list of ratings, for staff"
    _add_list(server_command(below, "ratings", help_text, _ratings))
    help_text = "list the pairs left out of a list of ratings"
    public = server_command(below, "left-out", help_text, _left_out, needs_account=False)
    _add_list(public)
    add_limit(public)
    void = server_command(below, "void", "rule that the fixtures of two entries are void", _void)
    add_tournament(void)
    void.add_argument("pair", metavar="ENTRY", nargs=2, help="ids of the two entries")
    help_text = "leave the fixtures of two versions out of a list of ratings, for staff"
    out = server_command(below, "leave-out", help_text, _leave_out)
    _add_list(out)
    out.add_argument("pair", metavar="VERSION", nargs=2, help="ids of the two versions")
    lift = server_command(below, "lift", "lift a ruling on a pair", _lift)
    lift.add_argument("ruling", metavar="RULING", help="id of the ruling")
    where = lift.add_mutually_exclusive_group(required=True)
    help_text = "the event it is of: its id, or the address of its page"
    where.add_argument("--event", metavar="TOURNAMENT", type=event_id, help=help_text)
    where.add_argument("--list", metavar="LIST", help="the list of ratings it is of")
    for ruled in (void, out, lift):
        add_reason(ruled, required=True)
        add_dry_run(ruled)


def _add_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("list", metavar="LIST", help="id of a list of ratings")


def _list(client: Client, arguments: argparse.Namespace) -> int:
    found = limited(arguments, client.integrity(flagged=arguments.flagged))
    rows = [
        (
            report["tournament"] or report["list"] or "",
            "event" if report["tournament"] else "ratings",
            report["name"],
            str(report["flagged"]),
            str(report["pairs"]),
            minute_text(report["made_at"] or ""),
        )
        for report in found
    ]
    head = ("id", "of", "name", "findings", "pairs", "made")
    return answer_table(arguments, found, head, rows, empty="No reports.", right={3, 4}, fold={2})


def _event(client: Client, arguments: argparse.Namespace) -> int:
    return _report(arguments, client.integrity_of_event(arguments.tournament))


def _ratings(client: Client, arguments: argparse.Namespace) -> int:
    return _report(arguments, client.integrity_of_list(arguments.list))


def _report(arguments: argparse.Namespace, report: ReportDetail) -> int:
    return answer(arguments, report, lambda: report_print(console_for(), report))


def _left_out(client: Client, arguments: argparse.Namespace) -> int:
    found = limited(arguments, client.left_out_pairs(arguments.list))

    def show() -> None:
        for ruling in found:
            say(ruling_text(ruling))
        if not found:
            say("No pair was left out.")

    return answer(arguments, found, show)


def _void(client: Client, arguments: argparse.Namespace) -> int:
    reason, dry_run = arguments.reason, arguments.dry_run
    return _ruling(arguments, client.pair_void(arguments.tournament, arguments.pair, reason, dry_run=dry_run))


def _leave_out(client: Client, arguments: argparse.Namespace) -> int:
    reason, dry_run = arguments.reason, arguments.dry_run
    return _ruling(arguments, client.pair_leave_out(arguments.list, arguments.pair, reason, dry_run=dry_run))


def _lift(client: Client, arguments: argparse.Namespace) -> int:
    ruling, reason, dry_run = arguments.ruling, arguments.reason, arguments.dry_run
    if arguments.event:
        lifted = client.pair_lift_in_event(arguments.event, ruling, reason, dry_run=dry_run)
    else:
        lifted = client.pair_lift_in_list(arguments.list, ruling, reason, dry_run=dry_run)
    return _ruling(arguments, lifted)


def _ruling(arguments: argparse.Namespace, ruling: PairRuling) -> int:
    would = "Nothing was changed. It would be " if arguments.dry_run else ""
    return answer(arguments, ruling, lambda: say(f"{would}{ruling_text(ruling)}"))
