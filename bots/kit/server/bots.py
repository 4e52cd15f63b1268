"""``rensho bots`` and ``rensho activate``: one's bots on the server, and which of their versions plays."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from rich.text import Text

from bots.kit.client.shapes import Bot, Version
from bots.kit.display.console import answer, columns, console_for, print_table
from bots.kit.display.words import minute_text
from bots.kit.errors import InputUnusable
from bots.kit.server.account import connected
from bots.kit.server.naming import own_bots, versions_named
from bots.kit.subcommands import Commands, command


class OwnBot(NamedTuple):
    """A bot with its versions, latest first."""

    bot: Bot
    versions: list[Version]


def register(commands: Commands) -> None:
    """Add ``rensho bots`` and ``rensho activate``."""
    listed = command(
        commands, "bots", "list your bots on the server, with their versions and the active one", _bots
    )
    listed.add_argument("bot", metavar="BOT", nargs="?", help="only this bot, with all its versions")
    activate = command(
        commands,
        "activate",
        "choose the active version of a bot, which plays where the bot is named",
        _activate,
    )
    activate.add_argument(
        "bot", metavar="BOT", help="name of your bot, for its latest version, or id of a version"
    )
    activate.add_argument("--version", type=int, metavar="N", help="this version of the bot, by its number")


def _bots(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        found = [
            OwnBot(bot, sorted(client.versions(bot["id"]), key=lambda version: -version["number"]))
            for bot in own_bots(client, arguments.bot)
        ]
        if not found and arguments.bot is not None:
            raise InputUnusable(f"you have no bot {arguments.bot!r}: rensho bots lists yours")

    def show() -> None:
        if not found:
            print(f"You have no bot on {client.url} yet: upload one with rensho submit.")
            return
        rows = [row for each in found for row in _rows(each, is_alone=arguments.bot is not None)]
        head = ("bot", "game", "seen by", "version", "id", "state", "uploaded")
        print_table(console_for(), columns(head, rows, right={3}, fold={0}))

    bots = [{**bot, "versions": versions} for bot, versions in found]
    return answer(arguments, bots, show)


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


def _activate(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        versions = versions_named(client, arguments.bot)
        number = versions[0]["number"] if arguments.version is None else arguments.version
        chosen = next((version for version in versions if version["number"] == number), None)
        if chosen is None:
            numbers = ", ".join(str(version["number"]) for version in versions)
            raise InputUnusable(f"{arguments.bot} has no version {number}: it has {numbers}")
        version = client.version_activate(chosen["id"])
    line = f"Version {version['number']} of {version['bot_name']} is the active one now."
    return answer(arguments, version, lambda: print(line))
