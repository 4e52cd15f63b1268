"""The checks that let a version in: claimed, finished, failed, swept (DESIGN.md 11)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from arena.accounts.models import User, audit
from arena.common.errors import Conflict
from arena.common.states import move
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.selectors import require_owner

CHECK_ATTEMPTS = 3
PUBLISH_AT_ONCE = 100
OPEN_VERSION = (BotVersion.State.UPLOADED, BotVersion.State.CHECKING)


def check_claim(check_id: int) -> CheckRun | None:
    """Begin a waiting check, with version and bot at hand; None if another worker has it or it is over."""
    check = CheckRun.objects.select_related("version__bot__owner__user").filter(pk=check_id).first()
    if check is None:
        return None
    with transaction.atomic():
        if not move(
            check, "state", CheckRun.State.WAITING, CheckRun.State.RUNNING, started_at=timezone.now()
        ):
            return None
        if not move(check.version, "state", OPEN_VERSION, BotVersion.State.CHECKING):
            # Withdrawn before its turn came.
            move(check, "state", CheckRun.State.RUNNING, CheckRun.State.DONE, finished_at=timezone.now())
            return None
    return check


def check_finish(
    check: CheckRun,
    *,
    accepted: bool,
    steps: list[dict[str, Any]],
    reasons: list[dict[str, Any]],
    report: dict[str, Any] | None,
    runtime_digest: str,
) -> bool:
    """Keep a check's outcome: the version becomes ready, and active if the bot has none, or rejected.

    False if the check was taken away meanwhile (swept); then nothing changes. Repeating it is harmless.
    """
    version, state = check.version, BotVersion.State
    with transaction.atomic():
        if not move(
            check,
            "state",
            CheckRun.State.RUNNING,
            CheckRun.State.DONE,
            steps=steps,
            report=report,
            finished_at=timezone.now(),
        ):
            return False
        to = state.READY if accepted else state.REJECTED
        changes = {"reasons": [] if accepted else reasons, "runtime_digest": runtime_digest}
        if move(version, "state", OPEN_VERSION, to, **changes):
            audit(None, "check", version, state=to, attempt=check.attempt)
            if accepted:
                Bot.objects.filter(pk=version.bot_id, active_version=None).update(active_version=version)
    return True


def check_fail(check: CheckRun, reason: str) -> CheckRun | None:
    """A fault of the platform ended the check; the bot is not to blame.

    Returns the next attempt, waiting to be published; None after the last one, or if the check is over.
    """
    with transaction.atomic():
        open_states = (CheckRun.State.WAITING, CheckRun.State.RUNNING)
        if not move(
            check, "state", open_states, CheckRun.State.FAILED, reason=reason, finished_at=timezone.now()
        ):
            return None
        if check.attempt >= CHECK_ATTEMPTS:
            return None
        if not BotVersion.objects.filter(pk=check.version_id, state__in=OPEN_VERSION).exists():
            return None
        return CheckRun.objects.create(version=check.version, attempt=check.attempt + 1)


def checks_sweep() -> list[int]:
    """End checks past their deadline, take up again those our faults ended; returns the waiting ones' ids.

    After three attempts a version rests for ``CHECK_REST_S`` and is then tried once more, and so on:
    it never waits for ever, and a broken installation does not spin. Oldest first, to be published again.
    """
    late = timezone.now() - timedelta(seconds=settings.CHECK_DEADLINE_S)
    overdue = CheckRun.objects.select_related("version").filter(
        state=CheckRun.State.RUNNING, started_at__lt=late
    )
    for check in overdue:
        check_fail(check, f"The check gave no result within {settings.CHECK_DEADLINE_S} s.")
    _take_up_again()
    waiting = CheckRun.objects.filter(state=CheckRun.State.WAITING).order_by("id")
    return list(waiting.values_list("id", flat=True)[:PUBLISH_AT_ONCE])


def _take_up_again() -> None:
    rested = timezone.now() - timedelta(seconds=settings.CHECK_REST_S)
    open_checks = CheckRun.objects.filter(state__in=(CheckRun.State.WAITING, CheckRun.State.RUNNING))
    stranded = BotVersion.objects.filter(state__in=OPEN_VERSION).exclude(pk__in=open_checks.values("version"))
    for version in stranded:
        last = version.checks.order_by("-attempt").first()
        if last is not None and last.finished_at is not None and last.finished_at < rested:
            CheckRun.objects.get_or_create(version=version, attempt=last.attempt + 1)


def check_again(version: BotVersion, actor: User) -> CheckRun:
    """One more attempt after all have failed by the platform's own fault.

    Raises:
        Forbidden: code ``not_yours``.
        Conflict: code ``check_not_failed`` while a check waits or runs, or once one has given its verdict.
    """
    require_owner(version.bot, actor)
    with transaction.atomic():
        last = version.checks.order_by("-attempt")[0]
        if last.state != CheckRun.State.FAILED or version.state not in OPEN_VERSION:
            raise Conflict(
                f"The check of {version} is {last.state}; only one that failed by our fault can be repeated. "
                "Upload a new version instead.",
                "check_not_failed",
                state=last.state,
            )
        check, created = CheckRun.objects.get_or_create(version=version, attempt=last.attempt + 1)
        if created:
            audit(actor, "check_again", version, attempt=check.attempt)
    return check
