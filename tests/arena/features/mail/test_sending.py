"""From a notice to its mail: sent once, only to readers who may see it, and kept while the server is away."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from arena.accounts.models import Notice, User
from arena.competition.models import Tournament
from arena.features.mail import limits, sending
from arena.features.mail.models import MailAddress, MailServer, NoticeChoice, OutgoingMail
from arena.features.mail.outbox import addresses_sweep, digests_queue, mails_prune, mails_sweep, notices_queue
from arena.features.mail.sending import mail_claim, mails_due, mails_send
from arena.features.mail.server import server_state
from arena.operations.account_deletion import account_delete
from arena.operations.own_data import own_data
from tests import factories
from tests.arena.features.mail.conftest import SITE, confirmed, notify
from tests.arena.features.mail.servers import CLOSE, Inbox, Scripted

pytestmark = pytest.mark.django_db
Start = Callable[[Mapping[str, str]], Scripted]
State = OutgoingMail.State


def queue_and_send() -> int:
    notices_queue()
    return mails_send()


def states() -> list[tuple[str, str]]:
    return list(OutgoingMail.objects.order_by("pk").values_list("state", "cause"))


def make_due() -> None:
    """Let all delays pass."""
    OutgoingMail.objects.filter(state=State.WAITING).update(next_at=timezone.now())
    MailServer.objects.update(next_at=timezone.now())


def test_a_chosen_notice_is_sent_once(aya: User, inbox: Inbox) -> None:
    notify(aya, page="/me")
    notify(aya, "webhook")
    assert queue_and_send() == 1
    assert queue_and_send() == 0
    [(address, mail)] = inbox.mails
    row = OutgoingMail.objects.get()
    assert (address, row.state, row.reply) == ("aya@players.example", "sent", "250")
    assert row.public_id in mail["Message-ID"]
    assert "Kita" in mail.get_content()
    assert f"{SITE}/me\n" in mail.get_content().replace("\r\n", "\n")
    assert mail["From"] == "notices@rensho.example"


def test_only_later_notices_of_active_accounts_with_a_confirmed_address(inbox: Inbox) -> None:
    early = notify(factories.aya())
    aya = confirmed(factories.aya(), "ready")
    ben, chie, odo = factories.ben(), factories.chie(), factories.odo()
    for user in (ben, chie, odo):
        confirmed(user, "ready")
    User.objects.filter(pk=ben.pk).update(is_active=False)
    User.objects.filter(pk=chie.pk).update(email="other@players.example")
    MailAddress.objects.filter(user=odo).update(refused_at=timezone.now())
    late = [notify(user) for user in (aya, ben, chie, odo)]
    assert queue_and_send() == 1
    assert inbox.recipients == ["aya@players.example"]
    assert OutgoingMail.objects.get().notice == late[0] != early
    notices = Notice.objects.filter(pk__in=[notice.pk for notice in late])
    notices.update(created_at=timezone.now() - timedelta(seconds=limits.MAX_AGE_S + 1))
    OutgoingMail.objects.all().delete()
    assert notices_queue() == 0


def test_texts_are_in_the_readers_language(inbox: Inbox) -> None:
    confirmed(factories.aya(), "ready", language="ja")
    notify(factories.aya())
    queue_and_send()
    [(_, mail)] = inbox.mails
    assert re.search("[ぁ-ん]", mail["Subject"])
    assert re.search("[ぁ-ん]", mail.get_content())


def test_what_changed_since_then_counts(aya: User, inbox: Inbox) -> None:
    """Choices, addresses and notices already read are checked when a mail is sent."""
    for _ in range(2):
        notify(aya)
    notices_queue()
    NoticeChoice.objects.filter(kind="ready").delete()
    notify(aya, "tournament")
    read = notify(aya, "tournament")
    notices_queue()
    Notice.objects.filter(pk=read.pk).update(read_at=timezone.now())
    assert mails_send() == 1
    assert states() == [("dropped", "unsubscribed")] * 2 + [("sent", ""), ("dropped", "already_read")]
    notify(aya, "tournament")
    notices_queue()
    User.objects.filter(pk=aya.pk).update(email="")
    mails_send()
    assert states()[-1] == ("dropped", "no_confirmed_address")


def test_a_private_tournament_is_not_mailed_to_who_may_not_see_it(inbox: Inbox) -> None:
    tournament = factories.an_open_tournament(visibility=Tournament.Visibility.PRIVATE)
    for user in (tournament.organiser, factories.aya()):
        confirmed(user, "tournament")
        notify(user, "tournament", tournament.page, "Sealed cup")
        notify(user, "tournament", f"{tournament.page}/reports", "Sealed cup")
        notify(user, "tournament", "/unknown/page", "Sealed cup")
    confirmed(factories.ben(), "invited")
    notify(factories.ben(), "invited", "/courses")
    notify(factories.ben(), "invited", "/courses/somecourse1")
    queue_and_send()
    assert sorted(inbox.recipients) == ["ben@players.example", *["odo@players.example"] * 2]
    dropped = OutgoingMail.objects.filter(state=State.DROPPED, cause="not_visible")
    assert dropped.filter(user=factories.aya()).count() == 3
    assert dropped.count() == 5


def test_security_notices_reach_the_old_address_for_two_days(aya: User, inbox: Inbox) -> None:
    User.objects.filter(pk=aya.pk).update(email="thief@x.example")
    notify(aya, "security")
    notify(aya, "ready")
    addresses_sweep()
    queue_and_send()
    assert inbox.recipients == ["aya@players.example"]
    MailAddress.objects.update(replaced_at=timezone.now() - timedelta(seconds=limits.MAX_AGE_S + 1))
    addresses_sweep()
    assert not MailAddress.objects.exists()


def test_the_daily_limit_and_its_digest(aya: User, inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.features.mail.outbox.PER_DAY", 2)
    for _ in range(4):
        notify(aya)
    notify(aya, "tournament")
    notify(aya, "security")
    assert queue_and_send() == 3
    assert OutgoingMail.objects.filter(state=State.HELD).count() == 3
    assert digests_queue() == 0, "not on the same day"
    OutgoingMail.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert digests_queue() == 1
    assert digests_queue() == 0
    NoticeChoice.objects.filter(kind="tournament").delete()
    assert mails_send() == 1
    _, digest = inbox.mails[-1]
    assert "2" in digest["Subject"]
    assert ": 2" in digest.get_content()
    assert "tournament" not in digest.get_content()
    assert OutgoingMail.objects.filter(state=State.SUMMARISED, digest__state=State.SENT).count() == 3


def test_a_server_that_is_away_loses_nothing(aya: User, scripted: Start, inbox: Inbox, settings: Any) -> None:
    notify(aya)
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 1
    for failures in range(1, 12):
        assert queue_and_send() == 0
        assert server_state().failures == failures
        assert (server_state().cause, OutgoingMail.objects.get().attempts) == ("unreachable", 0)
        assert mails_send() == 0, "waits before it connects again"
        assert server_state().failures == failures
        make_due()
    settings.EMAIL_PORT = port
    assert mails_send() == 1
    assert (server_state().failures, server_state().cause) == (0, "")


def test_refusals_of_all_mails_do_not_count_as_attempts(aya: User, inbox: Inbox) -> None:
    notify(aya)
    inbox.refused["aya@players.example"] = "554 5.7.1 Relay access denied"
    for _ in range(limits.MAX_ATTEMPTS + 2):
        assert queue_and_send() == 0
        assert mails_sweep() == 0
        make_due()
    assert server_state().cause == "relay"
    assert MailAddress.objects.get().refused_at is None
    inbox.refused.clear()
    assert queue_and_send() == 1


def test_a_refused_recipient_turns_its_mails_off(aya: User, inbox: Inbox) -> None:
    inbox.refused["aya@players.example"] = "550 5.1.1 no such user"
    for _ in range(2):
        notify(aya)
    confirmed(factories.ben(), "ready")
    notify(factories.ben())
    assert queue_and_send() == 1
    assert server_state().failures == 0
    assert MailAddress.objects.get(user=aya).refusal == "550 5.1.1"
    [notice] = Notice.objects.filter(kind=Notice.Kind.MAIL)
    assert (notice.user, notice.note["reply"]) == (aya, "550 5.1.1")
    causes = OutgoingMail.objects.filter(user=aya).order_by("cause").values_list("state", "cause")
    assert list(causes) == [("failed", "address_refused"), ("dropped", "no_confirmed_address")]
    notify(aya)
    assert notices_queue() == 0


def test_a_temporary_refusal_is_repeated_and_ends(aya: User, inbox: Inbox) -> None:
    notify(aya)
    inbox.refused["aya@players.example"] = "451 4.7.1 greylisted"
    for attempt in range(1, limits.MAX_ATTEMPTS + 1):
        assert queue_and_send() == 0
        row = OutgoingMail.objects.get()
        assert (row.state, row.attempts, row.reply) == ("waiting", attempt, "451 4.7.1")
        assert row.next_at is not None
        assert row.next_at > timezone.now() + timedelta(seconds=50)
        make_due()
    assert mails_sweep() == 1
    assert states() == [("failed", "refused_for_now")]


def test_a_refused_text_ends_the_mail_only(aya: User, inbox: Inbox) -> None:
    notify(aya)
    inbox.text_reply = "554 5.7.1 looks like spam"
    assert queue_and_send() == 0
    assert states() == [("failed", "refused")]
    assert MailAddress.objects.get().refused_at is None
    assert server_state().failures == 0


def test_a_connection_that_breaks_after_the_text_is_not_repeated(aya: User, scripted: Start) -> None:
    server = scripted({".": CLOSE})
    notify(aya)
    queue_and_send()
    make_due()
    queue_and_send()
    assert states() == [("unknown", "dropped")]
    assert len(server.texts) == 1


class Killed(BaseException):
    """As if the process ended here."""


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_sender(aya: User, inbox: Inbox, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Killed before the text: it is sent later. Killed after it: it is not sent twice."""
    notify(aya)
    notices_queue()
    name = {"before": "_hand_over", "after": "_settle_outcome"}[moment]

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(sending, name, kill)
        with pytest.raises(Killed):
            mails_send()
    assert len(inbox.mails) == (moment == "after")
    assert mails_due(10) == [], "leased"
    assert mails_sweep() == 0
    OutgoingMail.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    mails_sweep()
    mails_send()
    assert len(inbox.mails) == 1
    assert states() == [("sent", "")] if moment == "before" else [("unknown", "interrupted")]


