"""``rensho submit PATH``: upload a bot, follow its check to the end, perhaps enter it somewhere."""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from bots.kit.client import Client
from bots.kit.client.address import public_id
from bots.kit.client.shapes import Check, Entry, Tournament, Version
from bots.kit.errors import DONE, FOUND_WRONG, FoundWrong, InputUnusable, MachineUnable
from bots.kit.register import Commands
from bots.kit.server.account import connected
from referee.bundle import Bundle, import_path
from referee.errors import BundleError

SHOWN_FAULTS = 3
POLL_S = 0.5
PATIENCE_S = 900.0
"""Longest wait for a check: the server's own bound of 10 minutes and a queue."""
REMARK_S = 20.0
"""After waiting so long we say what we wait for."""
UNDER_WAY = ("uploaded", "checking")
ENTERED = "entered"
WAITING = {
    "waiting": "no worker has begun the check yet; it stays in the queue",
    "running": "a worker is checking it",
}


class Submitted(NamedTuple):
    """What came of a submission, as the server tells it."""

    version: Version
    check: Check | None
    entry: Entry | None
    replaced: EntryRef | None


class EntryRef(NamedTuple):
    """An entry that made way for this one."""

    id: str
    number: int


def register(commands: Commands) -> None:
    """Add ``rensho submit``."""
    submit = commands.add_parser(
        "submit",
        help="upload a bot and follow its check",
        description="Upload a bot as a new version and follow its check; a bot of a new name is created.",
    )
    submit.add_argument("path", type=Path, help="a folder with rensho.toml, an archive of one, or a .py file")
    submit.add_argument("--bot", metavar="NAME", help="name of the bot (the one in rensho.toml)")
    submit.add_argument("--game", metavar="GAME", help="the game it plays; needed for a new bot only")
    submit.add_argument("--private", action="store_true", help="make a new bot visible to you alone")
    submit.add_argument("--notes", default="", help="what is new, for yourself")
    submit.add_argument("--activate", action="store_true", help="make it the bot's active version")
    submit.add_argument(
        "--enter", metavar="TOURNAMENT", help="enter it there, in place of an earlier version of this bot"
    )
    submit.add_argument("--json", action="store_true", help="print what came of it as JSON")
    submit.set_defaults(command=_submit)


def _submit(arguments: argparse.Namespace) -> int:
    bundle = _bundle(arguments.path)
    event_id = public_id(arguments.enter, "tournament") if arguments.enter else None
    console = Console(quiet=arguments.json, highlight=False, markup=False, soft_wrap=True)
    with connected(needs_account=True) as client:
        event = client.tournament(event_id) if event_id else None
        name = arguments.bot or bundle.manifest.name
        bot_id = _bot(client, name, arguments.game, event, is_private=arguments.private, say=console.print)
        version = client.version_upload(
            bot_id, "bundle.tar.gz", gzip.compress(bundle.data, mtime=0), arguments.notes
        )
        console.print(f"Uploaded {name}, version {version['number']} ({version['id']}).")
        done = submission_follow(client, version, console)
        if done.version["state"] == "ready":
            if arguments.activate:
                done = done._replace(version=client.version_activate(version["id"]))
                console.print(f"Version {version['number']} is the active one.")
            if event is not None:
                done = _enter(client, event, done)
                _tell_entry(console, event, done)
    if arguments.json:
        print(json.dumps(_as_json(done), indent=2))
    return DONE if done.version["state"] == "ready" else FOUND_WRONG


def _bundle(path: Path) -> Bundle:
    """The bot as it will be uploaded: what the server would refuse for sure is not even sent.

    Raises:
        InputUnusable: there is nothing that can be read.
        FoundWrong: it is no bot.
    """
    try:
        return import_path(path)
    except BundleError as error:
        if error.is_unreadable:
            raise InputUnusable(str(error)) from None
        raise FoundWrong(f"{path} cannot be uploaded ({error.code}): {error.message}") from None


def _bot(
    client: Client,
    name: str,
    game: str | None,
    event: Tournament | None,
    *,
    is_private: bool,
    say: Callable[[str], None],
) -> str:
    """The id of one's bot of this name, which is made at need.

    Raises:
        InputUnusable: it is new and nothing says which game it plays; or it plays another.
    """
    handle = client.me()["handle"]
    own = client.bots(owner=handle, name=name) if handle else ()
    bot = next((one for one in own if one["name"] == name), None)
    wanted = game or (event["game"] if event else None)
    if bot is not None:
        if wanted and bot["game"] != wanted:
            raise InputUnusable(
                f"your bot {name!r} plays {bot['game']}, not {wanted}: name the new one otherwise with --bot"
            )
        for line in suspension_lines(client, bot["id"]):
            say(line)
        return bot["id"]
    if wanted is None:
        games = [one["key"] for one in client.games()]
        if len(games) != 1:
            raise InputUnusable(
                f"you have no bot {name!r} yet: say what it plays with --game {' or --game '.join(games)}"
            )
        wanted = games[0]
    made = client.bot_create(
        {"name": name, "game": wanted, "visibility": "private" if is_private else "public"}
    )
    say(f"Created your bot {name} for {wanted}.")
    return made["id"]


