"""The log of events: ids in order of commit, nothing lost to what commits late, nobody held up by it."""

from __future__ import annotations

import logging
import re
import threading
import time
from contextlib import ExitStack
from functools import partial

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from arena.accounts import events
from arena.accounts.events import event_add, events_after, events_settle, newest_event_id, oldest_event_id
from arena.accounts.models import Event, PendingEvent, User
from arena.features.webhooks.fanout import deliveries_queue
from arena.features.webhooks.services import webhook_update
from tests.arena.features.webhooks.conftest import a_webhook
from tests.arena.transactions import PATIENCE_S, held, in_thread
from tests.factories import a_bot, a_version, an_event, an_open_tournament, aya, logged_events, write

# Transactions side by side: each thread has a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)

MANY = 40
"""Events that others write, and looks at the log, while a commit is held."""


def read(after: int) -> tuple[list[int], int]:
    """Numbers of the events after an id, and the last id."""
    found = events_after(after, 1000)
    return [event.data["number"] for event in found], found[-1].pk if found else after


@pytest.mark.parametrize("is_kept", [True, False], ids=["committed", "rolled back"])
def test_a_commit_that_is_held_stalls_nobody_and_is_not_lost(many_writers: None, is_kept: bool) -> None:
    tournament = an_open_tournament()
    after = newest_event_id()
    with held(lambda: write(tournament, 0), is_kept=is_kept) as release:
        for number in range(1, MANY + 1):
            write(tournament, number)
            found, after = read(after)
            assert found == [number], "seen at the next look"
        assert after == newest_event_id()
        release()
        assert read(after)[0] == ([0] if is_kept else [])
    write(tournament, MANY + 1)
    numbers = [event.data["number"] for event in logged_events().filter(kind="round.closed").order_by("pk")]
    assert numbers == [*range(1, MANY + 1), *([0] if is_kept else []), MANY + 1]


def test_what_a_transaction_wrote_keeps_its_order(many_writers: None) -> None:
    tournament = an_open_tournament()
    after = newest_event_id()

    def several() -> None:
        for number in (1, 2, 3):
            write(tournament, number)

    with held(several) as release:
        write(tournament, 4)
        assert read(after)[0] == [4]
        release()
    assert read(after)[0] == [4, 1, 2, 3]


def test_a_webhook_gets_what_commits_late_once(many_writers: None) -> None:
    tournament = an_open_tournament()
    early = a_webhook(aya(), kinds=["round.closed"])
    with held(lambda: write(tournament, 0)) as release:
        for number in range(1, 4):
            write(tournament, number)
            assert deliveries_queue() == 1
        late = a_webhook(aya(), kinds=["round.closed"])
        paused = a_webhook(aya(), kinds=["round.closed"])
        webhook_update(paused, aya(), state="paused")
        webhook_update(paused, aya(), state="active")
        write(tournament, 4)
        release()
        assert deliveries_queue() == 6
        assert deliveries_queue() == 0
    delivered = [
        [
            Event.objects.get(pk=event).data["number"]
            for event in hook.deliveries.order_by("event").values_list("event", flat=True)
        ]
        for hook in (early, late, paused)
    ]
    assert [sorted(numbers) for numbers in delivered] == [[0, 1, 2, 3, 4], [0, 4], [0, 4]]
    assert delivered[0][:3] == [1, 2, 3]


def test_one_who_asks_while_another_settles_goes_on_or_waits(
    many_writers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = an_open_tournament()
    after = newest_event_id()

    def lock() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [events.LOCK_KEY])

    write(tournament, 1)
    with held(lock) as release:
        assert read(after) == ([], after)
        monkeypatch.setattr(events, "LOCK_WAIT_MS", 10)
        assert newest_event_id() == after, "it waits no longer than that"
        monkeypatch.setattr(events, "LOCK_WAIT_MS", 1000 * PATIENCE_S)
        settled: list[int] = []
        with in_thread(lambda: settled.append(events_settle(wait=True))):
            while not _waits_for_lock():
                time.sleep(0.01)
            release()
    assert settled == [1]
    assert read(after)[0] == [1]


def _waits_for_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return bool(cursor.fetchone()[0])


def test_a_locked_account_or_event_holds_up_nobody(many_writers: None) -> None:
    tournament, version = an_open_tournament(), a_version(a_bot(aya()))
    after = newest_event_id()
    event_add("version.ready", version, user=aya(), number=1)
    with held(lambda: User.objects.select_for_update().get(username="aya")) as release:
        write(tournament, 2)
        assert read(after)[0] == [1, 2]
        release()
    write(tournament, 3)
    after = newest_event_id()
    write(tournament, 4)
    with held(lambda: PendingEvent.objects.select_for_update().get()) as release:
        write(tournament, 5)
        found, after = read(after)
        assert found == [5]
        release()
    assert read(after)[0] == [4]


