"""Streams of remote versions: lines of JSON with tables, requests and results.

One poll reads all followed versions and their seats, and records the presence of their streams. Each stream
compares the newest snapshot with the lines that it has sent, so a slow reader delays only itself.
"""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import datetime
import functools
import json
import logging
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import DatabaseError
from django.utils import timezone
from rest_framework.request import Request

from arena.accounts.models import User
from arena.accounts.selectors import valid_tokens
from arena.common.errors import Unavailable
from arena.common.serving import EventStream
from arena.features.remote.limits import GRACE_MS, HEARTBEAT_S, wall_clock
from arena.features.remote.models import RemoteVersion
from arena.features.remote.services import StreamWishes, stream_begin, stream_end, versions_attend
from arena.features.remote.snapshots import (
    PollRequest,
    SeatMark,
    SeatSnapshot,
    VersionSnapshot,
    snapshots_read,
)
from arena.streams import live as streams_live
from arena.streams.hub import JSON_LINES, Hub, Look, StreamSource, in_thread
from arena.streams.hub import Listener as AnyListener
from arena.streams.slots import Caller, caller_of
from arena.streams.woken import WokenHub

log = logging.getLogger(__name__)

POLL_S = 0.5
ATTEND_S = 0.4
"""Minimum seconds between two records of presence, so each poll makes one, and polls on wakes often none."""
TOKENS_S = 30.0
"""Seconds between two checks of the tokens of all streams."""
END_ATTEMPTS, END_RETRY_S = 25, 1.0
"""Attempts to record that a client left. After that time, its missing signs of life show it too."""

Line = Mapping[str, Any]


class PollResult(NamedTuple):
    versions: Mapping[int, VersionSnapshot | None]
    invalid_tokens: frozenset[int]


class VersionSource(StreamSource["VersionListener"]):
    """Snapshots of all followed versions, polled together."""

    def __init__(self) -> None:
        self.known: Mapping[int, VersionSnapshot | None] = {}
        """By primary key; None if the version was deleted."""
        self._attended_at = -ATTEND_S
        self._tokens_at = time.monotonic()

    @property
    def listener_type(self) -> type[VersionListener]:
        return VersionListener

    def look(self, listeners: Sequence[VersionListener]) -> Look | None:
        """Return the poll function, for any number of versions: one query, one more for changed seats, and
        one each for the versions, their presence and their tokens if these are due.
        """
        if not listeners:
            self.known = {}
            return None
        now = time.monotonic()
        is_due = now - self._attended_at >= ATTEND_S
        are_tokens_due = now - self._tokens_at >= TOKENS_S
        needs = PollRequest(
            frozenset(listener.pk for listener in listeners),
            frozenset(pk for listener in listeners for pk in listener.open_seats),
            frozenset(listener.pk for listener in listeners if is_due or not self._is_known(listener)),
            self.known,
            frozenset(listener.pk for listener in listeners if listener.is_valid) if is_due else frozenset(),
            frozenset(listener.token for listener in listeners) if are_tokens_due else frozenset(),
        )
        return functools.partial(self._poll, needs)

    def _is_known(self, listener: VersionListener) -> bool:
        """Whether the last snapshot was read after the stream was opened."""
        snapshot = self.known.get(listener.pk)
        return snapshot is not None and snapshot.generation >= listener.generation

    def _poll(self, needs: PollRequest) -> PollResult:
        if needs.attended:
            versions_attend(needs.attended)
            self._attended_at = time.monotonic()
        invalid: frozenset[int] = frozenset()
        if needs.tokens:
            invalid = needs.tokens - valid_tokens(needs.tokens)
            self._tokens_at = time.monotonic()
        return PollResult(snapshots_read(needs), invalid)

    def take(
        self, result: PollResult, listeners: Sequence[VersionListener]
    ) -> tuple[Sequence[VersionListener], bool]:
        """Store the snapshots; return the listeners whose version has changed or whose token is invalid."""
        before, self.known = self.known, result.versions
        changed = {pk for pk, each in result.versions.items() if pk not in before or before[pk] != each}
        for listener in listeners:
            if listener.token in result.invalid_tokens:
                listener.is_refused = True
        return [each for each in listeners if each.pk in changed or each.is_refused], False


