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

# Streams go on for ever: test_changes.py and test_events.py read what they say.
WITHOUT_A_GET = re.compile(r"changes|events|nowhere|docs|schema")


PLACE = re.compile(r"<\w+:(\w+)>")
SEATS = ["?seat=1", "?seat=2"]


@pytest.fixture
def world(shared_world: World) -> World:
    """The same for all tests here."""
    return shared_world


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
    groups = groups_of(world.version, with_sealed=True)
    fill = {
        "game": ["kakeya"],
        "preset": ["kakeya4"],
        "bot": [world.bot.public_id],
        "version": [world.version.public_id, world.upload.public_id],
        "tournament": [world.event.public_id],
        "entry": [world.event.entries.all()[0].public_id],
        "fixture": [world.open_fixture.public_id, world.sealed_fixture.public_id],
        "table": [table.public_id for table in tables],
        "board_set": [world.open_set.public_id, world.sealed_set.public_id],
        "number": ["1"],
        "fingerprint": [group.fingerprint for group in groups],
        "kind": ["registered", "locked", "final", "cancelled"],
        # What these belong to does not touch a deal; they are asked for all the same.
        "webhook": ["none"],
        "delivery": ["none"],
        "series": ["none"],
        "list": ["none"],
        "ruling": ["none"],
        "ladder": ["none"],
        "season": ["none"],
        "placement": ["none"],
        "experiment": ["none"],
    }
    queries = {
        "log": SEATS,
        "timings": SEATS,
        "replay": ["", "?seat=1"],
        "table-view": ["", "?board=1"],
        "standings": ["", "?as_of=1"],
    }
    assert len(groups) > 1
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        view = pattern.callback.view_class  # type: ignore[attr-defined]
        if WITHOUT_A_GET.fullmatch(pattern.name or "") or not hasattr(view, "get"):
            continue
        route = str(pattern.pattern)
        names = PLACE.findall(route)
        for values in itertools.product(*(fill[name] for name in names)):
            address = route
            for value in values:
                address = PLACE.sub(value, address, count=1)
            yield from (address + tail for tail in queries.get(pattern.name or "", [""]))


def everything(world: World, user: User | None) -> dict[str, str]:
    """What one caller can read: text by address."""
    client = caller(user)
    return {
        address: client.get(f"/api/v1/{address}").getvalue().decode("latin-1") for address in addresses(world)
    }


def seeds(world: World, *, of_open: bool) -> list[str]:
    board_set = world.open_set if of_open else world.sealed_set
    return list(board_seeds(board_set.round, range(1, board_set.boards + 1)).values())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("who", [None, chie, aya, odo])
def test_no_secret_and_nothing_sealed_is_anywhere(world: World, who: object) -> None:
    user = who() if callable(who) else None
    secret = spellings(bytes(world.event.secret))
    sealed = world.sealed_table
    hashes = [sealed.record_sha256, sealed.view_sha256, sealed.notes_sha256]
    assert all(hashes)
    times = [time.isoformat()[:26] for time in (sealed.started_at, sealed.finished_at) if time]
    assert len(times) == 2
    hidden = [*seeds(world, of_open=False), *hashes, *times]
    read = everything(world, user)
    for address, text in read.items():
        assert not [word for word in (*secret, *hidden) if word in text], address
    all_text = " ".join(read.values())
    assert all(seed in all_text for seed in seeds(world, of_open=True)), "the crawl must find what is open"
    assert world.open_table.record_sha256 in all_text


def test_staff_find_sealed_seeds_in_records_alone_and_no_secret(world: World) -> None:
    secret, hidden = spellings(bytes(world.event.secret)), seeds(world, of_open=False)
    read = everything(world, sota())
    assert not [address for address, text in read.items() if any(word in text for word in secret)]
    found = {address for address, text in read.items() if any(seed in text for seed in hidden)}
    # The export is packed, so its text cannot show them; it holds the record all the same.
    sealed = {
        group.fingerprint
        for group in groups_of(world.version, with_sealed=True)
        if group.table_id == world.sealed_table.pk
    }
    files = {f"versions/{world.version.public_id}/faults/{fingerprint}/file" for fingerprint in sealed}
    assert found == {f"tables/{world.sealed_table.public_id}/record", *files}


def test_the_secret_is_revealed_at_the_end(world: World) -> None:
    path = f"/api/v1/tournaments/{world.event.public_id}/fairness"
    assert caller().get(path).json()["secret"] is None
    play_out(world.event)
    fairness = caller().get(path).json()
    assert fairness["secret"] == bytes(world.event.secret).hex()
    assert fairness["revealed_at"]
    assert all(board_set["seeds"] for board_set in fairness["board_sets"])


def test_cancelling_reveals_it_too(world: World) -> None:
    tournament_cancel(world.event, odo(), "rain")
    fairness = caller().get(f"/api/v1/tournaments/{world.event.public_id}/fairness").json()
    assert fairness["secret"] == bytes(Tournament.objects.get().secret).hex()
    assert all(board_set["seeds"] for board_set in fairness["board_sets"])
