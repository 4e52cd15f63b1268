"""A bot tried as the server tries it, and what came of it in words."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from bots.kit.errors import DONE, FOUND_WRONG, MACHINE_UNABLE, InputUnusable
from bots.kit.faults import fault_lines
from bots.kit.pool import prepare_sandbox
from bots.kit.register import Commands
from bots.kit.rules import DEFAULT_PRESET, game_of
from referee.bundle import import_path
from referee.check import TRIAL_SEAT, CheckReport, Reason, Step, check_bundle
from referee.errors import BundleError
from referee.execute import plain_driver, sandboxed_driver

SHOWN_FAULTS = 3


def register(commands: Commands) -> None:
    """Add ``rensho check``."""
    check = commands.add_parser("check", help="try a bot as the server does before it may play")
    check.add_argument("path", type=Path, help="a folder with rensho.toml, an archive of one, or a .py file")
    check.add_argument("--preset", default=DEFAULT_PRESET, help="the rules to try it under (%(default)s)")
    check.add_argument(
        "--no-sandbox", action="store_true", help="run it as an ordinary process: trusted bots only"
    )
    check.add_argument("--json", action="store_true", help="print the whole report as JSON")
    check.set_defaults(command=_check)


def _check(arguments: argparse.Namespace) -> int:
    report = check_path(arguments.path, arguments.preset, is_sandboxed=not arguments.no_sandbox)
    if arguments.json:
        print(json.dumps(report.to_json(), indent=2))
    else:
        for line in check_lines(report):
            print(line)
    if report.platform_fault is not None:
        return MACHINE_UNABLE
    return DONE if report.accepted else FOUND_WRONG


def check_path(path: Path, preset: str, *, is_sandboxed: bool = True) -> CheckReport:
    """Try the bot in this folder, archive or ``.py`` file under a preset.

    Raises:
        InputUnusable: there is no such preset, or nothing there that can be read.
        MachineUnable: no sandbox, but one is wanted.
    """
    game = game_of(preset)
    try:
        bundle = import_path(path)
    except BundleError as error:
        if error.is_unreadable:
            raise InputUnusable(str(error)) from None
        step, reason = Step("bundle", False, str(path)), Reason(error.code, error.message)
        return CheckReport(False, (step,), (reason,), None, None, "")
    if is_sandboxed:
        prepare_sandbox()
    driver = sandboxed_driver if is_sandboxed else plain_driver
    return check_bundle(bundle, game.key, preset, drivers_factory=driver)


def check_lines(report: CheckReport) -> Iterator[str]:
    """The report as text: each step, what to change, and the first faults with their exact request."""
    for step in report.steps:
        yield f"{'ok  ' if step.ok else 'FAIL'}  {step.name}: {step.detail}"
    if report.report is not None and not report.accepted:
        for fault in report.report.seats[TRIAL_SEAT - 1].faults[:SHOWN_FAULTS]:
            yield ""
            yield from fault_lines(fault)
            yield ""
    if report.platform_fault is not None:
        yield "Not decided, and not the bot's fault: see the failed step, then check again."
        return
    for reason in report.reasons:
        yield f"rejected ({reason.code}): {reason.message}"
    if report.accepted:
        yield "The bot may play."
