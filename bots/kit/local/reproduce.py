"""``rensho reproduce FILE``: a bot of this machine put into the very position of a fault."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator
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
The bot is started as at the table and gets every request of its seat, in order, with the same cards, clock
and ids; the last one is the request of the fault, byte for byte. Until then the recorded actions are played,
whatever the bot answers now.

Exit status: 0 the bot now answers legally; 1 it fails again, in the same way or another; 2 the file or the
bot cannot be used; 3 no sandbox on this machine."""
HASH_DIGITS = 12


def register(commands: Commands) -> None:
    """Add ``rensho reproduce``."""
    again = add_command(
        commands,
        "reproduce",
        "put a bot into exactly the position in which a bot failed",
        _reproduce,
        epilog=EPILOG,
    )
    again.add_argument("file", type=Path, help="a rensho-fault/1 file, from play, check or faults")
    help_text = "a folder with rensho.toml, an archive of one, or a .py file (the current folder)"
    again.add_argument("bot", nargs="?", metavar="BOT", help=help_text)
    help_text = "print only the request, without starting a bot"
    again.add_argument("--request", action="store_true", help=help_text)
    add_no_sandbox(again)
    add_no_color(again)


def _reproduce(arguments: argparse.Namespace) -> int:
    file = fault_file_at(arguments.file)
    if arguments.request:
        print_lines(file.fault.request or file.hello)
        return DONE
    bundle = _bundle(arguments.bot, file)
    found, level = reproduce_fault(file, bundle, is_sandboxed=not arguments.no_sandbox)

    def show() -> None:
        console = console_for(has_color=not arguments.no_color)
        for part in _report(console, file, bundle, found, level):
            console.print(part, soft_wrap=isinstance(part, str | Text))

    print_result(arguments, _as_json(file, bundle, found, level), show)
    return DONE if found.verdict is Verdict.OK else CHECK_FAILED


