"""``rensho bots``, ``activate``, ``versions`` and ``edit``: one's bots on the server and their versions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from rich.text import Text

from bots.kit.client import Client
from bots.kit.client.shapes import Bot, BotChangeIn, Version
from bots.kit.display.console import answer, answer_table, say
from bots.kit.display.words import minute_text
from bots.kit.errors import InputUnusable
from bots.kit.server.account import connected
from bots.kit.server.arguments import server_command
from bots.kit.server.naming import latest, own_bot, own_bots, version_named, versions_named
from bots.kit.subcommands import Commands, command, group

VERSION_HELP = "name of your bot, for its latest version, or id of a version"
VERBS = {
    "check": "repeat a check that failed through a fault of the platform",
    "reinstate": "check a suspended version again, which ends its suspension if it passes",
    "retire": "withdraw a version for good",
}


class OwnBot(NamedTuple):
    """A bot with its versions, latest first."""

    bot: Bot
    versions: list[Version]


def register(commands: Commands) -> None:
    """Add all four."""
    help_text = "list your bots on the server, with their versions and the active one"
    listed = server_command(commands, "bots", help_text, _bots)
    listed.add_argument("bot", metavar="BOT", nargs="?", help="only this bot, with all its versions")
    help_text = "choose the active version of a bot, which plays where the bot is named"
    activate = server_command(commands, "activate", help_text, _activate)
    activate.add_argument("bot", metavar="BOT", help=VERSION_HELP)
    activate.add_argument("--version", type=int, metavar="N", help="this version of the bot, by its number")
    description = "Check, reinstate or retire a version of a bot of yours."
    below = group(commands, "versions", "check, reinstate or retire a version of a bot", description)
    for verb, words in VERBS.items():
        act = server_command(below, verb, words, _act)
        act.add_argument("version", metavar="BOT", help=VERSION_HELP)
        act.set_defaults(verb=verb)
    edit = command(commands, "edit", "rename a bot, or change who sees it", _edit)
    edit.add_argument("bot", metavar="BOT", help="name or id of your bot")
    edit.add_argument("--name", help="its new name")
    help_text = "public: others can see and challenge it; private: you alone"
    edit.add_argument("--visibility", choices=("public", "private"), help=help_text)


def _bots(client: Client, arguments: argparse.Namespace) -> int:
    found = [
        OwnBot(bot, sorted(client.versions(bot["id"]), key=lambda version: -version["number"]))
        for bot in own_bots(client, arguments.bot)
    ]
    if not found and arguments.bot is not None:
        raise InputUnusable(f"you have no bot {arguments.bot!r}: rensho bots lists yours")
    rows = [row for each in found for row in _rows(each, is_alone=arguments.bot is not None)]
    head = ("bot", "game", "seen by", "version", "id", "state", "uploaded")
    empty = f"You have no bot on {client.url} yet: upload one with rensho submit."
    bots = [{**bot, "versions": versions} for bot, versions in found]
    return answer_table(arguments, bots, head, rows, empty=empty, right={3}, fold={0})


def _rows(own: OwnBot, *, is_alone: bool) -> Iterator[tuple[Text | str, ...]]:
    """A line for each version; of a bot among others only for the last one and the one that plays."""
    bot, versions = own
    head = (Text(bot["name"], "bold"), bot["game"], bot["visibility"])
    if not versions:
        yield (*head, "", "", "no version yet", "")
    for version in versions:
        is_active = version["id"] == bot["active_version"]
        if is_alone or is_active or version is versions[0]:
            state = f"{version['state']}, active" if is_active else version["state"]
            uploaded = minute_text(version["created_at"])
            yield (*head, str(version["number"]), version["id"], state, uploaded)


def _activate(client: Client, arguments: argparse.Namespace) -> int:
    versions = versions_named(client, arguments.bot)
    number = versions[0]["number"] if arguments.version is None else arguments.version
    chosen = next((version for version in versions if version["number"] == number), None)
    if chosen is None:
        numbers = ", ".join(str(version["number"]) for version in versions)
        raise InputUnusable(f"{arguments.bot} has no version {number}: it has {numbers}")
    version = client.version_activate(chosen["id"])
    line = f"Version {version['number']} of {version['bot_name']} is the active one now."
    return answer(arguments, version, lambda: say(line))


def _act(client: Client, arguments: argparse.Namespace) -> int:
    version = _acted(client, version_named(client, arguments.version, latest), arguments.verb)
    line = f"Version {version['number']} of {version['bot_name']} is {version['state']}."
    return answer(arguments, version, lambda: say(line))


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
    return answer(arguments, bot, lambda: say(f"{bot['name']} is {bot['visibility']}."))
