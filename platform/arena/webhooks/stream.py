"""The stream of events: one look at the log a second for all listeners of a process.

A listener has a position in the log. While the hub's memory reaches back to it and was read with the
listener's rights, it is served from there; else it reads its own pages from the database.
"""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import json
import logging
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Collection, Hashable, Iterable

from asgiref.sync import sync_to_async
from django.contrib.auth.models import AnonymousUser
from django.db import DatabaseError, close_old_connections
from django.db.models import Q, QuerySet

from arena.accounts.models import Event, User
from arena.competition.events import events_visible_to
from arena.webhooks import conf
from arena.webhooks.fanout import event_body, is_wanted
from arena.webhooks.log import first_id, last_id, settled_after

log = logging.getLogger(__name__)

POLL_S = 1.0
HEARTBEAT_S = 15.0
STREAM_S = 1800.0
"""A stream ends after this time; the client comes back with its last id, and its token is looked at."""
BEGIN_S = 10.0
"""A stream not begun after this time never will be."""
PLACED_S = 30.0
"""For the first look at the log; longer, and the stream ends for its client to try again."""
RETRY_MS = 3000
BUSY_RETRY_S = 20
PAGE = 200
REMEMBERED = 2000
"""Events the hub keeps for listeners that are a little behind."""
NOBODY = 0
"""Stands for all anonymous viewers: they see the same."""


class StreamFull(Exception):
    """As many listen as this process will serve, or as one account or address may."""

    def __init__(self, *, is_own: bool) -> None:
        self.is_own = is_own
        super().__init__("own" if is_own else "all")


@dataclasses.dataclass(frozen=True)
class Wish:
    """What a listener wants to hear of: kinds (none are all) and, if given, one tournament."""

    kinds: tuple[str, ...] = ()
    tournament: str = ""

    def takes(self, event: Event) -> bool:
        """Whether it is among them."""
        return (not self.tournament or event.tournament == self.tournament) and is_wanted(
            event.kind, self.kinds
        )

    def among(self, events: QuerySet[Event]) -> QuerySet[Event]:
        """Those of these events."""
        if self.tournament:
            events = events.filter(tournament=self.tournament)
        if self.kinds:
            wanted = Q()
            for kind in self.kinds:
                family = kind.removesuffix(".*")
                wanted |= Q(kind=kind) if family == kind else Q(kind__startswith=f"{family}.")
            events = events.filter(wanted)
        return events


def _viewer(key: int) -> User | AnonymousUser | None:
    """Whose rights a key stands for, as they are now; None if the account is gone or disabled."""
    return AnonymousUser() if key == NOBODY else User.objects.filter(pk=key, is_active=True).first()


@dataclasses.dataclass(frozen=True)
class Batch:
    """Events read together: ids above ``after`` up to ``until``, and which of them each viewer sees."""

    after: int
    until: int
    events: tuple[Event, ...]
    seen: dict[int, frozenset[int]]


def _look(after: int | None, viewers: Collection[int]) -> Batch:
    close_old_connections()
    try:
        if after is None:
            newest = last_id()
            return Batch(newest, newest, (), {})
        events = settled_after(after, PAGE)
        if not events:
            return Batch(after, after, (), {})
        ids = [event.pk for event in events]
        seen = {}
        for key in viewers:
            viewer = _viewer(key)
            rows = (
                events_visible_to(viewer).filter(pk__in=ids) if viewer is not None else Event.objects.none()
            )
            seen[key] = frozenset(rows.values_list("pk", flat=True))
        return Batch(after, ids[-1], tuple(events), seen)
    finally:
        close_old_connections()


def _page(key: int, wish: Wish, after: int, until: int) -> tuple[list[Event], int]:
    """A page of what a viewer may see, and up to where it reaches."""
    close_old_connections()
    try:
        viewer = _viewer(key)
        if viewer is None:
            return [], until
        rows = wish.among(events_visible_to(viewer)).filter(pk__gt=after, pk__lte=until)
        events = list(rows.order_by("pk")[:PAGE])
        return events, until if len(events) < PAGE else events[-1].pk
    finally:
        close_old_connections()


def message(event: Event) -> bytes:
    """One event as server-sent event; its id is what ``Last-Event-ID`` resumes from."""
    return f"id: {event.pk}\ndata: {json.dumps(event_body(event), separators=(',', ':'))}\n\n".encode()


