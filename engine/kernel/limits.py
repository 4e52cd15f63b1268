"""Limits of searches and playouts, and the answers of the solver."""

from __future__ import annotations

import time
from typing import Literal, NamedTuple, Protocol

from engine.kernel.position import KernelError
from engine.refusals import quoted

POLL_INTERVAL = 4096
"""Searched nodes between two checks of the limits, compiled."""


MAX_SECONDS = 1 << 32
"""Maximum time limit as a whole number: 136 years, the longest time that a clock can wait."""


class Cancel(Protocol):
    """An object that can cancel a search, such as a ``threading.Event()``."""

    def is_set(self) -> bool: ...


class Limits(NamedTuple):
    nodes: int | None = None
    """Positions between two tricks, per question; the result is reproducible. Playouts do not accept it."""
    seconds: float | None = None
    """Wall time of a call."""
    cancel: Cancel | None = None


class Answer(NamedTuple):
    """Bounds that a search has proved for the value to side 0."""

    low: int
    high: int
    state: Literal["exact", "bound", "stopped"]
    """exact: ``low`` equals ``high``; bound: stopped with a proved bound; stopped: nothing proved."""
    nodes: int
    """Positions between two tricks that were searched."""


class LimitChecker:
    """Checks limits and grants a search its next nodes."""

    def __init__(self, limits: Limits, poll_interval: int = POLL_INTERVAL) -> None:
        if not isinstance(limits, Limits):
            raise KernelError(f"not Limits: {quoted(limits)}; give Limits(nodes=…, seconds=…, cancel=…)")
        _check_limit("nodes", limits.nodes, (int,))
        check_seconds(limits.seconds)
        cancel = limits.cancel
        if cancel is not None and (isinstance(cancel, type) or not callable(getattr(cancel, "is_set", None))):
            raise KernelError(f"nothing to cancel by: {quoted(cancel)}; give a threading.Event() or None")
        self._nodes = limits.nodes
        self._end = None if limits.seconds is None else time.monotonic() + limits.seconds
        self._cancel = cancel
        # A limit of nodes alone needs no earlier check.
        is_timed = self._end is not None or cancel is not None
        self._poll_interval = poll_interval if is_timed else POLL_INTERVAL

    def allowed_nodes(self, nodes: int) -> int:
        """Return how many nodes to search before the next check; 0 ends the search after ``nodes``."""
        if self._cancel is not None and self._cancel.is_set():
            return 0
        if self._end is not None and time.monotonic() >= self._end:
            return 0
        every = self._poll_interval
        return every if self._nodes is None else max(0, min(every, self._nodes - nodes))


def check_seconds(seconds: object) -> None:
    _check_limit("seconds", seconds, (int, float))
    if type(seconds) is int and seconds > MAX_SECONDS:
        raise KernelError(f"seconds cannot be {quoted(seconds)}: give {MAX_SECONDS} at most, or None")


def _check_limit(name: str, limit: object, types: tuple[type, ...]) -> None:
    if limit is None:
        return
    if type(limit) not in types or not limit > 0:  # type: ignore[operator]
        raise KernelError(
            f"a limit of {quoted(limit)} {name} is none: give a number above 0, or None for no limit"
        )
