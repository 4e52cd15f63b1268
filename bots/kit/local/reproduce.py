"""``rensho reproduce FILE``: run a bot in the position of a fault."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from bots.kit.display.console import console_for, print_lines, print_result, styled_line
from bots.kit.display.fault_text import fault_line, fault_location, fault_message
from bots.kit.display.formatting import count_text
from bots.kit.errors import CHECK_FAILED, DONE, EnvironmentFailure, InvalidInput
from bots.kit.local.match_text import sandbox_text
from bots.kit.local.pool import prepare_runtimes
from bots.kit.local.sides import bundles_of
from bots.kit.replay.position import position_pages
from bots.kit.replay.scene_renderer import SceneRenderer
from bots.kit.subcommands import Commands, add_command, add_no_color, add_no_sandbox
from engine import Rules
from referee.bundle import MANIFEST, Bundle
from referee.contract import SeatOrder, Verdict
from referee.cores import reserved_core
from referee.driver import Driver
from referee.errors import FaultFileInvalid, PlatformFault, SandboxUnavailable
from referee.execute import plain_driver, sandboxed_driver
from referee.fault_file import FILE_BYTES
from referee.reproduce import (
    Deviation,
    FaultFile,
    Reproduction,
    read_fault_file,
    reproduce,
    reproduction_order,
)
from referee.staging import staged_bundle

EPILOG = """\
The bot starts as at the table and gets all requests of its seat, in order, with the same cards, clock and
ids. The last one is the request of the fault, byte for byte. Until then, the recorded actions are played,
even if the bot now answers differently. A position file has no fault: its last request is a decision of the
bot, such as a play that cost stones.

From a log of rensho connect, the bot gets all messages of its table again, without a sandbox.

Exit status: 0 the bot now answers legally; 1 it fails again, with the same fault or another one; 2 the file
or the bot cannot be used; 3 no sandbox on this machine."""
HASH_DIGITS = 12


def register(commands: Commands, action: Callable[[argparse.Namespace], int]) -> None:
    again = add_command(
        commands,
        "reproduce",
        "run a bot in the exact position of a fault",
        action,
        epilog=EPILOG,
    )
    help_text = "a rensho-fault/1 file, from rensho play, check, pull or the site, or a log of rensho connect"
    again.add_argument("file", type=Path, help=help_text)
    help_text = "a folder with rensho.toml, an archive of one, or a .py file (the current folder)"
    again.add_argument("bot", nargs="?", metavar="BOT", help=help_text)
    help_text = "print only the request, without starting a bot"
    again.add_argument("--request", action="store_true", help=help_text)
    add_no_sandbox(again)
    add_no_color(again)


def run(arguments: argparse.Namespace) -> int:
    file = fault_file_at(arguments.file)
    if arguments.request:
        print_lines(file.fault.request or file.hello)
        return DONE
    bundle = _bundle(arguments.bot, file)
    reproduction, level = reproduce_fault(file, bundle, is_sandboxed=not arguments.no_sandbox)

    def show() -> None:
        console = console_for(has_color=not arguments.no_color)
        for part in _report(console, file, bundle, reproduction, level):
            console.print(part, soft_wrap=isinstance(part, str | Text))

    print_result(arguments, _as_json(file, bundle, reproduction, level), show)
    return DONE if reproduction.verdict is Verdict.OK else CHECK_FAILED


def fault_file_at(path: Path) -> FaultFile:
    """Read a fault file. Raise ``InvalidInput`` if the file is missing or invalid."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from None
    try:
        return read_fault_file(data)
    except FaultFileInvalid as error:
        raise InvalidInput(f"{path}: {error}") from None


def reproduce_fault(
    file: FaultFile, bundle: Bundle, *, is_sandboxed: bool = True
) -> tuple[Reproduction, str]:
    """Run the bot in the position of the fault; also return the level of the sandbox.

    Raise ``EnvironmentFailure`` if there is no sandbox, or the bot fails to start without its own fault.
    """
    level = prepare_runtimes((bundle.manifest.runtime,), is_sandboxed=is_sandboxed)
    try:
        with reserved_core():
            return reproduce(file, _driver(file, bundle, is_sandboxed=is_sandboxed)), level
    except (PlatformFault, SandboxUnavailable) as error:
        raise EnvironmentFailure(f"a platform fault prevented the bot from starting: {error}") from None


def _driver(file: FaultFile, bundle: Bundle, *, is_sandboxed: bool) -> Driver:
    folder = staged_bundle(bundle.sha256, lambda _: bundle.data)
    seat = SeatOrder(file.seat, bundle.sha256, bundle.manifest.runtime, bundle.manifest.entry_point)
    make = sandboxed_driver if is_sandboxed else plain_driver
    return make(reproduction_order(file), seat, folder, file.cpu_limit_s)


def _bundle(argument: str | None, file: FaultFile) -> Bundle:
    if argument is None:
        if not Path(MANIFEST).is_file():
            raise InvalidInput(
                f"no {MANIFEST} in this folder: name a bot, as in rensho reproduce FILE BOT "
                f"(the bot that failed: {file.entry_point} on {file.runtime})"
            )
        argument = "."
    game, ruleset = file.rules
    (bundle,) = bundles_of(argument, 1, Rules(game, ruleset, "deal"))
    return bundle


