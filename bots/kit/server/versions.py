"""``rensho versions`` and ``rensho edit``: what an owner changes about versions and bots."""

from __future__ import annotations

import argparse

from bots.kit.client import Client
from bots.kit.client.shapes import BotChangeIn, Version
from bots.kit.display.console import answer
from bots.kit.errors import InputUnusable
from bots.kit.server.account import connected
from bots.kit.server.naming import latest, own_bot, version_named
from bots.kit.subcommands import Commands, command, group

VERSION_HELP = "name of your bot, for its latest version, or id of a version"
VERBS = {
    "check": "repeat a check that failed through a fault of the platform",
    "reinstate": "check a suspended version again, which ends its suspension if it passes",
    "retire": "withdraw a version for good",
}


def register(commands: Commands) -> None:
    """Add ``rensho versions`` and ``rensho edit``."""
    below = group(
        commands,
        "versions",
        "check, reinstate or retire a version of a bot",
        "Check, reinstate or retire a version of a bot of yours.",
    )
    for verb, words in VERBS.items():
        act = command(below, verb, words, _act)
        act.add_argument("version", metavar="BOT", help=VERSION_HELP)
        act.set_defaults(verb=verb)
    edit = command(commands, "edit", "rename a bot, or change who sees it", _edit)
    edit.add_argument("bot", metavar="BOT", help="name or id of your bot")
    edit.add_argument("--name", help="its new name")
    edit.add_argument(
        "--visibility",
        choices=("public", "private"),
        help="public: others can see and challenge it; private: you alone",
    )


def _act(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        version = version_named(client, arguments.version, latest)
        version = _acted(client, version, arguments.verb)
    line = f"Version {version['number']} of {version['bot_name']} is {version['state']}."
    return answer(arguments, version, lambda: print(line))


def _acted(client: Client, version: Version, verb: str) -> Version:
    if verb == "retire":
        return client.version_retire(version["id"])
    if verb == "reinstate":
        return client.version_reinstate(version["id"])
    client.check_again(version["id"])
    return client.version(version["id"])


def _edit(arguments: argparse.Namespace) -> int:
    fields: BotChangeIn = {}
    if arguments.name is not None:
        fields["name"] = arguments.name
    if arguments.visibility is not None:
        fields["visibility"] = arguments.visibility
    if not fields:
        raise InputUnusable("say what to change: --name or --visibility")
    with connected(needs_account=True) as client:
        bot = client.bot_change(own_bot(client, arguments.bot)["id"], fields)
    return answer(arguments, bot, lambda: print(f"{bot['name']} is {bot['visibility']}."))
