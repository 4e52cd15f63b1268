"""``rensho connect FOLDER``: play at tables of a server with a bot that runs here."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bots.kit.client import Client
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import RemoteBot, RemoteVersion
from bots.kit.display.console import console_for, print_json, print_note
from bots.kit.display.formatting import count_text
from bots.kit.errors import DONE, INTERRUPTED, EnvironmentFailure, InvalidInput
from bots.kit.local.bot_presets import game_of
from bots.kit.remote.connection import Connection, StreamOptions
from bots.kit.remote.decision_log import LogFolder, log_folder
from bots.kit.remote.display import JsonLines, Lines, LiveTable
from bots.kit.remote.folder import BotProgram, bot_program
from bots.kit.remote.start_test import start_test
from bots.kit.server.account import connect
from bots.kit.subcommands import Commands, add_command, add_no_color

SCOPE = "bots:connect"
SCOPE_MISSING = "scope_missing"
ACCEPTED = ("bots", "people")
LEFT_TEXT = "run the command again within a minute to continue, before the disconnect bank is used up"
EPILOG = """\
The bot runs in its folder as an ordinary program, with any language, packages and hardware of this machine.
The folder has a rensho.toml, as for rensho submit, or a remote.toml with name, preset and command.

Press Ctrl-C once to take no further tables and finish the running ones, twice to leave them.

Exit status: 0 finished; 1 the bot does not start, or the server ended the connection because the bot is
paused or another client connected; 2 invalid input, or refused by the server; 3 the server cannot be
reached at the start; 130 left with Ctrl-C."""


def register(commands: Commands) -> None:
    parser = add_command(
        commands,
        "connect",
        "play at tables of the server with a bot that runs here",
        _connect,
        json_help="print every event as one line of JSON",
        epilog=EPILOG,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder of the bot, or a .py file")
    parser.add_argument("--ladder", metavar="PRESET", help="play rated tables with these rules")
    parser.add_argument("--slow", action="store_true", help="with the slow clock: minutes per decision")
    parser.add_argument("--tables", type=int, default=1, metavar="N", help="tables at once, 1 or 2 (1)")
    help_text = "accept unrated tables by itself: bots, people or bots,people"
    parser.add_argument("--accept", type=_accepted, default=(), metavar="KINDS", help=help_text)
    help_text = "name of the bot on the server (the one in the folder)"
    parser.add_argument("--name", metavar="NAME", help=help_text)
    parser.add_argument(
        "--new-version",
        nargs="?",
        const="",
        metavar="LABEL",
        help="register a new version, with a separate rating",
    )
    parser.add_argument("--stop-after", type=int, metavar="N", help="finish after N tables")
    help_text = "folder for a log of each table's decisions (~/.local/state/rensho/remote/NAME)"
    parser.add_argument("--log", type=Path, metavar="FOLDER", help=help_text)
    add_no_color(parser)


def _accepted(text: str) -> tuple[str, ...]:
    kinds = tuple(dict.fromkeys(kind.strip() for kind in text.split(",") if kind.strip()))
    if not kinds or not set(kinds) <= set(ACCEPTED):
        raise argparse.ArgumentTypeError(f"{text!r}: write {', '.join(ACCEPTED)} or {','.join(ACCEPTED)}")
    return kinds


def _connect(arguments: argparse.Namespace) -> int:
    if not 1 <= arguments.tables <= 2:
        raise InvalidInput(f"--tables {arguments.tables}: a bot plays at one table or two")
    if arguments.stop_after is not None and arguments.stop_after < 1:
        raise InvalidInput(f"--stop-after {arguments.stop_after}: name at least one table")
    program = bot_program(arguments.folder)
    name = arguments.name or program.name
    preset = _preset(arguments, program)
    logs = LogFolder(arguments.log or log_folder(name))
    with connect(needs_account=True) as client:
        handle = _handle(client)
        # Before anything is registered: a bot that does not start would lose its tables.
        start_test(program, preset)
        bot, version = _registered(client, handle, name, game_of(preset).key, arguments.new_version)
        title = f"{bot['name']}, version {version['number']}"
        if not arguments.ladder and not arguments.accept:
            print_note(
                f"{title} waits for tables that you agree to on {client.url}/remote/bots/{bot['id']}; "
                "for rated tables, add --ladder PRESET"
            )
        console = console_for(has_color=not arguments.no_color)
        is_live = console.is_terminal and not arguments.json
        display = JsonLines() if arguments.json else LiveTable(console, title) if is_live else Lines()
        options = StreamOptions(arguments.tables, arguments.ladder, arguments.slow, arguments.accept)
        connection = Connection(
            client, version["id"], program, options, logs, display, stop_after=arguments.stop_after
        )
        status = _run(connection, display)
    if arguments.json:
        print_json({"type": "end", "log": str(logs.path), **display.totals.as_json()}, indent=None)
    else:
        print_note(f"{display.totals.text()}; logs of all decisions are in {logs.path}")
    return status


def _run(connection: Connection, display: Lines) -> int:
    """Play until the end, or until the second Ctrl-C."""
    with _terminated_like_interrupted():
        try:
            connection.start()
            try:
                display.wait(connection)
            except KeyboardInterrupt:
                print_note("finishing the running tables; Ctrl-C again leaves them")
                connection.finish()
                display.wait(connection)
        except KeyboardInterrupt:
            if count := connection.unfinished:
                print_note(f"left {count_text(count, 'table')} unfinished: {LEFT_TEXT}")
            return INTERRUPTED
        finally:
            connection.close()
    return DONE


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Within the block, SIGTERM acts like Ctrl-C, as service managers send it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _preset(arguments: argparse.Namespace, program: BotProgram) -> str:
    """Return the preset of the ladder, else the bot's. Raise ``InvalidInput`` if they contradict."""
    own = program.game
    if arguments.ladder:
        game = game_of(arguments.ladder)
        if own is not None and own is not game:
            raise InvalidInput(
                f"--ladder {arguments.ladder}: this is a preset of {game.key}, but the bot in "
                f"{arguments.folder} is for {program.preset}; presets of its game: {', '.join(own.presets)}"
            )
        return str(arguments.ladder)
    if not program.preset:
        raise InvalidInput(
            f'{arguments.folder} names no preset: add --ladder PRESET, or preset = "kakeya4" to its manifest'
        )
    return program.preset


