"""``rensho submit PATH``: upload a bot, follow its check to the end, perhaps enter it somewhere."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from bots.kit.client import Client
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import Check, Game, Tournament, Version
from bots.kit.display.console import console_for, print_result
from bots.kit.display.fault_text import fault_from_json, fault_lines
from bots.kit.errors import CHECK_FAILED, DONE, CheckFailed, EnvironmentFailure, InvalidInput
from bots.kit.server.account import connect
from bots.kit.server.arguments import tournament_id
from bots.kit.server.entering import EnterResult, require_registration, version_enter
from bots.kit.server.version_lookup import latest_version, own_bots
from bots.kit.subcommands import Commands, add_bot_path, add_command
from engine.games import family_of
from referee.bundle import Bundle, bundle_files, import_path, zip_files
from referee.errors import BundleError

FAULTS_PRINTED = 3
POLL_S = 0.5
CHECK_TIMEOUT_S = 900.0
"""Longest wait for a check: the server's own bound of 10 minutes and a queue."""
FIRST_REMINDER_S = 20.0
"""After waiting so long we say what we wait for."""
UNKNOWN_GAME = "unknown_game"
CHECKING_STATES = ("uploaded", "checking")
WAITING_TEXTS = {
    "waiting": "no worker has begun the check yet; it stays in the queue",
    "running": "a worker is checking it",
}


class SubmitResult(NamedTuple):
    """What came of a submission, as the server tells it."""

    version: Version
    check: Check | None
    entered: EnterResult | None


def register(commands: Commands) -> None:
    """Add ``rensho submit``."""
    submit = add_command(
        commands,
        "submit",
        "upload a bot and follow its check",
        _submit,
        description="Upload a bot as a new version and follow its check; a bot of a new name is created.",
    )
    add_bot_path(submit)
    submit.add_argument("--bot", metavar="NAME", help="name of the bot (the one in rensho.toml)")
    game_help = "the game it plays, such as kakeya (Etori too); needed for a new bot only"
    submit.add_argument("--game", metavar="GAME", help=game_help)
    submit.add_argument("--private", action="store_true", help="make a new bot visible only to you")
    submit.add_argument("--notes", default="", help="what is new, for yourself")
    submit.add_argument("--activate", action="store_true", help="make it the bot's active version")
    help_text = "enter it there while registration is open, in place of an earlier version of this bot"
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
        bot_id, newest = _find_or_create_bot(
            client, name, arguments.game, event, console, is_private=arguments.private
        )
        version = client.version_upload(
            bot_id, "bot.zip", zip_files(bundle_files(bundle.data)), arguments.notes
        )
        is_new = newest is None or version["number"] > newest["number"]
        said = "Uploaded" if is_new else "No new version: exactly these files are those of"
        console.print(f"{said} {name}, version {version['number']} ({version['id']}).")
        done = submission_follow(client, version, arguments.path, console)
        if done.version["state"] == "ready":
            if arguments.activate:
                done = done._replace(version=client.version_activate(version["id"]))
                console.print(f"Version {version['number']} is the active one.")
            else:
                _print_active(client, bot_id, done.version, console)
            if event is not None:
                done = done._replace(entered=version_enter(client, event["id"], done.version))
                _print_entered(event, done, console)
    entry, replaced = done.entered or (None, None)
    fields = {
        "version": done.version,
        "check": done.check,
        "entry": entry,
        "replaced_entry": replaced["id"] if replaced else None,
    }
    print_result(arguments, fields, lambda: None)
    return DONE if done.version["state"] == "ready" else CHECK_FAILED


def _print_entered(event: Tournament, done: SubmitResult, console: Console) -> None:
    """Say what is entered, what made way for it, and what the organiser has to set again."""
    if done.entered is None:
        return
    entry, replaced = done.entered
    instead = f", in place of version {replaced['version']['number']}" if replaced else ""
    console.print(f"Entered version {done.version['number']} in {event['name']}{instead}.")
    if replaced and replaced["seed"] != entry["seed"]:
        console.print(
            f"Its seed {replaced['seed']} is gone: {event['organiser']}, who organises, can set it again."
        )


def _print_active(client: Client, bot_id: str, version: Version, console: Console) -> None:
    """Say which version plays where the bot is named: the first ready one stays until another is chosen."""
    active_id = client.bot(bot_id)["active_version"]
    if active_id in (None, version["id"]):
        return
    number = client.version(active_id)["number"]
    console.print(
        f"Version {number} stays the active one, which plays where the bot is named. To change that: "
        f"rensho api POST versions/{version['id']}/activate, or submit with --activate."
    )


def _bundle(path: Path) -> Bundle:
    """The bot as it will be uploaded: what the server would refuse for sure is not even sent.

    Raises:
        InvalidInput: there is nothing that can be read.
        CheckFailed: it is no bot.
    """
    try:
        return import_path(path)
    except BundleError as error:
        if error.is_unreadable:
            raise InvalidInput(str(error)) from None
        raise CheckFailed(f"{path} cannot be uploaded ({error.code}): {error.message}") from None


