"""``rensho faults [BOT]``: what went wrong with one's bots on the server, and the files to try it again."""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from rich.console import Console

from bots.kit.client import Client
from bots.kit.client.errors import Refused
from bots.kit.client.shapes import FaultGroup, FaultGroupDetail, Version
from bots.kit.errors import DONE, InputUnusable
from bots.kit.faults import fault_lines, save_fault
from bots.kit.register import Commands
from bots.kit.result_text import output_console
from bots.kit.server.account import connected
from bots.kit.server.naming import latest, own_bots, version_named
from referee.contract import Fault, Verdict
from referee.faults import last_words

HEAD = ("count", "verdict", "phase", "last seen", "fingerprint", "said last")
FEWEST_CHARACTERS = 30
"""Of what it said last are shown, however narrow the screen."""
SHORT = 8
"""Digits of a fingerprint that are shown, and enough to name it."""
_UNSAFE = re.compile(r"[^\w.-]+")


class Found(NamedTuple):
    """One version with its faults, alike ones together."""

    version: Version
    groups: Sequence[FaultGroup | FaultGroupDetail]


def register(commands: Commands) -> None:
    """Add ``rensho faults``."""
    faults = commands.add_parser(
        "faults",
        help="show what went wrong with your bots on the server",
        description="Show the faults of your bots since their last upload, alike ones together. Those of a "
        "round appear once it is closed.",
    )
    faults.add_argument(
        "bot",
        metavar="BOT",
        nargs="?",
        help="name of a bot, id of a bot or a version, or the address of its page (all your bots)",
    )
    faults.add_argument("--show", metavar="FINGERPRINT", help="one of them with everything that is known")
    faults.add_argument(
        "--save", type=Path, metavar="FOLDER", help="save a file of each there, for rensho reproduce"
    )
    faults.add_argument("--json", action="store_true", help="print what the server says as JSON")
    faults.set_defaults(command=_faults)


def _faults(arguments: argparse.Namespace) -> int:
    console = output_console()
    with connected(needs_account=True) as client:
        found = versions_found(client, arguments.bot)
        if arguments.show is not None:
            found = [_shown(client, found, arguments.show)]
        saved = list(_saved(client, found, arguments.save)) if arguments.save is not None else []
    if arguments.json:
        print(json.dumps(_as_json(found, saved), indent=2))
        return DONE
    if arguments.show is not None:
        (one,) = found
        _print_group(console, one.version, one.groups[0])
    else:
        _print_all(console, found, arguments)
    for path, refusal in saved:
        told = refusal or f"Saved: rensho reproduce {path}"
        console.print(told, soft_wrap=True)
    return DONE


def versions_found(client: Client, named: str | None) -> list[Found]:
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


def _with_faults(client: Client, version: Version) -> Found:
    return Found(version, client.faults(version["id"]))


def _shown(client: Client, found: Sequence[Found], fingerprint: str) -> Found:
    """The one group meant, with what only its own address tells.

    Raises:
        InputUnusable: there is none, or several begin so.
    """
    fits = [
        (one.version, group)
        for one in found
        for group in one.groups
        if group["fingerprint"].startswith(fingerprint)
    ]
    if len(fits) != 1:
        told = (
            "several faults have fingerprints that begin"
            if fits
            else "no fault has a fingerprint that begins"
        )
        raise InputUnusable(f"{told} with {fingerprint!r}: take one from the list of rensho faults")
    version, group = fits[0]
    return Found(version, [client.fault(version["id"], group["fingerprint"])])


def _saved(client: Client, found: Sequence[Found], folder: Path) -> Iterator[tuple[Path | None, str]]:
    """Save the file of each group; gives its path, or why there is none."""
    for one in found:
        for group in one.groups:
            try:
                data = client.fault_file(one.version["id"], group["fingerprint"])
            except Refused as refusal:
                if refusal.http_status != 404:
                    raise
                yield None, f"No file of {group['fingerprint']}: {refusal}"
                continue
            yield save_fault(folder, file_name(one.version, group), data), ""


def file_name(version: Version, group: FaultGroup | FaultGroupDetail) -> str:
    """What the file of a group is called: ``kita-v3.fault-8d1c3e5f0a7b9c24.json``."""
    bot = _UNSAFE.sub("_", version["bot_name"]).strip(".") or "bot"
    return f"{bot}-v{version['number']}.fault-{group['fingerprint']}.json"


def _print_all(console: Console, found: Sequence[Found], arguments: argparse.Namespace) -> None:
    for at, one in enumerate(found):
        if at:
            console.print()
        _print_version(console, one)
    if any(one.groups for one in found) and arguments.save is None:
        named = f" {arguments.bot}" if arguments.bot else ""
        console.print()
        console.print(f"All of one:          rensho faults{named} --show FINGERPRINT", soft_wrap=True)
        console.print(f"To try them at home: rensho faults{named} --save FOLDER", soft_wrap=True)


