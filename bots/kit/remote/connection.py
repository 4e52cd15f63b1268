"""The connection of a version to the server: its stream, its signs of life, and its tables."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from statistics import median
from typing import Any, NamedTuple, Protocol

from bots.kit.client import Client
from bots.kit.client.errors import Refused, ServerUnavailable
from bots.kit.errors import CheckFailed, KitError
from bots.kit.remote.decision_log import LogFolder, TableLog
from bots.kit.remote.folder import BotProgram
from bots.kit.remote.process import BotProcess
from bots.kit.remote.table import WAITING, TablePlayer, TableStatus, Update

ALIVE_S = 10.0
QUIET_S = 15.0
"""Seconds without a request after which a table is looked up, in case that its end was missed."""
FIRST_RECONNECT_S = 1.0
MAX_RECONNECT_S = 30.0
BYE_S = 0.2
"""Maximum seconds before a stream is opened again that the server ended to restart."""
REPLACED = "stream_replaced"
PAUSED = ("remote_bot_paused", "remote_bot_retired")
OVER_STATES = ("played", "finished", "failed")
FINAL_STATES = ("finished", "failed")
"""States of a table whose result does not change any more."""
LAST_SCORES_S = 2.0
"""Seconds between two requests for the last scores, which the newest stream does not announce."""
SCORE_S = 60.0
"""Maximum seconds for which the end of the command is delayed until the last scores are known."""
LAG_SAMPLES = 20
STOP_S = 5.0
"""Seconds that the bots of all tables have to end."""


class StreamOptions(NamedTuple):
    tables: int
    ladder: str | None
    is_slow: bool
    accept: Sequence[str]


class Observer(Protocol):
    """Receives events for the display, from any thread."""

    def connected(self, generation: int) -> None: ...

    def disconnected(self, reason: str) -> None: ...

    def began(self, status: TableStatus) -> None: ...

    def ended(self, status: TableStatus) -> None: ...

    def note(self, table: str, text: str) -> None: ...


class Connection:
    """Keeps a version connected and plays its tables until ``finish`` and the end of the last table."""

    def __init__(
        self,
        client: Client,
        version: str,
        program: BotProgram,
        options: StreamOptions,
        logs: LogFolder,
        observer: Observer,
        *,
        stop_after: int | None = None,
    ) -> None:
        self.client, self._version, self._program = client, version, program
        self._options, self._logs, self._observer = options, logs, observer
        self._stop_after = stop_after
        self._lock = threading.RLock()
        self._players: dict[str, TablePlayer] = {}
        self._scoring: dict[str, TableStatus] = {}
        """Tables that are over for this bot, but not yet ``FINAL_STATES``."""
        self._results: dict[str, Mapping[str, Any]] = {}
        """Last line ``over`` of tables whose thread has not ended."""
        self._done_at: float | None = None
        """When the last table ended while the connection is finishing."""
        self._paused: CheckFailed | None = None
        self._shared: BotProcess | None = None
        self._shared_log = TableLog(logs.path / "bot")
        self._lags: deque[float] = deque(maxlen=LAG_SAMPLES)
        self._number = 0
        """Number of the current stream thread; an older one ends."""
        self._generation: int | None = None
        """Generation of the open stream; None while there is none."""
        self._error: KitError | None = None
        self._is_finishing = False
        self._over_count = 0
        self._ended = threading.Event()

    @property
    def lag_ms(self) -> float | None:
        """Median round trip of recent answers and signs of life."""
        with self._lock:
            return median(self._lags) if self._lags else None

    @property
    def is_connected(self) -> bool:
        return self._generation is not None

    @property
    def is_finishing(self) -> bool:
        return self._is_finishing

    @property
    def unfinished(self) -> int:
        """Number of tables that are not over for this bot."""
        with self._lock:
            return len(self._players)

    def statuses(self) -> list[TableStatus]:
        with self._lock:
            return [*(player.status for player in self._players.values()), *self._scoring.values()]

    def start(self) -> None:
        self._open()
        threading.Thread(target=self._report_alive, daemon=True).start()

    def finish(self) -> None:
        """Take no further tables; the connection ends with its last table."""
        with self._lock:
            if self._is_finishing:
                return
            self._is_finishing = True
            self._options = self._options._replace(ladder=None, accept=())
            if not self.is_connected and not self._players and not self._scoring:
                self._ended.set()
                return
        self._open()  # the server ends the earlier stream

    def wait(self, timeout_s: float) -> bool:
        """Return whether the connection has ended. Raise the error that ended it."""
        has_ended = self._ended.wait(timeout_s)
        if self._done_at is not None and time.monotonic() - self._done_at > SCORE_S:
            has_ended = True
        error = self._error or (self._paused if has_ended else None)
        if has_ended and error is not None:
            raise error
        return has_ended

    def close(self) -> None:
        """End all bots without the end of their tables."""
        with self._lock:
            self._number += 1
            players = list(self._players.values())
            unscored = list(self._scoring.values())
        self._ended.set()
        for status in unscored:
            self._observer.ended(status)
        until = time.monotonic() + STOP_S
        for player in players:
            player.stop(max(until - time.monotonic(), 0.1))
        if self._shared is not None:
            self._shared.close()

    def _open(self) -> None:
        with self._lock:
            self._number += 1
            number = self._number
            self._generation = None
        threading.Thread(target=self._follow, args=(number,), daemon=True).start()

    def _is_current(self, number: int) -> bool:
        return number == self._number and not self._ended.is_set()

    def _follow(self, number: int) -> None:
        """Read the stream and open it again after each interruption."""
        failures = 0
        while self._is_current(number):
            reason, is_planned = "the connection was closed", False
            try:
                with self.client.remote_stream(self._version, **self._options._asdict()) as lines:
                    for line in lines:
                        if not self._is_current(number):
                            return
                        failures = 0
                        if self._take(line):
                            is_planned, reason = True, "the server restarts"
                            break
            except (Refused, CheckFailed) as error:
                self._fail(number, CheckFailed(str(error)) if error.code in PAUSED else error)
                return
            except KitError as error:
                reason = str(error)
            if not self._is_current(number):
                return
            self._generation = None
            self._observer.disconnected(reason)
            limit_s = BYE_S if is_planned else min(FIRST_RECONNECT_S * 2**failures, MAX_RECONNECT_S)
            failures += 1
            # Jitter: after a restart of the server, not all clients return at the same moment.
            self._ended.wait(limit_s * random.uniform(0.5, 1))

    def _take(self, line: str) -> bool:
        """Handle a line of the stream. Return whether the server ends the stream to restart."""
        arrived_at = time.monotonic()
        try:
            message = json.loads(line)
            kind = message["type"]
        except (ValueError, RecursionError, LookupError, TypeError):
            raise ServerUnavailable(
                f"{self.client.url} sent a line that is no message of a stream: check the address"
            ) from None
        match kind:
            case "state":
                self._take_state(message, arrived_at)
            case "table":
                self._update(message, arrived_at)
            case "request" | "clock" | "settled" | "over":
                table = str(message.get("table"))
                with self._lock:
                    player = self._players.get(table)
                    if kind == "over":
                        self._results[table] = message
                if player is not None:
                    player.deliver(Update(kind, message, arrived_at))
                elif kind == "over":
                    self._score(table, message)
            case "replaced":
                raise CheckFailed(REPLACED_TEXT)
            case "paused":
                # The running tables continue; the server ends the stream after the last one.
                reason = message.get("reason")
                text = reason.get("text") if isinstance(reason, dict) else ""
                self._paused = CheckFailed(_paused_text(str(text or "it gives no reason")))
                with self._lock:
                    self._is_finishing = True
                self._end_if_done()
            case "bye":
                return True
        return False

    def _take_state(self, state: Mapping[str, Any], arrived_at: float) -> None:
        self._generation = int(state["generation"])
        self._observer.connected(self._generation)
        tables = {str(table["table"]): table for table in state["tables"]}
        with self._lock:
            missing = [player for table, player in self._players.items() if table not in tables]
        for player in missing:
            player.deliver(Update("over", self._result(player.status) or {}, arrived_at))
        self._fetch_scores()
        for table in tables.values():
            self._update(table, arrived_at)
        self._end_if_done()

    def _update(self, table: Mapping[str, Any], arrived_at: float) -> None:
        """Begin a table, or bring a known one up to date."""
        table_id = str(table["table"])
        with self._lock:
            player = self._players.get(table_id)
            is_new = player is None
            if player is None:
                log = self._logs.table_log(table_id)
                player = TablePlayer(
                    self.client, table, self._bot, log, self._observer.note, self._over, self._add_lag
                )
                self._players[table_id] = player
        if is_new:
            self._observer.began(player.status)
            player.start()
        player.deliver(Update("table", table, arrived_at))

    def _fetch_scores(self) -> None:
        """Ask for results that are not final; a new stream does not repeat them."""
        with self._lock:
            scoring = list(self._scoring.values())
        for status in scoring:
            if (result := self._result(status)) is not None:
                self._score(status.table, result)

    def _look_up_quiet_tables(self) -> None:
        now = time.monotonic()
        with self._lock:
            players = [player for player in self._players.values() if player.status.phase == WAITING]
        for player in players:
            if now - player.status.since < QUIET_S:
                continue
            result = self._result(player.status)
            if result is not None and result["state"] in OVER_STATES:
                player.deliver(Update("over", result, now))

    def _result(self, status: TableStatus) -> dict[str, Any] | None:
        """Return the result of a table that ended while there was no connection, as in ``over``."""
        with suppress(KitError, LookupError):
            table = self.client.remote_table(status.table)
            (seat,) = (seat for seat in table["seats"] if seat["seat"] == status.seat)
            return {
                "state": table["state"],
                "verdict": seat["verdict"],
                "stones": seat["stones"],
                "score": table["score"],
            }
        return None

    def _over(self, status: TableStatus) -> None:
        """End a table for this bot; the server may still compute its score."""
        with self._lock:
            self._players.pop(status.table, None)
            result = self._results.pop(status.table, status.result)
            if self._ended.is_set():
                return
            self._scoring[status.table] = status
            self._over_count += 1
            is_enough = self._stop_after is not None and self._over_count >= self._stop_after
        self._score(status.table, result)
        if is_enough:
            self.finish()

    def _score(self, table: str, result: Mapping[str, Any]) -> None:
        """Store a result; the table has ended if it is final."""
        with self._lock:
            self._results.pop(table, None)
            status = self._scoring.get(table)
            if status is None:
                return
            if result.get("score") != status.result.get("score"):
                self._logs.table_log(table).write_over(result)
            status.result = result
            is_final = not result or result.get("state") in FINAL_STATES
            if is_final:
                del self._scoring[table]
        if is_final:
            self._observer.ended(status)
        self._end_if_done()

    def _end_if_done(self) -> None:
        with self._lock:
            if not self._is_finishing or self._players or not self.is_connected:
                return
            if self._scoring:
                self._done_at = self._done_at or time.monotonic()
                return
            self._error = self._error or self._paused
            self._ended.set()

    def _bot(self, table: str, log: TableLog) -> BotProcess:
        if not self._program.is_shared:
            return BotProcess(self._program, log.write_errors)
        with self._lock:
            if self._shared is None or self._shared.has_ended:
                self._shared = BotProcess(self._program, self._shared_log.write_errors)
            return self._shared

    def _add_lag(self, lag_ms: float) -> None:
        with self._lock:
            self._lags.append(lag_ms)

    def _fail(self, number: int, error: KitError) -> None:
        with self._lock:
            if not self._is_current(number):
                return
            self._error = error
            self._ended.set()

    def _report_alive(self) -> None:
        due = time.monotonic() + ALIVE_S
        while not self._ended.wait(min(ALIVE_S, LAST_SCORES_S)):
            number, generation = self._number, self._generation
            is_due = time.monotonic() >= due
            if generation is None or not (is_due or self._done_at is not None):
                continue
            self._fetch_scores()
            if not is_due:
                continue
            due = time.monotonic() + ALIVE_S
            self._look_up_quiet_tables()
            sent = time.monotonic()
            try:
                self.client.remote_alive({"version": self._version, "generation": generation})
                self._add_lag((time.monotonic() - sent) * 1e3)
            except Refused as refusal:
                if refusal.code != REPLACED:
                    self._fail(number, refusal)
                elif generation == self._generation:
                    self._fail(number, CheckFailed(REPLACED_TEXT))
            except KitError:
                continue  # the stream reports an unreachable server


REPLACED_TEXT = (
    "another client connected with this version, and the server keeps the newer connection: to run two at "
    "once, connect one of them with --new-version"
)


def _paused_text(reason: str) -> str:
    return f"the server gives this bot no tables: {reason.rstrip('.')}; its page shows how to continue"
