"""Check an uploaded version in this worker's sandbox, as ``rensho check`` does at home."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction

from arena.common.blobs import blob_get
from arena.common.causes import Cause
from arena.competition.games import presets_of
from arena.jobs.selftest import Selftest
from arena.matches.faults import check_faults_group
from arena.matches.orders import bot_limits
from arena.matches.runtime_artifacts import artifacts_current
from arena.roster.models import CheckRun
from arena.roster.services import check_fail, check_finish, check_progress
from arena.tables.artifacts import TableArtifacts
from arena.tables.machine_faults import cause_of, retry
from referee.bundle import read_bundle
from referee.check import CheckReport, CheckStep, check_bundle
from referee.runtimes import require_artifact, stage_artifact

log = logging.getLogger(__name__)


def check_run(check: CheckRun, selftest: Selftest | None = None) -> None:
    """Run a claimed check and store its outcome; platform faults are retried.

    A machine fault, by ``selftest`` of this process, does not count as an attempt.
    """
    label = f"check {check.public_id}"
    try:
        report, artifacts = _checked(check)
        if report.platform_fault is None:
            retry(
                lambda: _finish(check, report, artifacts), settings.TABLE_REPORT_RETRY_S, f"{label}: report"
            )
            return
        reason, cause = report.platform_fault, Cause(report.platform_cause or Cause.INTERNAL)
    except Exception as error:
        log.exception("%s: the platform failed", label)
        reason, cause = f"{type(error).__name__}: {error}", cause_of(error)
    log.warning("%s (%s): %s", label, cause, reason)
    reason, cause = (selftest or Selftest()).explain(reason, cause)
    try:
        # The next attempt waits for the tick, since the fault probably persists.
        retry(
            lambda: check_fail(check, reason, cause), settings.TABLE_REPORT_RETRY_S, f"{label}: returning it"
        )
    except Exception:
        log.exception("%s: the deadline will return it", label)


def _checked(check: CheckRun) -> tuple[CheckReport, TableArtifacts]:
    version = check.version
    bundle = read_bundle(blob_get(version.bundle_sha256))
    artifacts = TableArtifacts()
    game = version.bot.game
    runtime_sha256 = artifacts_current().get(bundle.manifest.runtime, "")
    require_artifact(bundle.manifest.runtime, runtime_sha256)
    if runtime_sha256:
        stage_artifact(runtime_sha256, blob_get)
    report = check_bundle(
        bundle,
        game,
        preset_for(game, bundle.manifest.preset),
        keep=artifacts.keep,
        limits=bot_limits(),
        runtime_sha256=runtime_sha256,
        on_steps=lambda steps: _progress(check, steps),
    )
    return report, artifacts


def _progress(check: CheckRun, steps: Sequence[CheckStep]) -> None:
    try:
        check_progress(check, _plain(steps))
    except DatabaseError as error:
        # Shown while the check runs; stored with its outcome in any case.
        log.warning("check %s: its first steps were not stored: %s", check.public_id, error)


def _finish(check: CheckRun, report: CheckReport, artifacts: TableArtifacts) -> None:
    if report.report is not None:
        artifacts.write(report.report)
    with transaction.atomic():
        accepted = check_finish(
            check,
            accepted=report.accepted,
            steps=_plain(report.steps),
            reasons=[reason.to_json() for reason in report.reasons],
            report=None if report.report is None else report.report.to_json(),
            runtime_digest=report.runtime_digest,
            trial_seed=report.seed,
        )
        if accepted and report.report is not None:
            artifacts.note(report.report)
        check_faults_group(check)
    log.info(
        "check %s of %s: %s%s",
        check.public_id,
        check.version,
        "ready" if report.accepted else "rejected",
        "" if accepted else ", but its lease was lost",
    )


def _plain(steps: Sequence[CheckStep]) -> list[dict[str, Any]]:
    return [{"name": step.name, "ok": step.ok, "detail": step.detail} for step in steps]


def preset_for(game: str, named: str = "") -> str:
    """Return the preset of a trial: the one that the bot names, if it is of the game, else the first."""
    presets = presets_of(game)
    return named if named in presets else presets[0]
