"""A hub whose polls do not wait for their turn: messages through Valkey wake it."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging

import redis
import redis.asyncio
from django.conf import settings

from arena.common.outage import Outage
from arena.streams.hub import Hub
from arena.tables.live.wakeups import CONNECT_S, NOT_URGENT, PAGES_CHANNEL

log = logging.getLogger(__name__)

RETRY_S = 1.0
READ_S = 5.0
BATCH_DELAY_S = 0.02
"""Delay after messages that are not urgent. By then, most bots have played and the person's turn has come."""


class WokenHub(Hub):
    """A hub that also polls at once when Valkey reports a change."""

    _subscription: asyncio.Task[None] | None = None
    _delayed_wake: asyncio.TimerHandle | None = None

    def wake(self) -> None:
        super().wake()
        if self._delayed_wake is not None:
            self._delayed_wake.cancel()
            self._delayed_wake = None

    def on_message(self, message: bytes) -> None:
        """Handle a message from Valkey. Call it only in the event loop."""
        if not message.endswith(NOT_URGENT.encode()):
            self.wake()
        elif self._delayed_wake is None:
            self._delayed_wake = asyncio.get_running_loop().call_later(BATCH_DELAY_S, self.wake)

    def _watch(self) -> None:
        super()._watch()
        if self._subscription is None or self._subscription.done():
            self._subscription = asyncio.create_task(self._subscribe(), context=contextvars.Context())

    async def _subscribe(self) -> None:
        outage = Outage(log, "hearing of changes of tables")
        while self._listeners():
            client = redis.asyncio.Redis.from_url(
                settings.REDIS_URL, socket_connect_timeout=CONNECT_S, health_check_interval=10
            )
            try:
                async with client.pubsub(ignore_subscribe_messages=True) as pubsub:
                    await pubsub.subscribe(PAGES_CHANNEL)
                    outage.record_success()
                    # Messages sent before the subscription are lost.
                    self.wake()
                    while self._listeners():
                        message = await pubsub.get_message(timeout=READ_S)
                        if message is not None:
                            self.on_message(message["data"])
            except (redis.RedisError, OSError) as error:
                outage.record_failure(error)
                await asyncio.sleep(RETRY_S)
            finally:
                with contextlib.suppress(redis.RedisError, OSError):
                    await client.aclose()
