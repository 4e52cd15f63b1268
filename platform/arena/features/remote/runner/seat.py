"""A remote seat during play: stores its requests, waits for answers, and charges its wall clock.

The row contains all of it, so that another service continues after a death. Only time in which the site works
is charged: each outage moves the deadline.
"""

from __future__ import annotations

import datetime
import json
import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from django.db import DatabaseError, connection
from django.utils import timezone

from arena.common.outage import Outage
from arena.features.remote.models import RemoteSeat, RemoteTable
from arena.features.remote.runner.connection import Link, LinkState, link_state, person_link_state
from arena.features.remote.selectors import web_presence_at
from arena.features.remote.services import answer_digest
from arena.tables.live.session import WRITE_S, ClaimLost
from arena.tables.live.wakeups import PAGES_CHANNEL, wake
from arena.tables.machine_faults import retry
from referee.clocks import RemoteClock
from referee.contract import Verdict
from referee.driver import ExitReason
from referee.remote import RemoteAnswer

log = logging.getLogger(__name__)

TICK_S = 0.5
"""Maximum seconds between two reads of a pending seat. Hints make it immediate."""
GAP_S = 2.0
"""Seconds between two reads that count as an outage, such as of a database that blocks."""
UNATTENDED_S = 1.2
"""Seconds between two records of a stream's presence, one of which is due every half second, that count as an
outage, such as of a web process that died. A client that closes its stream and opens another within one tick
leaves a shorter gap.
"""

NO_REQUEST: dict[str, Any] = {
    "events": [],
    "request": None,
    "request_id": "",
    "asked_at": None,
    "answer": "",
    "answered_at": None,
    "deadline_at": None,
    "left_ms": None,
}
"""Columns of a seat without a pending request."""

_READ = (
    "answer",
    "answered_at",
    "version__attended_at",
    "version__alive_at",
    "version__disconnected_at",
)
Moment = datetime.datetime


class Timing(NamedTuple):
    """Sources of time, for tests."""

    now: Callable[[], Moment] = timezone.now
    last_web_presence: Callable[[], Moment | None] = web_presence_at


class Settlement(NamedTuple):
    """The end of an answered request, which is stored with the next request or the end of the table."""

    request_id: str
    digest: str
    charged_ms: int


class SiteWatch:
    """Outages that the session of a table notices, for all its remote seats."""

    def __init__(self, now: Moment) -> None:
        self.worked_at = now
        """Last time at which the site was known to work."""
        self.observed_since = now
        """End of the last outage."""
        self.outages: list[tuple[Moment, Moment]] = []
        self._is_interrupted = False

    def record_failure(self) -> None:
        self._is_interrupted = True

    def record_success(self, now: Moment, *, after_idle: bool = False) -> None:
        """Record that the site works, and the outage that has ended. Idle time is no outage."""
        is_gap = not after_idle and (now - self.worked_at).total_seconds() > GAP_S
        if self._is_interrupted or is_gap:
            self.outages.append((self.worked_at, now))
            self.observed_since = now
        self.worked_at, self._is_interrupted = now, False