def fault_file_at(path: Path) -> FaultFile:
    """The fault file at a path.

    Raises:
        InvalidInput: there is none, or none that can be read.
    """
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

    Raises:
        EnvironmentFailure: there is no sandbox, or the bot could not be started for a reason that is not its
        fault.
    """
    level = prepare_runtimes((bundle.manifest.runtime,), is_sandboxed=is_sandboxed)
    try:
        with reserved_core():
            return reproduce(file, _driver(file, bundle, is_sandboxed=is_sandboxed)), level
    except (PlatformFault, SandboxUnavailable) as error:
        raise EnvironmentFailure(f"the bot could not be tried, and is not to blame: {error}") from None


def _driver(file: FaultFile, bundle: Bundle, *, is_sandboxed: bool) -> Driver:
    folder = staged_bundle(bundle.sha256, lambda _: bundle.data)
    seat = SeatOrder(file.seat, bundle.sha256, bundle.manifest.runtime, bundle.manifest.entry_point)
    make = sandboxed_driver if is_sandboxed else plain_driver
    return make(reproduction_order(file), seat, folder, file.cpu_limit_s)


def _bundle(argument: str | None, file: FaultFile) -> Bundle:
    if argument is None:
        if not Path(MANIFEST).is_file():
            raise InvalidInput(
                f"there is no {MANIFEST} in this folder: name the bot to try, "
                f"as in rensho reproduce FILE BOT ({file.entry_point} on {file.runtime} failed)"
            )
        argument = "."
    game, ruleset = file.rules
    (bundle,) = bundles_of(argument, 1, Rules(game, ruleset, "deal"))
    return bundle


def _report(
    console: Console, file: FaultFile, bundle: Bundle, found: Reproduction, level: str
) -> Iterator[Any]:
    """Everything: what happened, where, the exact request, and what the bot does now."""
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
        yield f"played:  {fault.action}, in its place"
    for line in fault.log_tail.splitlines():
        yield f"log:     {line}"
    yield ""
    yield from _current_lines(file, bundle, found, level)


def _current_lines(file: FaultFile, bundle: Bundle, found: Reproduction, level: str) -> Iterator[str | Text]:
    manifest = bundle.manifest
    program = f"{manifest.entry_point} on {manifest.runtime}"
    yield f"Now {manifest.name} ({program}), {bundle_text(file, bundle)}; {sandbox_text(level)}."
    if found.asked:
        yield _earlier_requests_text(found)
    if found.deviations:
        yield f"  The first: {_deviation_text(found.deviations[0])}."
    if found.asked and not found.is_clock_known:
        yield "  What earlier answers took is not in the file: the clock told with them is an estimate."
    yield ""
    if found.is_skipped:
        words = f"It is not asked here: it said skip_forced, and {found.action} is the only legal action."
        yield styled_line((words, "bold green"))
        return
    yield f"answer:  {found.answer or '(none)'}"
    yield f"CPU:     {_times_text(found.cpu_ms, found.limit_cpu_ms, file.fault.clock['used_cpu_ms'])}"
    yield f"clock:   {_times_text(found.wall_ms, found.limit_wall_ms, file.fault.clock['used_wall_ms'])}"
    if found.log_tail and found.log_tail == file.fault.log_tail:
        yield "log:     the same as then"
    else:
        for line in found.log_tail.splitlines():
            yield f"log:     {line}"
    yield styled_line(
        (conclusion_text(file, found), "bold green" if found.verdict is Verdict.OK else "bold red")
    )


def bundle_text(file: FaultFile, bundle: Bundle) -> str:
    """Whether it is the bot that failed, to the byte."""
    if bundle.sha256 == file.bundle_sha256:
        return "the very bundle that failed"
    then, now = file.bundle_sha256[:HASH_DIGITS], bundle.sha256[:HASH_DIGITS]
    return f"another bundle than the one that failed ({then} then, {now} now)"


def conclusion_text(file: FaultFile, found: Reproduction) -> str:
    """What came of it, in one sentence."""
    then = file.fault
    if found.verdict is Verdict.OK:
        return f"Mended here: it answers {found.action}." if found.action else "Mended here: it is ready."
    now = dataclasses.replace(then, verdict=found.verdict, reason=found.reason, log_tail=found.log_tail)
    why = fault_message(now)
    if found.is_same:
        return f"Reproduced: {found.verdict} again: {why}"
    if not found.is_reached:
        where = f"on board {found.board}, decision {found.decision}, on the way" if found.decision else ""
        return f"Another fault: {found.verdict} {where or 'at the start'}: {why}"
    if found.verdict is then.verdict:
        return f"The same verdict, {found.verdict}, for another reason: {why}"
    return f"Another fault: {found.verdict} where it was {then.verdict}: {why}"


def _times_text(used_ms: float, limit_ms: float, then_ms: float) -> str:
    return f"{used_ms:.2f} ms of {limit_ms:.0f}; then {then_ms:.2f} ms"


def _earlier_requests_text(found: Reproduction) -> str:
    asked = f"It was asked {count_text(found.asked, 'earlier request')}"
    if not found.deviations:
        return f"{asked} and answered as it did then."
    return f"{asked} and answered {len(found.deviations)} otherwise than then; what was played then counts."


def _deviation_text(deviation: Deviation) -> str:
    now = deviation.verdict.value if deviation.answered is None else deviation.answered
    by = f" by the referee for {deviation.played_for}" if deviation.played_for else ""
    place = f"board {deviation.board}, decision {deviation.decision}"
    return f"{place}: {now}, where {deviation.played} was played{by}"


def _as_json(file: FaultFile, bundle: Bundle, found: Reproduction, level: str) -> dict[str, Any]:
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
            **dataclasses.asdict(found),
            "deviations": [deviation._asdict() for deviation in found.deviations],
            "conclusion": conclusion_text(file, found),
        },
    }
