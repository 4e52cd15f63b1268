"""The link to a table that is over: made and taken back by its person alone, and what it never shows."""

from __future__ import annotations

import datetime
import re

import pytest
from django.test import Client
from django.utils import timezone

from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.sharing import KEY_CHARACTERS, LINK_DAYS
from arena.operations.account_deletion import account_delete
from tests import factories
from tests.arena.features.play.casual_tables import serve
from tests.arena.features.play.tables import a_seat, advance

pytestmark = pytest.mark.django_db
NAME = "aya-who-plays"


def played(client: Client) -> CasualTable:
    """A table of an account that was played to its end, with its replay and its field."""
    user = factories.aya()
    user.first_name = NAME
    user.email = f"{NAME}@example.org"
    user.save()
    client.force_login(user)
    return serve(a_seat(user), person=Person(user, "", "192.0.2.8"))


def link_of(client: Client, table: CasualTable) -> str:
    """The path of the link on the page of the table, or nothing."""
    page = client.get(f"/play/{table.public_id}").content.decode()
    found = re.search(r'id="share-link">http://testserver(/play/shared/[^<]+)<', page)
    return found.group(1) if found else ""


def share(client: Client, table: CasualTable) -> str:
    answer = client.post(f"/play/{table.public_id}/share")
    assert answer.status_code == 302
    assert answer["Location"] == f"/play/{table.public_id}#share"
    return link_of(client, table)


def test_who_has_the_link_sees_the_deal_and_not_who_played_it(client: Client) -> None:
    table = played(client)
    assert link_of(client, table) == ""
    link = share(client, table)
    answer = Client().get(link)
    assert answer.status_code == 200
    page = answer.content.decode()
    own = client.get(f"/play/{table.public_id}").content.decode()
    assert 'id="replay"' in page or "data-deal" in page
    assert page.count('class="card-face') == own.count('class="card-face') > 0
    assert table.secret.hex() in page
    assert "guest" in page
    for hidden in (
        NAME,
        "aya",
        ">you<",
        "csrfmiddlewaretoken",
        'method="post"',
        "/events",
        "/act",
    ):
        assert hidden not in page, hidden
    assert '<meta name="robots" content="noindex, nofollow">' in page
    assert answer["X-Robots-Tag"] == "noindex, nofollow"
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "same-origin"
    part = Client().get(f"{link}?part=deal&at=b{table.first_board}")
    assert part.status_code == 200
    assert ">you<" not in part.content.decode()
    assert "no-store" in part["Cache-Control"]
    assert Client().get(f"{link}?at=nonsense").status_code == 400
    for verb in ("post", "put", "delete"):
        assert getattr(Client(), verb)(link).status_code == 405


def test_the_replay_speaks_to_the_person_and_not_to_others(client: Client) -> None:
    table = played(client)
    link = share(client, table)

    def spoken(page: str) -> str:
        found = re.search(r"data-states[^>]*>(.*?)</script>", page, re.DOTALL)
        assert found
        return found.group(1)

    own = spoken(client.get(f"/play/{table.public_id}").content.decode())
    assert "Seat " not in own
    assert all(name in own for name in ("You:", "Your partner:", "The left opponent:", "The right opponent:"))
    shared = spoken(Client().get(link).content.decode())
    assert "Seat " in shared
    assert "You" not in shared


def test_a_link_sent_twice_is_one_and_a_new_one_is_another(client: Client) -> None:
    table = played(client)
    first = share(client, table)
    assert share(client, table) == first
    assert len(first.rpartition("/")[2]) == KEY_CHARACTERS
    assert client.post(f"/play/{table.public_id}/unshare").status_code == 302
    assert client.post(f"/play/{table.public_id}/unshare").status_code == 302
    assert link_of(client, table) == ""
    assert Client().get(first).status_code == 404
    second = share(client, table)
    assert second != first
    assert Client().get(first).status_code == 404
    assert Client().get(second).status_code == 200


def test_a_running_table_is_not_shared_even_by_a_key_it_should_not_have(client: Client) -> None:
    user = factories.aya()
    client.force_login(user)
    table = advance(a_seat(user))
    answer = client.post(f"/play/{table.public_id}/share")
    assert answer.status_code == 409
    key = "a" * KEY_CHARACTERS
    for state in (*CasualTable.ACTIVE, "failed", "abandoned"):
        rows = CasualTable.objects.filter(pk=table.pk)
        rows.update(state=state, share_token=key, shared_at=timezone.now())
        assert Client().get(f"/play/shared/{key}").status_code == 404, state
        assert client.get(f"/play/shared/{key}?part=deal&at=b1p1").status_code == 404, state


def test_a_link_ends_by_itself_and_with_the_account(client: Client) -> None:
    table = played(client)
    link = share(client, table)
    rows = CasualTable.objects.filter(pk=table.pk)
    rows.update(shared_at=timezone.now() - datetime.timedelta(days=LINK_DAYS, seconds=1))
    assert Client().get(link).status_code == 404
    assert link_of(client, table) == ""
    again = share(client, table)
    assert again != link
    assert Client().get(again).status_code == 200
    account_delete(factories.aya())
    assert Client().get(again).status_code == 404


def test_deals_are_numbered_from_one_whatever_their_boards_are_called(client: Client) -> None:
    table = played(client)
    page = client.get(f"/play/{table.public_id}").content.decode()
    assert re.findall(r'data-board="(\w+)"', page) == ["b1"]
    assert 'data-deal="b1"' in page
    # Addresses from before have the board's own number.
    for at in ("b1t3", f"b{table.first_board}t3"):
        assert 'data-deal="b1"' in client.get(f"/play/{table.public_id}?at={at}").content.decode()
        assert client.get(f"/play/{table.public_id}?part=deal&at={at}").status_code == 200