def _handle(client: Client) -> str:
    """Return the name of the account. Raise ``InvalidInput`` if its token may not connect bots."""
    try:
        me = client.me()
        has_scope = SCOPE in me["scopes"]
    except Refused as refusal:
        if refusal.code != SCOPE_MISSING:
            raise
        has_scope = False
    if not has_scope:
        raise InvalidInput(
            f"the token for {client.url} needs the scopes 'read' and {SCOPE!r}: create one with them "
            f"at {client.url}/me/tokens, then run rensho login {client.url}"
        )
    return str(me["handle"] or "")


def _registered(
    client: Client, handle: str, name: str, game: str, label: str | None
) -> tuple[RemoteBot, RemoteVersion]:
    """Return the bot and the version to connect; missing ones are registered."""
    try:
        own = list(client.remote_bots(owner=handle)) if handle else []
    except Refused as refusal:
        if refusal.http_status == 404:
            raise EnvironmentFailure(
                f"{client.url} has no remote bots: its release is older than this rensho"
            ) from None
        raise
    alike = [bot for bot in own if bot["name"].casefold() == name.casefold() and bot["retired_at"] is None]
    bot = alike[0] if alike else client.remote_bot_create({"name": name, "game": game})
    if bot["game"] != game:
        raise InvalidInput(
            f"your remote bot {bot['name']!r} plays {bot['game']}, not {game}: "
            "choose another name with --name"
        )
    latest = next(client.remote_versions(bot["id"]), None) if alike else None
    if latest is None or label is not None:
        latest = client.remote_version_create(bot["id"], {"label": label or ""})
    return bot, latest