def _find_or_create_bot(
    client: Client,
    name: str,
    game: str | None,
    event: Tournament | None,
    console: Console,
    *,
    is_private: bool,
) -> tuple[str, Version | None]:
    """The id of one's bot of this name, which is made at need, and its latest version.

    Raises:
        InvalidInput: it is new and nothing says which game it plays; or it plays another.
    """
    bot = next(iter(own_bots(client, name)), None)
    wanted = game or (event["game"] if event else None)
    if bot is not None:
        if wanted and bot["game"] != wanted:
            raise InvalidInput(
                f"your bot {name!r} plays {bot['game']}, not {wanted}: name the new one otherwise with --bot"
            )
        version = latest_version(client, bot["id"])
        if version is not None and version["state"] == "suspended":
            why = version["suspended_reason"] or "see its page"
            console.print(f"Version {version['number']} is suspended: {why}")
        return bot["id"], version
    wanted = wanted or _only_game(client, name)
    try:
        made = client.bot_create(
            {"name": name, "game": wanted, "visibility": "private" if is_private else "public"}
        )
    except Refused as refusal:
        if refusal.code == UNKNOWN_GAME:
            _suggest_game(client, wanted)
        raise
    console.print(f"Created your bot {name} for {wanted}.")
    return made["id"], None


def _only_game(client: Client, name: str) -> str:
    """The game of a new bot, where the server has one alone.

    Raises:
        InvalidInput: it has several.
    """
    games = client.games()
    if len(games) == 1:
        return games[0]["key"]
    options = " or ".join(map(_game_option, games))
    raise InvalidInput(f"you have no bot {name!r} yet: say what it plays with {options}")


def _suggest_game(client: Client, wanted: str) -> None:
    """Raises InvalidInput if what is named as a game is a family or a preset of one."""
    for offered in client.games():
        if wanted in (*_families(offered), *offered["presets"]):
            raise InvalidInput(f"{wanted} is of the game {offered['key']}: take --game {offered['key']}")


def _game_option(offered: Game) -> str:
    """``--game kakeya (kakeya and etori)``: what belongs to a game is named where it has another name."""
    families = _families(offered)
    names = "" if families == [offered["key"]] else f" ({' and '.join(families)})"
    return f"--game {offered['key']}{names}"


def _families(offered: Game) -> list[str]:
    """The presets of a game without seats and variants: ``kakeya`` and ``etori``."""
    return [*dict.fromkeys(map(family_of, offered["presets"]))]


def submission_follow(
    client: Client, version: Version, path: Path, console: Console, patience_s: float = CHECK_TIMEOUT_S
) -> SubmitResult:
    """Wait for the end of a version's check, telling each step once; ``path`` is where the bot is at home.

    Raises:
        EnvironmentFailure: the server could not check it, or takes too long; the text says what to do.
    """
    steps_printed, waiting_for = 0, ""
    check: Check | None = None
    with console.status("Checking ..."):
        for current, check in _poll_check(client, version, patience_s, console):
            version = current
            steps = check["steps"] if check else []
            for step in steps[steps_printed:]:
                mark = "ok  " if step["ok"] else "FAIL"
                console.print(f"{mark}  {step['name']}: {step['detail']}")
            steps_printed = len(steps)
            waits_for = check["waiting_reason"] if check else ""
            if waits_for != waiting_for:
                console.print(f"Waiting: {waits_for}" if waits_for else "Waiting no longer.")
                waiting_for = waits_for
    if version["state"] == "rejected":
        groups = client.faults(version["id"])
        for group in groups[:FAULTS_PRINTED]:
            for line in fault_lines(fault_from_json(group["sample"])):
                console.print(line)
        if groups:
            pull = shlex.join(["rensho", "pull", "--bot", version["bot_name"]])
            reproduce = shlex.join(["rensho", "reproduce", "FILE", str(path)])
            console.print(f"To try it at home: {pull}, then {reproduce} with a file of pulled/faults")
    for reason in version["reasons"] or []:
        console.print(f"rejected ({reason['code']}): {reason['message']}")
    if version["state"] == "ready":
        console.print("The bot may play.")
    return SubmitResult(version, check, None)


def _poll_check(
    client: Client, version: Version, patience_s: float, console: Console
) -> Iterator[tuple[Version, Check | None]]:
    """The version and its check, looked at again and again until the check is over."""
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
                f"{client.url} could not check the version, which is not the bot's fault: {check['reason']} "
                f"The server tries again by itself; look at /api/v1/{path}/check"
            )
        now = time.monotonic()
        if now - began > patience_s:
            why = check["waiting_reason"] or WAITING_TEXTS.get(check["state"], check["state"])
            raise EnvironmentFailure(
                f"the check has not ended within {patience_s / 60:.0f} minutes ({why}): "
                f"look later at /api/v1/{path}/check"
            )
        if now > remark_at and not check["waiting_reason"]:
            console.print(f"Still waiting: {WAITING_TEXTS.get(check['state'], check['state'])}.")
            remark_at = now + 2 * (now - began)
        time.sleep(POLL_S)
