"""Rotation of secrets: the old and the new one are both valid for a while, then only the new one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import redis
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client, RequestFactory

from arena.accounts.models import User
from arena.accounts.sign_up import account_sign_up
from arena.api.base.paging import CursorPosition, _format_cursor, _parse_cursor
from arena.common.error_reports import configured_secrets
from arena.common.errors import Invalid, NotFound
from arena.features.daily.selectors import attempt_of, deal_today
from arena.features.mail.links import confirmation_link, confirmed_address
from arena.features.play.selectors import tables_of
from arena.features.play.visitors import COOKIE, browser_of, key_store
from arena.operations.account_deletion import account_delete
from arena.settings.metrics import metrics_access_of
from arena.web.base.throttle import _digest, _is_marked, browser_mark
from tests import factories
from tests.arena.features.daily.deals import a_deal, account, attempt, guest
from tests.arena.features.play.tables import a_table, house
from tests.arena.queue_server import queue_server
from tests.refusals import refusal

pytestmark = pytest.mark.django_db

OLD, NEW = "the key before the rotation, with 40 characters", "the key after the rotation, with 40 characters"


@pytest.fixture
def rotate(settings: Any) -> Any:
    """Rotate the key, and later forget the old one."""
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = OLD, []

    def change(*, keeps_old: bool) -> None:
        settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD] if keeps_old else []

    return change


def test_sessions_stay_and_move_to_the_new_key_with_their_next_request(rotate: Any) -> None:
    used, unused = Client(), Client()
    for client in (used, unused):
        client.force_login(factories.aya())
    rotate(keeps_old=True)
    assert used.get("/me").status_code == 200
    rotate(keeps_old=False)
    assert used.get("/me").status_code == 200, "it was signed again"
    assert unused.get("/me").status_code == 302
    assert Session.objects.count() >= 1


def test_signed_cookies_and_links_stay(rotate: Any) -> None:
    aya = factories.aya()
    User.objects.filter(pk=aya.pk).update(email="aya@example.org")
    aya.refresh_from_db()
    response = HttpResponse()
    key_store(response, guest("one"))
    mark = browser_mark("aya")
    token = confirmation_link(aya, "aya@example.org").rpartition("/")[2]

    def guest_key() -> str:
        request = RequestFactory().get("/")
        request.user = factories.ben()
        request.COOKIES[COOKIE] = response.cookies[COOKIE].value
        return browser_of(request).guest_key

    rotate(keeps_old=True)
    assert guest_key() == guest("one").guest_key
    assert _is_marked(mark, _digest("aya"))
    assert confirmed_address(aya, token) == "aya@example.org"
    rotate(keeps_old=False)
    assert guest_key() == ""
    assert not _is_marked(mark, _digest("aya"))
    refusal(NotFound, confirmed_address, aya, token)


def test_cursors_of_lists_stay(rotate: Any) -> None:
    position = CursorPosition((7, 8), False)
    cursor = _format_cursor(position, "bots")
    rotate(keeps_old=True)
    assert _parse_cursor(cursor, 2, "bots") == position
    assert _parse_cursor(_format_cursor(position, "bots"), 2, "bots") == position
    rotate(keeps_old=False)
    with pytest.raises(Exception, match="cursor"):
        _parse_cursor(cursor, 2, "bots")


def test_names_of_deleted_accounts_stay_reserved(rotate: Any, settings: Any) -> None:
    settings.SIGN_UP = "open"
    name = factories.aya().username
    account_delete(factories.aya())
    rotate(keeps_old=True)
    error = refusal(Invalid, account_sign_up, name, "a long enough sentence")
    assert error.code == "username_taken"
    rotate(keeps_old=False)
    assert account_sign_up(name, "a long enough sentence").username == name


def test_tables_and_daily_deals_stay(rotate: Any) -> None:
    house()
    visitor = guest("one")
    table = a_table(visitor)
    a_deal()
    deal = deal_today()
    assert deal is not None
    by_guest, by_account = attempt(guest("two")), attempt(account(factories.aya()))
    rotate(keeps_old=True)
    assert [row.pk for row in tables_of(visitor)] == [table.pk]
    assert attempt_of(guest("two"), deal) == by_guest
    assert attempt_of(account(factories.aya()), deal) == by_account
    rotate(keeps_old=False)
    assert not tables_of(visitor).exists()
    assert attempt_of(guest("two"), deal) is None
    assert attempt_of(account(factories.aya()), deal) == by_account, "accounts do not depend on the key"


def test_reports_of_errors_contain_neither_key(rotate: Any) -> None:
    rotate(keeps_old=True)
    assert {OLD, NEW} <= set(configured_secrets())


def test_tokens_of_a_scraper_overlap(client: Client, settings: Any) -> None:
    old, new = "old-token-0123456789", "new-token-0123456789"

    def status(token: str) -> int:
        return client.get("/metrics", headers={"authorization": f"Bearer {token}"}).status_code

    settings.METRICS_ACCESS = metrics_access_of({"RENSHO_METRICS": f"token:{old},token:{new}"})
    assert (status(old), status(new)) == (200, 200)
    settings.METRICS_ACCESS = metrics_access_of({"RENSHO_METRICS": f"token:{new}"})
    assert (status(old), status(new)) == (403, 200)


def test_passwords_of_the_queue_overlap(tmp_path: Path) -> None:
    """The commands of docs/operators.md, at a real server."""
    with queue_server(tmp_path) as server:

        def answers(password: str) -> bool:
            client = redis.Redis.from_url(server.url.replace("unix://", f"unix://:{password}@"))
            try:
                return bool(client.ping())
            except redis.AuthenticationError:
                return False
            finally:
                client.close()

        running: Any = redis.Redis.from_url(server.url)
        running.execute_command("CONFIG", "SET", "requirepass", "old")
        assert (answers("old"), answers("new")) == (True, False)
        running.execute_command("ACL", "SETUSER", "default", ">new")
        assert (answers("old"), answers("new")) == (True, True)
        running.execute_command("ACL", "SETUSER", "default", "<old")
        assert (answers("old"), answers("new")) == (False, True)
        running.close()
