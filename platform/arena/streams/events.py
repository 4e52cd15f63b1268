"""Following the log of events: what happens, for those who may see it, from any place in the log on.

A listener has a position in the log. While the memory reaches back to it and was read with the listener's
rights, it is served from there; else it reads its own pages from the database.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections import deque
from collections.abc import Collection, Iterable, Sequence

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from arena.accounts.events import event_body, first_id, is_wanted, last_id, settled_after
from arena.accounts.models import Event, User
from arena.competition.selectors import events_visible_to
from arena.streams.hub import Hub, Look, StreamSource, in_thread
from arena.streams.hub import Listener as AnyListener
from arena.streams.slots import Caller

PAGE_SIZE = 200
MAX_CACHED_EVENTS = 2000
"""Events kept for listeners that are a little behind."""
ANONYMOUS = 0
"""Stands for all anonymous viewers: they see the same."""


@dataclasses.dataclass(frozen=True)
class EventSelection:
    """What a listener wants to hear of: kinds (none are all) and, if given, one tournament."""

    kinds: tuple[str, ...] = ()
    tournament: str = ""

    def matches(self, event: Event) -> bool:
        """Whether it is among them."""
        return (not self.tournament or event.tournament == self.tournament) and is_wanted(
            event.kind, self.kinds
        )

    def filtered(self, events: QuerySet[Event]) -> QuerySet[Event]:
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


@dataclasses.dataclass(frozen=True)
class EventBatch:
    """Events read together: ids above ``after`` up to ``until``, and which of them each viewer sees."""

    after: int
    until: int
    events: tuple[tuple[Event, bytes], ...] = ()
    """Each with its message."""
    seen: dict[int, frozenset[int]] = dataclasses.field(default_factory=dict)


class EventSource(StreamSource["EventListener"]):
    """The end of the log, read once for all."""

    def __init__(self) -> None:
        self.position: int | None = None
        """Up to which event it was read; None before the first look."""
        self._batches: deque[EventBatch] = deque()

    @property
    def listener_type(self) -> type[EventListener]:
        """Those of this module."""
        return EventListener

    def look(self, listeners: Sequence[EventListener]) -> Look | None:
        """One page of what is new, and who may see it."""
        if not listeners:
            self.position = None
            self._batches.clear()
            return None
        if self.position is None:
            return _log_end
        return functools.partial(_read_batch, self.position, {listener.key for listener in listeners})

    def take(
        self, found: EventBatch, listeners: Sequence[EventListener]
    ) -> tuple[Sequence[EventListener], bool]:
        """All, if there is anything."""
        is_first = self.position is None
        self.position = found.until
        if found.events:
            self._batches.append(found)
            while len(self._batches) > 1 and _events_in(self._batches) > MAX_CACHED_EVENTS:
                self._batches.popleft()
        return listeners if found.events or is_first else (), len(found.events) == PAGE_SIZE

    def batch_after(self, position: int) -> EventBatch | None:
        """The remembered batch that goes on from this position."""
        return next((batch for batch in self._batches if batch.after == position), None)


class EventListener(AnyListener):
    """Follows the log. ``after`` is the last event its client has, None to begin with what comes next."""

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
        """Never: there is always more to come."""
        return False

    async def pending(self, hub: Hub) -> list[bytes]:
        """The next events of its own, at most a page of them."""
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
        lost = b"" if self._after is None else await in_thread(functools.partial(_pruned_message, position))
        self._position = position
        # An id without data: who loses the connection before the first event resumes here.
        return [message for message in (f"id: {position}\n\n".encode(), lost) if message]

    async def _next(self, position: int, newest: int) -> tuple[list[bytes], int]:
        batch = self._source.batch_after(position)
        if batch is not None and self.key in batch.seen:
            seen = batch.seen[self.key]
            mine = [
                text for event, text in batch.events if event.pk in seen and self.selection.matches(event)
            ]
            return mine, batch.until
        return await in_thread(functools.partial(_read_page, self.key, self.selection, position, newest))


def event_message(event: Event) -> bytes:
    """One event as server-sent event; its id is what ``Last-Event-ID`` resumes from."""
    return f"id: {event.pk}\ndata: {json.dumps(event_body(event), separators=(',', ':'))}\n\n".encode()


def _log_end() -> EventBatch:
    """Where the log ends now."""
    newest = last_id()
    return EventBatch(newest, newest)


def _read_batch(after: int, viewers: Collection[int]) -> EventBatch:
    events = settled_after(after, PAGE_SIZE)
    if not events:
        return EventBatch(after, after)
    ids = [event.pk for event in events]
    lines = tuple((event, event_message(event)) for event in events)
    return EventBatch(after, ids[-1], lines, _visible_ids_by_viewer(ids, viewers))


def _visible_ids_by_viewer(ids: Collection[int], viewers: Collection[int]) -> dict[int, frozenset[int]]:
    """Which events each viewer sees: one query for all, one for each account if some are not for all."""
    open_to_all = frozenset(_visible(AnonymousUser(), ids))
    rest = [pk for pk in ids if pk not in open_to_all]
    # As they are now: an account that is gone or disabled sees nothing.
    users = {user.pk: user for user in User.objects.filter(pk__in=viewers, is_active=True)}
    seen = {}
    for key in viewers:
        if key == ANONYMOUS or (key in users and not rest):
            seen[key] = open_to_all
        elif key in users:
            seen[key] = open_to_all.union(_visible(users[key], rest))
        else:
            seen[key] = frozenset()
    return seen


def _visible(viewer: User | AnonymousUser, ids: Collection[int]) -> Iterable[int]:
    return events_visible_to(viewer).filter(pk__in=ids).values_list("pk", flat=True)


def _read_page(key: int, selection: EventSelection, after: int, until: int) -> tuple[list[bytes], int]:
    """A page of what a viewer may see, and up to where it reaches."""
    viewer = AnonymousUser() if key == ANONYMOUS else User.objects.filter(pk=key, is_active=True).first()
    if viewer is None:
        return [], until
    rows = selection.filtered(events_visible_to(viewer)).filter(pk__gt=after, pk__lte=until)
    events = list(rows.order_by("pk")[:PAGE_SIZE])
    return [event_message(event) for event in events], until if len(events) < PAGE_SIZE else events[-1].pk


def _pruned_message(position: int) -> bytes:
    """What a client is told whose last event is older than the log reaches; empty if nothing is lost."""
    first = first_id()
    if first <= position + 1:
        return b""
    return f'event: pruned\ndata: {{"after":{position},"first":{first}}}\n\n'.encode()


def _events_in(batches: Iterable[EventBatch]) -> int:
    return sum(len(batch.events) for batch in batches)
