"""/.well-known/rensho-key: what anybody pins the site by."""

from __future__ import annotations

import io
import re

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from arena.common.errors import Conflict
from arena.competition import keys
from arena.competition.keys import key_current, key_rotate
from arena.competition.models import SigningKey
from league.statements import key_id
from tests.arena.overlaps import overlapping
from tests.factories import an_open_tournament

ADDRESS = "/.well-known/rensho-key"


@pytest.mark.django_db
def test_the_first_who_asks_gets_the_key_that_signs(client: Client) -> None:
    answer = client.get(ADDRESS)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
    (key,) = answer.json()["keys"]
    assert set(key) == {"id", "public", "from", "until"}
    assert (answer.json()["format"], key["until"]) == ("rensho-key/1", None)
    assert key_id(bytes.fromhex(key["public"])) == key["id"] == key_current().name
    event = an_open_tournament()
    assert event.statements.get().key.name == key["id"]


@pytest.mark.django_db
def test_a_rotation_leaves_the_old_key_and_adds_one(client: Client) -> None:
    (before,) = client.get(ADDRESS).json()["keys"]
    out = io.StringIO()
    call_command("rotate_key", stdout=out)
    new, old = client.get(ADDRESS).json()["keys"]
    assert {**old, "until": None} == before != new
    assert old["until"] is not None
    assert new["until"] is None
    assert re.findall(r"[0-9a-f]{16}", out.getvalue()) == [new["id"], old["id"]]


@pytest.mark.django_db
def test_the_private_halves_are_not_even_read(client: Client) -> None:
    private = bytes(key_current().private)
    key_rotate()
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(ADDRESS)
    assert private.hex() not in answer.content.decode()
    assert [query["sql"] for query in captured if "private" in query["sql"]] == []
    assert len(captured) == 1


@pytest.mark.django_db
def test_a_cache_may_keep_it_and_need_not_fetch_it_again(client: Client) -> None:
    answer = client.get(ADDRESS)
    assert {"public", "max-age=300"} == set(answer["Cache-Control"].split(", "))
    again = client.get(ADDRESS, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", answer["ETag"])
    assert "Cookie" not in answer.get("Vary", "")
    key_rotate()
    assert client.get(ADDRESS, headers={"If-None-Match": answer["ETag"]}).status_code == 200
    assert client.post(ADDRESS).status_code == 405


@pytest.mark.django_db
def test_a_thousand_rotations_stay_below_the_bounds(client: Client) -> None:
    last = key_current()
    SigningKey.objects.bulk_create(
        SigningKey(
            number=number,
            name=f"{number:016x}",
            public=bytes(32),
            private=bytes(32),
            valid_from=last.valid_from,
            valid_until=last.valid_from,
        )
        for number in range(2, 1002)
    )
    assert len(client.get(ADDRESS).content) < 900_000


@pytest.mark.django_db(transaction=True)
def test_two_that_need_the_first_key_make_one() -> None:
    def second() -> str:
        return key_current().name

    first, other = overlapping(lambda: key_current().name, second)
    assert first == other
    assert SigningKey.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_rotations_at_once_make_one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    old = key_current()
    # Both have seen the old key before either of them retires it.
    monkeypatch.setattr(keys, "key_current", lambda: old)
    new, refused = overlapping(key_rotate, key_rotate)
    assert isinstance(refused, Conflict)
    assert refused.code == "key_rotated"
    assert list(SigningKey.objects.values_list("name", flat=True)) == [new.name, old.name]
    with pytest.raises(CommandError, match="was retired by another process"):
        call_command("rotate_key")
