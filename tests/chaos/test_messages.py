"""Messages of Celery that are duplicated and lost, on a real queue server."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from kombu import Connection
from kombu.messaging import Queue

from arena.celery import app
from arena.jobs.publish import TABLE_PLAY
from arena.settings.broker import celery_url_of
from tests.arena.queue_server import queue_server
from tests.chaos import messages

QUEUE = "tables.python-1"

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with queue_server(tmp_path_factory.mktemp("queue")) as server:
        yield server.url


@pytest.fixture
def client(url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(url) as client:
        client.flushall()
        yield client


@pytest.fixture
def connection(url: str, settings: Any) -> Iterator[Connection]:
    options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    with Connection(celery_url_of(url), transport_options=options) as connection:
        yield connection


def send(connection: Connection, *tables: int) -> None:
    with connection.Producer() as producer:
        for table in tables:
            app.send_task(TABLE_PLAY, (table,), queue=QUEUE, producer=producer)


def receive(connection: Connection) -> Any:
    """Take the next message; None without any."""
    channel = connection.default_channel
    return Queue(QUEUE, channel=channel).get()


def tables_left(connection: Connection) -> list[int]:
    left = []
    while message := receive(connection):
        left.append(message.decode()[0][0])
        message.ack()
    return sorted(left)


def test_a_waiting_message_arrives_twice(client: redis.Redis, connection: Connection) -> None:
    send(connection, 7, 8)
    assert QUEUE in messages.duplicate(client, random.Random(1))
    assert tables_left(connection) in ([7, 7, 8], [7, 8, 8])


def test_a_message_in_progress_arrives_again(client: redis.Redis, connection: Connection) -> None:
    send(connection, 7)
    taken = receive(connection)
    assert QUEUE in messages.duplicate(client, random.Random(1))
    taken.ack()
    assert tables_left(connection) == [7]


def test_a_waiting_message_is_lost(client: redis.Redis, connection: Connection) -> None:
    send(connection, 7, 8)
    assert QUEUE in messages.lose(client, random.Random(1))
    assert tables_left(connection) in ([7], [8])


def test_without_messages_nothing_happens(client: redis.Redis) -> None:
    client.lpush(f"{messages.PREFIX}other", "no message")
    assert messages.duplicate(client, random.Random(1)) == messages.lose(client, random.Random(1)) == ""