def test_a_sender_that_lost_its_lease_hands_nothing_over(aya: User, inbox: Inbox) -> None:
    notify(aya)
    notices_queue()
    [key] = mails_due(10)
    stale = mail_claim(key)
    assert stale is not None
    assert mail_claim(key) is None
    OutgoingMail.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert not sending._hand_over(stale)
    assert mails_send() == 1
    assert not sending._hand_over(stale)
    sending._settle(stale, State.FAILED)
    assert states() == [("sent", "")]


def test_old_mails_expire_and_ended_ones_are_deleted(aya: User, settings: Any) -> None:
    notify(aya)
    notices_queue()
    OutgoingMail.objects.update(expires_at=timezone.now())
    assert mails_sweep() == 1
    assert states() == [("failed", "expired")]
    assert mails_prune() == 0
    OutgoingMail.objects.update(ended_at=timezone.now() - timedelta(seconds=limits.RETENTION_S + 1))
    assert mails_prune() == 1
    assert limits.RETENTION_S > limits.MAX_AGE_S


def test_statements_do_not_grow_with_notices(
    aya: User, settings: Any, django_assert_num_queries: Callable[[int], Any]
) -> None:
    for _ in range(20):
        notify(aya)
    with django_assert_num_queries(2):
        assert notices_queue() == 20
    with django_assert_num_queries(1):
        assert len(mails_due(50)) == 20


def test_accounts_take_turns(aya: User) -> None:
    for _ in range(5):
        notify(aya)
    confirmed(factories.ben(), "ready")
    notify(factories.ben())
    notices_queue()
    keys = mails_due(2)
    assert {OutgoingMail.objects.get(pk=key).user for key in keys} == {aya, factories.ben()}


def test_deletion_and_export_of_an_account(aya: User) -> None:
    notify(aya)
    notices_queue()
    data = own_data(aya)["mail"]
    assert (data["address"]["address"], len(data["mails"])) == ("aya@players.example", 1)
    assert data["kinds"] == ["ready", "security", "tournament"]
    account_delete(aya)
    for model in (OutgoingMail, MailAddress, NoticeChoice):
        assert not model._default_manager.exists()
