"""A site that sends notices, a mail server, and an account with a confirmed address."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from arena.accounts.models import Notice, User
from arena.accounts.services import notice_create
from arena.features.mail.models import MailAddress, NoticeChoice
from tests import factories
from tests.arena.features.mail.servers import Inbox, Scripted

SITE = "https://rensho.example"


def use_server(settings: Any, port: int) -> None:
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_TIMEOUT = 5


@pytest.fixture(autouse=True)
def site(settings: Any) -> None:
    settings.EMAIL_FROM = "notices@rensho.example"
    settings.SITE_ADDRESS = SITE
    use_server(settings, 1)
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""


@pytest.fixture(scope="module")
def shared_inbox() -> Iterator[Inbox]:
    inbox = Inbox()
    yield inbox
    inbox.close()


@pytest.fixture
def inbox(shared_inbox: Inbox, settings: Any) -> Inbox:
    shared_inbox.mails.clear()
    shared_inbox.raw.clear()
    shared_inbox.refused.clear()
    shared_inbox.sender_reply = shared_inbox.text_reply = ""
    use_server(settings, shared_inbox.port)
    return shared_inbox


@pytest.fixture
def scripted(settings: Any) -> Iterator[Callable[[Mapping[str, str]], Scripted]]:
    servers: list[Scripted] = []

    def start(script: Mapping[str, str]) -> Scripted:
        servers.append(Scripted(script))
        use_server(settings, servers[-1].port)
        settings.EMAIL_TIMEOUT = 0.3
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def confirmed(user: User, *kinds: str, language: str = "en", email: str = "") -> User:
    """Give the account a confirmed address, and these kinds of notices."""
    user.email = email or f"{user.username}@players.example"
    user.save()
    MailAddress.objects.create(user=user, address=user.email, language=language)
    NoticeChoice.objects.bulk_create(NoticeChoice(user=user, kind=kind) for kind in kinds)
    return user


@pytest.fixture
def aya(db: None) -> User:
    return confirmed(factories.aya(), "ready", "tournament", "security")


def notify(user: User, kind: str = "ready", page: str = "", name: str = "Kita") -> Notice:
    """Create a notice whose text has this name."""
    return notice_create(user, Notice.Kind(kind), {"code": "passkey_added", "name": name}, page)
