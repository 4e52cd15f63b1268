"""What follows a table: one look for all, positions drawn in it, and each sent once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from arena.features.play.live import CasualTables, FollowingSource, TableListener
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.position import seat_position
from arena.features.play.practice import decision_to_take_back, take_back
from arena.streams.hub import Listener as AnyListener
from arena.streams.hub import Look, StreamSource
from arena.streams.slots import Caller
from arena.streams.woken import BATCH_DELAY_S, WokenHub
from tests.arena.features.play.tables import GUEST, a_table, act, advance

OTHER = Person(None, "key-of-another-guest", "192.0.2.9")
PATIENCE_S = 20.0
CALLER = Caller(None, "192.0.2.7")


def follower(source: FollowingSource[TableListener], table: CasualTable) -> TableListener:
    """Somebody who has nothing of the table yet."""
    return TableListener(source, CALLER, table, 0, lambda found, n: f"<p>{n}</p>")


def moved(table: CasualTable, person: Person = GUEST) -> CasualTable:
    """The table once its person has chosen something, and is asked again."""
    act(person, table.public_id, table.length, seat_position(table).legal[0])
    return advance(table)


def look(source: FollowingSource[TableListener], listeners: Sequence[TableListener]) -> list[TableListener]:
    """What the hub does; whom it would wake."""
    looked = source.look(listeners)
    assert looked is not None
    concerned, has_more = source.take(looked(), listeners)
    assert not has_more
    return list(concerned)


def sent(listener: TableListener) -> list[tuple[str, dict[str, Any]]]:
    """The events that the listener sends now."""
    found = []
    for message in asyncio.run(listener.pending(WokenHub())):
        fields = dict(line.partition(": ")[::2] for line in message.decode().splitlines())
        found.append((fields["event"], json.loads(fields["data"])))
    return found


@pytest.mark.django_db
def test_one_look_draws_for_all_who_wait(django_assert_num_queries: Any) -> None:
    tables = [moved(advance(a_table(person)), person) for person in (GUEST, OTHER)]
    source = FollowingSource(CasualTables(), TableListener)
    listeners = [follower(source, table) for table in tables]
    with django_assert_num_queries(2):
        assert look(source, listeners) == listeners
        for listener, table in zip(listeners, tables, strict=True):
            *steps, (last, state) = sent(listener)
            assert [name for name, _ in steps] == ["at"] * len(steps)
            assert steps[-1][1] == {"n": table.length, "html": f"<p>{table.length}</p>"}
            assert (last, state) == ("state", {"state": "playing"})
    with django_assert_num_queries(1):
        assert look(source, listeners) == []
    assert [sent(listener) for listener in listeners] == [[], []]


@pytest.mark.django_db
def test_who_takes_nothing_is_drawn_nothing_more(django_assert_num_queries: Any) -> None:
    table = moved(advance(a_table(GUEST)))
    source = FollowingSource(CasualTables(), TableListener)
    slow = follower(source, table)
    look(source, [slow])
    taken = slow.rendered
    assert taken is not None
    moved(table)
    with django_assert_num_queries(1):
        assert look(source, [slow]) == [slow]
    assert slow.rendered is taken
    # Now it takes what was drawn, and then what came since.
    taken_now = sent(slow)
    look(source, [slow])
    numbers = [data["n"] for name, data in taken_now + sent(slow) if name == "at"]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == table.length


class Quiet(AnyListener):
    """Hears of everything and says nothing."""

    kind = "quiet"
    is_over = False

    async def pending(self, hub: Any) -> list[bytes]:
        return []


class Counted(StreamSource[Quiet]):
    """Looks at nothing."""

    listener_type = Quiet

    def look(self, listeners: Sequence[Quiet]) -> Look | None:
        return lambda: None

    def take(self, found: Any, listeners: Sequence[Quiet]) -> tuple[Sequence[Quiet], bool]:
        return [], False


def test_what_is_not_urgent_is_looked_at_together() -> None:
    async def scenario() -> None:
        hub = WokenHub((Counted(),), poll_s=60)
        stream = hub.stream(Quiet(CALLER))
        reading = asyncio.ensure_future(anext(aiter(stream.streaming_content)))  # type: ignore[arg-type]
        await reading
        reading = asyncio.ensure_future(anext(aiter(stream.streaming_content)))  # type: ignore[arg-type]

        async def looked(times: int) -> None:
            async with asyncio.timeout(PATIENCE_S):
                while hub.looks < times:
                    await asyncio.sleep(0.005)
            await asyncio.sleep(3 * BATCH_DELAY_S)
            assert hub.looks == times

        await looked(1)
        for _ in range(3):
            hub.on_message(b"table~")
        await looked(2)
        hub.on_message(b"table~")
        hub.on_message(b"table")
        await looked(3)
        hub.on_message(b"table~")
        await looked(4)
        reading.cancel()
        stream.leave()

    asyncio.run(scenario())


@pytest.mark.django_db
def test_a_take_back_tells_pages_to_load_again() -> None:
    table = moved(advance(a_table(GUEST, practice=True)))
    source = FollowingSource(CasualTables(), TableListener)
    listener = follower(source, table)
    look(source, [listener])
    sent(listener)
    while decision_to_take_back(table) is None:
        moved(table)
    take_back(table, table.length)
    assert look(source, [listener]) == [listener]
    assert sent(listener) == [("taken_back", {"count": 1})]
    table.refresh_from_db()
    late = TableListener(source, CALLER, table, 0, None, 0)
    assert sent(late)[0] == ("taken_back", {"count": 1})
