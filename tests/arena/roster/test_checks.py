from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

import pytest
from django.utils import timezone

from arena.common.causes import Cause
from arena.common.errors import Conflict, Forbidden
from arena.common.notes import Note
from arena.roster.checks import checks_running
from arena.roster.models import BotVersion, CheckRun
from arena.roster.selectors import check_latest
from arena.roster.services import (
    check_claim,
    check_fail,
    check_finish,
    check_progress,
    check_repeat,
    checks_sweep,
    version_rejected_create,
    version_retire,
)
from tests.factories import a_bot, a_running_check, an_upload, aya, chie, sota
from tests.refusals import refusal

pytestmark = pytest.mark.django_db

GONE = [{"code": "no_entry_point", "message": "bot.py is missing"}]


def finish(check: CheckRun, *, accepted: bool) -> bool:
    return check_finish(
        check,
        accepted=accepted,
        steps=[{"name": "start", "ok": accepted, "detail": ""}],
        reasons=[] if accepted else GONE,
        report={"table": "t"},
        runtime_digest="ab",
    )


def test_versions_are_numbered_per_bot_and_wait_for_their_check() -> None:
    bot, other = a_bot(aya()), a_bot(aya())
    versions = [an_upload(bot), an_upload(bot), an_upload(other)]
    assert [v.number for v in versions] == [1, 2, 1]
    assert {v.state for v in versions} == {"uploaded"}
    assert checks_sweep() == [v.checks.get().pk for v in versions]


def test_uploading_to_somebody_elses_bot_is_refused() -> None:
    refusal(Forbidden, an_upload, a_bot(aya()), actor=chie())


def test_a_version_never_changes() -> None:
    version = BotVersion.objects.get(pk=an_upload(a_bot(aya())).pk)
    version.entry_point = "other.py"
    assert "entry_point" in str(refusal(ValueError, version.save))


def test_a_check_is_claimed_once() -> None:
    version = an_upload(a_bot(aya()))
    check = a_running_check(version)
    assert check_claim(check.pk) is None
    assert check_claim(10**9) is None
    version.refresh_from_db()
    assert version.state == "checking"


@pytest.mark.parametrize(("accepted", "state", "reasons"), [(True, "ready", []), (False, "rejected", GONE)])
def test_a_finished_check_decides(accepted: bool, state: str, reasons: list[dict[str, str]]) -> None:
    version = an_upload(a_bot(aya()))
    check = a_running_check(version)
    assert finish(check, accepted=accepted)
    assert not finish(check, accepted=not accepted)
    version.refresh_from_db()
    assert (version.state, version.reasons, version.runtime_digest) == (state, reasons, "ab")
    assert check_latest(version, aya()).report == {"table": "t"}


def test_a_fault_of_ours_tries_again_three_times_and_blames_nobody() -> None:
    version = an_upload(a_bot(aya()))
    for attempt in (1, 2, 3):
        check = a_running_check(version)
        assert check.attempt == attempt
        following = check_fail(check, "the sandbox did not start")
        assert (following is None) == (attempt == 3)
        assert check_fail(check, "again") is None
    version.refresh_from_db()
    assert (version.state, version.reasons) == ("checking", [])
    assert check_latest(version, aya()).reason == "the sandbox did not start"
    assert checks_sweep() == []


def test_the_owner_may_ask_again_after_all_attempts_failed() -> None:
    version = an_upload(a_bot(aya()))
    refusal(Conflict, check_repeat, version, aya())
    for _ in range(3):
        check_fail(a_running_check(version), "no worker")
    refusal(Forbidden, check_repeat, version, chie())
    assert check_repeat(version, aya()).attempt == 4
    assert finish(a_running_check(version), accepted=True)
    version.refresh_from_db()
    assert version.state == "ready"


def test_a_version_whose_checks_all_failed_by_our_fault_rests_and_is_tried_again() -> None:
    version = an_upload(a_bot(aya()))
    for _ in range(3):
        check_fail(a_running_check(version), "no worker")
    assert checks_sweep() == []
    CheckRun.objects.update(finished_at=timezone.now() - timedelta(hours=2))
    (again,) = checks_sweep()
    assert checks_sweep() == [again]
    check = check_claim(again)
    assert check is not None
    assert check.attempt == 4
    assert finish(check, accepted=True)
    assert checks_sweep() == []


def test_a_check_past_its_deadline_is_swept_and_its_late_answer_refused() -> None:
    version = an_upload(a_bot(aya()))
    late = a_running_check(version)
    assert checks_sweep() == []
    CheckRun.objects.update(started_at=timezone.now() - timedelta(hours=1))
    (again,) = checks_sweep()
    assert checks_sweep() == [again]
    assert not finish(late, accepted=True)
    version.refresh_from_db()
    assert version.state == "checking"
    check = check_claim(again)
    assert check is not None
    assert finish(check, accepted=True)


