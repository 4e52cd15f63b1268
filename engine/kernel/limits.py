"""How far a search of the solver and playouts may go, and what the solver answers."""

from __future__ import annotations

import time
from typing import Literal, NamedTuple, Protocol

from engine.kernel.position import KernelError
from engine.refusals import quoted

POLL_INTERVAL = 4096
"""Searched nodes between two looks at the clock and at what may cancel a search, compiled."""


MAX_SECONDS = 1 << 32
"""The most as a whole number: 136 years, which a clock can be asked to wait for."""


class Cancel(Protocol):
    """Anything that says whether a search should end, such as a ``threading.Event()``."""

    def is_set(self) -> bool:
        """Whether the search should end."""


class Limits(NamedTuple):
    """How far a search may go; None: no limit."""

    nodes: int | None = None
    """Positions between two tricks, for each question: the same search every time. Playouts have none."""
    seconds: float | None = None
    """Of wall time, for a call."""
    cancel: Cancel | None = None


class Answer(NamedTuple):
    """What a search has proved."""

    low: int
    """The value to side 0 is at least this."""
    high: int
    """The value to side 0 is at most this."""
    state: Literal["exact", "bound", "stopped"]
    """exact: ``low`` equals ``high``; bound: stopped when something was proved; stopped: before that."""
    nodes: int
    """Positions between two tricks that were searched."""


class LimitChecker:
    """Says how much longer a search may go on."""

    def __init__(self, limits: Limits, poll_interval: int = POLL_INTERVAL) -> None:
        """Begin to count the time; it is looked at every so many nodes.

        Raises:
            KernelError: not limits, or one that allows nothing.
        """
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
        # Without clock and cancel there is nothing to see earlier.
        is_timed = self._end is not None or cancel is not None
        self._poll_interval = poll_interval if is_timed else POLL_INTERVAL

    def allowed_nodes(self, nodes: int) -> int:
        """How many more nodes may be searched before asking again, after so many; 0: none."""
        if self._cancel is not None and self._cancel.is_set():
            return 0
        if self._end is not None and time.monotonic() >= self._end:
            return 0
        every = self._poll_interval
        return every if self._nodes is None else max(0, min(every, self._nodes - nodes))


def check_seconds(seconds: object) -> None:
    """Nothing, if so many seconds can be a limit; None is no limit.

    Raises:
        KernelError: they cannot.
    """
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