class SeatTurns:
    """The turns of one remote seat; a ``referee.remote.RemoteSeat``."""

    def __init__(
        self,
        row: RemoteSeat,
        claim: str,
        clock: RemoteClock,
        pause: Callable[[float], None],
        store: Callable[[SeatTurns, Callable[[], dict[str, Any]]], None],
        timing: Timing,
        watch: SiteWatch,
    ) -> None:
        """``pause`` waits for a hint, at most for some seconds, and raises the reason of a stop. ``store``
        writes columns of this row together with the steps before, and asks for them at each attempt.
        """
        self.seat = row.seat
        self.clock = clock
        self.settlement: Settlement | None = None
        """The answered request, until it is stored."""
        self._row = row
        self._claim = claim
        self._pause = pause
        self._store = store
        self._timing = timing
        self._watch = watch
        self._excused = 0
        """Number of outages by which the deadline was moved."""
        self._excused_until: Moment | None = None
        """End of the time by which the deadline was moved; no time moves it twice."""
        self._attended_at: Moment | None = None
        """Last known presence of the stream during this request; None if its client has left since."""
        self._outage = Outage(log, f"the poll of a seat of {row.table}")

    def hello(self, line: bytes) -> None:
        if not self._row.hello:
            self._write(hello=json.loads(line))
            self._wake()

    def ask(self, request_id: str, request: bytes, events: Sequence[bytes]) -> None:
        if self._row.request_id == request_id or self._settled(request_id) is not None:
            return
        turn_ms = self.clock.turn_ms
        changes = {
            **self.settlement_columns(),
            "events": [json.loads(event) for event in events],
            "request": json.loads(request),
            "request_id": request_id,
            "bank_ms": round(turn_ms) - self.clock.grace_ms,
        }

        def columns() -> dict[str, Any]:
            now = self._timing.now()
            return {**changes, "asked_at": now, "deadline_at": now + _ms(turn_ms)}

        self._store(self, columns)
        self._watch.record_success(self._timing.now(), after_idle=True)
        self._excused = len(self._watch.outages)
        self._attended_at = None
        self._wake()

    def wait(self) -> RemoteAnswer:
        began = self._timing.now()
        settled = None if self._row.request_id else self._last_settled()
        if settled is not None:
            # The service died after it settled the request and before it stored the step.
            is_gone = self._row.verdict == Verdict.DISCONNECTED
            return RemoteAnswer(None, settled.charged_ms, reason=_reason(is_gone))
        while True:
            if self._read():
                answer = self._judge()
                if answer is not None:
                    waited_ms = (self._timing.now() - began) / _ms(1)
                    return answer._replace(uncharged_ms=max(0.0, waited_ms - answer.charged_ms))
            self._pause(self._wait_s())

    def freeze(self) -> None:
        """Stop the clocks of a pending request, because this service stops playing the table."""
        row, now = self._row, self._timing.now()
        if row.request_id and not row.answer:
            self._stand(self._watch.worked_at, now)

    def settlement_columns(self) -> dict[str, Any]:
        """Columns of the answered request that is not stored yet; empty without one."""
        return {} if self.settlement is None else self._settled_columns(self.settlement)

    def write(self, changes: dict[str, Any]) -> int:
        """Write columns, in the transaction of the caller; return 0 if the claim is lost."""
        return self._update(changes) if changes else 1

    def written(self, changes: dict[str, Any]) -> None:
        """Copy columns that were written to the row in memory."""
        self._copy(changes)
        self.settlement = None

    def _read(self) -> bool:
        """Read what web processes write, and move the deadline by an outage before.

        Return whether it can be read. All other columns are written by this session alone.
        """
        row, version = self._row, self._row.version
        try:
            values = RemoteSeat.objects.values_list(*_READ).get(pk=row.pk)
        except DatabaseError as error:
            self._outage.record_failure(error)
            self._watch.record_failure()
            connection.close()
            return False
        row.answer, row.answered_at = values[:2]
        if version is not None:
            version.attended_at, version.alive_at, version.disconnected_at = values[2:]
        now = self._timing.now()
        self._watch.record_success(now)
        for start, end in self._watch.outages[self._excused :]:
            self._excuse(start, end)
        self._excused = len(self._watch.outages)
        self._excuse_unattended()
        self._outage.record_success()
        return True

    def _excuse_unattended(self) -> None:
        """Excuse a time in which no web process held the stream, unless the client had left."""
        version = self._row.version
        before, self._attended_at = self._attended_at, version.attended_at if version else None
        if before is None or self._attended_at is None:
            return
        if (self._attended_at - before).total_seconds() > UNATTENDED_S:
            self._excuse(before, self._attended_at)

    def _excuse(self, start: Moment, end: Moment) -> None:
        """Move the deadline and the disconnect bank by an outage, as far as the answer had not come."""
        row = self._row
        if row.answered_at is not None:
            end = min(end, row.answered_at)
        start = self._unexcused(start)
        changes: dict[str, Any] = {}
        if row.deadline_at is not None and row.asked_at is not None:
            changes["deadline_at"] = row.deadline_at + max(_ms(0), end - max(start, row.asked_at))
        if row.disconnected_at is not None:
            moved_by = max(_ms(0), end - max(start, row.disconnected_at))
            changes["disconnected_at"] = row.disconnected_at + moved_by
        if changes:
            self._write(**changes)
            self._excused_until = self._unexcused(end)
            self._wake()

    def _unexcused(self, moment: Moment) -> Moment:
        """Return this moment, or the end of the excused time if it is later."""
        return moment if self._excused_until is None else max(moment, self._excused_until)

    def _judge(self) -> RemoteAnswer | None:
        """Return the end of the turn; None while it is open. Stops and restarts its clocks."""
        row, now = self._row, self._timing.now()
        if row.answer:
            return self._answered()
        state = self._link_state(now)
        if self._is_out_of_time(now, state):
            return self._settle_for_bot(is_gone=False)
        if state.link is Link.CONNECTED:
            if row.deadline_at is None:
                self._write(
                    deadline_at=now + _ms(row.left_ms or 0), left_ms=None, **_disconnect_columns(row, now)
                )
                self._wake()
        elif state.link is Link.SITE_DOWN:
            self._watch.observed_since = now
            if row.deadline_at is not None or row.disconnected_at is not None:
                self._stand(state.since, now)
        elif state.link is Link.LEFT:
            self._attended_at = None
            if row.disconnected_at is None:
                self._stand(state.since, now)
                self._write(disconnected_at=now, disconnects=row.disconnects + 1)
                self._wake()
            elif (now - row.disconnected_at) >= _ms(row.disconnect_left_ms):
                return self._settle_for_bot(is_gone=True)
        return None

    def _link_state(self, now: Moment) -> LinkState:
        if self._row.version is None:
            return person_link_state(now, self._timing.last_web_presence())
        return link_state(self._row.version, now, self._watch.observed_since, self._timing.last_web_presence)

    def _is_out_of_time(self, now: Moment, state: LinkState) -> bool:
        """Return whether the deadline has passed, and the site was up at the deadline."""
        deadline, version = self._row.deadline_at, self._row.version
        if deadline is None or now < deadline:
            return False
        if version is None:
            return state.link is Link.CONNECTED
        return version.attended_at is not None and deadline <= version.attended_at

    def _answered(self) -> RemoteAnswer | None:
        row = self._row
        assert row.answered_at is not None, "it is stored with the answer"
        left_ms = float(row.left_ms or 0)
        if row.deadline_at is not None:
            since = self._attended_at
            if since is not None and (row.answered_at - since).total_seconds() > UNATTENDED_S:
                # It has come before the new stream.
                self._excuse(since, row.answered_at)
            left_ms = (row.deadline_at - row.answered_at) / _ms(1)
        if left_ms < 0:
            return self._settle_for_bot(is_gone=False)
        charged_ms = max(0.0, self._turn_ms - left_ms)
        self.settlement = Settlement(row.request_id, answer_digest(row.answer), round(charged_ms))
        return RemoteAnswer(row.answer.encode(), float(self.settlement.charged_ms))

    def _settle_for_bot(self, *, is_gone: bool) -> RemoteAnswer | None:
        """Settle a request without a valid answer; None if an answer came at the last moment."""
        row = self._row
        charged_ms = self._turn_ms
        if is_gone:
            charged_ms = max(0.0, charged_ms - (row.left_ms or 0))
        settled = Settlement(row.request_id, "", round(charged_ms))
        changes = self._settled_columns(settled)
        if is_gone:
            changes |= {"verdict": str(Verdict.DISCONNECTED), "is_active": False}
        if not self._update(changes, answer=row.answer):
            return None
        self._copy(changes)
        self._wake()
        return RemoteAnswer(None, settled.charged_ms, reason=_reason(is_gone))

    @property
    def _turn_ms(self) -> float:
        return float(self._row.bank_ms + self.clock.grace_ms)

    def _stand(self, since: Moment, now: Moment) -> None:
        """Stop the clock of the turn, as of some time ago, and the disconnect bank."""
        changes = {
            **_standing_columns(self._row, self._unexcused(since)),
            **_disconnect_columns(self._row, now),
        }
        if changes:
            self._write(**changes)
            self._wake()

    def _settled_columns(self, settled: Settlement) -> dict[str, Any]:
        earlier = [each for each in self._row.answers if each[0] != settled.request_id]
        return {
            "answers": [*earlier, list(settled)],
            **NO_REQUEST,
            **_disconnect_columns(self._row, self._timing.now()),
        }

    def _settled(self, request_id: str) -> Settlement | None:
        settled = (Settlement(*each) for each in self._row.answers if each[0] == request_id)
        return next(settled, None)

    def _last_settled(self) -> Settlement | None:
        return Settlement(*self._row.answers[-1]) if self._row.answers else None

    def _wait_s(self) -> float:
        if self._row.deadline_at is None:
            return TICK_S
        left_s = (self._row.deadline_at - self._timing.now()).total_seconds()
        return min(TICK_S, left_s) if left_s > 0 else TICK_S

    def _write(self, **changes: Any) -> None:
        if not retry(lambda: self._update(changes), WRITE_S, f"{self._row.table}: a remote seat"):
            raise ClaimLost("its claim is gone")
        self._copy(changes)

    def _update(self, changes: dict[str, Any], **condition: Any) -> int:
        claimed = RemoteTable.objects.filter(pk=self._row.table_id, claimed_by=self._claim)
        return RemoteSeat.objects.filter(pk=self._row.pk, table__in=claimed, **condition).update(**changes)

    def _copy(self, changes: dict[str, Any]) -> None:
        for name, value in changes.items():
            setattr(self._row, name, value)

    def _wake(self) -> None:
        wake(PAGES_CHANNEL, self._row.table.public_id)


