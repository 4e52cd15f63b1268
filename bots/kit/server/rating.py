"""``rensho rating``: lists of ratings, their lines, and how the rating of a version came about."""

from __future__ import annotations

import argparse
from pathlib import Path

from bots.kit.client import Client
from bots.kit.client.address import place_of, public_id
from bots.kit.display.console import answer, bar, console_for, say
from bots.kit.display.ratings import history_print, lines_print, list_print, lists_print
from bots.kit.display.words import counted
from bots.kit.errors import DONE, FOUND_WRONG, InputUnusable
from bots.kit.files import written
from bots.kit.local.verify_ratings import list_verify
from bots.kit.server.arguments import add_limit, limited, server_command
from bots.kit.subcommands import Commands, group

KINDS = ("events", "ladder")
PRINTED = 10
"""Disagreements of an export; rensho verify prints them all."""


def register(commands: Commands) -> None:
    """Add ``rensho rating``."""
    below = group(
        commands,
        "rating",
        "how strong versions are, in stones a board, and how surely",
        "How strong versions are: stones a board against the average of a list, with 95 % intervals and "
        "ranges of ranks. Anybody may read them.",
    )
    listed = server_command(below, "list", "list the lists of ratings", _list, needs_account=False)
    _add_list_filters(listed)
    listed.add_argument("--kind", choices=KINDS, metavar="KIND", help="only of these: events or ladder")
    add_limit(listed)
    help_text = "show a list: who is where, and who is not comparable yet"
    shown = server_command(below, "show", help_text, _show, needs_account=False)
    shown.add_argument("list", metavar="LIST", type=_list_id, help="its id, or the address of its page")
    help_text = "save a list with the board scores it follows from, and verify it"
    exported = server_command(below, "export", help_text, _export, needs_account=False)
    exported.add_argument("list", metavar="LIST", type=_list_id, help="its id, or the address of its page")
    help_text = "where to save it (ratings-ID.ndjson here)"
    exported.add_argument("--output", metavar="FILE", type=Path, help=help_text)
    help_text = "show the lines of a version or a player, in every list"
    lines = server_command(below, "lines", help_text, _lines, needs_account=False)
    lines.add_argument("--player", metavar="NAME", help="of this player's versions")
    lines.add_argument(
        "--version",
        metavar="VERSION",
        type=_version_id,
        help="of this version: its id, or the address of its page",
    )
    _add_list_filters(lines)
    help_text = "show how the rating of a version came about, latest first"
    history = server_command(below, "history", help_text, _history, needs_account=False)
    history.add_argument(
        "version", metavar="VERSION", type=_version_id, help="its id, or the address of its page"
    )
    history.add_argument("--list", metavar="LIST", type=_list_id, help="only in this list")
    add_limit(history)


def _add_list_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preset", metavar="PRESET", help="only of these rules, such as kakeya4.league")
    parser.add_argument("--season", metavar="SEASON", help="only of this season, such as 2026-Q4")


def _list_id(text: str) -> str:
    """The id of a list in what somebody typed or copied."""
    _, found = place_of(text, ("ratings", "rating-lists"))
    return found or public_id(text, "list of ratings")


def _version_id(text: str) -> str:
    """The id of a version in what somebody typed or copied, that of its history's page too."""
    _, found = place_of(text, ("versions",))
    return found or public_id(text, "version")


def _list(client: Client, arguments: argparse.Namespace) -> int:
    asked = client.rating_lists(kind=arguments.kind, preset=arguments.preset, season=arguments.season)
    found = limited(arguments, asked)
    return answer(arguments, found, lambda: lists_print(console_for(), client.url, found))


def _show(client: Client, arguments: argparse.Namespace) -> int:
    found = client.rating_list(arguments.list)
    lines = list(client.ratings(list_id=found["id"]))
    value = {"list": found, "lines": lines}
    return answer(arguments, value, lambda: list_print(console_for(), found, lines))


def _export(client: Client, arguments: argparse.Namespace) -> int:
    list_id = arguments.list
    output = arguments.output or Path(f"ratings-{list_id}.ndjson")
    if output.is_dir():
        raise InputUnusable(f"{output} is a folder: name a file in it")
    with (
        written(output) as file,
        client.rating_export(list_id) as download,
        bar(f"List {list_id}", download.length_bytes) as advance,
    ):
        for chunk in download.chunks:
            file.write(chunk)
            advance(len(chunk))
    verified = list_verify(output)

    def show() -> None:
        say(f"Saved: {output}")
        for text in verified.disagreements[:PRINTED]:
            say(f"- {text}")
        if verified.disagreements:
            number = counted(len(verified.disagreements), "thing disagrees", "things disagree")
            say(f"{number}: rensho verify prints all.")
        else:
            say("Verified: every line follows from the board scores.")

    answer(arguments, {"list": list_id, "file": str(output), **verified._asdict()}, show)
    return FOUND_WRONG if verified.disagreements else DONE


def _lines(client: Client, arguments: argparse.Namespace) -> int:
    player, version = arguments.player, arguments.version
    if player is None and version is None:
        raise InputUnusable(
            "say whose: --player NAME or --version VERSION; rensho rating show LIST shows all"
        )
    asked = {"player": player, "version": version, "preset": arguments.preset, "season": arguments.season}
    found = list(client.ratings(**asked))
    if not found and version is not None:
        client.version(version)
    if not found and player is not None and not _is_player(client, player):
        raise InputUnusable(f"there is no player {player!r} with a bot anybody may see")

    def show() -> None:
        if found:
            lines_print(console_for(), found)
        else:
            say("No rating: none of its board sets was closed in a public event by the rules of a preset.")

    return answer(arguments, found, show)


def _is_player(client: Client, name: str) -> bool:
    return next(iter(client.bots(owner=name)), None) is not None


def _history(client: Client, arguments: argparse.Namespace) -> int:
    found = limited(arguments, client.rating_history(arguments.version, list_id=arguments.list))

    def show() -> None:
        if found:
            history_print(console_for(), found)
        else:
            say("No history: it has not been comparable yet; rensho rating lines --version says why.")

    return answer(arguments, found, show)
