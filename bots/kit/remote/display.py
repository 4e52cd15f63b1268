"""Display of a connection: a live table on a terminal, else one line or one JSON object per event."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from rich.console import Console, Group, RenderableType

from bots.kit.display.console import DIM, print_json, print_lines, styled_line, text_table
from bots.kit.display.formatting import count_text, duration_text
from bots.kit.remote.connection import Connection
from bots.kit.remote.table import TableStatus
from engine.printable import printable
from engine.refusals import clipped

RESULTS = 10
NOTES = 5
FORFEIT = "forfeit"


class Totals:
    """Results of the tables so far."""

    def __init__(self) -> None:
        self.tables = self.decisions = self.failed = 0
        self.scores: list[float] = []

    def add(self, status: TableStatus) -> None:
        self.tables += 1
        self.decisions += status.decisions
        self.failed += status.failed
        score = status.result.get("score")
        if isinstance(score, int | float):
            self.scores.append(float(score))

    def text(self) -> str:
        parts = [count_text(self.tables, "table"), count_text(self.decisions, "decision")]
        if self.failed:
            parts.append(f"{self.failed} played by the referee")
        if self.scores:
            parts.append(f"average score {sum(self.scores) / len(self.scores):+.2f}")
        return ", ".join(parts)

    def as_json(self) -> dict[str, Any]:
        return {"tables": self.tables, "decisions": self.decisions, "played_by_referee": self.failed}


class Lines:
    """Prints each event as a line."""

    def __init__(self) -> None:
        self.totals = Totals()
        self._lock = threading.Lock()

    def connected(self, generation: int) -> None:
        self._print("connected", f"Connected (stream {generation}).", generation=generation)

    def disconnected(self, reason: str) -> None:
        self._print("disconnected", f"Disconnected: {reason}; reconnecting ...", reason=reason)

    def began(self, status: TableStatus) -> None:
        values = {"seat": status.seat, "preset": status.preset, "rated": status.is_rated}
        self._print("table", f"Table {status.table} begins: {_title(status)}.", table=status.table, **values)

    def ended(self, status: TableStatus) -> None:
        with self._lock:
            self.totals.add(status)
        values = {name: status.result.get(name) for name in ("state", "verdict", "stones", "score")}
        values |= {"decisions": status.decisions, "played_by_referee": status.failed}
        text = f"Table {status.table} is over: {result_text(status)}."
        self._print("over", text, table=status.table, **values)

    def note(self, table: str, text: str) -> None:
        self._print("note", f"Table {table}: {text}", table=table, text=text)

    def wait(self, connection: Connection) -> None:
        """Return when the connection has ended. Raise the error that ended it."""
        while not connection.wait(0.5):
            pass

    def _print(self, kind: str, line: str, **values: Any) -> None:
        with self._lock:
            print_lines(line)


class JsonLines(Lines):
    """Prints each event as a line of JSON."""

    def _print(self, kind: str, line: str, **values: Any) -> None:
        with self._lock:
            print_json({"type": kind, **values}, indent=None)


class LiveTable(Lines):
    """Shows tables, clocks, lag and the last results and notes on a terminal."""

    def __init__(self, console: Console, title: str) -> None:
        super().__init__()
        self._console, self._title = console, title
        self._results: deque[str] = deque(maxlen=RESULTS)
        self._notes: deque[str] = deque(maxlen=NOTES)
        self._state = "connecting ..."

    def connected(self, generation: int) -> None:
        self._state = "connected"

    def disconnected(self, reason: str) -> None:
        self._state = f"disconnected: {reason}; reconnecting ..."

    def ended(self, status: TableStatus) -> None:
        super().ended(status)
        self._results.append(f"{status.table}  {_title(status)}: {result_text(status)}")

    def wait(self, connection: Connection) -> None:
        from rich.live import Live

        with Live(console=self._console, auto_refresh=False, transient=False) as live:
            has_ended = False
            while not has_ended:
                has_ended = connection.wait(0.5)
                live.update(self._view(connection), refresh=True)

    def _print(self, kind: str, line: str, **values: Any) -> None:
        if kind == "note":
            self._notes.append(f"{time.strftime('%H:%M:%S')}  {line}")

    def _view(self, connection: Connection) -> RenderableType:
        lag = connection.lag_ms
        parts = [self._state]
        if connection.is_finishing:
            parts.append("finishing the last tables, Ctrl-C again to leave them")
        if lag is not None:
            parts.append(f"lag {lag:.0f} ms")
        rows: list[RenderableType] = [
            styled_line((self._title, "bold"), f": {clipped(printable(', '.join(parts)), 300)}")
        ]
        now = time.monotonic()
        statuses = connection.statuses()
        if statuses:
            head = ("table", "rules", "seat", "state", "for", "clock", "decisions", "lag")
            cells = [_cells(status, now) for status in statuses]
            rows.append(text_table(head, cells, right=(2, 4, 5, 6, 7)))
        else:
            rows.append(styled_line(("no table at the moment", DIM)))
        rows += [styled_line(line) for line in self._results]
        rows += [styled_line((clipped(line, 200), DIM)) for line in self._notes]
        if self.totals.tables:
            rows.append(styled_line((self.totals.text(), "bold")))
        return Group(*rows)


def _cells(status: TableStatus, now: float) -> tuple[str, ...]:
    left = status.left_until
    return (
        status.table,
        f"{status.preset}{'' if status.is_rated else ', unrated'}",
        str(status.seat),
        status.phase,
        duration_text(now - status.since),
        "" if left is None else duration_text(max(left - now, 0)),
        f"{status.decisions}{f' + {status.failed} by the referee' if status.failed else ''}",
        "" if status.lag_ms is None else f"{status.lag_ms:.0f} ms",
    )


def _title(status: TableStatus) -> str:
    rated = "rated" if status.is_rated else "unrated"
    return ", ".join(part for part in (status.preset, f"seat {status.seat}", rated) if part)


def result_text(status: TableStatus) -> str:
    """Return the result of a table as far as the server has sent it."""
    result = status.result
    parts = []
    stones = result.get("stones")
    if isinstance(stones, Mapping):
        stones = stones.get(str(status.seat))
    if isinstance(stones, int | float):
        parts.append(f"{stones:+g} stones")
    score = result.get("score")
    if isinstance(score, int | float):
        parts.append(f"score {score:+.2f}")
    if (verdict := result.get("verdict")) not in (None, "", "OK"):
        parts.append(str(verdict))
    if result.get("state") == "failed":
        parts.append("void: the server failed")
    parts.append(count_text(status.decisions, "decision"))
    if status.failed:
        parts.append(f"{status.failed} played by the referee")
    return ", ".join(parts)
