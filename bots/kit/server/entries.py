"""``rensho entries``: who plays in a tournament; entering, agreeing to a pair, leaving, seeding, inviting."""

from __future__ import annotations

import argparse
import json

from rich.console import Console
from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.address import is_public_id, public_id
from bots.kit.client.shapes import Entry, EntryIn, Version
from bots.kit.errors import DONE, InputUnusable
from bots.kit.register import Commands
from bots.kit.replay_ink import columns
from bots.kit.server.account import connected
from bots.kit.server.naming import latest, version_named
from bots.kit.server.nested import command, group, out_console

STATUSES = ("pending", "entered", "withdrawn", "left")
EVENT_HELP = "its id, or the address of its page"
DRY_RUN_HELP = "do nothing; tell whether it may be done, and what would be"
BY_LOT = "by lot"


def register(commands: Commands) -> None:
    """Add ``rensho entries``."""
    below = group(
        commands,
        "entries",
        "who plays in a tournament: enter, agree, leave, seed, invite",
        "Who plays in a tournament: list them, enter bots, agree to a pair, leave; as its organiser, seed "
        "entries and invite players.",
    )
    listed = command(below, "list", "list the entries of a tournament", _list, json_help="print them as JSON")
    listed.add_argument("tournament", metavar="TOURNAMENT", help=EVENT_HELP)
    listed.add_argument(
        "--status",
        action="append",
        choices=STATUSES,
        metavar="STATUS",
        help="with this status; may be repeated",
    )
    listed.add_argument("--player", metavar="HANDLE", help="of this player")

    entered = command(
        below, "enter", "enter a bot, or two as a pair", _enter, json_help="print the entry as JSON"
    )
    entered.add_argument("tournament", metavar="TOURNAMENT", help=EVENT_HELP)
    entered.add_argument(
        "bot", metavar="BOT", help="name of a bot of yours, or id of a version; of a bot its active version"
    )
    entered.add_argument(
        "--partner",
        metavar="BOT",
        help="the version for the higher seat of each pair; somebody else's has to be confirmed",
    )
    entered.add_argument(
        "--accept-partners", action="store_true", help="where partners are mixed: agree to partner everybody"
    )
    entered.add_argument("--dry-run", action="store_true", help=DRY_RUN_HELP)

    for verb, words in (
        ("confirm", "agree to a pair with a bot of yours"),
        ("decline", "refuse a pair with a bot of yours"),
        ("withdraw", "take an entry back, or leave after the lock"),
    ):
        moved = command(below, verb, words, _act, json_help="print the entry as JSON")
        moved.add_argument("tournament", metavar="TOURNAMENT", help=EVENT_HELP)
        moved.add_argument(
            "entry", metavar="ENTRY", nargs="?", help="id of the entry (the only one of which you may do it)"
        )
        if verb != "confirm":
            moved.add_argument("--reason", metavar="TEXT", default="", help="why, for all to read")
        moved.add_argument("--dry-run", action="store_true", help=DRY_RUN_HELP)
        moved.set_defaults(verb=verb)

    seeded = command(
        below, "seed", "set the order of entries, as the organiser", _seed, json_help="print them as JSON"
    )
    seeded.add_argument("tournament", metavar="TOURNAMENT", help=EVENT_HELP)
    seeded.add_argument(
        "seeds",
        metavar="ENTRY=SEED",
        nargs="+",
        help="id of an entry, or name of its bot, with a number from 1; 0 leaves it to the lot",
    )

    invited = command(
        below, "invite", "invite players, or list who is invited", _invite, json_help="print them as JSON"
    )
    invited.add_argument("tournament", metavar="TOURNAMENT", help=EVENT_HELP)
    invited.add_argument("players", metavar="HANDLE", nargs="*", help="players to invite")
    invited.add_argument("--remove", action="store_true", help="take their invitations back")


