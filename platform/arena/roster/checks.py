"""The lifecycle of checks that accept or reject versions: claim, finish, fail, sweep.

Source: docs/contracts.md#states-and-deadlines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import Notice, User, audit
from arena.accounts.services import notice_create
from arena.common.backoff import backoff_s, retry_is_due
from arena.common.causes import MACHINE_CAUSES, Cause, WaitingFor
from arena.common.errors import Conflict
from arena.common.metrics import count
from arena.common.notes import Note, fault_note, reason_clause, rejection_note
from arena.common.states import state_change, still_matching
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.selectors import require_owner
from arena.roster.suspension import reinstatement_finish

MAX_CHECK_ATTEMPTS = 3
"""Attempts at a check before the version rests for ``CHECK_COOLDOWN_S``."""
MAX_PUBLISHED_CHECKS = 100
"""Maximum checks that one sweep publishes."""
OPEN_VERSION_STATES = (BotVersion.State.UPLOADED, BotVersion.State.CHECKING)
CHECKABLE_STATES = (*OPEN_VERSION_STATES, BotVersion.State.SUSPENDED)
"""A suspended version is checked to reinstate it, and stays suspended until it passes."""


def check_claim(
    check_id: int,
    worker: str = "",
    runtimes: Collection[str] | None = None,
    admits: Callable[[int], bool] = lambda _: True,
) -> CheckRun | None:
    """Start a waiting check; return it with version and bot, or None if it cannot be claimed.

    ``runtimes``: supported by the process ``worker`` (None: any). ``admits`` returns whether the account with
    this primary key may run one more check; it is called inside the transaction.
    """
    due = CheckRun.objects.filter(retry_is_due(timezone.now()), pk=check_id)
    check = due.select_related("version__bot__owner__user").first()
    if check is None or (runtimes is not None and check.version.runtime not in runtimes):
        return None
    with transaction.atomic():
        if check.state != CheckRun.State.WAITING or not admits(check.version.bot.owner.user_id):
            return None
        begun = {
            "started_at": timezone.now(),
            "steps": [],
            "worker": worker[:80],
            "note": {},
            "waiting_for": "",
            "cause": "",
        }
        if not state_change(check, "state", CheckRun.State.WAITING, CheckRun.State.RUNNING, **begun):
            return None
        version, suspended = check.version, BotVersion.State.SUSPENDED
        if not (
            state_change(version, "state", OPEN_VERSION_STATES, BotVersion.State.CHECKING)
            or state_change(version, "state", suspended, suspended)
        ):
            # The version was retired before its turn.
            state_change(
                check, "state", CheckRun.State.RUNNING, CheckRun.State.DONE, finished_at=timezone.now()
            )
            return None
    return check


def check_progress(check: CheckRun, steps: list[dict[str, Any]]) -> None:
    """Store the steps completed so far, for display. Has no effect once the check is over."""
    running = CheckRun.objects.filter(pk=check.pk, state=CheckRun.State.RUNNING, started_at=check.started_at)
    running.update(steps=steps)


def check_finish(
    check: CheckRun,
    *,
    accepted: bool,
    steps: list[dict[str, Any]],
    reasons: list[dict[str, Any]],
    report: dict[str, Any] | None,
    runtime_digest: str,
    trial_seed: str = "",
) -> bool:
    """Store the outcome of a check: the version becomes ready or rejected, and active if none is.

    A suspended version becomes ready, or stays suspended. False if the check was swept meanwhile. Idempotent.
    """
    version, state = check.version, BotVersion.State
    with transaction.atomic():
        if not state_change(
            check,
            "state",
            CheckRun.State.RUNNING,
            CheckRun.State.DONE,
            steps=steps,
            report=report,
            trial_seed=trial_seed,
            finished_at=timezone.now(),
        ):
            return False
        to = state.READY if accepted else state.REJECTED
        changes = {"reasons": [] if accepted else reasons, "runtime_digest": runtime_digest}
        if state_change(version, "state", OPEN_VERSION_STATES, to, **changes):
            audit(None, "check", version, state=to, attempt=check.attempt)
            became_active = accepted and bool(
                Bot.objects.filter(pk=version.bot_id, active_version=None).update(active_version=version)
            )
            _owner_notify(check, accepted, became_active)
        reinstatement_finish(check, accepted)
    return True


def _owner_notify(check: CheckRun, accepted: bool, became_active: bool) -> None:
    """Publish the result of a version's first check, and tell its owner what to do next."""
    version = check.version
    owner = version.bot.owner.user
    note: Note = {"version": str(version)}
    if accepted:
        active = {"code": "became_active"} if became_active else _active_note(version)
        note |= {"code": "check_passed", "active": active}
        kind = Notice.Kind.READY
    else:
        first: dict[str, Any] = next(iter(version.reasons), {})
        because = rejection_note(first) or str(first.get("message", "")).rstrip(".")
        note |= {"code": "check_failed", "because": reason_clause(because)}
        kind = Notice.Kind.REJECTED
    event_add(f"version.{version.state}", version, user=owner, version=str(version))
    notice_create(owner, kind, note, version.page)


