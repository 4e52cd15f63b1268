"""Messages that the broker delivers twice or not at all: Celery's queues, changed behind Celery's back."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import cast

import redis
from django.conf import settings

from arena.common.message_context import SUBJECT_HEADER
from arena.jobs.queues import HOUSEKEEPING, ROLES

PREFIX = settings.CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"]
UNACKED = f"{PREFIX}unacked"
"""Hash of the messages that a worker has taken and not acknowledged."""


def duplicate(client: redis.Redis, draw: random.Random) -> str:
    """Send one of the messages again, waiting or taken by a worker; return its label, or "" without any."""
    candidates = [*_waiting(client), *_taken(client)]
    if not candidates:
        return ""
    queue, message = draw.choice(candidates)
    client.lpush(f"{PREFIX}{queue}", message)
    return _label(queue, message)


def lose(client: redis.Redis, draw: random.Random) -> str:
    """Delete one of the waiting messages; return its label, or "" without any."""
    candidates = list(_waiting(client))
    while candidates:
        queue, message = candidates.pop(draw.randrange(len(candidates)))
        if client.lrem(f"{PREFIX}{queue}", 1, message.decode()):  # unless a worker has taken it meanwhile
            return _label(queue, message)
    return ""


def _waiting(client: redis.Redis) -> Iterator[tuple[str, bytes]]:
    for key in sorted(client.scan_iter(match=f"{PREFIX}*", count=1000, _type="list")):
        queue = key.decode().removeprefix(PREFIX)
        if queue == HOUSEKEEPING or queue.startswith(tuple(f"{role}." for role in ROLES)):
            for message in cast(list[bytes], client.lrange(key, 0, -1)):
                yield queue, message


def _taken(client: redis.Redis) -> Iterator[tuple[str, bytes]]:
    for _, value in sorted(client.hgetall(UNACKED).items()):
        message, _exchange, queue = json.loads(value)
        yield queue, json.dumps(message).encode()


def _label(queue: str, message: bytes) -> str:
    headers = json.loads(message)["headers"]
    return f"{headers['task'].rpartition('.')[2]} {headers.get(SUBJECT_HEADER, '')} of {queue}"
