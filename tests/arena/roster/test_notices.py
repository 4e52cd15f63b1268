"""An author learns what came of a check without asking again and again."""

from __future__ import annotations

import pytest

from arena.accounts.models import Notice
from arena.roster.models import Bot
from arena.roster.services import check_finish, version_rejected_create
from tests.factories import (
    a_bot,
    a_running_check,
    a_suspended_version,
    a_version,
    an_upload,
    aya,
    ben,
    logged_events,
)

pytestmark = pytest.mark.django_db


def finished(accepted: bool, bot: Bot | None = None) -> Notice:
    version = an_upload(bot or a_bot(aya()))
    check_finish(
        a_running_check(version),
        accepted=accepted,
        steps=[],
        reasons=[{"code": "crashed", "message": "it crashed at board 2."}],
        report=None,
        runtime_digest="d" * 64,
    )
    return Notice.objects.get(user=aya())


def events() -> list[tuple[str, str]]:
    return [(event.kind, event.user.username) for event in logged_events() if event.user]


def test_a_version_that_passed_is_announced_with_the_next_step() -> None:
    notice = finished(accepted=True)
    assert (notice.kind, notice.note["code"]) == ("ready", "check_passed")
    assert notice.note["active"] == {"code": "became_active"}
    assert notice.url_path.startswith("/versions/")
    assert events() == [("version.ready", "aya")]


def test_a_later_version_says_that_cups_go_on_with_the_active_one() -> None:
    bot = a_version(a_bot(aya())).bot
    notice = finished(accepted=True, bot=bot)
    assert notice.note["active"] == {"code": "stays_active", "number": 1}


def test_a_version_that_failed_is_announced_with_the_reason() -> None:
    notice = finished(accepted=False)
    assert (notice.kind, notice.note["because"]["why"]) == ("rejected", "it crashed at board 2")
    assert events() == [("version.rejected", "aya")]


def test_an_upload_refused_at_once_needs_no_notice_but_is_told_to_watchers() -> None:
    version_rejected_create(
        a_bot(aya()), reasons=[{"code": "unreadable", "message": "no archive"}], notes="", actor=aya()
    )
    assert not Notice.objects.exists()
    assert events() == [("version.rejected", "aya")]


def test_a_suspension_is_told_to_the_owners_watchers_alone() -> None:
    a_suspended_version(a_bot(aya()))
    assert [kind for kind, user in events() if user == "aya"] == ["version.ready", "version.suspended"]
    assert not logged_events().filter(user=ben()).exists()
