"""``rensho submit PATH``: upload a bot, follow its check, and enter it in a tournament."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from bots.kit.client import Client
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import Check, Game, Tournament, Version
from bots.kit.display.console import console_for, print_note, print_result
from bots.kit.display.fault_text import fault_from_json, fault_lines
from bots.kit.errors import CHECK_FAILED, DONE, CheckFailed, EnvironmentFailure, InvalidInput, KitError
from bots.kit.local.bot_presets import game_of
from bots.kit.server.account import connect
from bots.kit.server.arguments import tournament_id
from bots.kit.server.entering import EnterResult, NotEntered, require_registration, version_enter
from bots.kit.server.version_lookup import latest_version, own_bots
from bots.kit.subcommands import Commands, add_bot_path, add_command
from engine.games import family_of
from referee.bundle import Bundle, bundle_files, import_path, zip_files
from referee.errors import BundleError

FAULTS_PRINTED = 3
POLL_S = 0.5
CHECK_TIMEOUT_S = 900.0
"""Maximum seconds to wait for a check: the server's limit of 10 minutes plus the queue."""
FIRST_REMINDER_S = 20.0
"""Seconds after which the first reminder of a pending check is printed."""
UNKNOWN_GAME = "unknown_game"
CHECKING_STATES = ("uploaded", "checking")
WAITING_TEXTS = {
    "waiting": "no worker has started the check yet; it stays in the queue",
    "running": "a worker is checking it",
}


class SubmitResult(NamedTuple):
    version: Version
    check: Check | None
    entered: EnterResult | None


def register(commands: Commands) -> None:
    submit = add_command(
        commands,
        "submit",
        "upload a bot and follow its check",
        _submit,
        description="Upload a bot as a new version and follow its check. A new name creates a new bot.",
    )
    add_bot_path(submit)
    submit.add_argument("--bot", metavar="NAME", help="name of the bot (the one in rensho.toml)")
    game_help = "its game, such as kakeya (includes Etori); only for a new bot"
    submit.add_argument("--game", metavar="GAME", help=game_help)
    submit.add_argument("--private", action="store_true", help="make a new bot visible only to you")
    submit.add_argument("--notes", default="", help="what is new; visible only to you")
    submit.add_argument("--activate", action="store_true", help="make it the bot's active version")
    help_text = "enter it in this tournament, in place of an earlier version of the bot"
    submit.add_argument("--enter", metavar="TOURNAMENT", type=tournament_id, help=help_text)


def _submit(arguments: argparse.Namespace) -> int:
    bundle = _bundle(arguments.path)
    console = console_for(is_quiet=arguments.json)
    console.soft_wrap = True
    with connect(needs_account=True) as client:
        event = client.tournament(arguments.enter) if arguments.enter else None
        if event is not None:
            require_registration(event)
        name = arguments.bot or bundle.manifest.name
        game = arguments.game or (event["game"] if event else _game_of(bundle.manifest.preset))
        if event is not None:
            _check_preset(name, bundle.manifest.preset, event)
        bot_id, newest = _find_or_create_bot(client, name, game, console, is_private=arguments.private)
        version = client.version_upload(
            bot_id, "bot.zip", zip_files(bundle_files(bundle.data)), arguments.notes
        )
        is_new = newest is None or version["number"] > newest["number"]
        result_text = "Uploaded" if is_new else "No new version: the files are identical to"
        console.print(f"{result_text} {name}, version {version['number']} ({version['id']}).")
        done = submission_follow(client, version, arguments.path, console)
        if done.version["state"] == "ready":
            if arguments.activate:
                done = done._replace(version=client.version_activate(version["id"]))
                console.print(f"Version {version['number']} is now active.")
            else:
                _print_active(client, bot_id, done.version, console)
            if event is not None:
                try:
                    done = done._replace(entered=version_enter(client, event["id"], done.version))
                except KitError as error:
                    print_result(arguments, _as_json(done, error), lambda: None)
                    raise
                _print_entered(event, done, console)
    print_result(arguments, _as_json(done), lambda: None)
    return DONE if done.version["state"] == "ready" else CHECK_FAILED