def _print_version(console: Console, one: Found) -> None:
    version, groups = one
    head = f"{version['bot_name']}, version {version['number']} ({version['state']})"
    count = sum(group["count"] for group in groups)
    kinds = f"{len(groups)} kind{'' if len(groups) == 1 else 's'}"
    told = f"{count} fault{'' if count == 1 else 's'} of {kinds}" if count else "no faults"
    console.print(f"{head}: {told}", style="bold", soft_wrap=True)
    for line in state_lines(version):
        console.print(f"  {line}", soft_wrap=True)
    if groups:
        rows = [
            [
                str(group["count"]),
                group["verdict"],
                group["phase"],
                _minute(group["last_seen_at"]),
                group["fingerprint"][:SHORT],
                _last_words(group),
            ]
            for group in groups
        ]
        console.print("\n".join(_aligned([HEAD, *rows], console.width)), soft_wrap=True)


def _aligned(rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Rows as lines of a table; where the screen is narrow the last column is cut, and nothing else."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    room = max(width - sum(widths) - 2 * len(widths) - 2, FEWEST_CHARACTERS)
    for number, *others, last in rows:
        cells = [
            number.rjust(widths[0]),
            *(cell.ljust(w) for cell, w in zip(others, widths[1:], strict=True)),
        ]
        words = last if len(last) <= room else last[: room - 3] + "..."
        yield "  " + "  ".join([*cells, words])


def state_lines(version: Version) -> Iterator[str]:
    """What keeps a version from entering, and what ends that; nothing if nothing does."""
    if version["state"] == "suspended":
        yield f"Suspended: {version.get('suspended_reason') or 'see its page'}"
    if version.get("waiting_reason"):
        yield f"Waiting: {version['waiting_reason']}"


def _last_words(group: FaultGroup | FaultGroupDetail) -> str:
    """The last line of its log, or else what is wrong."""
    sample = group["sample"]
    return last_words(str(sample.get("log_tail") or "")) or str(sample.get("reason") or "")


def _print_group(console: Console, version: Version, group: FaultGroup | FaultGroupDetail) -> None:
    """Everything that is known of one group."""
    times = "once" if group["count"] == 1 else f"{group['count']} times"
    first, last = _minute(group["first_seen_at"]), _minute(group["last_seen_at"])
    when = f"at {last}" if first == last else f"from {first} to {last}"
    bot = f"{version['bot_name']}, version {version['number']}"
    console.print(
        f"{bot}: {times} {when}; the last in seat {group['seat']} {_where(group)}",
        style="bold",
        soft_wrap=True,
    )
    sample = group["sample"]
    for line in fault_lines(fault_of(sample)):
        console.print(line, soft_wrap=True)
    if sample.get("action"):
        console.print(f"  played:  {sample['action']}, in its place", soft_wrap=True)
    clock = sample["clock"]
    console.print(
        f"  CPU:     {clock['used_cpu_ms']:.1f} ms of {clock['limit_cpu_ms']:.0f}; on the clock "
        f"{clock['used_wall_ms']:.0f} ms of {clock['limit_wall_ms']:.0f}",
        soft_wrap=True,
    )
    trace = cast(FaultGroupDetail, group).get("clock_trace") or []
    if len(trace) > 1:
        told = ", ".join(f"{one['cpu_ms']:.1f}" for one in trace)
        console.print(f"  CPU of its last decisions, in ms: {told}", soft_wrap=True)
    for name, url in (group.get("links") or {}).items():
        if url and name in ("page", "board", "record"):
            console.print(f"  {f'{name}:':<8} {url}", soft_wrap=True)


def _where(group: FaultGroup | FaultGroupDetail) -> str:
    return f"of table {group['table']}" if group.get("table") else "of the check's trial table"


def fault_of(sample: Mapping[str, Any]) -> Fault:
    """A fault as the server tells it; what a newer server says besides is left out."""
    known = {field.name: sample.get(field.name) for field in dataclasses.fields(Fault)}
    return Fault(**{**known, "verdict": Verdict(sample["verdict"])})  # type: ignore[arg-type]


def _minute(moment: str) -> str:
    """A time as the server writes it, to the minute, in UTC."""
    return moment[:16].replace("T", " ")


def _as_json(found: Sequence[Found], saved: Sequence[tuple[Path | None, str]]) -> dict[str, Any]:
    return {
        "versions": [{"version": one.version, "faults": one.groups} for one in found],
        "saved": [str(path) for path, _ in saved if path is not None],
    }
