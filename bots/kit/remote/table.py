"""One table: its bot, the pending request, and the answer until the server has accepted it.

Each table has a thread that handles messages of the stream and of the bot one after the other.
"""

from __future__ import annotations

import json
import queue
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from bots.kit.client import Client
from bots.kit.client.errors import Refused, ServerUnavailable
from bots.kit.client.shapes import AnswerIn
from bots.kit.display.formatting import count_text
from bots.kit.errors import EnvironmentFailure, KitError
from bots.kit.remote.decision_log import TableLog
from bots.kit.remote.process import BotExit, BotMessage, BotNote, BotProcess, Deliver
from engine.errors import ProtocolError
from engine.game import json_text
from engine.printable import printable
from engine.wire import Ready, parse_ready

WAITING = "waiting"
ANSWER = "answer"
"""The side that settled a request, if it is not the referee."""
MAX_ANSWER_BYTES = 4096
MAX_ACTION_CHARS = 100
MAX_TRIES_OF_BOT = 2
"""Starts of a bot for the same request. After that, an empty action is sent, which the referee replaces."""
FIRST_RETRY_S = 0.25
MAX_RETRY_S = 5.0
MALFORMED = ("malformed_answer", "answer_too_large")
"""Error codes of answers that the server did not store."""
SETTLED = (
    "answer_differs",
    "request_settled",
    "unknown_request",
    "table_over",
    "not_your_table",
    "not_found",
)
"""Error codes of answers that come after the request was settled; they need no message of their own."""

StartBot = Callable[[str, TableLog], BotProcess]
"""Returns the process for a table: a new one, or the shared one."""


class Update(NamedTuple):
    """A line of the stream that concerns this table."""

    kind: str
    fields: Mapping[str, Any]
    arrived_at: float
    """``time.monotonic()`` of its arrival."""


class _Stop(NamedTuple):
    pass


@dataclass
class TableStatus:
    """Values for the display. Written by the table's thread only."""

    table: str
    seat: int
    preset: str
    is_rated: bool
    phase: str = "starting"
    """``starting``, ``waiting``, ``thinking``, ``sending``, or ``scoring`` after the end."""
    since: float = field(default_factory=time.monotonic)
    """When the phase began."""
    left_until: float | None = None
    """``time.monotonic()`` at which the time of the pending request is over; None without one."""
    decisions: int = 0
    failed: int = 0
    """Decisions that the referee made."""
    lag_ms: float | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    """The last line about the table: state, verdict, stones, score."""

    def enter(self, phase: str) -> None:
        self.phase, self.since = phase, time.monotonic()