def _active_note(version: BotVersion) -> Note:
    """Return a note that another version stays active, which cups continue to enter; empty if none."""
    active = BotVersion.objects.filter(pk__in=Bot.objects.filter(pk=version.bot_id).values("active_version"))
    number = active.exclude(pk=version.pk).values_list("number", flat=True).first()
    if number is None:
        return {}
    return {"code": "stays_active", "number": number}


def check_fail(check: CheckRun, reason: str | Note, cause: Cause = Cause.INTERNAL) -> CheckRun | None:
    """Record that a platform fault ended the check.

    A fault of the machine does not count as an attempt. Returns the check that now waits, to be published at
    its ``retry_at``; None after the last attempt, or if the check is over.
    """
    changes: dict[str, Any] = {"note": fault_note(reason), "waiting_for": "", "cause": cause}
    failures = check.failures + 1
    retry_at = timezone.now() + timedelta(seconds=backoff_s(failures))
    if cause in MACHINE_CAUSES:
        changes |= {"failures": failures, "retry_at": retry_at, "worker": ""}
        if not state_change(check, "state", CheckRun.State.RUNNING, CheckRun.State.WAITING, **changes):
            return None
        transaction.on_commit(lambda: count("platform_faults", cause=cause))
        return check
    with transaction.atomic():
        open_states = (CheckRun.State.WAITING, CheckRun.State.RUNNING)
        changes["finished_at"] = timezone.now()
        if not state_change(check, "state", open_states, CheckRun.State.FAILED, **changes):
            return None
        transaction.on_commit(lambda: count("platform_faults", cause=cause))
        # A later check, requested to end a suspension, has its own attempts.
        verdicts = CheckRun.objects.filter(version=check.version_id, state=CheckRun.State.DONE)
        if check.attempt - (verdicts.aggregate(last=Max("attempt"))["last"] or 0) >= MAX_CHECK_ATTEMPTS:
            return None
        if not BotVersion.objects.filter(pk=check.version_id, state__in=CHECKABLE_STATES).exists():
            return None
        return CheckRun.objects.create(
            version=check.version,
            attempt=check.attempt + 1,
            is_reinstatement=check.is_reinstatement,
            failures=failures,
            retry_at=retry_at,
        )


def checks_sweep(refusal: Callable[[Collection[str]], Note] = lambda _: {}) -> list[int]:
    """Fail overdue checks and retry failed ones; return the ids of the waiting checks to publish.

    ``refusal`` returns a note why no live worker can run the given runtimes; such a check waits with that
    reason. After ``MAX_CHECK_ATTEMPTS`` failures a version rests for ``CHECK_COOLDOWN_S`` before each further
    attempt. The ids are in turn: the oldest check of each account, then the second of each.
    """
    late = timezone.now() - timedelta(seconds=settings.CHECK_DEADLINE_S)
    overdue = CheckRun.objects.select_related("version").filter(
        state=CheckRun.State.RUNNING, started_at__lt=late
    )
    for check in overdue:
        note = {"code": "no_result", "seconds": settings.CHECK_DEADLINE_S}
        check_fail(check, note, Cause.NO_PROGRESS)
    _retry_failed_checks()
    withdrawn = CheckRun.objects.filter(state=CheckRun.State.WAITING).exclude(
        version__state__in=CHECKABLE_STATES
    )
    still_matching(withdrawn, state=CheckRun.State.WAITING).update(
        state=CheckRun.State.DONE, note={}, waiting_for="", finished_at=timezone.now()
    )
    return _record_waiting(refusal)


