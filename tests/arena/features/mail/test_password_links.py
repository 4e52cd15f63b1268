"""Links to set a password: requested without revealing accounts, sent from the outbox, no secret stored."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from arena.accounts.links import link_find, link_hash, reset_link_create, reset_links_create
from arena.accounts.models import OneTimeLink, User
from arena.common.errors import ArenaError
from arena.features.mail import password_links
from arena.features.mail.models import MailServer, OutgoingMail, ResetRequest
from arena.features.mail.password_links import first_links_queue, reset_requests_queue
from arena.features.mail.sending import mails_send
from arena.features.mail.tasks import mails_tick
from tests import factories
from tests.arena.features.mail.conftest import SITE
from tests.arena.features.mail.servers import Inbox
from tests.refusals import refusal

pytestmark = pytest.mark.django_db
PASSWORD = "another-sentence-of-mine"
HOSTILE = "<script>alert(1)</script>\N{RIGHT-TO-LEFT OVERRIDE}"


@pytest.fixture
def mina(db: None) -> User:
    """An account whose address was never confirmed."""
    user = factories._user("mina")
    User.objects.filter(pk=user.pk).update(email="mina@example.org")
    user.refresh_from_db()
    return user


def request_link(name: str, **headers: str) -> str:
    """Return the response to the form, without its token against forged requests."""
    answer = Client().post("/reset", {"name": name}, **headers)  # type: ignore[arg-type]
    assert answer.status_code == 200
    return re.sub(r'csrfmiddlewaretoken" value="[^"]*"', "", answer.content.decode())


def paths(inbox: Inbox) -> list[str]:
    """Return the paths of the links in all mails."""
    texts = [mail.get_content().replace("\r\n", "\n") for _, mail in inbox.mails]
    return [match[1] for text in texts for match in re.finditer(rf"^{SITE}(/reset/[\w-]+)$", text, re.M)]


def states() -> list[tuple[str, str]]:
    return list(OutgoingMail.objects.order_by("pk").values_list("state", "cause"))


def test_a_link_sets_a_new_password_once_and_replaces_an_earlier_one(mina: User, inbox: Inbox) -> None:
    for name in ("mina", "MINA@example.org"):
        request_link(name)
        mails_tick()
        assert mails_send() == 1
    assert inbox.recipients == ["mina@example.org"] * 2
    earlier, path = paths(inbox)
    assert Client().get(earlier).status_code == 404
    visitor = Client()
    assert "<b>mina</b>" in visitor.get(path).content.decode()
    assert visitor.post(path, {"password": "short"}).status_code == 400
    assert visitor.post(path, {"password": PASSWORD})["Location"] == "/sign-in"
    assert visitor.post(path, {"password": PASSWORD}).status_code == 404
    mina.refresh_from_db()
    assert mina.check_password(PASSWORD)


def test_neither_the_response_nor_its_statements_depend_on_the_account(mina: User) -> None:
    request_link("warm")
    seen = set()
    for name in ("mina", "nobody", "mina@example.org", "x@example.org", HOSTILE):
        with CaptureQueriesContext(connection) as queries:
            page = request_link(name)
        seen.add((page, tuple(query["sql"].split(" VALUES ")[0] for query in queries.captured_queries)))
    assert len(seen) == 1
    assert ResetRequest.objects.count() == 6
    assert not OutgoingMail.objects.exists()
    assert reset_requests_queue() == 6
    assert not ResetRequest.objects.exists()
    assert OutgoingMail.objects.count() == 2


def test_no_secret_is_stored(mina: User, inbox: Inbox) -> None:
    request_link("mina")
    mails_tick()
    before = OneTimeLink.objects.get().token_hash
    assert mails_send() == 1
    secret = paths(inbox)[0].rpartition("/")[2]
    rows = [*OutgoingMail.objects.values(), *OneTimeLink.objects.values()]
    assert secret not in repr(rows)
    assert before != OneTimeLink.objects.get().token_hash == link_hash(secret)


def test_each_attempt_makes_a_new_secret(mina: User, inbox: Inbox) -> None:
    request_link("mina")
    mails_tick()
    inbox.refused["mina@example.org"] = "451 4.7.1 greylisted"
    assert mails_send() == 0
    first = OneTimeLink.objects.get().token_hash
    inbox.refused.clear()
    OutgoingMail.objects.update(next_at=timezone.now())
    MailServer.objects.update(next_at=timezone.now())
    assert mails_send() == 1
    [path] = paths(inbox)
    assert OneTimeLink.objects.get().token_hash != first
    assert link_find("reset", path.rpartition("/")[2]).user == mina


def test_links_that_were_withdrawn_or_whose_address_changed_are_not_sent(mina: User, inbox: Inbox) -> None:
    request_link("mina")
    mails_tick()
    _, newer = reset_link_create(mina, None)
    mails_send()
    assert link_find("reset", newer).user == mina
    request_link("mina")
    mails_tick()
    User.objects.filter(pk=mina.pk).update(email="thief@example.org")
    mails_send()
    assert states() == [("dropped", "link_not_found"), ("dropped", "address_changed")]
    assert not inbox.mails


def test_requests_are_limited_for_each_account_and_address(
    mina: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        request_link("mina", REMOTE_ADDR=f"192.0.2.{number}")
    reset_requests_queue()
    assert OutgoingMail.objects.count() == 3
    settings.API_RATES = {**settings.API_RATES, "resets": "1/hour"}
    request_link("x", REMOTE_ADDR="192.0.2.77")
    assert Client().post("/reset", {"name": "x"}, REMOTE_ADDR="192.0.2.77").status_code == 429
    monkeypatch.setattr(password_links, "MAX_MAILS_PER_REQUEST", 2)
    for name in ("hako", "kiku", "sumi"):
        User.objects.filter(pk=factories._user(name).pk).update(email="class@example.org")
    request_link("class@example.org")
    reset_requests_queue()
    assert OutgoingMail.objects.filter(address="class@example.org").count() == 2


def test_closed_accounts_those_of_the_house_and_old_requests_get_no_link(mina: User, settings: Any) -> None:
    for name in ("house-greedy", "closed"):
        user = factories._user(name)
        User.objects.filter(pk=user.pk).update(email=f"{name}@example.org", is_active=name != "closed")
        request_link(name)
    request_link("mina")
    ResetRequest.objects.filter(name="mina").update(created_at=timezone.now() - timedelta(hours=3))
    assert reset_requests_queue() == 3
    request_link("mina")
    settings.EMAIL_FROM = ""
    mails_tick()
    assert not ResetRequest.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_first_links_replace_those_that_were_made_with_the_account(mina: User, inbox: Inbox) -> None:
    odo = factories.odo()
    ben = factories.ben()
    made = reset_links_create([mina, odo], None, "first password")
    first_links_queue([mina, odo, ben], SITE, "Bots 101", "ja")
    assert OutgoingMail.objects.count() == 2, "Ben has no link"
    User.objects.filter(pk=odo.pk).update(is_active=False)
    assert mails_send() == 1
    [(address, mail)] = inbox.mails
    assert address == "mina@example.org"
    assert "Bots 101" in mail.get_content()
    assert re.search("[ァ-ン]", mail["Subject"])
    assert refusal(ArenaError, link_find, "reset", made[0]).code == "link_not_found"
    link = link_find("reset", paths(inbox)[0].rpartition("/")[2])
    assert link.user == mina
    assert link.expires_at > timezone.now() + timedelta(days=29)