def clocks_stop(table_pk: int, since: Moment) -> None:
    """Stop the clocks of pending requests of a table, as of the time at which its service died."""
    for row in RemoteSeat.objects.filter(table=table_pk).exclude(request_id=""):
        if row.answered_at is None or row.answered_at > since:
            changes = {**_standing_columns(row, since), **_disconnect_columns(row, since)}
            if changes:
                RemoteSeat.objects.filter(pk=row.pk).update(**changes)


def _standing_columns(row: RemoteSeat, since: Moment) -> dict[str, Any]:
    """Columns that stop the clock of the turn as of some time; empty if it stands."""
    if row.deadline_at is None or row.asked_at is None:
        return {}
    left = row.deadline_at - max(since, row.asked_at)
    return {"deadline_at": None, "left_ms": max(0, round(left / _ms(1)))}


def _disconnect_columns(row: RemoteSeat, now: Moment) -> dict[str, Any]:
    """Columns that stop the disconnect bank; empty if it stands."""
    if row.disconnected_at is None:
        return {}
    used_ms = max(0, round((now - row.disconnected_at) / _ms(1)))
    return {"disconnected_at": None, "disconnect_left_ms": max(0, row.disconnect_left_ms - used_ms)}


def _ms(milliseconds: float) -> datetime.timedelta:
    return datetime.timedelta(milliseconds=milliseconds)


def _reason(is_gone: bool) -> ExitReason:
    return ExitReason.DISCONNECTED if is_gone else ExitReason.TURN_WALL
