"""What a tick makes good after a standstill: messages a real queue has lost, leases nobody could renew."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from django.utils import timezone
from redis.backoff import NoBackoff
from redis.retry import Retry

from arena.competition.models import Tournament
from arena.jobs.standstill import MARK_KEY, standstill_repair
from arena.jobs.tasks import tick
from arena.matches.models import Table, TickState
from arena.operations.broker import broker_argv, broker_binary_find, broker_wait
from arena.operations.child_process import Child, ChildSpec
from arena.settings.broker import broker_url_of
from tests.arena.play import claimed, waiting

AGO = datetime.timedelta(seconds=5)


class Broker:
    """A server of the test's own, without a log: a restart forgets everything."""

    def __init__(self, data: Path) -> None:
        self.url = broker_url_of(data)
        argv = [*broker_argv(broker_binary_find(), data), "--appendonly", "no"]
        self.child = Child(ChildSpec("broker", tuple(argv), dict(os.environ), data, data / "log"))
        self.start()

    def start(self) -> None:
        self.child.start()
        broker_wait(self.url, 20.0)

    def restart(self) -> None:
        self.child.stop()
        self.start()


@pytest.fixture
def broker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Broker]:
    monkeypatch.delenv("REDIS_URL", raising=False)
    broker = Broker(tmp_path)
    yield broker
    broker.child.stop()


@pytest.fixture
def client(broker: Broker) -> Iterator[redis.Redis]:
    client = redis.Redis.from_url(broker.url)
    yield client
    client.close()


def offered() -> int:
    """Tables somebody was nudged about."""
    return Table.objects.filter(published_at__isnull=False).count()


def nudge_all() -> int:
    return Table.objects.update(published_at=timezone.now() - AGO)


@pytest.mark.full
def test_what_a_flushed_queue_forgot_is_due_again_at_the_next_tick(
    running: Tournament, client: redis.Redis
) -> None:
    standstill_repair(client)
    tables = nudge_all()
    standstill_repair(client)
    assert offered() == tables, "nothing is sent twice while the queue remembers"
    client.flushall()
    standstill_repair(client)
    assert offered() == 0
    nudge_all()
    standstill_repair(client)
    assert offered() == tables, "once for each loss"


@pytest.mark.full
def test_a_server_that_was_restarted_may_have_forgotten(
    running: Tournament, broker: Broker, client: redis.Redis
) -> None:
    standstill_repair(client)
    mark = client.get(MARK_KEY)
    nudge_all()
    broker.restart()
    assert mark is not None
    client.set(MARK_KEY, mark)  # as if its log had kept all but the last second
    standstill_repair(client)
    assert offered() == 0


@pytest.mark.full
def test_the_tick_looks_by_itself(running: Tournament, broker: Broker, client: redis.Redis, settings) -> None:
    settings.REDIS_URL = broker.url
    tick()
    assert TickState.objects.get().queue_id
    nudge_all()
    client.flushall()
    tick()
    (taken, *_) = Table.objects.values_list("published_at", flat=True)
    assert taken is None or taken > timezone.now() - AGO, "offered again"


def test_a_tick_that_comes_late_gives_leases_time_and_offers_again(running: Tournament) -> None:
    unreachable = redis.Redis(port=1, retry=Retry(NoBackoff(), 0))
    standstill_repair(unreachable)
    lease = claimed(waiting(running)[0])
    Table.objects.filter(pk=lease.table_id).update(lease_until=timezone.now() - AGO)
    nudge_all()
    standstill_repair(unreachable)
    assert offered() == 2, "that tick was not late"
    TickState.objects.update(ticked_at=timezone.now() - datetime.timedelta(seconds=60))
    standstill_repair(unreachable)
    table = Table.objects.get(pk=lease.table_id)
    assert table.lease_until is not None
    assert table.lease_until > timezone.now()
    assert not Table.objects.filter(state=Table.State.WAITING, published_at__isnull=False).exists()
