"""Telling another process at once that a table has changed: through Valkey, by the table's public id alone.

Only a hint: whoever misses it, or finds no server, sees the change in the row within a second.
"""

from __future__ import annotations

import functools
import logging
import time

import redis
from django.conf import settings

from arena.common.outage import Outage

SERVICE_CHANNEL = "rensho:play:service"
"""Heard by the services: a person has done something."""
PAGES_CHANNEL = "rensho:play:pages"
"""Heard by the processes that serve pages: there is a new position or state."""
NOT_URGENT = "~"
"""Ends a message that is not urgent."""
CONNECT_S, SEND_S = 0.5, 1.0
BACKOFF_S = 2.0
"""A server that failed is not asked again before: nobody waits for it at each step."""

log = logging.getLogger(__name__)
_outage = Outage(log, "waking up those who wait for a casual table")
_backoff_until = 0.0


def wake(channel: str, public_id: str, *, is_urgent: bool = True) -> None:
    """Tell who listens to the channel; never raises for a server that is away. What is not urgent, as nobody
    is asked yet, may be looked at together with what follows it at once."""
    global _backoff_until
    if time.monotonic() < _backoff_until:
        return
    try:
        _client().publish(channel, public_id if is_urgent else public_id + NOT_URGENT)
        _outage.worked()
    except redis.RedisError as error:
        _backoff_until = time.monotonic() + BACKOFF_S
        _outage.failed(error)


def service_subscription() -> redis.client.PubSub:
    """What hears the services' channel; nothing is asked of the server before it is read."""
    client = redis.Redis.from_url(
        settings.REDIS_URL, socket_connect_timeout=CONNECT_S, health_check_interval=10
    )
    heard: redis.client.PubSub = client.pubsub(ignore_subscribe_messages=True)
    return heard


@functools.cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=SEND_S, socket_connect_timeout=CONNECT_S, health_check_interval=15
    )
