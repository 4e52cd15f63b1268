"""Repairs that staff have in the admin alone."""

from __future__ import annotations

import pytest
from django.test import Client

from arena.accounts.links import reset_link_create
from arena.accounts.models import AuditEvent, BrowserSession, User
from arena.roster.models import BotVersion
from tests.arena.admin.pages import page_of, text_of
from tests.factories import a_bot, a_version, aya, sota

pytestmark = pytest.mark.django_db


def test_a_version_is_suspended_for_a_reason(staff: Client) -> None:
    version = a_version(a_bot(aya()))
    for reason in ("", "  ", "x" * 301, "a\u202eb"):
        staff.post(page_of(version), {"do": "suspend", "reason": reason})
        version.refresh_from_db()
        assert version.state == BotVersion.State.READY, reason
    staff.post(page_of(version), {"do": "suspend", "reason": "it mines coins"})
    version.refresh_from_db()
    assert (version.state, version.suspended_reason) == (BotVersion.State.SUSPENDED, "it mines coins")
    line = AuditEvent.objects.get(action="suspend", object_id=version.public_id)
    assert (line.actor, line.after["reason"]) == (sota(), "it mines coins")
    assert 'value="suspend"' not in text_of(staff, page_of(version))
    staff.post(page_of(version), {"do": "suspend", "reason": "again"})
    assert AuditEvent.objects.filter(action="suspend").count() == 1


def test_the_sessions_of_an_account_are_ended(staff: Client) -> None:
    browser = Client()
    browser.force_login(aya())
    assert browser.get("/me").status_code == 200
    assert BrowserSession.objects.filter(user=aya()).exists()
    staff.post(page_of(aya()), {"do": "end_sessions"})
    assert browser.get("/me").status_code == 302
    assert AuditEvent.objects.get(action="end_sessions", object_id=aya().public_id).actor == sota()
    assert staff.get("/me").status_code == 200


def test_a_link_to_a_new_password_is_withdrawn(staff: Client) -> None:
    link, plain = reset_link_create(aya(), None)
    assert Client().get(f"/reset/{plain}").status_code == 200
    staff.post(page_of(link), {"do": "withdraw"})
    assert Client().get(f"/reset/{plain}").status_code == 404
    assert 'value="withdraw"' not in text_of(staff, page_of(link))


def test_actions_of_other_pages_and_for_others_are_refused(staff: Client) -> None:
    user = aya()
    for do in ("", "suspend", "withdraw", "\0"):
        assert staff.post(page_of(user), {"do": do, "reason": "x"}).status_code == 403
    version = a_version(a_bot(user))
    browser = Client()
    browser.force_login(User.objects.get(pk=user.pk))
    assert browser.post(page_of(version), {"do": "suspend", "reason": "x"}).status_code == 302
    version.refresh_from_db()
    assert version.state == BotVersion.State.READY
