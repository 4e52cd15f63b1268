"""Following a tournament by asking again: versions and fragments."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from arena.competition.models import Tournament
from arena.competition.services import tournament_touch
from arena.matches.leases import table_heartbeat
from tests.arena.once import given, made_once
from tests.arena.play import claimed, play_out, waiting
from tests.arena.web.conftest import under_way
from tests.arena.web.streams import version_of

pytestmark = [pytest.mark.django_db, pytest.mark.full]
PART = {"HX-Request": "true"}

rows_of_a_round = made_once(under_way, serials=1000)


@pytest.fixture
def running(rows_of_a_round: Tournament, db: None) -> Tournament:
    """Its first round is open."""
    return given(rows_of_a_round)


def test_a_version_changes_with_whatever_the_page_shows(running: Tournament) -> None:
    seen = [version_of(running)]
    lease = claimed(waiting(running)[0])
    seen.append(version_of(running))
    table_heartbeat(lease.table_id, lease.fence, 1, 20)
    seen.append(version_of(running))
    tournament_touch(running)
    seen.append(version_of(running))
    assert len(set(seen)) == len(seen)
    assert version_of(running) == seen[-1]


def test_the_fragment_carries_its_version_and_is_not_sent_twice(client: Client, running: Tournament) -> None:
    address = f"/tournaments/{running.public_id}/live"
    first = client.get(address)
    assert f'data-version="{version_of(running)}"' in first.content.decode()
    assert "<html" not in first.content.decode()
    again = client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    tournament_touch(running)
    assert client.get(address, headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


@pytest.mark.parametrize("page", ["standings", "crosstable", "entries"])
def test_a_settled_page_is_sent_anew_when_more_is_settled(
    client: Client, page: str, running: Tournament
) -> None:
    address = f"/tournaments/{running.public_id}/{page}?stage=1"
    whole = client.get(address).content.decode()
    assert 'events?of=settled"' in whole
    assert f'hx-get="{address}"' in whole
    have = re.search(r'name="have" value="(\w+)"', whole)
    assert have
    assert f'data-version="{have[1]}"' in whole
    assert client.get(f"{address}&have={have[1]}", headers=PART).status_code == 204
    claimed(waiting(running)[0])
    assert client.get(f"{address}&have={have[1]}", headers=PART).status_code == 204, "nothing more is settled"
    tournament_touch(running)
    part = client.get(f"{address}&have={have[1]}", headers=PART).content.decode()
    assert "<html" not in part
    assert f'hx-get="{address}"' in part
    assert have[1] not in part


def test_a_sealed_page_is_loaded_anew_once_it_is_open(client: Client, running: Tournament) -> None:
    table = waiting(running)[0]
    addresses = [f"/tables/{table.public_id}", f"/boards/{table.fixture.board_set.public_id}/1"]
    for address in addresses:
        sealed = client.get(address)
        assert sealed.status_code == 423
        assert 'hx-get="?opens=1"' in sealed.content.decode()
        asked = client.get(f"{address}?opens=1", headers=PART)
        assert (asked.status_code, asked.headers.get("HX-Refresh")) in {(204, None), (423, None)}
    play_out(running)
    for address in addresses:
        assert client.get(f"{address}?opens=1", headers=PART).headers["HX-Refresh"] == "true"
        assert "HX-Refresh" not in client.get(f"{address}?opens=1").headers
