"""Event stream of a person's table: each new position and state without delay.

Rows are polled once a second, and at once after a message from the service through Valkey.
"""

from __future__ import annotations

import functools
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from arena.accounts.selectors import Viewer
from arena.features.play.models import CasualTable
from arena.features.play.person import Person
from arena.features.play.position import SeatedTable, steps_after
from arena.features.play.selectors import table_of
from arena.streams import live as streams_live
from arena.streams.hub import Hub, Look, StreamSource, in_thread
from arena.streams.hub import Listener as AnyListener
from arena.streams.slots import Caller, caller_of
from arena.streams.woken import WokenHub

Render = Callable[[Any, int], str]
"""Renders the position of a followed table after some actions."""


L = TypeVar("L", bound="FollowingListener")


class TableMark(NamedTuple):
    state: str
    length: int
    is_ended: bool
    has_field: bool
    taken_back: int
    """Number of plays that were taken back."""
    request: str = ""
    """Id of a request to the person that is stored apart from the position; else empty."""

    @property
    def is_last(self) -> bool:
        """Whether no further event will follow."""
        return self.state == CasualTable.State.FAILED or (self.is_ended and self.has_field)


class RenderedPositions(NamedTuple):
    """Rendered events for one listener."""

    after: int
    """Actions before the first of the messages."""
    messages: list[bytes]
    upto: int


class TableChanges(NamedTuple):
    marks: dict[int, TableMark | None]
    rendered: list[tuple[FollowingListener, RenderedPositions]]


class FollowedTables(ABC):
    """Tables of one kind, each with the seat of a person, by a primary key."""

    @abstractmethod
    def marks(self, pks: Collection[int]) -> Mapping[int, TableMark]:
        """Return the marks of those that exist. One query."""

    @abstractmethod
    def tables(self, pks: Collection[int]) -> Mapping[int, SeatedTable]:
        """Return those that exist."""


class CasualTables(FollowedTables):
    def marks(self, pks: Collection[int]) -> Mapping[int, TableMark]:
        # In ``values_list``, ``field__isnull`` would mean a key within the JSON value.
        rows = CasualTable.objects.filter(pk__in=pks).annotate(is_played=Q(field__isnull=False))
        values = rows.values_list("pk", "state", "length", "ended_at", "is_played", "taken_back")
        return {
            pk: TableMark(state, length, ended is not None, done, len(taken_back))
            for pk, state, length, ended, done, taken_back in values
        }

    def tables(self, pks: Collection[int]) -> Mapping[int, SeatedTable]:
        return CasualTable.objects.in_bulk(pks)


class FollowingSource(StreamSource[L]):
    """The marks of all followed tables, polled together."""

    def __init__(self, followed: FollowedTables, listener_type: type[L]) -> None:
        self.known: dict[int, TableMark | None] = {}
        self.followed = followed
        self._listener_type = listener_type

    @property
    def listener_type(self) -> type[L]:
        return self._listener_type

    def look(self, listeners: Sequence[L]) -> Look | None:
        """Return the poll function. At most two queries, for any number of tables."""
        pks = {listener.pk for listener in listeners}
        if not pks:
            self.known.clear()
            return None
        # Render nothing for listeners that have not taken their last positions.
        waiting = [(listener, listener.after) for listener in listeners if listener.rendered is None]
        return functools.partial(_table_changes, self.followed, pks, waiting)

    def take(self, changes: TableChanges, listeners: Sequence[L]) -> tuple[Sequence[L], bool]:
        """Store the result of a poll; return the listeners whose table has changed."""
        before, self.known = self.known, changes.marks
        for listener, drawn in changes.rendered:
            listener.rendered = drawn
        changed = {pk for pk, mark in changes.marks.items() if pk not in before or before[pk] != mark}
        return [listener for listener in listeners if listener.pk in changed], False


def _table_changes(
    followed: FollowedTables, pks: set[int], waiting: Sequence[tuple[FollowingListener, int]]
) -> TableChanges:
    marks: dict[int, TableMark | None] = dict.fromkeys(pks)
    marks |= followed.marks(pks)
    behind = [
        (listener, after)
        for listener, after in waiting
        if (mark := marks[listener.pk]) is not None and mark.length > after
    ]
    if not behind:
        return TableChanges(marks, [])
    tables = followed.tables({listener.pk for listener, _ in behind})
    drawn = [
        (listener, _rendered(tables[listener.pk], after, listener.render))
        for listener, after in behind
        if listener.pk in tables
    ]
    return TableChanges(marks, drawn)