def _record_waiting(refusal: Callable[[Collection[str]], Note]) -> list[int]:
    """Record at every waiting check what it waits for; return the ids of those that wait only for a turn."""
    free: list[tuple[int, int]] = []
    changed = defaultdict(list)
    refusals: dict[str, Note] = {}
    earlier: Counter[int] = Counter()
    due = CheckRun.objects.filter(retry_is_due(timezone.now()), state=CheckRun.State.WAITING)
    columns = ("pk", "version__runtime", "waiting_for", "note", "version__bot__owner__user")
    for pk, runtime, *noted, owner in due.order_by("id").values_list(*columns):
        if runtime not in refusals:
            refusals[runtime] = refusal([runtime])
        note = refusals[runtime]
        if not note:
            free.append((earlier[owner], pk))
            earlier[owner] += 1
        if noted != [WaitingFor.RUNTIME if note else "", note]:
            changed[runtime].append(pk)
    for runtime, pks in changed.items():
        waiting = CheckRun.objects.filter(pk__in=pks, state=CheckRun.State.WAITING)
        waiting.update(waiting_for=WaitingFor.RUNTIME if refusals[runtime] else "", note=refusals[runtime])
    return [pk for _, pk in sorted(free)[:MAX_PUBLISHED_CHECKS]]


def checks_retry_now() -> int:
    """Let the checks that failed by a machine's fault retry now; return how many."""
    delayed = CheckRun.objects.filter(
        state=CheckRun.State.WAITING, retry_at__gt=timezone.now(), cause__in=MACHINE_CAUSES
    )
    return delayed.update(retry_at=None)


def checks_running(worker_prefix: str) -> list[CheckRun]:
    """Return the running checks, with versions, of processes whose names have this prefix."""
    running = CheckRun.objects.select_related("version").filter(state=CheckRun.State.RUNNING)
    return list(running.filter(worker__startswith=worker_prefix))


def _retry_failed_checks() -> None:
    rested = timezone.now() - timedelta(seconds=settings.CHECK_COOLDOWN_S)
    open_checks = CheckRun.objects.filter(state__in=(CheckRun.State.WAITING, CheckRun.State.RUNNING))
    # Unordered, as SQLite would read all versions in the order of their keys.
    stranded = (
        BotVersion.objects.order_by()
        .filter(state__in=CHECKABLE_STATES)
        .exclude(pk__in=open_checks.values("version"))
    )
    for version in stranded:
        last = version.checks.order_by("-attempt").first()
        if last is None or last.state != CheckRun.State.FAILED:
            continue  # a suspended version with a finished check waits for its owner
        if last.finished_at is not None and last.finished_at < rested:
            CheckRun.objects.get_or_create(
                version=version,
                attempt=last.attempt + 1,
                defaults={"is_reinstatement": last.is_reinstatement},
            )


def check_repeat(version: BotVersion, actor: User) -> CheckRun:
    """Start another attempt after all have failed by platform faults.

    Raises Forbidden (``not_owner``), Conflict (``check_not_failed``).
    """
    require_owner(version.bot, actor)
    with transaction.atomic():
        last = version.checks.order_by("-attempt")[0]
        if last.state != CheckRun.State.FAILED or version.state not in CHECKABLE_STATES:
            raise Conflict(
                f"The check of {version} is {last.state}; only a check that failed because of a platform "
                "fault can be repeated. Upload a new version instead.",
                "check_not_failed",
                state=last.state,
            )
        check, created = CheckRun.objects.get_or_create(
            version=version, attempt=last.attempt + 1, defaults={"is_reinstatement": last.is_reinstatement}
        )
        if created:
            audit(actor, "check_again", version, attempt=check.attempt)
    return check