@dataclasses.dataclass
class SentSeat:
    """The state of a seat according to the lines that were sent."""

    request_id: str
    timing: tuple[Any, ...]
    ending: tuple[Any, ...] | None = None


class VersionListener(AnyListener):
    """The stream of one version. Valid until a newer one of the version is opened."""

    kind = "remote"
    format = JSON_LINES

    def __init__(self, source: VersionSource, caller: Caller, version: RemoteVersion, token: int) -> None:
        """``token``: primary key of the token that opened the stream."""
        super().__init__(caller)
        self._source = source
        self.token = token
        self._public_id = version.public_id
        self.pk = version.pk
        self.generation = version.generation
        self._sent: dict[int, SentSeat] = {}
        self._has_state = self._has_pause = False
        self._is_over = False
        self._is_replaced = False
        self.is_refused = False
        """Whether its token is no longer valid. The stream then ends without a last line."""
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def is_over(self) -> bool:
        return self._is_over

    @property
    def is_valid(self) -> bool:
        """Whether no newer stream of the version is known."""
        return not (self._is_over or self._is_replaced)

    @property
    def takes_heartbeats(self) -> bool:
        return self._has_state

    @property
    def open_seats(self) -> Collection[int]:
        """Primary keys of the seats whose last line was not sent."""
        return list(self._sent)

    def replace(self) -> None:
        """End the stream, because this process opened a newer one. Thread-safe."""
        self._is_replaced = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self.news.set)

    async def pending(self, hub: Hub) -> list[bytes]:
        """Return the lines that were not sent yet."""
        self._loop = asyncio.get_running_loop()
        if self.is_refused:
            self.on_disconnect()
            self._is_over = True
            return []
        if self._is_replaced:
            return self._last_line("replaced")
        if self.pk not in self._source.known:
            hub.wake()
            return []
        snapshot = self._source.known[self.pk]
        if snapshot is None:  # deleted, with its account
            return self._last_line("bye")
        if snapshot.generation > self.generation:
            return self._last_line("replaced")
        if snapshot.generation < self.generation:  # read before this stream was opened
            hub.wake()
            return []
        now = timezone.now()
        lines = self._seat_lines(snapshot, now) if self._has_state else [self._state(snapshot, now)]
        lines += self._pause_lines(snapshot)
        return [_line(line) for line in lines]

    def _last_line(self, kind: str) -> list[bytes]:
        self._is_over = True
        return [_line({"type": kind})]

    def _state(self, snapshot: VersionSnapshot, now: datetime.datetime) -> Line:
        self._has_state = True
        tables = []
        for pk, seat in snapshot.seats.items():
            if seat.hello and seat.mark.is_active:
                self._sent[pk] = _sent(seat)
                tables.append(table_line(seat, now))
        return {
            "type": "state",
            "version": self._public_id,
            "generation": self.generation,
            "heartbeat_s": int(HEARTBEAT_S),
            "tables": tables,
        }

    def _seat_lines(self, snapshot: VersionSnapshot, now: datetime.datetime) -> list[Line]:
        lines: list[Line] = []
        for pk, seat in snapshot.seats.items():
            sent = self._sent.get(pk)
            if sent is not None:
                lines += _changes(seat, sent, now)
                if seat.mark.is_final:
                    del self._sent[pk]
            elif seat.hello and seat.mark.is_active:
                self._sent[pk] = _sent(seat)
                lines.append({"type": "table", **table_line(seat, now)})
        for pk in self._sent.keys() - snapshot.seats.keys():  # pruned
            del self._sent[pk]
        return lines

    def _pause_lines(self, snapshot: VersionSnapshot) -> list[Line]:
        if snapshot.pause is None:
            self._has_pause = False
            return []
        self._is_over = not any(seat.mark.is_active for seat in snapshot.seats.values())
        if self._has_pause:
            return []
        self._has_pause = True
        code, text = snapshot.pause
        return [{"type": "paused", "reason": {"code": code, "text": text}}]

    def on_disconnect(self) -> None:
        """Record that the client left, unless the stream was about to end."""
        if self.is_valid:
            # An empty context: the task outlives the request that started it.
            task = asyncio.create_task(self._record_end(), context=contextvars.Context())
            _recordings.add(task)
            task.add_done_callback(_recordings.discard)

    async def _record_end(self) -> None:
        for attempt in range(END_ATTEMPTS):
            try:
                await in_thread(functools.partial(stream_end, self.pk, self.generation))
                return
            except DatabaseError as error:
                if attempt == 0:
                    log.warning("cannot record yet that a remote bot disconnected: %s", error)
                await asyncio.sleep(END_RETRY_S)