def _list(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    with connected(needs_account=False) as client:
        found = list(client.entries(event_id, status=arguments.status, player=arguments.player))
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        _print(out_console(), found)
    return DONE


def _print(console: Console, found: list[Entry]) -> None:
    if not found:
        console.print("No entry.")
        return
    head = ("id", "bot", "player", "seed", "status", "since")
    rows: list[list[Text | str]] = [
        [
            entry["id"],
            Text(bots_text(entry), "bold"),
            Text(players_text(entry)),
            "" if entry["seed"] is None else str(entry["seed"]),
            entry["status"],
            entry["status_at"][:16].replace("T", " "),
        ]
        for entry in found
    ]
    console.print(columns(head, rows, right={3}))


def bots_text(entry: Entry) -> str:
    """The versions of an entry: ``kita 3``, or ``kita 3 + oni 1``."""
    versions = (entry["version"], entry["partner_version"])
    return " + ".join(f"{one['bot']} {one['number']}" for one in versions if one is not None)


def players_text(entry: Entry) -> str:
    """Whose they are."""
    return f"{entry['player']} + {entry['partner']}" if entry["partner"] else entry["player"]


def _enter(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    with connected(needs_account=True) as client:
        fields: EntryIn = {
            "version": version_named(client, arguments.bot, active)["id"],
            "accepts_partners": arguments.accept_partners,
        }
        if arguments.partner is not None:
            fields["partner_version"] = version_named(client, arguments.partner, active)["id"]
        entry = client.entry_create(event_id, fields, dry_run=arguments.dry_run or None)
    _tell(arguments, entry)
    return DONE


def active(client: Client, bot_id: str) -> Version | None:
    """The active version of a bot, or else its latest: the server says what is wrong with that."""
    chosen = client.bot(bot_id)["active_version"]
    return client.version(chosen) if chosen else latest(client, bot_id)


def _act(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    dry_run = arguments.dry_run or None
    with connected(needs_account=True) as client:
        entry_id = arguments.entry or _only_entry(client, event_id, arguments.verb)
        match arguments.verb:
            case "confirm":
                entry = client.entry_confirm(event_id, entry_id, dry_run=dry_run)
            case "decline":
                entry = client.entry_decline(event_id, entry_id, arguments.reason, dry_run=dry_run)
            case _:
                entry = client.entry_withdraw(event_id, entry_id, arguments.reason, dry_run=dry_run)
    _tell(arguments, entry)
    return DONE


def _only_entry(client: Client, event_id: str, verb: str) -> str:
    """The one entry of the caller's own that allows a verb.

    Raises:
        InputUnusable: there is none, or several.
    """
    handle = client.me()["handle"]
    own = [one for one in client.entries(event_id) if handle and handle in (one["player"], one["partner"])]
    found = [one for one in own if verb in one["verbs"]]
    if len(found) == 1:
        return found[0]["id"]
    if found:
        named = ", ".join(f"{one['id']} ({bots_text(one)})" for one in found)
        raise InputUnusable(f"you have {len(found)} entries there: name one of {named}")
    stand = ", ".join(f"{one['id']} is {one['status']}" for one in own)
    raise InputUnusable(f"there is no entry of yours to {verb}{f': {stand}' if stand else ''}")


def _seed(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    wanted = [_seed_given(text) for text in arguments.seeds]
    with connected(needs_account=True) as client:
        standing = [one for one in client.entries(event_id) if one["status"] in ("pending", "entered")]
        # Looked up before anything is changed: a slip of the pen in the last one leaves all as they were.
        chosen = [(_entry_named(standing, name), seed) for name, seed in wanted]
        done = [client.entry_change(event_id, entry["id"], {"seed": seed}) for entry, seed in chosen]
    if arguments.json:
        print(json.dumps(done, indent=2))
        return DONE
    for entry in done:
        place = BY_LOT if entry["seed"] is None else f"seed {entry['seed']}"
        print(f"{bots_text(entry)}: {place}")
    return DONE


def _seed_given(text: str) -> tuple[str, int | None]:
    name, is_there, number = text.rpartition("=")
    if not is_there or not name or not (number.isascii() and number.isdigit()):
        raise InputUnusable(f"{text!r} is no seed: write ENTRY=SEED, such as kita=1")
    return name, int(number[:9]) or None


def _entry_named(entries: list[Entry], name: str) -> Entry:
    """The entry of this id or of the one bot of this name.

    Raises:
        InputUnusable: there is none, or several.
    """
    found = [one for one in entries if one["id"] == name] if is_public_id(name) else []
    found = found or [one for one in entries if one["version"]["bot"] == name]
    if len(found) != 1:
        told = f"{len(found)} entries are of a bot called" if found else "no entry is called"
        raise InputUnusable(f"{told} {name!r}: take an id from rensho entries list")
    return found[0]


def _invite(arguments: argparse.Namespace) -> int:
    event_id = public_id(arguments.tournament, "tournament")
    if arguments.remove and not arguments.players:
        raise InputUnusable("--remove: name the players whose invitations to take back")
    with connected(needs_account=True) as client:
        for handle in arguments.players:
            if arguments.remove:
                client.invitation_remove(event_id, handle)
            else:
                client.invitation_create(event_id, {"player": handle})
        found = list(client.invitations(event_id))
    if arguments.json:
        print(json.dumps(found, indent=2))
    else:
        print(f"Invited: {', '.join(one['player'] for one in found) or 'nobody'}")
    return DONE


def _tell(arguments: argparse.Namespace, entry: Entry) -> None:
    if arguments.json:
        print(json.dumps(entry, indent=2))
        return
    would = "Nothing was done. It would be " if arguments.dry_run else ""
    state = {
        "pending": f"pending: {entry['partner']} has to agree (rensho entries confirm {entry['tournament']})"
    }.get(entry["status"], entry["status"])
    print(f"{bots_text(entry)} of {players_text(entry)}: {would}{state} ({entry['id']})")
