"""The ways back of a suspended version: a new check once a day, an operator, or a mended upload."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from arena.accounts.models import AuditEvent, Notice
from arena.accounts.selectors import notices_for
from arena.accounts.services import notice_read
from arena.common.errors import ArenaError, Conflict, Forbidden, NotFound
from arena.roster.models import BotVersion, CheckRun
from arena.roster.selectors import version_get, waiting_reason
from arena.roster.services import (
    check_claim,
    check_fail,
    check_finish,
    check_repeat,
    checks_sweep,
    version_reinstate,
    version_retire,
)
from tests.factories import a_bot, a_running_check, a_suspended_version, a_version, aya, ben, chie, sota
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


@pytest.fixture
def suspended(db: None) -> BotVersion:
    return a_suspended_version(a_bot(aya()))


def fresh(version: BotVersion) -> BotVersion:
    return version_get(version.public_id, sota())


def refused(action: Callable[[], Any]) -> ArenaError:
    return refusal(ArenaError, action)


def finish(check: CheckRun, *, accepted: bool) -> bool:
    steps = [{"name": "trial", "ok": accepted, "detail": ""}]
    reasons = [] if accepted else [{"code": "crashed", "message": "It crashed."}]
    return check_finish(
        check, accepted=accepted, steps=steps, reasons=reasons, report=None, runtime_digest="e" * 64
    )


def kinds() -> list[str]:
    return list(notices_for(aya()).order_by("id").values_list("kind", flat=True))


def test_passing_a_new_check_ends_it(suspended: BotVersion) -> None:
    asked = version_reinstate(suspended, aya())
    assert asked is not None
    assert (asked.attempt, asked.state, asked.is_reinstatement) == (2, "waiting", True)
    assert fresh(suspended).state == "suspended"
    assert asked.pk in checks_sweep()
    check = a_running_check(suspended)
    # It stays visible to others, and barred, while it is checked.
    assert fresh(suspended).state == "suspended"
    assert finish(check, accepted=True)
    version = fresh(suspended)
    assert (version.state, version.suspended_at, version.suspended_reason) == ("ready", None, "")
    assert version.reinstated_at is not None
    assert version.bot.active_version == version
    assert kinds() == ["suspended", "reinstated"]
    audited = AuditEvent.objects.filter(action="reinstate").order_by("id")
    assert [(row.actor, row.after) for row in audited] == [
        (aya(), {"attempt": 2}),
        (None, {"state": "ready"}),
    ]


def test_another_active_version_keeps_its_place(suspended: BotVersion) -> None:
    mended = a_version(suspended.bot)
    version_reinstate(suspended, aya())
    assert finish(a_running_check(suspended), accepted=True)
    assert fresh(suspended).state == "ready"
    assert fresh(mended).bot.active_version == mended


def test_failing_the_check_leaves_it_suspended_not_rejected(suspended: BotVersion) -> None:
    version_reinstate(suspended, aya())
    assert finish(a_running_check(suspended), accepted=False)
    version = fresh(suspended)
    assert version.state == "suspended"
    assert version.suspended_reason == "it forfeited 3 of its last 10 tables"
    assert kinds() == ["suspended", "still_suspended"]
    assert notices_for(aya())[0].note["code"] == "still_suspended"
    CheckRun.objects.update(finished_at=timezone.now() - datetime.timedelta(days=3))
    assert checks_sweep() == [], "what gave its verdict is not tried again by itself"


def test_once_a_day(suspended: BotVersion) -> None:
    version_reinstate(suspended, aya())
    error = refused(lambda: version_reinstate(suspended, aya()))
    assert (type(error), error.code) == (Conflict, "reinstatement_in_progress")
    check = a_running_check(suspended)
    assert refused(lambda: version_reinstate(suspended, aya())).code == "reinstatement_in_progress"
    finish(check, accepted=False)
    error = refused(lambda: version_reinstate(suspended, aya()))
    assert error.code == "reinstatement_too_soon"
    assert error.extra["available_at"] == (check.created_at + datetime.timedelta(days=1)).isoformat()
    assert "corrected version" in error.message
    CheckRun.objects.filter(pk=check.pk).update(created_at=timezone.now() - datetime.timedelta(hours=25))
    again = version_reinstate(suspended, aya())
    assert again is not None
    assert again.attempt == 3


def test_once_a_day_also_if_it_was_suspended_again(suspended: BotVersion) -> None:
    version_reinstate(suspended, aya())
    finish(a_running_check(suspended), accepted=True)
    BotVersion.objects.filter(pk=suspended.pk).update(
        state="suspended",
        suspended_at=timezone.now(),
        suspended_note={"code": "forfeited_often", "forfeited": 5, "tables": 10},
    )
    assert refused(lambda: version_reinstate(fresh(suspended), aya())).code == "reinstatement_too_soon"


def test_a_fault_of_ours_costs_no_day(suspended: BotVersion) -> None:
    version_reinstate(suspended, aya())
    for _ in range(3):
        check = a_running_check(suspended)
        following = check_fail(check, "the sandbox did not start")
        assert following is None or following.is_reinstatement
    assert fresh(suspended).state == "suspended"
    again = check_repeat(fresh(suspended), aya())
    assert again.is_reinstatement
    assert refused(lambda: version_reinstate(suspended, aya())).code == "reinstatement_in_progress"
    assert finish(a_running_check(suspended), accepted=True)
    assert fresh(suspended).state == "ready"


def test_after_faults_of_ours_the_owner_may_ask_at_once(suspended: BotVersion) -> None:
    version_reinstate(suspended, aya())
    for _ in range(3):
        check_fail(a_running_check(suspended), "the sandbox did not start")
    again = version_reinstate(suspended, aya())
    assert again is not None
    assert (again.attempt, again.is_reinstatement) == (5, True)


def test_one_our_faults_ended_rests_and_is_tried_again(suspended: BotVersion) -> None:
    version_reinstate(suspended, aya())
    for _ in range(3):
        check_fail(a_running_check(suspended), "no worker")
    assert checks_sweep() == []
    CheckRun.objects.update(finished_at=timezone.now() - datetime.timedelta(hours=2))
    (again,) = checks_sweep()
    check = check_claim(again)
    assert check is not None
    assert check.is_reinstatement
    assert finish(check, accepted=True)
    assert fresh(suspended).state == "ready"


def test_staff_end_it_at_once(suspended: BotVersion) -> None:
    assert version_reinstate(suspended, sota()) is None
    assert fresh(suspended).state == "ready"
    assert fresh(suspended).bot.active_version == suspended
    assert AuditEvent.objects.get(action="reinstate").actor == sota()
    error = refused(lambda: version_reinstate(fresh(suspended), sota()))
    assert (error.code, error.extra["state"]) == ("wrong_state", "ready")


def test_of_two_operators_one_ends_it(suspended: BotVersion) -> None:
    same = fresh(suspended)
    assert version_reinstate(suspended, sota()) is None
    assert refused(lambda: version_reinstate(same, sota())).code == "wrong_state"
    assert kinds() == ["suspended", "reinstated"]


def test_a_check_that_passes_after_staff_ended_it_changes_nothing(suspended: BotVersion) -> None:
    version_reinstate(suspended, aya())
    check = a_running_check(suspended)
    version_reinstate(fresh(suspended), sota())
    since = fresh(suspended).reinstated_at
    assert finish(check, accepted=False)
    version = fresh(suspended)
    assert (version.state, version.reinstated_at) == ("ready", since)
    assert kinds() == ["suspended", "reinstated"]


def test_a_check_claimed_after_staff_ended_it_is_over(suspended: BotVersion) -> None:
    asked = version_reinstate(suspended, aya())
    assert asked is not None
    version_reinstate(fresh(suspended), sota())
    assert check_claim(asked.pk) is None
    assert CheckRun.objects.get(pk=asked.pk).state == "done"
    assert fresh(suspended).state == "ready"


def test_a_suspended_version_can_be_retired(suspended: BotVersion) -> None:
    version_reinstate(suspended, aya())
    check = a_running_check(suspended)
    version_retire(fresh(suspended), aya())
    assert finish(check, accepted=True)
    assert fresh(suspended).state == "retired"
    assert refused(lambda: version_reinstate(fresh(suspended), aya())).code == "wrong_state"


def test_only_the_owner_and_staff_may_ask(suspended: BotVersion) -> None:
    for stranger in (ben, chie):
        error = refused(lambda who=stranger: version_reinstate(suspended, who()))
        assert (type(error), error.code) == (Forbidden, "not_owner")
    ready = a_version(a_bot(aya()))
    assert refused(lambda: version_reinstate(ready, aya())).code == "wrong_state"


def test_what_a_check_waits_for_shows_only_while_it_waits(suspended: BotVersion) -> None:
    version_reinstate(suspended, aya())
    assert waiting_reason(fresh(suspended)) == ""
    CheckRun.objects.filter(state="waiting").update(
        waiting_for="runtime_unavailable", note={"code": "runtime_lacking", "runtimes": "node/1"}
    )
    assert waiting_reason(fresh(suspended)) == "runtime_unavailable: no live worker has node/1"
    check_fail(a_running_check(suspended), "the host fell over")
    assert waiting_reason(fresh(suspended)) == ""


def test_a_notice_is_read_once_by_its_owner(suspended: BotVersion) -> None:
    notice = notices_for(aya()).get()
    refusal(NotFound, notice_read, notice.public_id, ben())
    first = notice_read(notice.public_id, aya()).read_at
    assert first is not None
    assert notice_read(notice.public_id, aya()).read_at == first
    assert not notices_for(aya()).filter(read_at=None).exists()
    assert Notice.objects.count() == 1