class TablePlayer:
    """Plays one table until the server says that it is over."""

    def __init__(
        self,
        client: Client,
        table: Mapping[str, Any],
        start_bot: StartBot,
        log: TableLog,
        note: Callable[[str, str], None],
        over: Callable[[TableStatus], None],
        lag: Callable[[float], None],
    ) -> None:
        """``note(table, text)``, ``over(status)`` and ``lag(ms)`` are called from the table's thread."""
        self.id = str(table["table"])
        hello = table.get("hello") or {}
        self.status = TableStatus(
            self.id, int(table.get("seat") or 0), str(hello.get("preset", "")), bool(table.get("rated"))
        )
        self.client, self._start_bot, self._log = client, start_bot, log
        self._note, self._over, self._lag = note, over, lag
        self._inbox: queue.SimpleQueue[Update | BotMessage | BotNote | BotExit | _Stop] = queue.SimpleQueue()
        self._hello: Mapping[str, Any] = hello
        self._bot: BotProcess | None = None
        self._ready: Ready | None = None
        self._pending: Mapping[str, Any] | None = None
        self._pending_id = ""
        self._pending_at = 0.0
        self._events: list[Any] = []
        self._unsent_events: list[Any] = []
        """Events of requests that the bot was not asked."""
        self._is_asked = False
        self._is_answered = False
        """Whether the answer to the pending request is sent; the request remains until it is settled."""
        self._settled_by: tuple[str, str] = ("", "")
        """The last settled request, and by which side."""
        self._is_counted = False
        """Whether the answer to the pending request is counted as a decision."""
        self._tries = 0
        self._has_noted = False
        self._is_over = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def deliver(self, update: Update) -> None:
        self._inbox.put(update)

    def stop(self, timeout_s: float) -> None:
        """End the bot without an end of the table."""
        self._inbox.put(_Stop())
        self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            self._log.write("table", table=self.id, seat=self.status.seat, rated=self.status.is_rated)
            while not self._is_over:
                self._handle(self._inbox.get())
        finally:
            if self._bot is not None:
                self._bot.detach(self.id)
            self.status.enter("scoring")
            self._over(self.status)

    def _handle(self, item: Update | BotMessage | BotNote | BotExit | _Stop) -> None:
        match item:
            case Update():
                self._update(item)
            case BotMessage():
                self._hear(item)
            case BotNote():
                if not self._has_noted:
                    self._has_noted = True
                    self._note(
                        self.id, f"the bot wrote {item.text}; write remarks to standard error, not to output"
                    )
            case BotExit():
                self._bot_ended(item)
            case _Stop():
                self._is_over = True

    def _update(self, update: Update) -> None:
        fields = update.fields
        match update.kind:
            case "table" | "request":
                if fields.get("hello"):
                    self._hello = fields["hello"]
                    self.status.preset = str(self._hello.get("preset", ""))
                self._take_request(fields, update.arrived_at)
            case "clock":
                if str(fields.get("id")) == self._pending_id and not self._is_answered:
                    self._set_deadline(fields, update.arrived_at)
            case "settled":
                if str(fields.get("id")) == self._pending_id:
                    self._settled(fields)
            case "over":
                self._log.write_over(fields)
                self.status.result = fields
                self._is_over = True

    def _take_request(self, fields: Mapping[str, Any], arrived_at: float) -> None:
        message = fields.get("message")
        if message is None:
            if self._pending_id:
                self._forget_request()  # settled while the connection was broken
            if self._hello:
                self._ask()
            return
        is_known = str(message.get("id")) == self._pending_id
        if not (is_known and self._is_answered):
            self._set_deadline(fields, arrived_at)
        if is_known:
            return
        self._pending, self._pending_id, self._pending_at = message, str(message.get("id")), arrived_at
        self._events = list(fields.get("events") or ())
        self._is_asked = self._is_answered = self._is_counted = False
        self._tries = 0
        self._ask()

    def _set_deadline(self, fields: Mapping[str, Any], arrived_at: float) -> None:
        left_ms = fields.get("left_ms")
        self.status.left_until = None if left_ms is None else arrived_at + left_ms / 1000

    def _settled(self, fields: Mapping[str, Any]) -> None:
        by, verdict = str(fields.get("by")), fields.get("verdict")
        self._settled_by = (self._pending_id, by)
        if by == ANSWER and not verdict:
            self.status.decisions += not self._is_counted
        else:
            self.status.decisions -= self._is_counted
            self.status.failed += 1
            self._log.write("settled", id=self._pending_id, by=by, verdict=verdict)
            self._note(self.id, f"the referee played ({verdict or 'no answer'})")
        self._forget_request()

    def _forget_request(self) -> None:
        self._pending, self._pending_id = None, ""
        self._is_asked = self._is_answered = self._is_counted = False
        self.status.left_until = None
        self.status.enter(WAITING)

    def _ask(self) -> None:
        """Start the bot if necessary, and send the pending request to a bot that is ready."""
        if self._bot is None or self._bot.has_ended:
            self._tries += 1
            self._ready = None
            try:
                self._bot = self._start_bot(self.id, self._log)
            except EnvironmentFailure as error:
                self._bot = None
                self._bot_ended(BotExit(str(error), ""))
                return
            self._log.write("start", hello=self._hello)
            self._bot.attach(self.id, self._hello, self._inbox.put)
        if self._ready is None or self._pending is None or self._is_asked:
            return
        request = self._pending
        self._is_asked = True
        legal = request.get("legal") or []
        if self._ready.skip_forced and len(legal) == 1:
            self._unsent_events += self._events
            self._answer({"id": self._pending_id, "action": legal[0]}, by="rensho", thought_ms=0.0)
            return
        events = [*self._unsent_events, *self._events]
        self._unsent_events = []
        self.status.enter("thinking")
        if self._ready.events:
            for event in events:
                self._bot.send(self.id, event)
        self._bot.ask(self.id, request)

    def _hear(self, heard: BotMessage) -> None:
        message = heard.message
        if message.get("type") == "ready":
            try:
                self._ready = parse_ready(json_text(message).encode())
            except ProtocolError as error:
                self._note(self.id, f"{error}")
                self._ready = Ready("", False, False)
            if self._pending is None:
                self.status.enter(WAITING)
            self._ask()
        elif self._is_asked and not self._is_answered and message.get("id") == self._pending_id:
            self._answer(message, by="bot", thought_ms=(heard.arrived_at - self.status.since) * 1e3)

    def _bot_ended(self, end: BotExit) -> None:
        if self._bot is not None and not self._bot.has_ended:
            return  # an earlier process
        self._log.write("end of bot", detail=end.detail, log=end.log)
        last = end.log.splitlines()[-1] if end.log else ""
        self._note(self.id, ": ".join(part for part in ("the bot ended", end.detail, last) if part))
        self._bot, self._ready = None, None
        if self._pending is None or self._is_answered:
            return
        self._is_asked = False
        if self._tries < MAX_TRIES_OF_BOT:
            self._ask()
            return
        self._is_asked = True
        self._note(self.id, "the bot ended again at the same request: the referee plays")
        debug = f"the bot ended: {end.detail}\n{end.log}"[-1000:]
        self._answer({"id": self._pending_id, "action": "", "debug": debug}, by="rensho", thought_ms=0.0)

    def _answer(self, answer: Mapping[str, Any], *, by: str, thought_ms: float) -> None:
        """Send an answer until the server has accepted it or no longer waits for it."""
        request_id, request, events = self._pending_id, self._pending, self._events
        self._is_answered = True
        is_reduced = False
        if problem := _encoding_problem(answer):
            answer, is_reduced = self._reduced(answer, problem), True
        self.status.enter("sending")
        began, asked_at = time.monotonic(), self._pending_at
        tries, outcome = 0, ""
        while not outcome and self._pending_id == request_id and not self._is_over:
            tries += 1
            sent = time.monotonic()
            try:
                self.client.remote_answer(self.id, cast(AnswerIn, answer))
                outcome = "accepted"
                lag_ms = (time.monotonic() - sent) * 1e3
                self.status.lag_ms = lag_ms
                self._lag(lag_ms)
            except Refused as refusal:
                if refusal.code in MALFORMED and not is_reduced:
                    answer, is_reduced = self._reduced(answer, str(refusal)), True
                    continue
                outcome = refusal.code
                if refusal.code not in SETTLED:
                    self._note(self.id, f"the server refused the answer: {refusal}")
            except ServerUnavailable as error:
                if tries == 1:
                    self._note(self.id, f"{error}; the answer is sent again")
                self._wait(min(FIRST_RETRY_S * 2**tries, MAX_RETRY_S) * random.uniform(0.5, 1))
            except KitError as error:
                outcome = "error"
                self._note(self.id, str(error))
        if not outcome:
            outcome = "accepted" if self._settled_by == (request_id, ANSWER) else "settled"
        elif outcome == "accepted" and self._settled_by[0] != request_id:
            self.status.decisions += 1
            self._is_counted = self._pending_id == request_id
        self._log.write(
            "decision",
            by=by,
            events=events,
            request=request,
            answer=dict(answer),
            thought_ms=round(thought_ms),
            since_request_ms=round((began - asked_at) * 1e3),
            sending_ms=round((time.monotonic() - began) * 1e3),
            tries=tries,
            outcome=outcome,
        )
        if tries > 1 and outcome == "accepted":
            self._note(self.id, f"the answer was accepted after {count_text(tries, 'try', 'tries')}")
        if self._pending_id == request_id:
            # The request remains until it is settled: after a reconnection, the server may repeat it.
            self.status.left_until = None
            self.status.enter(WAITING)

    def _reduced(self, answer: Mapping[str, Any], problem: str) -> Mapping[str, Any]:
        """Return an answer without remarks, so that the referee judges it and no time is lost."""
        self._note(self.id, f"only the action of an answer is sent: {problem}")
        return {"id": self._pending_id, "action": printable(str(answer.get("action")))[:MAX_ACTION_CHARS]}

    def _wait(self, seconds: float) -> None:
        """Handle messages for some seconds, or until the pending request changes."""
        request_id, until = self._pending_id, time.monotonic() + seconds
        while self._pending_id == request_id and not self._is_over:
            try:
                self._handle(self._inbox.get(timeout=max(until - time.monotonic(), 0)))
            except queue.Empty:
                return


def _encoding_problem(answer: Mapping[str, Any]) -> str:
    """Return why an answer cannot be sent, or an empty text."""
    try:
        size = len(json.dumps(answer, ensure_ascii=False, allow_nan=False).encode())
    except (ValueError, RecursionError):
        return "it has NaN, an infinite number, or text that is not Unicode"
    return f"it has more than {MAX_ANSWER_BYTES} bytes" if size > MAX_ANSWER_BYTES else ""


__all__ = ["WAITING", "Deliver", "TablePlayer", "TableStatus", "Update"]
