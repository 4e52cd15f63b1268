"""Checks and slices for batches of playouts. Limits can end a batch between two slices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from engine.kernel.limits import LimitChecker, Limits
from engine.kernel.position import KernelError, check_integer
from engine.refusals import quoted

Policy = Literal["random", "rules"]
"""Policy of playouts: any legal action with equal probability, or sensible play (docs/kernel.md)."""
POLICIES: tuple[Policy, ...] = get_args(Policy)


MAX_PLAYOUTS = 1 << 40
"""Maximum playouts per call, and maximum number of a playout."""
_MAX_SEED = (1 << 64) - 1


def check_playouts(n: int, seed: int, first: int) -> None:
    check_integer("n", n, 1, MAX_PLAYOUTS)
    check_integer("first", first, 0, MAX_PLAYOUTS)
    check_seed(seed)


def check_playout(seed: int, number: int) -> None:
    check_integer("number", number, 0, MAX_PLAYOUTS)
    check_seed(seed)


def check_seed(seed: int) -> None:
    check_integer("seed", seed, 0, _MAX_SEED)


def check_playouts_of_each(n: int, positions: int, seed: int) -> None:
    check_integer("n", n, 1, MAX_PLAYOUTS // positions)
    check_seed(seed)


def slice_size(module_file: str) -> int:
    # Both take a few milliseconds; a slice itself costs a few microseconds.
    return 64 if module_file.endswith(".py") else 4096


class PlayoutSlices:
    """Splits playouts into slices until limits end them, so that Python handles signals and threads between.

    The first slice is always played.
    """

    def __init__(self, limits: Limits | None) -> None:
        self.is_over = False
        self._has_begun = False
        self._watch = None if limits is None else LimitChecker(limits)
        if limits is not None and limits.nodes is not None:
            raise KernelError(
                f"nodes of {quoted(limits.nodes)} limit no playouts: give n, Limits(seconds=…, cancel=…)"
            )

    def of(self, first: int, n: int, size: int) -> Iterator[tuple[int, int]]:
        """Yield the first number and the length of each slice of ``n`` playouts, of at most ``size``."""
        end = first + n
        while first < end and self._continues():
            length = min(size, end - first)
            yield first, length
            first += length

    def _continues(self) -> bool:
        if self._has_begun and self._watch is not None:
            self.is_over = self.is_over or not self._watch.allowed_nodes(0)
        self._has_begun = True
        return not self.is_over


def policy_number(policy: Policy) -> int:
    if policy not in POLICIES:
        raise KernelError(f"no policy {quoted(policy)}: give {' or '.join(map(repr, POLICIES))}")
    return POLICIES.index(policy)
