"""The server's check of an upload, run on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from bots.kit.display.fault_text import fault_lines, save_fault
from bots.kit.errors import InvalidInput
from bots.kit.local.bot_presets import game_of
from bots.kit.local.pool import prepare_runtimes, print_runtime_notes
from referee.bundle import Bundle, import_path
from referee.check import CheckReport, CheckStep, TrialTable, check_bundle, trial_table
from referee.contract import Limits, TableReport
from referee.errors import BundleError
from referee.execute import plain_driver, sandboxed_driver
from referee.rejections import rejection_of
from referee.reproduce import fault_file, spent_by_decision
from referee.runtimes import DEFAULT_RUNTIME

FAULTS_PRINTED = 3


def check_bot(
    path: Path, preset: str, *, seed: str = "", is_sandboxed: bool = True, folder: Path | None = None
) -> tuple[CheckReport, list[Path]]:
    """Check a bot under a preset, save its faults in ``folder``, and return the report with their paths.

    ``path`` is a folder, an archive or a ``.py`` file. An empty ``seed`` draws one. Raise ``InvalidInput``
    for an unknown preset or an unreadable bot, ``EnvironmentFailure`` without the required sandbox.
    """
    game = game_of(preset)
    try:
        bundle = import_path(path)
    except BundleError as error:
        if error.is_unreadable:
            raise InvalidInput(str(error)) from None
        step, reason = CheckStep("bundle", False, str(path)), rejection_of(error)
        return CheckReport(False, (step,), (reason,), None, None, ""), []
    # In the sandbox, the check reports a missing runtime itself.
    if is_sandboxed:
        print_runtime_notes((bundle.manifest.runtime,))
    prepare_runtimes(
        (DEFAULT_RUNTIME if is_sandboxed else bundle.manifest.runtime,), is_sandboxed=is_sandboxed
    )
    driver = sandboxed_driver if is_sandboxed else plain_driver
    blobs: dict[str, bytes] = {}

    def keep(data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        blobs[sha256] = data
        return sha256

    report = check_bundle(bundle, game.key, preset, seed=seed, keep=keep, drivers_factory=driver)
    if folder is None or report.report is None:
        return report, []
    trial = trial_table(bundle, game, game.ruleset(preset), Limits(), report.seed)
    return report, list(_save_faults(folder, trial, bundle, report.report, blobs))


def _save_faults(
    folder: Path, trial: TrialTable, bundle: Bundle, report: TableReport, blobs: Mapping[str, bytes]
) -> Iterator[Path]:
    """Save the faults of a trial and yield their paths. The same fault gets the same name."""
    seat = report.seats[trial.seat - 1]
    for fault in seat.faults:
        yield save_fault(
            folder,
            f"check-{bundle.sha256[:12]}-{fault.fingerprint}.json",
            fault_file(
                trial.order,
                trial.seat,
                fault,
                blobs[report.record_sha256 or ""],
                origin={"bot": bundle.manifest.name, "table": "check"},
                spent_ms=spent_by_decision(blobs[report.timings_sha256 or ""], seat),
            ),
        )


def check_lines(report: CheckReport) -> Iterator[str]:
    """Yield the report as text: steps, rejection reasons, the first faults, and the seed of the trial."""
    for step in report.steps:
        yield f"{'ok  ' if step.ok else 'FAIL'}  {step.name}: {step.detail}"
    if report.report is not None and not report.accepted:
        for fault in report.report.seats[report.seat - 1].faults[:FAULTS_PRINTED]:
            yield ""
            yield from fault_lines(fault, report.bot)
            yield ""
    if report.seed:
        yield f"To repeat this trial: --seed {report.seed}"
    if report.platform_fault is not None:
        yield "The check could not finish (not the bot's fault): see the failed step, then check again."
        return
    for reason in report.reasons:
        yield f"rejected ({reason.code}): {reason.message}"
    if report.accepted:
        yield "The bot may play."
