"""``rensho entries``: list, enter, confirm, decline, withdraw, seed and invite."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.address import is_public_id
from bots.kit.client.shapes import Entry, EntryIn, EntryStatus
from bots.kit.display.console import print_lines, print_result, print_result_table
from bots.kit.display.formatting import minute_text
from bots.kit.errors import InvalidInput
from bots.kit.server.account import connect
from bots.kit.server.arguments import (
    NOTHING_CHANGED,
    add_dry_run,
    add_reason,
    add_states,
    add_tournament,
    server_command,
)
from bots.kit.server.entry_file import ENTRY_COLUMNS, EntryRow, entries_create, entry_rows, players_read
from bots.kit.server.version_lookup import active_version, find_version
from bots.kit.subcommands import Commands, add_command, add_group

VERB_HELP = {
    "confirm": "confirm a pair with your bot",
    "decline": "decline a pair with your bot",
    "withdraw": "withdraw an entry, or leave after the lock",
}
BY_LOT = "by lot"


def register(commands: Commands) -> None:
    below = add_group(
        commands,
        "entries",
        "list, enter, confirm and withdraw entries; set seeds, invite players",
        "List the entries of a tournament, enter bots, confirm pairs, and withdraw entries. Organisers also "
        "set seeds and invite players.",
    )
    help_text = "list the entries of a tournament"
    listed = server_command(below, "list", help_text, _list, needs_account=False)
    add_tournament(listed)
    add_states(listed, get_args(EntryStatus), "status")
    listed.add_argument("--player", metavar="HANDLE", help="of this player")
    entered = server_command(below, "enter", "enter a bot, or two as a pair", _enter)
    add_tournament(entered)
    help_text = "name of your bot, for its active version, or id of a version"
    entered.add_argument("bot", metavar="BOT", help=help_text)
    help_text = "the bot for the higher seat of each pair; another player has to confirm theirs"
    entered.add_argument("--partner", metavar="BOT", help=help_text)
    help_text = "in tournaments with changing partners: accept all partners"
    entered.add_argument("--accept-partners", action="store_true", help=help_text)
    add_dry_run(entered)
    bulk = add_command(below, "import", "enter many bots from a CSV file", _import)
    add_tournament(bulk)
    help_text = f"a CSV file, whose first line names the columns: {', '.join(ENTRY_COLUMNS)}"
    bulk.add_argument("file", metavar="FILE", type=Path, help=help_text)
    bulk.add_argument("--dry-run", action="store_true", help="enter nothing; check every line")
    for verb, help_line in VERB_HELP.items():
        acted = server_command(below, verb, help_line, _act)
        add_tournament(acted)
        help_text = "id of the entry (your only one that allows it)"
        acted.add_argument("entry", metavar="ENTRY", nargs="?", help=help_text)
        if verb != "confirm":
            add_reason(acted)
        add_dry_run(acted)
        acted.set_defaults(verb=verb)
    seeded = add_command(below, "seed", "set the order of entries, as the organiser", _seed)
    add_tournament(seeded)
    help_text = "id of an entry, or name of its bot, with a number from 1; 0 removes the seed"
    seeded.add_argument("seeds", metavar="ENTRY=SEED", nargs="+", help=help_text)
    invited = add_command(below, "invite", "invite players, or list who is invited", _invite)
    add_tournament(invited)
    invited.add_argument("players", metavar="HANDLE", nargs="*", help="players to invite")
    invited.add_argument("--file", metavar="FILE", type=Path, help="a CSV file with a column player")
    invited.add_argument("--remove", action="store_true", help="withdraw their invitations")


def _list(client: Client, arguments: argparse.Namespace) -> int:
    entries = list(client.entries(arguments.tournament, status=arguments.status, player=arguments.player))
    head = ("id", "bot", "player", "seed", "status", "since")
    rows = [
        (
            entry["id"],
            Text(bots_text(entry), "bold"),
            Text(players_text(entry)),
            "" if entry["seed"] is None else str(entry["seed"]),
            entry["status"],
            minute_text(entry["status_at"]),
        )
        for entry in entries
    ]
    return print_result_table(arguments, entries, head, rows, empty="No entries.", right={3}, fold={1, 2})


def bots_text(entry: Entry) -> str:
    """Return the versions of an entry: ``kita 3``, or ``kita 3 + oni 1``."""
    versions = filter(None, (entry["version"], entry["partner_version"]))
    return " + ".join(f"{version['bot']} {version['number']}" for version in versions)


def players_text(entry: Entry) -> str:
    return f"{entry['player']} + {entry['partner']}" if entry["partner"] else entry["player"]


def _enter(client: Client, arguments: argparse.Namespace) -> int:
    fields: EntryIn = {
        "version": find_version(client, arguments.bot, active_version)["id"],
        "accepts_partners": arguments.accept_partners,
    }
    if arguments.partner is not None:
        fields["partner_version"] = find_version(client, arguments.partner, active_version)["id"]
    entry = client.entry_create(arguments.tournament, fields, dry_run=arguments.dry_run)
    return _print_entry(arguments, entry)


def _import(arguments: argparse.Namespace) -> int:
    rows = entry_rows(arguments.file)
    with connect(needs_account=True) as client:
        names = {name for row in rows for name in (row.bot, row.partner) if name}
        versions = {name: find_version(client, name, active_version)["id"] for name in sorted(names)}
        requests: list[tuple[EntryRow, EntryIn]] = []
        for row in rows:
            fields: EntryIn = {"version": versions[row.bot], "accepts_partners": row.any_partner}
            if row.partner:
                fields["partner_version"] = versions[row.partner]
            if row.seed is not None:
                fields["seed"] = row.seed
            requests.append((row, fields))
        entries = entries_create(
            client, arguments.tournament, arguments.file, requests, is_dry_run=arguments.dry_run
        )
    lines = (_entry_text(entry, is_dry_run=arguments.dry_run) for entry in entries)
    return print_result(arguments, entries, lambda: print_lines(*lines))


def _act(client: Client, arguments: argparse.Namespace) -> int:
    tournament, verb, dry_run = arguments.tournament, arguments.verb, arguments.dry_run
    entry_id = arguments.entry or _only_entry(client, tournament, verb)
    if verb == "confirm":
        return _print_entry(arguments, client.entry_confirm(tournament, entry_id, dry_run=dry_run))
    act = client.entry_decline if verb == "decline" else client.entry_withdraw
    return _print_entry(arguments, act(tournament, entry_id, arguments.reason, dry_run=dry_run))


def _only_entry(client: Client, event_id: str, verb: str) -> str:
    handle = client.me()["handle"]
    own = [
        entry
        for entry in client.entries(event_id)
        if handle and handle in (entry["player"], entry["partner"])
    ]
    candidates = [entry for entry in own if verb in entry["allowed_actions"]]
    if len(candidates) == 1:
        return candidates[0]["id"]
    if candidates:
        names = ", ".join(f"{entry['id']} ({bots_text(entry)})" for entry in candidates)
        raise InvalidInput(f"you have {len(candidates)} entries that allow this: name one of {names}")
    states = ", ".join(f"{entry['id']} is {entry['status']}" for entry in own)
    raise InvalidInput(f"you have no entry to {verb}{f': {states}' if states else ''}")


def _seed(arguments: argparse.Namespace) -> int:
    seeds = [_parse_seed(text) for text in arguments.seeds]
    with connect(needs_account=True) as client:
        standing = [
            entry
            for entry in client.entries(arguments.tournament)
            if entry["status"] in ("pending", "entered")
        ]
        # Looked up before anything is changed: a typing error in the last one changes nothing.
        chosen = [(_find_entry(standing, name), seed) for name, seed in seeds]
        done = [
            client.entry_change(arguments.tournament, entry["id"], {"seed": seed}) for entry, seed in chosen
        ]

    def show() -> None:
        for entry in done:
            seed_text = BY_LOT if entry["seed"] is None else f"seed {entry['seed']}"
            print_lines(f"{bots_text(entry)}: {seed_text}")

    return print_result(arguments, done, show)


def _parse_seed(text: str) -> tuple[str, int | None]:
    name, is_there, number = text.rpartition("=")
    if not is_there or not name or not (number.isascii() and number.isdigit()):
        raise InvalidInput(f"{text!r} is not a seed: write ENTRY=SEED, such as kita=1")
    return name, int(number[:9]) or None


def _find_entry(entries: list[Entry], name: str) -> Entry:
    """Return the entry with this id, or of the only bot with this name, or raise ``InvalidInput``."""
    matching = [entry for entry in entries if entry["id"] == name] if is_public_id(name) else []
    matching = matching or [entry for entry in entries if entry["version"]["bot"] == name]
    if len(matching) != 1:
        reason = f"{len(matching)} entries have a bot called" if matching else "no entry is called"
        raise InvalidInput(f"{reason} {name!r}: use an id from rensho entries list")
    return matching[0]


def _invite(arguments: argparse.Namespace) -> int:
    event_id = arguments.tournament
    players = [*arguments.players, *(players_read(arguments.file) if arguments.file else ())]
    if arguments.remove and not players:
        raise InvalidInput("--remove: name the players whose invitations to withdraw")
    with connect(needs_account=True) as client:
        for handle in players:
            if arguments.remove:
                client.invitation_remove(event_id, handle)
            else:
                client.invitation_create(event_id, {"player": handle})
        invitations = list(client.invitations(event_id))
    names = ", ".join(invitation["player"] for invitation in invitations)
    return print_result(arguments, invitations, lambda: print_lines(f"Invited: {names or 'nobody'}"))


def _print_entry(arguments: argparse.Namespace, entry: Entry) -> int:
    return print_result(
        arguments, entry, lambda: print_lines(_entry_text(entry, is_dry_run=arguments.dry_run))
    )


def _entry_text(entry: Entry, *, is_dry_run: bool | None) -> str:
    would = f"{NOTHING_CHANGED}: it would be " if is_dry_run else ""
    state: str = entry["status"]
    if state == "pending":
        state = f"pending: {entry['partner']} has to confirm (rensho entries confirm {entry['tournament']})"
    entry_id = "" if is_dry_run else f" ({entry['id']})"
    return f"{bots_text(entry)} of {players_text(entry)}: {would}{state}{entry_id}"
