"""``rensho login URL`` and ``rensho logout``."""

from __future__ import annotations

import argparse
import getpass
import sys

from bots.kit.client import Client, server_url
from bots.kit.client.address import is_loopback
from bots.kit.client.errors import NotLoggedIn
from bots.kit.display.console import print_lines, print_note, print_result
from bots.kit.errors import InvalidInput
from bots.kit.server.account import TOKEN_VARIABLE, Login, login_file, login_remove, login_save
from bots.kit.subcommands import Commands, add_command

NEEDED_SCOPES = ("read", "bots")
"""Scopes of a token for uploads and entries."""
CONNECT_SCOPE = "bots:connect"
"""Scope of ``rensho connect``. A token with it may lack the others."""
MAX_TOKEN_CHARS = 200


def register(commands: Commands) -> None:
    login = add_command(
        commands,
        "login",
        "store a server and your token for it",
        _login,
        description="Store a server and your token for it. The token is typed without being displayed, "
        "or read from a pipe; it is stored in a file that only you can read.",
    )
    login.add_argument("url", metavar="URL", help="address of the server, such as https://rensho.example")
    login.add_argument("--token", help="the token; other users of this machine can see it: prefer the prompt")
    add_command(commands, "logout", "delete the stored server and token", _logout)


def _login(arguments: argparse.Namespace) -> int:
    url = server_url(arguments.url)
    token = _token(arguments.token, url)
    with Client(url, token) as client:
        try:
            me = client.me()
        except NotLoggedIn as refusal:
            detail = str(refusal).partition(" Log in again")[0]
            raise NotLoggedIn(f"{url} rejects this token: {detail}") from None
        name = me["handle"] or me["username"]
        missing = [scope for scope in NEEDED_SCOPES if scope not in me["scopes"]]
    path = login_save(Login(url, token))
    if missing and CONNECT_SCOPE not in me["scopes"]:
        print_note(
            f"note: this token lacks the scope {' and '.join(map(repr, missing))}: "
            "uploads and entries need 'read' and 'bots'"
        )
    if url.startswith("http:") and not is_loopback(url):
        print_note(f"note: {url} is not encrypted: others on the network can read the token")
    line = f"Logged in to {url} as {name} (token in {path})."
    return print_result(
        arguments,
        {"url": url, "file": str(path), "missing_scopes": missing, **me},
        lambda: print_lines(line),
    )


def _token(given: str | None, url: str) -> str:
    """Return the token from the argument, a prompt without echo, or a pipe."""
    if given is None:
        text = getpass.getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()
    else:
        text = given
    token = text.strip().strip("\ufeff")
    if not token:
        raise InvalidInput(
            f"no token: type it, pipe it in, or set {TOKEN_VARIABLE}; create one at {url}/me/tokens "
            "when you are signed in"
        )
    if len(token) > MAX_TOKEN_CHARS or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidInput("not a token: tokens begin with rensho_ and have no spaces")
    return token


def _logout(arguments: argparse.Namespace) -> int:
    path = login_file()
    forgotten = login_remove()
    url = forgotten.url if forgotten else ""
    line = "You were not logged in."
    if forgotten is not None:
        line = f"Deleted the login for {url or path}. The token remains valid: revoke it at {url}/me/tokens."
    return print_result(arguments, {"url": url or None, "file": str(path)}, lambda: print_lines(line))
