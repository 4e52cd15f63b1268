"""``rensho faults [BOT]``: what went wrong with one's bots on the server, and the files to try it again."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from bots.kit.client import Client
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import FaultGroup, FaultGroupDetail, Version
from bots.kit.display.console import answer, console_for
from bots.kit.display.fault_groups import FaultyVersion, faults_print, group_print
from bots.kit.display.fault_text import save_fault
from bots.kit.errors import InputUnusable
from bots.kit.server.arguments import server_command
from bots.kit.server.naming import latest, own_bots, version_named
from bots.kit.subcommands import Commands
from engine.printable import file_name_part


def register(commands: Commands) -> None:
    """Add ``rensho faults``."""
    faults = server_command(
        commands,
        "faults",
        "show the faults of your bots on the server",
        _faults,
        description="Show the faults of your bots since their last upload, grouped by similarity. Those of "
        "a round appear once it is closed.",
    )
    help_text = "name of a bot, id of a bot or a version, or the address of its page (all your bots)"
    faults.add_argument("bot", metavar="BOT", nargs="?", help=help_text)
    faults.add_argument(
        "--show", metavar="FINGERPRINT", help="one fault with all details; the first digits are enough"
    )
    faults.add_argument(
        "--save", type=Path, metavar="FOLDER", help="save a file for each there, for rensho reproduce"
    )


def _faults(client: Client, arguments: argparse.Namespace) -> int:
    found = versions_found(client, arguments.bot)
    if arguments.show is not None:
        found = [_group_named(client, found, arguments.show)]
    saved = list(_saved(client, found, arguments.save)) if arguments.save is not None else []

    def show() -> None:
        console = console_for()
        for at, (version, groups) in enumerate(found):
            if arguments.show is not None:
                group_print(console, version, groups[0])
                continue
            if at:
                console.print()
            faults_print(console, found[at])
        if any(groups for _, groups in found) and arguments.save is arguments.show is None:
            named = f" {arguments.bot}" if arguments.bot else ""
            console.print()
            console.print(f"All of one:          rensho faults{named} --show FINGERPRINT", soft_wrap=True)
            console.print(f"To try them at home: rensho faults{named} --save FOLDER", soft_wrap=True)
        for path, refusal in saved:
            console.print(refusal or f"Saved: rensho reproduce {path}", soft_wrap=True)

    versions = [{"version": version, "faults": groups} for version, groups in found]
    files = [str(path) for path, _ in saved if path is not None]
    return answer(arguments, {"versions": versions, "saved": files}, show)


def versions_found(client: Client, named: str | None) -> list[FaultyVersion]:
    """The versions meant, each with its faults: of a bot its latest.

    Raises:
        InputUnusable: nothing is named so, or it is somebody else's.
    """
    if named is None:
        bots = own_bots(client)
        if not bots:
            raise InputUnusable(f"you have no bot on {client.url} yet: upload one with rensho submit")
        versions = (latest(client, bot["id"]) for bot in bots)
        return [_with_faults(client, version) for version in versions if version is not None]
    return [_with_faults(client, version_named(client, named, latest))]


def _with_faults(client: Client, version: Version) -> FaultyVersion:
    return FaultyVersion(version, client.faults(version["id"]))


def _group_named(client: Client, found: Sequence[FaultyVersion], fingerprint: str) -> FaultyVersion:
    """The one group meant, with what only its own address tells.

    Raises:
        InputUnusable: there is none, or several begin so.
    """
    fits = [
        (version, group)
        for version, groups in found
        for group in groups
        if group["fingerprint"].startswith(fingerprint)
    ]
    if len(fits) != 1:
        reason = (
            "several faults have fingerprints that begin"
            if fits
            else "no fault has a fingerprint that begins"
        )
        raise InputUnusable(f"{reason} with {fingerprint!r}: take one from the list of rensho faults")
    version, group = fits[0]
    return FaultyVersion(version, [client.fault(version["id"], group["fingerprint"])])


def _saved(client: Client, found: Sequence[FaultyVersion], folder: Path) -> Iterator[tuple[Path | None, str]]:
    """Save the file of each group; gives its path, or why there is none."""
    for version, groups in found:
        for group in groups:
            try:
                data = client.fault_file(version["id"], group["fingerprint"])
            except Refused as refusal:
                if refusal.http_status != 404:
                    raise
                yield None, f"No file of {group['fingerprint']}: {refusal}"
                continue
            yield save_fault(folder, file_name(version, group), data), ""


def file_name(version: Version, group: FaultGroup | FaultGroupDetail) -> str:
    """What the file of a group is called: ``kita-v3.fault-8d1c3e5f0a7b9c24.json``."""
    bot = file_name_part(version["bot_name"], "bot")
    return f"{bot}-v{version['number']}.fault-{file_name_part(group['fingerprint'], '')}.json"
