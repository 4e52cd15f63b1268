"""Suspension of versions for their conduct at tables, and reinstatement.

Source: docs/contracts.md#states-and-deadlines.
"""

from __future__ import annotations

import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from arena.accounts.events import event_add
from arena.accounts.models import Notice, User, audit
from arena.accounts.selectors import is_staff
from arena.accounts.services import notice_create
from arena.common.errors import Conflict, Forbidden, Invalid
from arena.common.notes import Note, note_in_english, typed_note
from arena.common.states import state_change, wrong_state
from arena.common.texts import require_visible_characters
from arena.roster.models import Bot, BotVersion, CheckRun
from arena.roster.selectors import require_owner

State = BotVersion.State
MAX_REASON_CHARACTERS = 300


def version_suspend(version: BotVersion, reason: str | Note, actor: User | None = None) -> bool:
    """Suspend a ready version and tell its owner why and what to do. Locked entries continue.

    The next version to pass its check becomes active. Call it inside a transaction. False, without changes,
    if the version is no longer ready, or was reinstated meanwhile.
    """
    note = typed_note(reason) if isinstance(reason, str) else reason
    now = timezone.now()
    # Atomic. The caller counted forfeits since ``reinstated_at``.
    changed = BotVersion.objects.filter(
        pk=version.pk, state=State.READY, reinstated_at=version.reinstated_at
    ).update(state=State.SUSPENDED, suspended_at=now, suspended_note=note)
    if not changed:
        return False
    version.state, version.suspended_at, version.suspended_note = State.SUSPENDED, now, note
    was_active = Bot.objects.filter(pk=version.bot_id, active_version=version).update(active_version=None)
    reason_text = note_in_english(note)
    audit(actor, "suspend", version, {"state": State.READY}, state=version.state, reason=reason_text)
    owner = version.bot.owner.user
    event_add("version.suspended", version, user=owner, version=str(version), reason=reason_text)
    notice_create(
        owner,
        Notice.Kind.SUSPENDED,
        {
            "code": "suspended",
            "version": str(version),
            "why": note,
            "active": {"code": "none_active"} if was_active else {},
        },
        version.page,
    )
    return True


@transaction.atomic
def version_suspend_by_staff(version: BotVersion, reason: str, actor: User) -> None:
    """Suspend a ready version with a reason, which its owner reads.

    Raises Forbidden (``not_staff``), Invalid for the reason, Conflict (``wrong_state``).
    """
    if not is_staff(actor):
        raise Forbidden("Only staff can suspend versions.", "not_staff")
    reason = require_visible_characters("reason", reason).strip()
    if not 0 < len(reason) <= MAX_REASON_CHARACTERS:
        raise Invalid(
            f"Give a reason of at most {MAX_REASON_CHARACTERS} characters.", "invalid", field="reason"
        )
    if not version_suspend(version, reason, actor):
        version.refresh_from_db()
        raise wrong_state(version, "suspend", [State.READY])


@transaction.atomic
def version_reinstate(version: BotVersion, actor: User) -> CheckRun | None:
    """End a suspension: immediately for staff, by a new check at most once a day for the owner.

    Returns the waiting check, to be published, or None if the version is ready. Raises Forbidden
    (``not_owner``), Conflict (``wrong_state``; ``reinstatement_in_progress`` for such a check;
    ``reinstatement_too_soon`` with ``available_at``).
    """
    require_owner(version.bot, actor)
    is_at_once = is_staff(actor)
    # Otherwise lock the row until the check exists, so that a concurrent request finds it.
    if not (
        _reinstate(version, actor)
        if is_at_once
        else state_change(version, "state", State.SUSPENDED, State.SUSPENDED)
    ):
        version.refresh_from_db()
        raise wrong_state(version, "reinstate", [State.SUSPENDED])
    if is_at_once:
        return None
    _require_rest_over(version)
    last = version.checks.order_by("-attempt")[0]
    try:
        with transaction.atomic():
            check = CheckRun.objects.create(version=version, attempt=last.attempt + 1, is_reinstatement=True)
    except IntegrityError:
        raise _waiting_error(version) from None  # the sweep has just retried an earlier check
    audit(actor, "reinstate", version, attempt=check.attempt)
    return check


def reinstatement_finish(check: CheckRun, accepted: bool) -> None:
    """Apply a finished check that was requested to end a suspension, inside its transaction."""
    version = check.version
    if not check.is_reinstatement:
        return
    if accepted:
        _reinstate(version, None)
        return
    if not state_change(version, "state", State.SUSPENDED, State.SUSPENDED):
        return
    notice_create(
        version.bot.owner.user,
        Notice.Kind.STILL_SUSPENDED,
        {"code": "still_suspended", "version": str(version)},
        version.page,
    )


def _reinstate(version: BotVersion, actor: User | None) -> bool:
    now = timezone.now()
    before = {"state": State.SUSPENDED, "reason": note_in_english(version.suspended_note)}
    if not state_change(
        version,
        "state",
        State.SUSPENDED,
        State.READY,
        suspended_at=None,
        suspended_note={},
        reinstated_at=now,
    ):
        return False
    Bot.objects.filter(pk=version.bot_id, active_version=None).update(active_version=version)
    audit(actor, "reinstate", version, before, state=version.state)
    owner = version.bot.owner.user
    event_add("version.reinstated", version, user=owner, version=str(version))
    notice_create(
        owner,
        Notice.Kind.REINSTATED,
        {"code": f"reinstated_by_{'operator' if actor else 'check'}", "version": str(version)},
        version.page,
    )
    return True


def _require_rest_over(version: BotVersion) -> None:
    """Raise Conflict if a check to end the suspension waits or runs, or finished within the last day."""
    requested = version.checks.filter(is_reinstatement=True)
    if requested.filter(state__in=(CheckRun.State.WAITING, CheckRun.State.RUNNING)).exists():
        raise _waiting_error(version)
    last = requested.filter(state=CheckRun.State.DONE).order_by("-attempt").first()
    if last is None:
        return
    available_at = last.created_at + datetime.timedelta(seconds=settings.REINSTATEMENT_INTERVAL_S)
    if available_at > timezone.now():
        raise Conflict(
            f"{version} was last checked at {last.created_at:%Y-%m-%d %H:%M} UTC to end its suspension. You "
            f"can request the next check at {available_at:%Y-%m-%d %H:%M} UTC, or upload a corrected version "
            "now.",
            "reinstatement_too_soon",
            available_at=available_at.isoformat(),
        )


def _waiting_error(version: BotVersion) -> Conflict:
    return Conflict(
        f"A check to end the suspension of {version} is already queued or running. Wait for its result.",
        "reinstatement_in_progress",
    )