def test_a_version_withdrawn_while_it_waits_or_runs_stays_withdrawn() -> None:
    waiting, running = an_upload(a_bot(aya())), an_upload(a_bot(aya()))
    check = a_running_check(running)
    version_retire(waiting, aya())
    version_retire(BotVersion.objects.get(pk=running.pk), aya())
    assert check_claim(waiting.checks.get().pk) is None
    assert waiting.checks.get().state == "done"
    assert finish(check, accepted=True)
    running.refresh_from_db()
    assert running.state == "retired"
    assert running.bot.active_version is None


def test_an_upload_that_cannot_be_read_is_a_rejected_version() -> None:
    version = version_rejected_create(a_bot(aya()), reasons=GONE, notes="first try", actor=aya())
    assert (version.number, version.state, version.reasons) == (1, "rejected", GONE)
    assert check_latest(version, aya()).steps == [
        {"name": "import", "ok": False, "detail": "bot.py is missing"}
    ]
    assert checks_sweep() == []


def test_checks_are_shown_to_the_owner_and_staff() -> None:
    version = an_upload(a_bot(aya()))
    assert check_latest(version, sota()) == check_latest(version, aya())
    refusal(Forbidden, check_latest, version, chie())


def test_a_check_of_a_runtime_nobody_has_waits_and_spends_nothing() -> None:
    here, elsewhere = an_upload(a_bot(aya())), an_upload(a_bot(aya()))
    BotVersion.objects.filter(pk=elsewhere.pk).update(runtime="node/1")
    waits = {"code": "runtime_lacking", "runtimes": "node/1"}

    def refusal(needed: Collection[str]) -> Note:
        return waits if "node/1" in needed else {}

    check = elsewhere.checks.get()
    assert checks_sweep(refusal) == [here.checks.get().pk]
    check.refresh_from_db()
    assert (check.state, check.attempt, check.note) == ("waiting", 1, waits)
    assert (check.waiting_for, check.waiting_reason) == (
        "runtime_unavailable",
        "runtime_unavailable: no live worker has node/1",
    )
    assert check_claim(check.pk, "worker", {"python/1"}) is None
    check.refresh_from_db()
    assert (check.state, check.note) == ("waiting", waits)

    assert checks_sweep() == [here.checks.get().pk, check.pk]
    check.refresh_from_db()
    assert (check.waiting_for, check.note) == ("", {})


def test_what_failed_on_our_side_is_kept_in_500_characters() -> None:
    check = a_running_check(an_upload(a_bot(aya())))
    check_fail(check, "OSError: " + "x" * 100_000)
    check.refresh_from_db()
    assert (check.state, len(check.reason)) == ("failed", 500)


def test_whoever_takes_a_check_is_noted_and_its_reason_goes() -> None:
    check = an_upload(a_bot(aya())).checks.get()
    checks_sweep(lambda _: {"code": "not_taken", "hours": 1})
    taken = check_claim(check.pk, "host:1:1", {"python/1"})
    assert taken is not None
    taken.refresh_from_db()
    assert (taken.worker, taken.waiting_for, taken.note, taken.state) == ("host:1:1", "", {}, "running")
    assert checks_running("host:") == [taken]
    assert checks_running("other:") == []


def test_a_version_withdrawn_while_it_waits_for_a_runtime_waits_no_longer() -> None:
    version = an_upload(a_bot(aya()))
    checks_sweep(lambda _: {"code": "not_taken", "hours": 1})
    version_retire(version, aya())
    assert checks_sweep(lambda _: {"code": "not_taken", "hours": 1}) == []
    check = version.checks.get()
    assert (check.state, check.waiting_for, check.note) == ("done", "", {})
    assert check.finished_at is not None


def test_steps_show_while_a_check_runs_and_begin_anew_with_it() -> None:
    version = an_upload(a_bot(aya()))
    check = a_running_check(version)
    first = [{"name": "bundle", "ok": True, "detail": "2 files"}]
    check_progress(check, first)
    check.refresh_from_db()
    assert (check.steps, check.state) == (first, CheckRun.State.RUNNING)
    check_fail(check, "the disk is full", Cause.DISK)
    CheckRun.objects.filter(pk=check.pk).update(retry_at=None)
    taken_up = a_running_check(version)
    assert taken_up.steps == []
    check_progress(check, first)
    taken_up.refresh_from_db()
    assert taken_up.steps == [], "a worker that lost it changes nothing"
    assert finish(taken_up, accepted=True)
    check_progress(taken_up, first)
    taken_up.refresh_from_db()
    assert [step["name"] for step in taken_up.steps] == ["start"]