_recordings: set[asyncio.Task[None]] = set()
"""Running records of disconnections, which nothing else refers to."""


def table_line(seat: SeatSnapshot, now: datetime.datetime) -> dict[str, Any]:
    return {
        "table": seat.table,
        "seat": seat.seat,
        "rated": seat.is_rated,
        "commitment": seat.commitment,
        "hello": seat.hello,
        "events": seat.events,
        "message": seat.request,
        **_timing(seat, now),
    }


def _changes(seat: SeatSnapshot, sent: SentSeat, now: datetime.datetime) -> Iterator[Line]:
    mark = seat.mark
    if sent.request_id and sent.request_id != mark.request_id:
        settled = _settled_line(seat, sent.request_id)
        if settled is not None:
            yield settled
    timing = _timing_key(mark)
    if mark.request_id and mark.request_id != sent.request_id:
        yield {
            "type": "request",
            "table": seat.table,
            "events": seat.events,
            "message": seat.request,
            **_timing(seat, now),
        }
    elif mark.request_id and timing != sent.timing:
        yield {"type": "clock", "table": seat.table, "id": mark.request_id, **_timing(seat, now)}
    sent.request_id, sent.timing = mark.request_id, timing
    if not mark.is_active:
        ending = (mark.state, mark.verdict, mark.score)
        if ending != sent.ending:
            sent.ending = ending
            yield {
                "type": "over",
                "table": seat.table,
                "state": mark.state,
                "verdict": mark.verdict or None,
                "stones": seat.stones,
                "score": mark.score,
            }


def _settled_line(seat: SeatSnapshot, request_id: str) -> Line | None:
    """Return the line of a request that is not pending any more; None if the table failed before."""
    if request_id not in seat.settled:
        return None
    verdict = seat.settled[request_id]
    return {
        "type": "settled",
        "table": seat.table,
        "id": request_id,
        "by": "referee" if verdict else "answer",
        "verdict": verdict or None,
    }


def _sent(seat: SeatSnapshot) -> SentSeat:
    return SentSeat(seat.mark.request_id, _timing_key(seat.mark))


def _timing_key(mark: SeatMark) -> tuple[Any, ...]:
    return (mark.deadline_at, mark.left_ms)


def _timing(seat: SeatSnapshot, now: datetime.datetime) -> dict[str, Any]:
    mark, clock = seat.mark, wall_clock(is_slow=seat.is_slow)
    deadline = mark.deadline_at if seat.request is not None else None
    left_ms = mark.left_ms if seat.request is not None else None
    if deadline is not None:
        left_ms = max(0, round((deadline - now).total_seconds() * 1000))
    return {
        "deadline": deadline and deadline.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "left_ms": left_ms,
        "clock": {
            "bank_ms": seat.bank_ms if seat.request is not None or seat.settled else clock.bank_ms,
            "increment_ms": clock.increment_ms,
            "grace_ms": GRACE_MS,
            "disconnect_ms": mark.disconnect_left_ms,
        },
    }


def _line(line: Line) -> bytes:
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


versions = VersionSource()
hub = WokenHub((versions,), poll_s=POLL_S, heartbeat_s=HEARTBEAT_S, places=streams_live.hub.places)


def stream_open(request: Request, user: User, version: RemoteVersion, wishes: StreamWishes) -> EventStream:
    """Open a stream of a version, which replaces older ones. Raises as ``stream_begin``, and Unavailable."""
    version = stream_begin(version, user, wishes)
    for older in hub.places.listeners():
        if isinstance(older, VersionListener) and older.pk == version.pk:
            older.replace()
            # A client that is gone must not take the place of its successor.
            hub.places.leave(older)
    try:
        return hub.stream(VersionListener(versions, caller_of(request, user), version, request.auth.pk))
    except Unavailable:
        stream_end(version.pk, version.generation)
        raise