def _as_json(done: SubmitResult, error: KitError | None = None) -> dict[str, Any]:
    """Return the result for ``--json``; ``error`` is the reason why the version is not entered."""
    entry, replaced = done.entered or (None, None)
    entry_error = None
    if error is not None:
        code = error.reason if isinstance(error, NotEntered) else error.code
        entry_error = {"code": code, "message": str(error)}
    return {
        "version": done.version,
        "check": done.check,
        "entry": entry,
        "entry_error": entry_error,
        "replaced_entry": replaced["id"] if replaced else None,
    }


def _print_entered(event: Tournament, done: SubmitResult, console: Console) -> None:
    if done.entered is None:
        return
    entry, replaced = done.entered
    instead = f", in place of version {replaced['version']['number']}" if replaced else ""
    console.print(f"Entered version {done.version['number']} in {event['name']}{instead}.")
    if replaced and replaced["seed"] != entry["seed"]:
        console.print(
            f"Its seed {replaced['seed']} was removed: the organiser {event['organiser']} can set it again."
        )


def _print_active(client: Client, bot_id: str, version: Version, console: Console) -> None:
    active_id = client.bot(bot_id)["active_version"]
    if active_id in (None, version["id"]):
        return
    number = client.version(active_id)["number"]
    console.print(
        f"Version {number} remains active: it plays wherever the bot is named. To change this: "
        f"rensho api POST versions/{version['id']}/activate, or submit with --activate."
    )


def _bundle(path: Path) -> Bundle:
    """Return the bundle to upload. Bundles that the server would certainly reject are not sent.

    Raise ``InvalidInput`` if the path cannot be read, ``CheckFailed`` if it is not a valid bot.
    """
    try:
        return import_path(path)
    except BundleError as error:
        if error.is_unreadable:
            raise InvalidInput(str(error)) from None
        raise CheckFailed(f"{path} cannot be uploaded ({error.code}): {error.message}") from None


def _game_of(preset: str) -> str | None:
    """Return the game of the preset in a ``rensho.toml``, or raise ``InvalidInput`` if it is unknown."""
    return game_of(preset, "rensho.toml: ").key if preset else None


def _check_preset(name: str, preset: str, event: Tournament) -> None:
    """Print a note if a bot is for another preset; raise ``InvalidInput`` if it is for another game."""
    if preset and _game_of(preset) != event["game"]:
        raise InvalidInput(
            f"{name} is for {preset} (rensho.toml), but {event['name']} plays {event['preset']}, which "
            "belongs to another game: nothing was uploaded"
        )
    if preset and preset != event["preset"]:
        print_note(f"{name} is for {preset} (rensho.toml), but {event['name']} plays {event['preset']}")


def _find_or_create_bot(
    client: Client,
    name: str,
    game_key: str | None,
    console: Console,
    *,
    is_private: bool,
) -> tuple[str, Version | None]:
    """Return the id of the account's bot with this name, created if needed, and its latest version.

    Raise ``InvalidInput`` if the bot plays another game, or is new and its game is not specified.
    """
    bot = next(iter(own_bots(client, name)), None)
    if bot is not None:
        if game_key and bot["game"] != game_key:
            raise InvalidInput(
                f"your bot {name!r} plays {bot['game']}, not {game_key}: choose another name with --bot"
            )
        version = latest_version(client, bot["id"])
        if version is not None and version["state"] == "suspended":
            why = version["suspended_reason"] or "see its page"
            console.print(f"Version {version['number']} is suspended: {why}")
        return bot["id"], version
    game_key = game_key or _only_game(client, name)
    try:
        created = client.bot_create(
            {"name": name, "game": game_key, "visibility": "private" if is_private else "public"}
        )
    except Refused as refusal:
        if refusal.code == UNKNOWN_GAME:
            _suggest_game(client, game_key)
        raise
    console.print(f"Created your bot {name} for {game_key}.")
    return created["id"], None


