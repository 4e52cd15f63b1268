"""No answer to anybody shows a secret before its time, and nothing sealed shows to those it is sealed for."""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator

import pytest
from django.urls import URLPattern

from arena.accounts.models import User
from arena.api.urls import urlpatterns
from arena.competition.deals import board_seeds
from arena.competition.models import Tournament
from arena.jobs.flow import tournament_cancel
from arena.matches.faults import groups_of
from tests.arena.api.conftest import World, caller
from tests.arena.play import play_out
from tests.factories import aya, chie, odo, sota

pytestmark = pytest.mark.django_db

# The stream of changes goes on for ever: test_changes.py reads what it says.
WITHOUT_A_GET = re.compile(
    r"changes|tournament-\w+|entry|token|table-retry|version-(activate|reinstate|retire)|notice-read"
    r"|nowhere|docs|schema"
)


def spellings(secret: bytes) -> list[str]:
    """The ways bytes get into text."""
    return [
        secret.hex(),
        secret.hex().upper(),
        base64.b64encode(secret).decode().rstrip("="),
        base64.urlsafe_b64encode(secret).decode().rstrip("="),
        repr(secret)[2:-1],
        str(list(secret))[1:-1],
    ]


def addresses(world: World) -> Iterator[str]:
    """Every address of the API that answers a GET, for the sealed and for the open part of the event."""
    tables = [world.open_table, world.sealed_table, world.waiting_table]
    fill = {
        "game": ["kakeya"],
        "preset": ["kakeya4"],
        "bot": [world.bot.public_id],
        "version": [world.version.public_id, world.upload.public_id],
        "tournament": [world.event.public_id],
        "fixture": [world.open_fixture.public_id, world.sealed_fixture.public_id],
        "table": [table.public_id for table in tables],
        "board_set": [world.open_set.public_id, world.sealed_set.public_id],
        "fingerprint": [group.fingerprint for group in groups_of(world.version, with_sealed=True)],
    }
    assert len(fill["fingerprint"]) > 1
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        if WITHOUT_A_GET.fullmatch(pattern.name or ""):
            continue
        route = re.sub(r"<int:number>", "1", str(pattern.pattern))
        names = re.findall(r"<(?:str|id):(\w+)>", route)
        query = ["?seat=1", "?seat=2"] if pattern.name == "log" else [""]
        for values in itertools.product(*(fill[name] for name in names)):
            address = route
            for value in values:
                address = re.sub(r"<(?:str|id):\w+>", value, address, count=1)
            yield from (address + tail for tail in query)


def everything(world: World, user: User | None) -> dict[str, str]:
    """What one caller can read: text by address."""
    client = caller(user)
    return {
        address: client.get(f"/api/v1/{address}").content.decode("latin-1") for address in addresses(world)
    }


def seeds(world: World, *, of_open: bool) -> list[str]:
    board_set = world.open_set if of_open else world.sealed_set
    return list(board_seeds(board_set.round, range(1, board_set.boards + 1)).values())


@pytest.mark.parametrize("who", [None, chie, aya, odo, sota])
def test_the_secret_is_nowhere_before_the_end(world: World, who: object) -> None:
    user = who() if callable(who) else None
    hidden = spellings(bytes(world.event.secret))
    for address, text in everything(world, user).items():
        assert not [word for word in hidden if word in text], address


@pytest.mark.parametrize("who", [None, chie, aya, odo])
def test_sealed_seeds_and_results_are_nowhere(world: World, who: object) -> None:
    user = who() if callable(who) else None
    hidden = [*seeds(world, of_open=False), world.sealed_table.record_sha256]
    read = everything(world, user)
    for address, text in read.items():
        assert not [word for word in hidden if word in text], address
    shown = " ".join(read.values())
    assert all(seed in shown for seed in seeds(world, of_open=True)), "the crawl must find what is open"
    assert world.open_table.record_sha256 in shown


def test_staff_find_sealed_seeds_in_records_alone(world: World) -> None:
    hidden = seeds(world, of_open=False)
    found = {a for a, text in everything(world, sota()).items() if any(seed in text for seed in hidden)}
    # The export is packed, so its text cannot show them; it holds the record all the same.
    sealed = {
        group.fingerprint
        for group in groups_of(world.version, with_sealed=True)
        if group.table_id == world.sealed_table.pk
    }
    files = {f"versions/{world.version.public_id}/faults/{one}/file" for one in sealed}
    assert found == {f"tables/{world.sealed_table.public_id}/record", *files}


def test_the_secret_is_revealed_at_the_end(world: World) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}/fairness"
    assert caller().get(path).json()["secret"] is None
    play_out(world.event)
    shown = caller().get(path).json()
    assert shown["secret"] == bytes(world.event.secret).hex()
    assert shown["revealed_at"]
    assert all(one["seeds"] for one in shown["board_sets"])


def test_cancelling_reveals_it_too(world: World) -> None:
    tournament_cancel(world.event, odo(), "rain")
    shown = caller().get(f"/api/v1/tournaments/{world.event.public_id}/fairness").json()
    assert shown["secret"] == bytes(Tournament.objects.get().secret).hex()
    assert all(one["seeds"] for one in shown["board_sets"])