def _report(
    console: Console, file: FaultFile, bundle: Bundle, reproduction: Reproduction, level: str
) -> Iterator[Any]:
    fault = file.fault
    yield styled_line((fault_line(fault), "bold"))
    labels = ", ".join(f"{name} {label}" for name, label in file.origin.items())
    if labels:
        yield f"  {labels}"
    yield ""
    yield from position_pages(file, SceneRenderer(console.encoding), console.width)
    yield f"request: {fault.request or file.hello}"
    yield f"answer:  {fault.answer or '(none)'}"
    if fault.action is not None:
        yield f"played:  {fault.action}, the fallback action"
    for line in fault.log_tail.splitlines():
        yield f"log:     {line}"
    yield ""
    yield from _current_lines(file, bundle, reproduction, level)


def _current_lines(
    file: FaultFile, bundle: Bundle, reproduction: Reproduction, level: str
) -> Iterator[str | Text]:
    manifest = bundle.manifest
    program = f"{manifest.entry_point} on {manifest.runtime}"
    yield f"Now {manifest.name} ({program}), {bundle_text(file, bundle)}; {sandbox_text(level)}."
    if reproduction.asked:
        yield _earlier_requests_text(reproduction)
    if reproduction.deviations:
        yield f"  First difference: {_deviation_text(reproduction.deviations[0])}."
    if reproduction.asked and not reproduction.is_clock_known:
        yield "  The file has no times of earlier answers, so the clock values sent to the bot are estimates."
    yield ""
    if reproduction.is_skipped:
        message = (
            f"The bot gets no request here: it declared skip_forced, and {reproduction.action} is the only "
            "legal action."
        )
        yield styled_line((message, "bold green"))
        return
    yield f"answer:  {reproduction.answer or '(none)'}"
    clock = file.fault.clock
    cpu = _times_text(reproduction.cpu_ms, reproduction.limit_cpu_ms, clock["used_cpu_ms"])
    wall = _times_text(reproduction.wall_ms, reproduction.limit_wall_ms, clock["used_wall_ms"])
    yield f"CPU:     {cpu}"
    yield f"clock:   {wall}"
    if reproduction.log_tail and reproduction.log_tail == file.fault.log_tail:
        yield "log:     unchanged"
    else:
        for line in reproduction.log_tail.splitlines():
            yield f"log:     {line}"
    yield styled_line(
        (
            conclusion_text(file, reproduction),
            "bold green" if reproduction.verdict is Verdict.OK else "bold red",
        )
    )


def bundle_text(file: FaultFile, bundle: Bundle) -> str:
    did = "played" if file.fault.verdict is Verdict.OK else "failed"
    if bundle.sha256 == file.bundle_sha256:
        return f"the bundle that {did}"
    before, current = file.bundle_sha256[:HASH_DIGITS], bundle.sha256[:HASH_DIGITS]
    return f"a different bundle ({did}: {before}, now: {current})"


def conclusion_text(file: FaultFile, reproduction: Reproduction) -> str:
    original = file.fault
    if reproduction.verdict is Verdict.OK and original.verdict is Verdict.OK:
        played = json.loads(original.answer or "{}").get("action")
        is_same = reproduction.action == played
        return f"It answers {reproduction.action}{', as recorded' if is_same else f'; recorded: {played}'}."
    if reproduction.verdict is Verdict.OK:
        return f"Fixed: it answers {reproduction.action}." if reproduction.action else "Fixed: it starts."
    now = dataclasses.replace(
        original, verdict=reproduction.verdict, reason=reproduction.reason, log_tail=reproduction.log_tail
    )
    why = fault_message(now)
    if reproduction.is_same:
        return f"Reproduced: {reproduction.verdict} again: {why}"
    if not reproduction.is_reached:
        where = (
            f"at an earlier decision (board {reproduction.board}, decision {reproduction.decision})"
            if reproduction.decision
            else "at the start"
        )
        return f"Different fault: {reproduction.verdict} {where}: {why}"
    if reproduction.verdict is original.verdict:
        return f"Same verdict ({reproduction.verdict}), different reason: {why}"
    return f"Different fault: {reproduction.verdict} instead of {original.verdict}: {why}"


def _times_text(used_ms: float, limit_ms: float, then_ms: float) -> str:
    return f"{used_ms:.2f} ms of {limit_ms:.0f}; before: {then_ms:.2f} ms"


def _earlier_requests_text(reproduction: Reproduction) -> str:
    text = f"It answered {count_text(reproduction.asked, 'earlier request')}"
    if not reproduction.deviations:
        return f"{text} as before."
    return f"{text}, {len(reproduction.deviations)} differently; the recorded actions were played."


def _deviation_text(deviation: Deviation) -> str:
    now = deviation.verdict.value if deviation.answered is None else deviation.answered
    by = f", the referee's action after {deviation.played_for}" if deviation.played_for else ""
    decision = f"board {deviation.board}, decision {deviation.decision}"
    return f"{decision}: {now} instead of {deviation.played}{by}"


def _as_json(file: FaultFile, bundle: Bundle, reproduction: Reproduction, level: str) -> dict[str, Any]:
    return {
        "origin": dict(file.origin),
        "seat": file.seat,
        "preset": file.preset,
        "fault": dataclasses.asdict(file.fault),
        "fault_place": fault_location(file.fault),
        "bot": {
            "name": bundle.manifest.name,
            "sha256": bundle.sha256,
            "is_same_bundle": bundle.sha256 == file.bundle_sha256,
        },
        "sandbox_level": level,
        "now": {
            **dataclasses.asdict(reproduction),
            "deviations": [deviation._asdict() for deviation in reproduction.deviations],
            "conclusion": conclusion_text(file, reproduction),
        },
    }
