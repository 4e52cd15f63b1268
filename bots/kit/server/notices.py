"""``rensho notices``: what the server has to say to an account."""

from __future__ import annotations

import argparse
from itertools import islice

from bots.kit.client.shapes import Notice
from bots.kit.display.console import answer, console_for
from bots.kit.display.words import minute_text
from bots.kit.server.account import connected
from bots.kit.subcommands import Commands, command

LISTED = 20


def register(commands: Commands) -> None:
    """Add ``rensho notices``."""
    notices = command(
        commands,
        "notices",
        "list your notices on the server",
        _notices,
        description="List notices of your account, newest first.",
    )
    notices.add_argument("--all", action="store_true", help="include those already read")
    notices.add_argument("--read", action="store_true", help="mark those listed as read")
    notices.add_argument(
        "--limit", type=int, metavar="N", default=LISTED, help="at most this many (%(default)s)"
    )


def _notices(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        rows = client.notices(unread=None if arguments.all else True)
        found = [*islice(rows, max(arguments.limit, 1))]
        if arguments.read:
            found = [notice if notice["read_at"] else client.notice_read(notice["id"]) for notice in found]
    return answer(arguments, found, lambda: _print(found, is_all=arguments.all))


def _print(notices: list[Notice], *, is_all: bool) -> None:
    console = console_for()
    if not notices:
        console.print("No notice." if is_all else "No new notice; --all lists those read already.")
    for notice in notices:
        console.print(f"{minute_text(notice['created_at'])}  {notice['text']}", soft_wrap=True)
        if notice["url"]:
            console.print(f"{'':16}  {notice['url']}", soft_wrap=True)