def _only_game(client: Client, name: str) -> str:
    """Return the game of a new bot if the server has only one, else raise ``InvalidInput``."""
    games = client.games()
    if len(games) == 1:
        return games[0]["key"]
    options = " or ".join(map(_game_option, games))
    raise InvalidInput(f"you have no bot {name!r} yet: choose its game with {options}")


def _suggest_game(client: Client, game_key: str) -> None:
    """Raise InvalidInput with the right game if a family or a preset was given as a game."""
    for offered in client.games():
        if game_key in (*_families(offered), *offered["presets"]):
            raise InvalidInput(
                f"{game_key} belongs to the game {offered['key']}: use --game {offered['key']}"
            )


def _game_option(offered: Game) -> str:
    """Return the option of a game with its other names: ``--game kakeya (kakeya and etori)``."""
    families = _families(offered)
    names = "" if families == [offered["key"]] else f" ({' and '.join(families)})"
    return f"--game {offered['key']}{names}"


def _families(offered: Game) -> list[str]:
    """Return the presets of a game without seats and variants: ``kakeya`` and ``etori``."""
    return [*dict.fromkeys(map(family_of, offered["presets"]))]


def submission_follow(
    client: Client, version: Version, path: Path, console: Console, timeout_s: float = CHECK_TIMEOUT_S
) -> SubmitResult:
    """Wait for the end of a version's check and print each step once.

    ``EnvironmentFailure`` names the remedy if the server could not check the version, or takes too long.
    """
    steps_printed, waiting_for = 0, ""
    check: Check | None = None
    with console.status("Checking ..."):
        for current, check in _poll_check(client, version, timeout_s, console):
            version = current
            steps = check["steps"] if check else []
            for step in steps[steps_printed:]:
                mark = "ok  " if step["ok"] else "FAIL"
                console.print(f"{mark}  {step['name']}: {step['detail']}")
            steps_printed = len(steps)
            waits_for = check["waiting_reason"] if check else ""
            if waits_for != waiting_for:
                console.print(f"Waiting: {waits_for}" if waits_for else "No longer waiting.")
                waiting_for = waits_for
    if version["state"] == "rejected":
        groups = client.faults(version["id"])
        for group in groups[:FAULTS_PRINTED]:
            for line in fault_lines(fault_from_json(group["sample"])):
                console.print(line)
        if groups:
            pull = shlex.join(["rensho", "pull", "--bot", version["bot_name"]])
            reproduce = shlex.join(["rensho", "reproduce", "FILE", str(path)])
            console.print(f"To reproduce it: {pull}, then {reproduce} with a file of pulled/faults")
    for reason in version["reasons"] or []:
        console.print(f"rejected ({reason['code']}): {reason['message']}")
    if version["state"] == "ready":
        console.print("The bot may play.")
    return SubmitResult(version, check, None)


def _poll_check(
    client: Client, version: Version, timeout_s: float, console: Console
) -> Iterator[tuple[Version, Check | None]]:
    """Yield the version and its check until the check ends."""
    path = f"versions/{version['id']}"
    began = time.monotonic()
    remark_at = began + FIRST_REMINDER_S
    while True:
        check = client.check(version["id"])
        version = client.version(version["id"])
        if version["state"] not in CHECKING_STATES:
            # Looked at before the version: the check's last steps may be newer.
            yield version, client.check(version["id"]) if check["state"] != "done" else check
            return
        yield version, check
        if check["state"] == "failed":
            raise EnvironmentFailure(
                f"{client.url} could not check the version (not the bot's fault): {check['reason']} "
                f"The server retries automatically; see /api/v1/{path}/check"
            )
        now = time.monotonic()
        if now - began > timeout_s:
            why = check["waiting_reason"] or WAITING_TEXTS.get(check["state"], check["state"])
            raise EnvironmentFailure(
                f"the check did not end within {timeout_s / 60:.0f} minutes ({why}): "
                f"look later at /api/v1/{path}/check"
            )
        if now > remark_at and not check["waiting_reason"]:
            console.print(f"Still waiting: {WAITING_TEXTS.get(check['state'], check['state'])}.")
            remark_at = now + 2 * (now - began)
        time.sleep(POLL_S)
