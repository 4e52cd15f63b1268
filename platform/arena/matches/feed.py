"""Telling many spectators of one tournament about changes: one look at the database a second for all.

A feed lives as long as somebody listens to it, in one event loop of one process.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from collections.abc import AsyncIterator

from asgiref.sync import sync_to_async
from django.db import DatabaseError, close_old_connections

from arena.matches.changes import Change, change_of

log = logging.getLogger(__name__)

POLL_S = 1.0
HEARTBEAT_S = 15.0
STREAM_S = 1800.0
"""A stream ends after this time; the browser comes back and its rights are looked at again."""
CLIENTS_AT_MOST = 300
"""Streams at once in one process."""
RETRY_MS = 3000
BEGIN_S = 10.0
"""A stream not begun after this time never will be."""
BUSY_RETRY_S = 20
"""When somebody turned away may try again."""
STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


class FeedFull(Exception):
    """As many spectators listen as this process will serve."""


def _look(tournament_pk: int) -> Change | None:
    close_old_connections()
    try:
        return change_of(tournament_pk)
    finally:
        close_old_connections()


class Listener:
    """One client's place, kept until its stream ends; a stream that never begins loses it."""

    def __init__(self, hub: Hub, tournament_pk: int) -> None:
        self.tournament_pk = tournament_pk
        self.news = asyncio.Event()
        self.has_begun = False
        self.joined_at = time.monotonic()
        self._hub = hub

    async def events(self) -> AsyncIterator[bytes]:
        """The stream: the version at once and after every change, and a sign of life in between."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._hub.stream_s
        sent = None
        self.has_begun = True
        try:
            yield f"retry: {RETRY_MS}\n\n".encode()
            feed = self._hub.feed_of(self.tournament_pk)
            while loop.time() < until:
                # Cleared before looking: what comes in between is not lost.
                self.news.clear()
                change = feed.change
                if change is not None and change.version != sent:
                    sent = change.version
                    yield f'id: {sent}\ndata: {{"version":"{sent}"}}\n\n'.encode()
                if feed.is_over:
                    return
                try:
                    await asyncio.wait_for(self.news.wait(), self._hub.heartbeat_s)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self._hub.listeners.discard(self)


class Feed:
    """What is known of one tournament, looked up again every second while anybody listens."""

    def __init__(self, hub: Hub, tournament_pk: int) -> None:
        self.change: Change | None = None
        self.is_over = False
        self._hub = hub
        self._pk = tournament_pk
        # An empty context: the task must outlive the request that happened to start it.
        self.task = asyncio.create_task(self._watch(), context=contextvars.Context())

    async def _watch(self) -> None:
        try:
            while self._is_heard() and not self.is_over:
                try:
                    change = await sync_to_async(_look)(self._pk)
                except DatabaseError as error:
                    log.warning("feed of tournament %s: %s", self._pk, error)
                else:
                    self._tell(change)
                await asyncio.sleep(self._hub.poll_s)
        finally:
            if self._hub.feeds.get(self._pk) is self:
                del self._hub.feeds[self._pk]

    def _is_heard(self) -> bool:
        return any(one.tournament_pk == self._pk for one in self._hub.listeners)

    def _tell(self, change: Change | None) -> None:
        is_news = change != self.change
        self.change = change
        self.is_over = change is None or change.is_last
        if is_news:
            for one in self._hub.listeners:
                if one.tournament_pk == self._pk:
                    one.news.set()


class Hub:
    """All feeds and listeners of one process."""

    def __init__(
        self,
        poll_s: float = POLL_S,
        heartbeat_s: float = HEARTBEAT_S,
        stream_s: float = STREAM_S,
        clients_at_most: int = CLIENTS_AT_MOST,
        begin_s: float = BEGIN_S,
    ) -> None:
        self.poll_s = poll_s
        self.heartbeat_s = heartbeat_s
        self.stream_s = stream_s
        self.clients_at_most = clients_at_most
        self.begin_s = begin_s
        self.listeners: set[Listener] = set()
        self.feeds: dict[int, Feed] = {}

    def join(self, tournament_pk: int) -> Listener:
        """A place for one more client.

        Raises:
            FeedFull: there is none.
        """
        # A client that goes away between the headers and the first byte leaves no other trace.
        limit = time.monotonic() - self.begin_s
        self.listeners = {one for one in self.listeners if one.has_begun or one.joined_at > limit}
        if len(self.listeners) >= self.clients_at_most:
            raise FeedFull
        listener = Listener(self, tournament_pk)
        self.listeners.add(listener)
        return listener

    async def joined(self, tournament_pk: int) -> Listener:
        """``join`` in the event loop, for callers in a thread: the places are the loop's alone.

        Raises:
            FeedFull: there is none.
        """
        return self.join(tournament_pk)

    def feed_of(self, tournament_pk: int) -> Feed:
        """The tournament's feed, begun if there is none."""
        feed = self.feeds.get(tournament_pk)
        if feed is None or feed.task.done():
            feed = self.feeds[tournament_pk] = Feed(self, tournament_pk)
        return feed


hub = Hub()
"""This process's own."""
