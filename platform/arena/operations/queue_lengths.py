"""Numbers of messages on the queue server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import redis
from django.conf import settings

from arena.jobs.queues import queues_of_sets
from arena.matches.workers import runtime_sets, workers_known

Queues = Mapping[str, Sequence[str]]
"""Queues by the name without a machine."""
WITHOUT_DATABASE: Queues = queues_of_sets((), ())


def queues_known() -> Queues:
    """Return the queues of all runtimes and machines. Two queries."""
    return queues_of_sets(runtime_sets().values(), {worker.kernel for worker in workers_known()})


def queue_lengths(client: redis.Redis, queues: Queues) -> dict[str, int]:
    """Return the messages that no worker has taken yet, in one round trip. Raises RedisError."""
    prefix = settings.CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"]
    with client.pipeline(transaction=False) as pipeline:
        for names in queues.values():
            for name in names:
                pipeline.llen(f"{prefix}{name}")
        lengths = iter(pipeline.execute())
    return {queue: sum(next(lengths) for _ in names) for queue, names in queues.items()}
