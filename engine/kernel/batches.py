"""Batches of playouts: which numbers they may have, and the slices between which they can be ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from engine.kernel.limits import LimitChecker, Limits
from engine.kernel.position import KernelError, check_integer
from engine.refusals import quoted

Policy = Literal["random", "rules"]
"""How playouts play: any legal action, all equally likely; or sensibly, as docs/kernel.md says."""
POLICIES: tuple[Policy, ...] = get_args(Policy)


MAX_PLAYOUTS = 1 << 40
"""The most playouts of a call, and the highest number of a playout."""
_MAX_SEED = (1 << 64) - 1


def check_playouts(n: int, seed: int, first: int) -> None:
    """Nothing, if these are a number of playouts, a seed and the number of the first.

    Raises:
        KernelError: they are not; the message names the argument.
    """
    check_integer("n", n, 1, MAX_PLAYOUTS)
    check_integer("first", first, 0, MAX_PLAYOUTS)
    check_seed(seed)


def check_playout(seed: int, number: int) -> None:
    """Nothing, if these are a seed and the number of a playout.

    Raises:
        KernelError: they are not; the message names the argument.
    """
    check_integer("number", number, 0, MAX_PLAYOUTS)
    check_seed(seed)


def check_seed(seed: int) -> None:
    """Nothing, if it is a whole number of 64 bits.

    Raises:
        KernelError: it is not.
    """
    check_integer("seed", seed, 0, _MAX_SEED)


def check_playouts_of_each(n: int, positions: int, seed: int) -> None:
    """Nothing, if these are a seed and a number of playouts for each of so many positions.

    Raises:
        KernelError: they are not; the message names the argument.
    """
    check_integer("n", n, 1, MAX_PLAYOUTS // positions)
    check_seed(seed)


def slice_size(module_file: str) -> int:
    """How many playouts to make between two looks at the limits, by the file of what makes them."""
    # Some milliseconds of work either way; a slice costs some microseconds.
    return 64 if module_file.endswith(".py") else 4096


class PlayoutSlices:
    """Playouts a slice at a time, until all are made or limits end them; the first slice is always made.

    Python handles signals and runs other threads between two slices.
    """

    def __init__(self, limits: Limits | None) -> None:
        """Begin to count the time.

        Raises:
            KernelError: not limits, one that allows nothing, or one in nodes.
        """
        self.is_over = False
        """Whether limits have ended the playouts."""
        self._has_begun = False
        self._watch = None if limits is None else LimitChecker(limits)
        if limits is not None and limits.nodes is not None:
            raise KernelError(
                f"nodes of {quoted(limits.nodes)} limit no playouts: give n, Limits(seconds=…, cancel=…)"
            )

    def of(self, first: int, n: int, size: int) -> Iterator[tuple[int, int]]:
        """The first number and the length of each slice of ``n`` playouts, ``size`` long at most."""
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
    """The number of a policy in the compiled code.

    Raises:
        KernelError: there is no such policy.
    """
    if policy not in POLICIES:
        raise KernelError(f"no policy {quoted(policy)}: give {' or '.join(map(repr, POLICIES))}")
    return POLICIES.index(policy)