def suspension_lines(client: Client, bot_id: str) -> Iterator[str]:
    """A line if the latest version of a bot is suspended."""
    latest = max(client.versions(bot_id), key=lambda one: one["number"], default=None)
    if latest is not None and latest["state"] == "suspended":
        why = latest.get("suspended_reason") or "see its page"
        yield f"Version {latest['number']} is suspended: {why}"


def submission_follow(
    client: Client, version: Version, console: Console, patience_s: float = PATIENCE_S
) -> Submitted:
    """Wait for the end of a version's check, telling each step once.

    Raises:
        MachineUnable: the server could not check it, or takes too long; the text says what to do.
    """
    told, waiting_for = 0, ""
    check: Check | None = None
    with console.status("Checking ..."):
        for latest, check in _looks(client, version, patience_s, console):
            version = latest
            steps = check["steps"] if check else []
            for step in steps[told:]:
                mark = "ok  " if step["ok"] else "FAIL"
                console.print(f"{mark}  {step['name']}: {step['detail']}")
            told = len(steps)
            waits_for = check.get("waiting_reason", "") if check else ""
            if waits_for != waiting_for:
                console.print(f"Waiting: {waits_for}" if waits_for else "Waiting no longer.")
                waiting_for = waits_for
    if version["state"] == "rejected":
        for group in client.faults(version["id"])[:SHOWN_FAULTS]:
            for line in fault_lines(group["sample"]):
                console.print(line)
    for reason in version["reasons"] or []:
        console.print(f"rejected ({reason['code']}): {reason['message']}")
    if version["state"] == "ready":
        console.print("The bot may play.")
    return Submitted(version, check, None, None)


def fault_lines(fault: Mapping[str, Any]) -> Iterator[str]:
    """A fault of the trial table with what caused it, as the server tells it."""
    yield f"{fault.get('verdict')} in phase {fault.get('phase')}"
    yield f"  request: {fault.get('request') or '(hello)'}"
    yield f"  answer:  {fault.get('answer') or '(none)'}"
    for line in str(fault.get("log_tail") or "").splitlines():
        yield f"  log:     {line}"


def _looks(
    client: Client, version: Version, patience_s: float, console: Console
) -> Iterator[tuple[Version, Check | None]]:
    """The version and its check, looked at again and again until the check is over."""
    path = f"versions/{version['id']}"
    began = time.monotonic()
    remark_at = began + REMARK_S
    while True:
        check = client.check(version["id"])
        version = client.version(version["id"])
        if version["state"] not in UNDER_WAY:
            # Looked at before the version: the check's last steps may be newer.
            yield version, client.check(version["id"]) if check["state"] != "done" else check
            return
        yield version, check
        if check["state"] == "failed":
            raise MachineUnable(
                f"{client.url} could not check the version, which is not the bot's fault: {check['reason']} "
                f"The server tries again by itself; look at /api/v1/{path}/check"
            )
        now = time.monotonic()
        if now - began > patience_s:
            why = check.get("waiting_reason") or WAITING.get(check["state"], check["state"])
            raise MachineUnable(
                f"the check has not ended within {patience_s / 60:.0f} minutes ({why}): "
                f"look later at /api/v1/{path}/check"
            )
        if now > remark_at and not check.get("waiting_reason"):
            console.print(f"Still waiting: {WAITING.get(check['state'], check['state'])}.")
            remark_at = now + 2 * (now - began)
        time.sleep(POLL_S)


def _enter(client: Client, event: Tournament, done: Submitted) -> Submitted:
    """Enter the version; an earlier one of the same bot makes way for it."""
    replaced = None
    for row in client.entries(event["id"], player=client.me()["handle"] or "", status=[ENTERED]):
        entered = row["version"]
        if entered["bot"] == done.version["bot_name"] and row["partner_version"] is None:
            client.entry_withdraw(event["id"], row["id"])
            replaced = EntryRef(row["id"], entered["number"])
            break
    entry = client.entry_create(event["id"], {"version": done.version["id"]})
    return done._replace(entry=entry, replaced=replaced)


def _tell_entry(console: Console, event: Tournament, done: Submitted) -> None:
    instead = f", in place of version {done.replaced.number}" if done.replaced else ""
    console.print(f"Entered version {done.version['number']} in {event['name']}{instead}.")


def _as_json(done: Submitted) -> dict[str, Any]:
    return {
        "version": done.version,
        "check": done.check,
        "entry": done.entry,
        "replaced_entry": done.replaced.id if done.replaced else None,
    }