def test_many_write_and_many_settle_at_once(many_writers: None) -> None:
    """Readers that go on from the last id they saw: each sees everything, once, in one order."""
    tournament = an_open_tournament()
    start = newest_event_id()
    writers, readers, each = 4, 3, 60
    is_over = threading.Event()
    seen: list[list[int]] = [[] for _ in range(readers)]

    def writing(first: int) -> None:
        for number in range(first, first + each, 2):
            with transaction.atomic():
                write(tournament, number)
                if number % 3 == 0:
                    time.sleep(0.002)
                write(tournament, number + 1)

    def reading(mine: list[int]) -> None:
        after = start
        while True:
            was_over = is_over.is_set()
            found, after = read(after)
            mine += found
            if was_over and not found and not events_settle(wait=True) and not read(after)[0]:
                return

    with ExitStack() as reads:
        for mine in seen:
            reads.enter_context(in_thread(partial(reading, mine)))
        with ExitStack() as writes:
            for number in range(writers):
                writes.enter_context(in_thread(partial(writing, number * each)))
        is_over.set()
    assert sorted(seen[0]) == list(range(writers * each))
    assert all(numbers == seen[0] for numbers in seen)
    for pair in range(0, writers * each, 2):
        assert seen[0].index(pair) < seen[0].index(pair + 1), "one transaction's"


def test_a_database_that_takes_no_writes_can_still_be_read(
    many_writers: None, caplog: pytest.LogCaptureFixture
) -> None:
    tournament = an_open_tournament()
    after = newest_event_id()
    write(tournament, 1)
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        try:
            with caplog.at_level(logging.WARNING):
                assert read(after) == ([], after)
        finally:
            cursor.execute("SET default_transaction_read_only = off")
    assert "read-only" in caplog.text
    assert read(after)[0] == [1]


def test_more_than_one_statement_moves_are_settled_at_once(
    many_writers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "SETTLE_BATCH_SIZE", 3)
    tournament = an_open_tournament()
    after = newest_event_id()
    for number in range(8):
        write(tournament, number)
    assert read(after)[0] == list(range(8))


def test_an_event_is_moved_whole(many_writers: None) -> None:
    version = a_version(a_bot(aya()))
    newest_event_id()
    event_add("version.suspended", version, user=aya(), tournament="n4t8ks2m9qxz", reason="ill")
    values = PendingEvent.objects.values().get()
    assert {**Event.objects.filter(pk=newest_event_id()).values().get(), "id": 0} == {**values, "id": 0}
    assert not PendingEvent.objects.exists()


def test_the_statement_names_every_column() -> None:
    columns = {field.column for field in PendingEvent._meta.concrete_fields}
    assert columns == {field.column for field in Event._meta.concrete_fields}
    words = re.findall(r"\w+", events.SETTLE_SQL)
    assert {words.count(column) for column in columns - {"id"}} == {2}


def test_ids_go_on_whatever_was_rolled_back_or_deleted() -> None:
    tournament = an_open_tournament()
    first = an_event(tournament)
    with transaction.atomic():
        write(tournament, 0)
        transaction.set_rollback(True)
    assert read(first.pk) == ([], first.pk)
    second = an_event(tournament, number=1)
    Event.objects.all().delete()
    assert (oldest_event_id(), newest_event_id()) == (0, 0)
    third = an_event(tournament, number=2)
    assert first.pk < second.pk < third.pk
    assert read(first.pk) == ([2], third.pk)
    assert oldest_event_id() == third.pk


def test_rows_may_be_left_out() -> None:
    tournament = an_open_tournament()
    first, _, last = (an_event(tournament, number=number) for number in range(3))
    rows = Event.objects.exclude(data={"number": 1})
    assert [event.pk for event in events_after(first.pk - 1, 10, rows)] == [first.pk, last.pk]


def test_the_log_is_not_settled_within_a_transaction() -> None:
    for look in (newest_event_id, events_settle, lambda: events_after(0, 1)):
        with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
            look()  # type: ignore[operator]


def test_a_look_is_one_query_and_one_to_settle() -> None:
    an_event(an_open_tournament())
    with CaptureQueriesContext(connection) as seen:
        events_after(0, 10)
    assert len(seen) == (2 if connection.vendor == "postgresql" else 1)
