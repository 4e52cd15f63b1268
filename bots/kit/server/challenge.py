"""``rensho challenge``: a match on the server now, between versions of one's choice."""

from __future__ import annotations

import argparse

from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.shapes import ChallengeIn, Version
from bots.kit.display.console import answer, answer_table, say
from bots.kit.display.words import minute_text
from bots.kit.errors import InputUnusable
from bots.kit.server.arguments import server_command
from bots.kit.server.naming import active, version_named
from bots.kit.subcommands import Commands


def register(commands: Commands) -> None:
    """Add ``rensho challenge``."""
    parser = server_command(
        commands,
        "challenge",
        "play a match on the server now; without bots, list your challenges",
        _challenge,
        description="Play a match between versions of your choice on the server now: unrated, and visible "
        "only to their owners. Without bots, list your challenges. rensho watch, standings, export and pull "
        "take the id of a challenge.",
    )
    parser.add_argument(
        "bots",
        metavar="BOT",
        nargs="*",
        help="one per side: name of your bot or OWNER/NAME of a public one, for their active versions, or "
        "id of a version",
    )
    parser.add_argument("--preset", default="kakeya4", help="the rules to play by (kakeya4)")
    parser.add_argument("--boards", type=int, default=16, metavar="N", help="boards to play (16)")
    parser.add_argument("--kind", choices=("deal", "game"), default="deal", help="kind of board (deal)")
    parser.add_argument("--name", default="", help="name of the match")


def _challenge(client: Client, arguments: argparse.Namespace) -> int:
    if not arguments.bots:
        found = list(client.challenges())
        rows = [
            (
                event["id"],
                Text(event["name"], "bold"),
                event["preset"],
                event["state"],
                minute_text(event["created_at"]),
            )
            for event in found
        ]
        empty = "No challenge yet. Make one: rensho challenge BOT OWNER/BOT --preset kakeya4"
        head = ("id", "match", "preset", "state", "made")
        return answer_table(arguments, found, head, rows, empty=empty, fold={1})
    versions = [_chosen(client, named) for named in arguments.bots]
    fields: ChallengeIn = {
        "versions": [version["id"] for version in versions],
        "preset": arguments.preset,
        "boards": arguments.boards,
        "board_kind": arguments.kind,
    }
    if arguments.name:
        fields["name"] = arguments.name
    made = client.challenge_create(fields)
    line = f"{made['name']}: {made['state']}. Follow it: rensho watch {made['id']}"
    return answer(arguments, made, lambda: say(line))


def _chosen(client: Client, named: str) -> Version:
    """The version of this name, id or address; OWNER/NAME is the active version of somebody's public bot.

    Raises:
        InputUnusable: nothing is called so, or it has no version.
    """
    owner, slash, name = named.partition("/")
    if not slash or not owner or "/" in name or ":" in owner:
        return version_named(client, named, active)
    for bot in client.bots(owner=owner, name=name):
        if version := active(client, bot["id"]):
            return version
        raise InputUnusable(f"{named} has no version that may be challenged yet")
    raise InputUnusable(f"there is no public bot {name!r} of {owner!r}: the site's page of bots lists them")
