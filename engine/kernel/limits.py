"""How far a search of the solver may go, and what it answers."""

from __future__ import annotations

import time
from typing import Literal, NamedTuple, Protocol

from engine.kernel.position import KernelError
from engine.refusals import quoted

POLLED_EVERY = 4096
"""Searched nodes between two looks at the clock and at what may cancel a search."""


class Cancel(Protocol):
    """Anything that says whether a search should end, such as a ``threading.Event``."""

    def is_set(self) -> bool:
        """Whether the search should end."""


class Limits(NamedTuple):
    """How far a search may go; None: no limit."""

    nodes: int | None = None
    """Positions between two tricks, for each question: the same search every time."""
    seconds: float | None = None
    """Of wall time, for all questions of a call together."""
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


class Watch:
    """Says how much longer a search may go on."""

    def __init__(self, limits: Limits) -> None:
        """Begin to count the time.

        Raises:
            KernelError: not limits, or one that allows nothing.
        """
        if not isinstance(limits, Limits):
            raise KernelError(f"not Limits: {quoted(limits)}; give Limits(nodes=…, seconds=…, cancel=…)")
        _check("nodes", limits.nodes, (int,))
        _check("seconds", limits.seconds, (int, float))
        if limits.cancel is not None and not callable(getattr(limits.cancel, "is_set", None)):
            raise KernelError(
                f"nothing to cancel by: {quoted(limits.cancel)}; give a threading.Event or None"
            )
        self._nodes = limits.nodes
        self._end = None if limits.seconds is None else time.monotonic() + limits.seconds
        self._cancel = limits.cancel

    def allows(self, nodes: int) -> int:
        """How many more nodes may be searched before asking again, after so many; 0: none."""
        if self._cancel is not None and self._cancel.is_set():
            return 0
        if self._end is not None and time.monotonic() >= self._end:
            return 0
        return POLLED_EVERY if self._nodes is None else max(0, min(POLLED_EVERY, self._nodes - nodes))


def _check(name: str, limit: object, types: tuple[type, ...]) -> None:
    if limit is None:
        return
    if type(limit) not in types or not limit > 0:  # type: ignore[operator]
        raise KernelError(
            f"a limit of {quoted(limit)} {name} is none: give a number above 0, or None for no limit"
        )
