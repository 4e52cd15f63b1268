"""What one was told, and marking it as read."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import translation

from arena.accounts.models import Notice
from arena.accounts.services import notice_create
from tests import factories
from tests.arena.web.visits import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.full]


def a_notice(text: str = "Kitsune v1 is suspended", **fields: str) -> Notice:
    note = {"code": "typed", "text": text}
    return notice_create(factories.aya(), Notice.Kind.SUSPENDED, note, fields.get("url_path", "/bots"))


@pytest.fixture
def aya(client: Client) -> Client:
    """A browser in which Aya is signed in."""
    client.force_login(factories.aya())
    return client


def test_an_empty_list_says_what_would_stand_there(aya: Client) -> None:
    page = text_of(aya, "/notices")
    assert 'action="/notices/read"' not in page
    assert 'class="badge"' not in page


def test_a_notice_is_read_in_the_language_of_the_reader(aya: Client) -> None:
    why = {"code": "runtime_lacking", "runtimes": "node/1"}
    note = {"code": "table_held_back", "tournament": "Evening Cup", "why": why, "hours": 24}
    notice = notice_create(factories.aya(), Notice.Kind.TOURNAMENT, note)
    page = aya.get("/notices", headers={"accept-language": "ja"}).content.decode()
    with translation.override("ja"):
        japanese = notice.text
    assert notice.text in text_of(aya, "/notices").replace("&#x27;", "'")
    assert notice.text != japanese
    assert japanese in page


def test_unread_ones_are_counted_in_every_header_until_marked(aya: Client) -> None:
    first, second = a_notice("the first"), a_notice("the second")
    assert 'class="badge">2<' in text_of(aya, "/")
    page = text_of(aya, "/notices")
    assert page.index("the second") < page.index("the first")
    assert aya.post(f"/notices/{first.public_id}/read")["Location"] == f"/notices#n-{first.public_id}"
    assert 'class="badge">1<' in text_of(aya, "/fairness")
    assert aya.post("/notices/read").status_code == 302
    assert 'class="badge"' not in text_of(aya, "/notices")
    second.refresh_from_db()
    assert second.read_at is not None
