"""What events have published, in the admin: to be looked at, and the private halves of keys not even that."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.competition.models import Label, SigningKey, Statement, Tournament
from tests.arena.admin.pages import list_url, row_url, text_of
from tests.factories import sota

pytestmark = pytest.mark.django_db


def test_no_page_shows_or_reads_the_private_half_of_a_key(client: Client, running: Tournament) -> None:
    client.force_login(sota())
    key = SigningKey.objects.get()
    with CaptureQueriesContext(connection) as captured:
        pages = [
            text_of(client, list_url(SigningKey)),
            text_of(client, row_url(key)),
            text_of(client, list_url(Statement)),
            text_of(client, row_url(Statement.objects.defer("key__private")[0])),
        ]
    asked = [query["sql"] for query in captured]
    assert len(asked) > 10
    assert [sql for sql in asked if '"private"' in sql] == []
    assert bytes(key.public).hex() in pages[1]
    assert [page for page in pages if bytes(key.private).hex() in page] == []
    assert [page for page in pages if str(bytes(key.private))[2:-1] in page] == []
    assert client.get(list_url(SigningKey), {"private__contains": "a"}).status_code in (302, 400)


@pytest.mark.parametrize("model", [Label, SigningKey, Statement])
def test_nothing_published_is_changed_or_deleted(
    client: Client, running: Tournament, model: type[Label | SigningKey | Statement]
) -> None:
    client.force_login(sota())
    row = model._base_manager.all()[0]
    address = row_url(row)
    assert client.get(address).status_code == 200
    assert client.post(address, {"digest": "0" * 64}).status_code == 403
    assert client.post(address.replace("/change/", "/delete/"), {"post": "yes"}).status_code == 403