class Listener:
    """One client's place, kept until its stream ends; a stream that never begins loses it."""

    def __init__(self, hub: Hub, key: int, owner: Hashable, wish: Wish, after: int | None) -> None:
        self.key = key
        self.owner = owner
        self.wish = wish
        self.after = after
        self.news = asyncio.Event()
        self.has_begun = False
        self.joined_at = time.monotonic()
        self._hub = hub

    async def messages(self) -> AsyncIterator[bytes]:
        """The stream: what it missed, then what happens, and a sign of life in between."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._hub.stream_s
        self.has_begun = True
        try:
            yield f"retry: {RETRY_MS}\n\n".encode()
            begun = await self._hub.begun()
            if begun is None:
                return
            position = begun if self.after is None else min(self.after, begun)
            # An id without data: who loses the connection before the first event resumes here.
            yield f"id: {position}\n\n".encode()
            if self.after is not None and (lost := await sync_to_async(_lost)(position)):
                yield lost
            while loop.time() < until:
                self.news.clear()
                if position < self._hub.position:
                    events, position = await self._next(position)
                    for event in events:
                        yield message(event)
                    continue
                self._hub.watch()
                try:
                    await asyncio.wait_for(self.news.wait(), self._hub.heartbeat_s)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self._hub.listeners.discard(self)

    async def _next(self, position: int) -> tuple[list[Event], int]:
        batch = self._hub.batch_after(position)
        if batch is not None and self.key in batch.seen:
            seen = batch.seen[self.key]
            return [one for one in batch.events if one.pk in seen and self.wish.takes(one)], batch.until
        until = self._hub.position
        return await sync_to_async(_page)(self.key, self.wish, position, until)


def _lost(position: int) -> bytes:
    """What a client is told whose last event is older than the log reaches; empty if nothing is lost."""
    close_old_connections()
    try:
        first = first_id()
    finally:
        close_old_connections()
    if first <= position + 1:
        return b""
    return f'event: pruned\ndata: {{"after":{position},"first":{first}}}\n\n'.encode()


class Hub:
    """All listeners of one process."""

    def __init__(
        self,
        poll_s: float = POLL_S,
        heartbeat_s: float = HEARTBEAT_S,
        stream_s: float = STREAM_S,
        begin_s: float = BEGIN_S,
    ) -> None:
        self.poll_s = poll_s
        self.heartbeat_s = heartbeat_s
        self.stream_s = stream_s
        self.begin_s = begin_s
        self.listeners: set[Listener] = set()
        self.position = 0
        """Up to which event the log was read."""
        self._batches: deque[Batch] = deque()
        self._task: asyncio.Task[None] | None = None
        self._is_placed = asyncio.Event()

    async def joined(self, key: int, owner: Hashable, wish: Wish, after: int | None) -> Listener:
        """A place for one more client. ``owner`` is who is counted: an account or an address.

        Raises:
            StreamFull: there is none.
        """
        limit = time.monotonic() - self.begin_s
        # A client that goes away between the headers and the first byte leaves no other trace.
        self.listeners = {one for one in self.listeners if one.has_begun or one.joined_at > limit}
        if Counter(one.owner for one in self.listeners)[owner] >= conf.listeners_each():
            raise StreamFull(is_own=True)
        if len(self.listeners) >= conf.listeners_most():
            raise StreamFull(is_own=False)
        listener = Listener(self, key, owner, wish, after)
        self.listeners.add(listener)
        return listener

    async def begun(self) -> int | None:
        """The position once the log is being read; None if it could not be read for a while."""
        self.watch()
        try:
            await asyncio.wait_for(self._is_placed.wait(), PLACED_S)
        except TimeoutError:
            return None
        return self.position

    def watch(self) -> None:
        """Read the log as long as anybody listens; harmless if that is being done."""
        if self._task is None or self._task.done():
            self._is_placed = asyncio.Event()
            self._batches.clear()
            # An empty context: the task must outlive the request that happened to start it.
            self._task = asyncio.create_task(self._read(), context=contextvars.Context())

    def batch_after(self, position: int) -> Batch | None:
        """The remembered batch that goes on from this position."""
        return next((one for one in self._batches if one.after == position), None)

    async def _read(self) -> None:
        position: int | None = None
        while self.listeners:
            keys = {one.key for one in self.listeners}
            try:
                batch = await sync_to_async(_look)(position, keys)
            except DatabaseError as error:
                log.warning("stream of events: %s", error)
            else:
                position = batch.until
                self._take(batch)
                if len(batch.events) == PAGE:
                    continue
            await asyncio.sleep(self.poll_s)

    def _take(self, batch: Batch) -> None:
        is_first = not self._is_placed.is_set()
        self.position = batch.until
        self._is_placed.set()
        if batch.events:
            self._batches.append(batch)
            while len(self._batches) > 1 and _events_in(self._batches) > REMEMBERED:
                self._batches.popleft()
        if batch.events or is_first:
            for one in self.listeners:
                one.news.set()


def _events_in(batches: Iterable[Batch]) -> int:
    return sum(len(batch.events) for batch in batches)


hub = Hub()
"""This process's own."""