class FollowingListener(AnyListener):
    """Follows one table, starting with the position after ``after`` actions."""

    def __init__(
        self,
        source: FollowingSource[Any],
        caller: Caller,
        table: SeatedTable,
        after: int,
        render: Render | None,
        taken_back: int | None = None,
    ) -> None:
        super().__init__(caller)
        self._source = source
        self.pk = table.pk
        self.after = after
        """Number of actions up to the last sent position."""
        self.render = render
        self.rendered: RenderedPositions | None = None
        """Positions rendered by a poll and not sent yet."""
        self._mark: TableMark | None = mark_of(table)
        self._state_sent: tuple[str, bool, str] | None = None
        self._taken_back = len(table.taken_back) if taken_back is None else taken_back

    @property
    def is_over(self) -> bool:
        mark = self._mark
        return mark is None or (mark.is_last and self.after >= mark.length)

    async def pending(self, hub: Hub) -> list[bytes]:
        """Return the unsent positions, each with its number, then the state if it has changed."""
        mark = self._mark = self._source.known.get(self.pk, self._mark)
        if mark is None:
            return []
        if mark.taken_back != self._taken_back:
            # The page shows positions that no longer exist; it loads itself again.
            self._taken_back = mark.taken_back
            return [_event("taken_back", {"count": mark.taken_back})]
        drawn, self.rendered = self.rendered, None
        if mark.length > self.after and (drawn is None or drawn.after != self.after):
            drawn = await in_thread(
                functools.partial(_rendered_by_key, self._source.followed, self.pk, self.after, self.render)
            )
        messages: list[bytes] = []
        if drawn is not None and drawn.after == self.after:
            messages, self.after = drawn.messages, drawn.upto
        state = (mark.state, mark.has_field, mark.request)
        if state != self._state_sent:
            self._state_sent = state
            data: dict[str, object] = {"state": mark.state}
            if mark.is_ended:
                data["field"] = mark.has_field
            if mark.request:
                data["asked"] = True
            messages = [*messages, _event("state", data)]
        return messages


class TableListener(FollowingListener):
    kind = "casual_tables"


def _rendered_by_key(
    followed: FollowedTables, pk: int, after: int, render: Render | None
) -> RenderedPositions | None:
    table = followed.tables({pk}).get(pk)
    return None if table is None else _rendered(table, after, render)


def _rendered(table: SeatedTable, after: int, render: Render | None) -> RenderedPositions:
    messages = []
    for n in steps_after(table, after):
        data: dict[str, object] = {"n": n}
        if render is not None:
            data["html"] = render(table, n)
        messages.append(f"id: {n}\n".encode() + _event("at", data))
    return RenderedPositions(after, messages, table.length)


def _event(kind: str, data: dict[str, object]) -> bytes:
    return f"event: {kind}\ndata: {json.dumps(data, separators=(',', ':'))}\n\n".encode()


def mark_of(table: SeatedTable) -> TableMark:
    return TableMark(
        table.state,
        table.length,
        table.ended_at is not None,
        table.field is not None,
        len(table.taken_back),
    )


tables = FollowingSource(CasualTables(), TableListener)
hub = WokenHub((tables,), places=streams_live.hub.places)


def follow(
    request: HttpRequest,
    person: Person,
    table_id: str,
    after: int,
    render: Render | None = None,
    taken_back: int | None = None,
) -> HttpResponseBase:
    """Stream the positions after the first ``after`` actions and the state, now and with each change.

    ``taken_back`` is the number of plays that had been taken back when the page was rendered, now by default.
    ``event: taken_back`` says that it has changed: the page must be loaded again.

    ``event: at``, ``id: N``, data ``{"n": N}`` is the position after N actions, with ``html`` from
    ``render``. ``event: state`` has data ``{"state": "playing"}``, with ``asked`` while a request to the
    person is pending. At the end, ``field`` is whether the field has been played. Answers 204 if nothing will
    follow. Raises NotFound (``casual_table_not_found``), Unavailable.
    """
    table = table_of(person, table_id)
    user = person.user or AnonymousUser()
    return follow_table(request, hub, tables, table, after, render, taken_back, user=user)


def follow_table(
    request: HttpRequest,
    hub: Hub,
    source: FollowingSource[L],
    table: SeatedTable,
    after: int,
    render: Render | None = None,
    taken_back: int | None = None,
    *,
    user: Viewer | None = None,
) -> HttpResponseBase:
    """Stream a table of any kind, as ``follow`` does, to its person."""
    if mark_of(table).is_last and after >= table.length:
        return HttpResponse(status=204)
    caller = caller_of(request, request.user if user is None else user)
    return hub.stream(source.listener_type(source, caller, table, max(0, after), render, taken_back))
