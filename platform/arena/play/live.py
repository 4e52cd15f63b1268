"""Following one casual table: each new position and state, at once.

The row is looked at once a second, and when the service says through Valkey that there is something new.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import json
import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

import redis
import redis.asyncio
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from arena.common.outage import Outage
from arena.play.models import CasualTable
from arena.play.person import Person
from arena.play.position import steps_after
from arena.play.selectors import table_of
from arena.play.wakeups import CONNECT_S, TO_PAGES
from arena.streams import live as streams_live
from arena.streams.hub import Hub, Look, Source, in_thread
from arena.streams.hub import Listener as AnyListener
from arena.streams.places import Caller, caller_of

log = logging.getLogger(__name__)

Render = Callable[[CasualTable, int], str]
"""What is sent for the position after so many actions, besides its number: text, such as a part of a page."""
AGAIN_S = 1.0
"""After a failure the queue's server is asked again; meanwhile the row is looked at once a second."""
READ_S = 5.0
FINAL = (CasualTable.State.OVER, CasualTable.State.LEFT)


class Mark(NamedTuple):
    """Where a table is, as far as followers are concerned."""

    state: str
    length: int
    is_ended: bool
    has_field: bool

    @property
    def is_last(self) -> bool:
        """Nothing will follow."""
        return self.state == CasualTable.State.BROKEN or (self.is_ended and self.has_field)


class Tables(Source["Listener"]):
    """The marks of all tables that are followed, looked up together."""

    def __init__(self) -> None:
        self.known: dict[int, Mark | None] = {}

    @property
    def listener_type(self) -> type[Listener]:
        """Those of this module."""
        return Listener

    def look(self, listeners: Sequence[Listener]) -> Look | None:
        """One query, however many tables."""
        pks = {listener.pk for listener in listeners}
        if not pks:
            self.known.clear()
            return None
        return functools.partial(_marks, pks)

    def take(
        self, found: dict[int, Mark | None], listeners: Sequence[Listener]
    ) -> tuple[Sequence[Listener], bool]:
        """Those who follow a table that has changed."""
        before, self.known = self.known, found
        changed = {pk for pk, mark in found.items() if pk not in before or before[pk] != mark}
        return [listener for listener in listeners if listener.pk in changed], False


def _marks(pks: set[int]) -> dict[int, Mark | None]:
    # By its own name ``field__isnull`` would be a key within the value.
    rows = CasualTable.objects.filter(pk__in=pks).annotate(is_played=Q(field__isnull=False))
    marks = rows.values_list("pk", "state", "length", "ended_at", "is_played")
    found = {pk: Mark(state, length, ended is not None, done) for pk, state, length, ended, done in marks}
    return {**dict.fromkeys(pks), **found}


class Listener(AnyListener):
    """Follows one table from the position after ``after`` actions on."""

    kind = "casual_tables"

    def __init__(
        self, source: Tables, caller: Caller, table: CasualTable, after: int, render: Render | None
    ) -> None:
        super().__init__(caller)
        self._source = source
        self.pk = table.pk
        self._after = after
        self._mark: Mark | None = mark_of(table)
        self._state_sent: tuple[str, bool] | None = None
        self._render = render

    @property
    def is_over(self) -> bool:
        """The table is over or gone, and all of it was sent."""
        mark = self._mark
        return mark is None or (mark.is_last and self._after >= mark.length)

    async def pending(self, hub: Hub) -> list[bytes]:
        """The positions not sent yet, each with its number, then the state if it is another one."""
        mark = self._mark = self._source.known.get(self.pk, self._mark)
        if mark is None:
            return []
        messages: list[bytes] = []
        if mark.length > self._after:
            work = functools.partial(_positions, self.pk, self._after, self._render)
            messages, self._after = await in_thread(work)
        state = (mark.state, mark.has_field)
        if state != self._state_sent:
            self._state_sent = state
            data: dict[str, object] = {"state": mark.state}
            if mark.is_ended:
                data["field"] = mark.has_field
            messages.append(_event("state", data))
        return messages


def _positions(pk: int, after: int, render: Render | None) -> tuple[list[bytes], int]:
    """The messages, and how many actions there are by now."""
    table = CasualTable.objects.filter(pk=pk).first()
    if table is None:
        return [], after
    messages = []
    for n in steps_after(table, after):
        data: dict[str, object] = {"n": n}
        if render is not None:
            data["html"] = render(table, n)
        messages.append(f"id: {n}\n".encode() + _event("at", data))
    return messages, table.length


def _event(kind: str, data: dict[str, object]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


def mark_of(table: CasualTable) -> Mark:
    """Where a table is, as its row was read."""
    return Mark(table.state, table.length, table.ended_at is not None, table.field is not None)


class PlayHub(Hub):
    """A hub that looks at once when the queue's server says that a table has changed."""

    _hearing: asyncio.Task[None] | None = None

    def _watch(self) -> None:
        super()._watch()
        if self._hearing is None or self._hearing.done():
            self._hearing = asyncio.create_task(self._hear(), context=contextvars.Context())

    async def _hear(self) -> None:
        outage = Outage(log, "hearing of changes of casual tables")
        while self._everybody():
            client = redis.asyncio.Redis.from_url(
                settings.REDIS_URL, socket_connect_timeout=CONNECT_S, health_check_interval=10
            )
            try:
                async with client.pubsub(ignore_subscribe_messages=True) as pubsub:
                    await pubsub.subscribe(TO_PAGES)
                    outage.worked()
                    # What was said before the subscription was not heard.
                    self.wake()
                    while self._everybody():
                        if await pubsub.get_message(timeout=READ_S) is not None:
                            self.wake()
            except (redis.RedisError, OSError) as error:
                outage.failed(error)
                await asyncio.sleep(AGAIN_S)
            finally:
                with contextlib.suppress(redis.RedisError, OSError):
                    await client.aclose()


tables = Tables()
hub = PlayHub((tables,), places=streams_live.hub.places)


def follow(
    request: HttpRequest, person: Person, table_id: str, after: int, render: Render | None = None
) -> HttpResponseBase:
    """The positions of a table after the first ``after`` actions, and its state, now and as they change.

    ``event: at``, ``id: N``, data ``{"n": N}`` for the position after N actions, with ``html`` from
    ``render``; ``event: state``, data ``{"state": "playing"}``, at the end with ``field``: whether the field
    is there. 204 if nothing will follow any more.

    Raises:
        NotFound: ``play_unknown``.
        Unavailable: ``too_many_streams`` or ``too_many_listeners``.
    """
    table = table_of(person, table_id)
    if mark_of(table).is_last and after >= table.length:
        return HttpResponse(status=204)
    caller = caller_of(request, person.user or AnonymousUser())
    return hub.stream(Listener(tables, caller, table, max(0, after), render))
