"""``rensho tokens``: one's tokens on the server."""

from __future__ import annotations

import argparse

from bots.kit.client.shapes import Token, TokenIn
from bots.kit.display.console import answer, columns, console_for, print_table
from bots.kit.display.words import minute_text
from bots.kit.server.account import connected
from bots.kit.subcommands import Commands, command, group

SCOPES = ("read", "bots", "organise", "tokens")


def register(commands: Commands) -> None:
    """Add ``rensho tokens``."""
    below = group(
        commands,
        "tokens",
        "list, create and revoke your tokens",
        "Your tokens on the server. Creating and revoking them needs a token with the scope tokens.",
    )
    command(below, "list", "list your tokens; their texts are not shown", _list)
    new = command(below, "new", "create a token; its text is shown only once", _new)
    new.add_argument("name", metavar="NAME", help="what it is for")
    new.add_argument(
        "--scope",
        action="append",
        choices=SCOPES,
        metavar="SCOPE",
        required=True,
        help=f"what it may do: {', '.join(SCOPES)}; may be repeated",
    )
    new.add_argument("--expires-at", metavar="TIME", help="when it expires, such as 2027-05-01T18:00Z")
    revoke = command(below, "revoke", "revoke a token", _revoke)
    revoke.add_argument("token", metavar="TOKEN", help="its id, from rensho tokens list")


def _list(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        tokens = list(client.tokens())
    return answer(arguments, tokens, lambda: _print(tokens))


def _print(tokens: list[Token]) -> None:
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
    print_table(console_for(), columns(("id", "name", "scopes", "last used", "expires"), rows, fold={1}))


def _new(arguments: argparse.Namespace) -> int:
    fields: TokenIn = {"name": arguments.name, "scopes": arguments.scope}
    if arguments.expires_at is not None:
        fields["expires_at"] = arguments.expires_at
    with connected(needs_account=True) as client:
        made = client.token_create(fields)
    line = f"{made['id']}: {made['token']} (shown this once)"
    return answer(arguments, made, lambda: print(line))


def _revoke(arguments: argparse.Namespace) -> int:
    with connected(needs_account=True) as client:
        client.token_revoke(arguments.token)
    return answer(arguments, {"token": arguments.token}, lambda: print(f"{arguments.token}: revoked"))
