"""Preferences, confirmation, and unsubscription without signing in."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from arena.accounts.models import Notice, User
from arena.accounts.sign_up import email_change, password_change
from arena.features.mail import limits
from arena.features.mail.health import connection_health, stored_health
from arena.features.mail.links import ALL, confirmation_link, unsubscribe_link
from arena.features.mail.models import MailAddress, NoticeChoice, OutgoingMail
from arena.features.mail.outbox import notices_queue
from arena.features.mail.preferences import kinds_of
from arena.features.mail.sending import mails_send
from arena.features.mail.server import is_test_due, server_state, server_test_due
from arena.features.mail.tasks import mails_tick
from tests import factories
from tests.arena.features.mail.conftest import SITE, confirmed, notify
from tests.arena.features.mail.servers import Inbox
from tests.refusals import refusal

pytestmark = pytest.mark.django_db


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def path_of(link: str) -> str:
    assert link.startswith(f"{SITE}/")
    return link.removeprefix(SITE)


def test_an_address_is_confirmed_by_the_link_in_the_mail(inbox: Inbox) -> None:
    user = factories.aya()
    User.objects.filter(pk=user.pk).update(email="aya@players.example")
    client = signed_in(user)
    assert client.post("/me/mail/confirm").status_code == 302
    assert client.post("/me/mail/confirm").status_code == 302
    assert mails_send() == 1, "one mail for two requests"
    [(address, mail)] = inbox.mails
    assert address == "aya@players.example"
    assert mail["List-Unsubscribe"] is None
    link = path_of(re.search(r"https://\S+/confirm/\S+", mail.get_content())[0])  # type: ignore[index]
    assert client.get(link).status_code == 200
    assert not MailAddress.objects.exists(), "GET changes nothing"
    User.objects.filter(pk=factories.ben().pk).update(email="aya@players.example")
    assert signed_in(factories.ben()).post(link).status_code == 404
    assert client.post(link).status_code == 302
    assert MailAddress.objects.get().address == "aya@players.example"
    assert kinds_of(user) == {"security"}
    assert client.post("/me/mail/confirm").status_code == 409


def test_a_link_is_for_one_address_and_a_day(settings: Any) -> None:
    user = factories.aya()
    User.objects.filter(pk=user.pk).update(email="aya@players.example")
    user.refresh_from_db()
    link = path_of(confirmation_link(user, user.email))
    client = signed_in(user)
    assert client.get(link).status_code == 200
    assert client.get(link[:-1]).status_code == 404
    User.objects.filter(pk=user.pk).update(email="other@players.example")
    assert client.post(link).status_code == 404
    assert limits.CONFIRMATION_S == 24 * 3600


def test_confirmations_are_limited_by_account_and_address(settings: Any) -> None:
    statuses = []
    for user in (factories.aya(), factories.ben()):
        User.objects.filter(pk=user.pk).update(email="Victim@players.example")
        client = signed_in(user)
        for _ in range(3):
            statuses.append(client.post("/me/mail/confirm").status_code)
            OutgoingMail.objects.all().delete()
    assert statuses == [302] * 3 + [429] * 3


def test_choices_are_saved(aya: User) -> None:
    client = signed_in(aya)
    page = client.get("/me/mail").content.decode()
    assert page.count("checked") == 3
    assert 'value="mail"' not in page
    data = {"kinds": ["invited", "security"], "language": "ja"}
    assert client.post("/me/mail", data).status_code == 302
    assert kinds_of(aya) == {"invited", "security"}
    assert MailAddress.objects.get().language == "ja"
    for bad in ({"kinds": ["nothing"], "language": "en"}, {"kinds": [], "language": "xx"}):
        assert client.post("/me/mail", bad).status_code == 400
    assert kinds_of(aya) == {"invited", "security"}


def test_one_click_unsubscription(aya: User, inbox: Inbox) -> None:
    """As mail programs do it (RFC 8058): a POST without cookies to the address of the header."""
    notify(aya)
    notices_queue()
    mails_send()
    [(_, mail)] = inbox.mails
    link = path_of(mail["List-Unsubscribe"].strip("<>"))
    client = Client(enforce_csrf_checks=True)
    assert client.get(link).status_code == 200
    assert "ready" in kinds_of(aya), "GET changes nothing"
    answer = client.post(link, {"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert "sessionid" not in answer.cookies
    assert kinds_of(aya) == {"tournament", "security"}
    assert client.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert client.post(link, {"do": "all"}).status_code == 200
    assert kinds_of(aya) == set()


def test_links_of_others_and_forged_links(aya: User) -> None:
    confirmed(factories.ben(), "ready")
    link = path_of(unsubscribe_link(factories.ben(), ALL))
    client = Client()
    forged = link.replace(factories.ben().public_id, aya.public_id)
    assert client.post(forged).status_code == 404
    assert client.post(link).status_code == 200
    assert NoticeChoice.objects.filter(user=aya).count() == 3
    assert not kinds_of(factories.ben())


def test_changes_of_sign_in_are_notices(aya: User) -> None:
    password_change(aya, "a long enough phrase")
    email_change(aya, "aya@players.example")
    assert not Notice.objects.filter(note__code="email_changed").exists(), "the same address"
    email_change(aya, "new@players.example")
    codes = [notice.note["code"] for notice in Notice.objects.filter(kind=Notice.Kind.SECURITY)]
    assert sorted(codes) == ["email_changed", "password_changed"]


def test_the_tick_fills_the_outbox_without_a_broker(aya: User, caplog: pytest.LogCaptureFixture) -> None:
    notify(aya)
    assert list(mails_tick()) == []
    assert OutgoingMail.objects.filter(state=OutgoingMail.State.WAITING).count() == 1
    assert "broker" in caplog.text


def test_a_site_without_mail_sends_nothing(aya: User, settings: Any) -> None:
    settings.EMAIL_FROM = ""
    notify(aya)
    mails_tick()
    assert not OutgoingMail.objects.exists()
    assert list(stored_health(False)) == list(connection_health()) == []
    assert signed_in(aya).get("/me/mail").status_code == 200


def test_health(aya: User, inbox: Inbox, settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    [result] = connection_health()
    assert result.is_ok
    assert not inbox.mails
    server_test_due()
    assert not is_test_due()
    [result] = stored_health(False)
    assert result.is_ok
    inbox.sender_reply = "550 5.7.1 not your address"
    [result] = connection_health()
    assert not result.is_ok
    assert "RENSHO_EMAIL_FROM" in result.remedy
    inbox.sender_reply = ""
    settings.EMAIL_PORT = 1
    notify(aya)
    notices_queue()
    mails_send()
    assert server_state().cause == "unreachable"
    [result] = stored_health(False)
    assert not result.is_ok
    assert "1 mails wait" in result.detail
    assert result.remedy
    assert caplog.text.count("127.0.0.1:1") == 1
    settings.SITE_ADDRESS = ""
    [missing, state] = stored_health(False)
    assert "RENSHO_ADDRESS" in missing.remedy
    assert not state.is_ok


def test_the_command_sends_a_test_mail(inbox: Inbox, settings: Any, capsys: Any) -> None:
    call_command("mail_try", "ops@example.org")
    assert inbox.recipients == ["ops@example.org"]
    assert "250" in capsys.readouterr().out
    inbox.refused["no@example.org"] = "550 5.1.1 unknown"
    assert "550 5.1.1" in str(refusal(CommandError, call_command, "mail_try", "no@example.org"))
    assert "ops" in str(refusal(CommandError, call_command, "mail_try", "ops"))
    settings.EMAIL_PORT = 1
    assert "RENSHO_EMAIL_URL" in str(refusal(CommandError, call_command, "mail_try", "ops@example.org"))
    settings.EMAIL_FROM = ""
    assert "RENSHO_EMAIL_FROM" in str(refusal(CommandError, call_command, "mail_try", "ops@example.org"))


def test_a_refused_address_can_be_confirmed_again(aya: User) -> None:
    MailAddress.objects.update(refused_at=timezone.now() - timedelta(days=1), refusal="550")
    client = signed_in(aya)
    assert "550" in client.get("/me/mail").content.decode()
    link = path_of(confirmation_link(aya, aya.email))
    assert client.post(link).status_code == 302
    address = MailAddress.objects.get()
    assert (address.refused_at, address.refusal) == (None, "")
    assert kinds_of(aya) == {"ready", "tournament", "security"}
