"""Hints between processes that a table has changed: its public id through Valkey."""

from __future__ import annotations

import functools
import logging
import time

import redis
from django.conf import settings

from arena.common.outage import Outage

SERVICE_CHANNEL = "rensho:play:service"
"""To services: a person or a remote bot has acted."""
PAGES_CHANNEL = "rensho:play:pages"
"""To web processes: a table has a new position or state."""
NOT_URGENT = "~"
"""Suffix of messages that may wait."""
CONNECT_S, SEND_S = 0.5, 1.0
BACKOFF_S = 2.0
"""Seconds without messages after a failure, so that an outage does not delay every step."""

log = logging.getLogger(__name__)
_outage = Outage(log, "waking up those who wait for a table")
_backoff_until = 0.0


def wake(channel: str, public_id: str, *, is_urgent: bool = True) -> None:
    """Publish a changed table; never raises. Messages with ``is_urgent=False`` may be handled together."""
    global _backoff_until
    if time.monotonic() < _backoff_until:
        return
    try:
        _client().publish(channel, public_id if is_urgent else public_id + NOT_URGENT)
        _outage.record_success()
    except redis.RedisError as error:
        _backoff_until = time.monotonic() + BACKOFF_S
        _outage.record_failure(error)


def service_subscription() -> redis.client.PubSub:
    """Return the subscription object of services; it connects at the first read."""
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
