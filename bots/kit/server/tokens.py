"""``rensho notices`` and ``rensho tokens``: what the server keeps for an account."""

from __future__ import annotations

import argparse

from bots.kit.client import Client
from bots.kit.client.shapes import Notice, TokenIn
from bots.kit.display.console import answer, answer_table, console_for, say
from bots.kit.display.words import minute_text
from bots.kit.server.arguments import add_limit, limited, server_command
from bots.kit.subcommands import Commands, group

SCOPES = ("read", "bots", "organise", "tokens")


def register(commands: Commands) -> None:
    """Add ``rensho notices`` and ``rensho tokens``."""
    description = "List notices of your account, newest first."
    notices = server_command(
        commands, "notices", "list your notices on the server", _notices, description=description
    )
    notices.add_argument("--all", action="store_true", help="include those already read")
    notices.add_argument("--read", action="store_true", help="mark those listed as read")
    add_limit(notices)
    below = group(
        commands,
        "tokens",
        "list, create and revoke your tokens",
        "Your tokens on the server. Creating and revoking them needs a token with the scope tokens.",
    )
    server_command(below, "list", "list your tokens; their texts are not shown", _list)
    new = server_command(below, "new", "create a token; its text is shown only once", _new)
    new.add_argument("name", metavar="NAME", help="what it is for")
    help_text = f"what it may do: {', '.join(SCOPES)}; may be repeated"
    new.add_argument(
        "--scope", action="append", choices=SCOPES, metavar="SCOPE", required=True, help=help_text
    )
    new.add_argument("--expires-at", metavar="TIME", help="when it expires, such as 2027-05-01T18:00Z")
    revoke = server_command(below, "revoke", "revoke a token", _revoke)
    revoke.add_argument("token", metavar="TOKEN", help="its id, from rensho tokens list")


def _notices(client: Client, arguments: argparse.Namespace) -> int:
    found = limited(arguments, client.notices(unread=None if arguments.all else True))
    if arguments.read:
        found = [notice if notice["read_at"] else client.notice_read(notice["id"]) for notice in found]
    return answer(arguments, found, lambda: _notices_print(found, is_all=arguments.all))


def _notices_print(notices: list[Notice], *, is_all: bool) -> None:
    console = console_for()
    if not notices:
        console.print("No notice." if is_all else "No new notice; --all lists those read already.")
    for notice in notices:
        console.print(f"{minute_text(notice['created_at'])}  {notice['text']}", soft_wrap=True)
        if notice["url"]:
            console.print(f"{'':16}  {notice['url']}", soft_wrap=True)


def _list(client: Client, arguments: argparse.Namespace) -> int:
    tokens = list(client.tokens())
    rows = [
        (
            token["id"],
            token["name"],
            " ".join(token["scopes"]),
            minute_text(token["last_used_at"] or ""),
            "revoked" if token["revoked_at"] else minute_text(token["expires_at"] or "") or "never",
        )
        for token in tokens
    ]
    return answer_table(arguments, tokens, ("id", "name", "scopes", "last used", "expires"), rows, fold={1})


def _new(client: Client, arguments: argparse.Namespace) -> int:
    fields: TokenIn = {"name": arguments.name, "scopes": arguments.scope}
    if arguments.expires_at is not None:
        fields["expires_at"] = arguments.expires_at
    made = client.token_create(fields)
    line = f"{made['id']}: {made['token']} (shown this once)"
    return answer(arguments, made, lambda: say(line))


def _revoke(client: Client, arguments: argparse.Namespace) -> int:
    client.token_revoke(arguments.token)
    return answer(arguments, {"token": arguments.token}, lambda: say(f"{arguments.token}: revoked"))
