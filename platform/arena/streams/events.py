"""Streams that follow the event log from any position, limited to events the viewer may see.

A listener is served from cached batches that start at its position, or reads its own pages.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections import deque
from collections.abc import Collection, Iterable, Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from arena.accounts.events import event_body, events_after, kind_matches, newest_event_id, oldest_event_id
from arena.accounts.models import Event, User
from arena.competition.selectors import events_visible_to
from arena.streams.hub import Hub, Look, StreamSource, in_thread
from arena.streams.hub import Listener as AnyListener
from arena.streams.slots import Caller

PAGE_SIZE = 200
MAX_CACHED_EVENTS = 2000
"""Maximum number of events cached for listeners that are slightly behind."""
ANONYMOUS = 0
"""Key of all anonymous viewers, who see the same events."""


@dataclasses.dataclass(frozen=True)
class EventSelection:
    kinds: tuple[str, ...] = ()
    tournament: str = ""

    def matches(self, event: Event) -> bool:
        return (not self.tournament or event.tournament == self.tournament) and kind_matches(
            event.kind, self.kinds
        )

    def filtered(self, events: QuerySet[Event]) -> QuerySet[Event]:
        if self.tournament:
            events = events.filter(tournament=self.tournament)
        if self.kinds:
            condition = Q()
            for kind in self.kinds:
                family = kind.removesuffix(".*")
                condition |= Q(kind=kind) if family == kind else Q(kind__startswith=f"{family}.")
            events = events.filter(condition)
        return events


@dataclasses.dataclass(frozen=True)
class EventBatch:
    """Events read in one poll: ids above ``after``, up to ``until``; and the ids visible to each viewer."""

    after: int
    until: int
    events: tuple[tuple[Event, bytes], ...] = ()
    """Each event with its message."""
    seen: dict[int, frozenset[int]] = dataclasses.field(default_factory=dict)


class EventSource(StreamSource["EventListener"]):
    """The end of the event log, read once for all listeners."""

    def __init__(self) -> None:
        self.position: int | None = None
        """Id of the last event read; None before the first poll."""
        self._batches: deque[EventBatch] = deque()

    @property
    def listener_type(self) -> type[EventListener]:
        return EventListener

    def look(self, listeners: Sequence[EventListener]) -> Look | None:
        """Return the poll function: one page of new events, with the viewers who may see them."""
        if not listeners:
            self.position = None
            self._batches.clear()
            return None
        if self.position is None:
            return _log_end
        return functools.partial(_read_batch, self.position, {listener.key for listener in listeners})

    def take(
        self, batch: EventBatch, listeners: Sequence[EventListener]
    ) -> tuple[Sequence[EventListener], bool]:
        """Store the batch; return all listeners if it has events."""
        is_first = self.position is None
        self.position = batch.until
        if batch.events:
            self._batches.append(batch)
            while len(self._batches) > 1 and _events_in(self._batches) > MAX_CACHED_EVENTS:
                self._batches.popleft()
        return listeners if batch.events or is_first else (), len(batch.events) == PAGE_SIZE

    def batch_after(self, position: int) -> EventBatch | None:
        return next((batch for batch in self._batches if batch.after == position), None)


class EventListener(AnyListener):
    """Follows the event log. ``after``: id of the client's last event; None to start with the next event."""

    kind = "events"

    def __init__(
        self, source: EventSource, caller: Caller, selection: EventSelection, after: int | None
    ) -> None:
        super().__init__(caller)
        self._source = source
        self.key = ANONYMOUS if caller.account is None else caller.account
        self.selection = selection
        self._after = after
        self._position: int | None = None

    @property
    def is_over(self) -> bool:
        return False

    async def pending(self, hub: Hub) -> list[bytes]:
        """Return the next matching events, at most one page."""
        newest = self._source.position
        if newest is None:
            hub.wake()
            return []
        if self._position is None:
            return await self._begun(newest)
        messages: list[bytes] = []
        while not messages and self._position < newest:
            messages, self._position = await self._next(self._position, newest)
        return messages

    async def _begun(self, newest: int) -> list[bytes]:
        position = newest if self._after is None else min(self._after, newest)
        notice = b"" if self._after is None else await in_thread(functools.partial(_pruned_message, position))
        self._position = position
        # An id without data: a client that disconnects before the first event resumes here.
        return [message for message in (f"id: {position}\n\n".encode(), notice) if message]

    async def _next(self, position: int, newest: int) -> tuple[list[bytes], int]:
        batch = self._source.batch_after(position)
        if batch is not None and self.key in batch.seen:
            visible = batch.seen[self.key]
            messages = [
                text for event, text in batch.events if event.pk in visible and self.selection.matches(event)
            ]
            return messages, batch.until
        return await in_thread(functools.partial(_read_page, self.key, self.selection, position, newest))


def event_message(event: Event) -> bytes:
    return f"id: {event.pk}\ndata: {json.dumps(event_body(event), separators=(',', ':'))}\n\n".encode()


def _log_end() -> EventBatch:
    newest = newest_event_id()
    return EventBatch(newest, newest)


def _read_batch(after: int, viewers: Collection[int]) -> EventBatch:
    events = events_after(after, PAGE_SIZE)
    if not events:
        return EventBatch(after, after)
    ids = [event.pk for event in events]
    lines = tuple((event, event_message(event)) for event in events)
    return EventBatch(after, ids[-1], lines, _visible_ids_by_viewer(ids, viewers))


def _visible_ids_by_viewer(ids: Collection[int], viewers: Collection[int]) -> dict[int, frozenset[int]]:
    """Return the ids visible to each viewer: one query for public events, one per account for others."""
    open_to_all = frozenset(_visible(AnonymousUser(), ids))
    restricted = [pk for pk in ids if pk not in open_to_all]
    # Current accounts: a deleted or disabled account sees nothing.
    users = {user.pk: user for user in User.objects.filter(pk__in=viewers, is_active=True)}
    visible = {}
    for key in viewers:
        if key == ANONYMOUS or (key in users and not restricted):
            visible[key] = open_to_all
        elif key in users:
            visible[key] = open_to_all.union(_visible(users[key], restricted))
        else:
            visible[key] = frozenset()
    return visible


def _visible(viewer: User | AnonymousUser, ids: Collection[int]) -> Iterable[int]:
    return events_visible_to(viewer).filter(pk__in=ids).values_list("pk", flat=True)


def _read_page(key: int, selection: EventSelection, after: int, until: int) -> tuple[list[bytes], int]:
    viewer = AnonymousUser() if key == ANONYMOUS else User.objects.filter(pk=key, is_active=True).first()
    if viewer is None:
        return [], until
    rows = selection.filtered(events_visible_to(viewer)).filter(pk__gt=after, pk__lte=until)
    events = list(rows.order_by("pk")[:PAGE_SIZE])
    return [event_message(event) for event in events], until if len(events) < PAGE_SIZE else events[-1].pk


def _pruned_message(position: int) -> bytes:
    """Return the notice that events after this position were pruned; empty if none was."""
    first = oldest_event_id()
    if first <= position + 1:
        return b""
    return f'event: pruned\ndata: {{"after":{position},"first":{first}}}\n\n'.encode()


def _events_in(batches: Iterable[EventBatch]) -> int:
    return sum(len(batch.events) for batch in batches)
