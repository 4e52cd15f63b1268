"""Many boards of Kakeya or Etori at once, in the compiled kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bots.rl.boards import Setting
from bots.rl.errors import RlError
from engine.kernel import KernelError
from engine.kernel.vector import vector_reset, vector_rules, vector_step
from engine.kernel.vector_deal import VectorDeals
from engine.refusals import quoted

Value = TypeVar("Value")


class BatchEnv:
    """Boards in rows. ``step`` plays an action in each row, and starts its next board where one ends.

    The arrays are allocated once; ``reset`` and ``step`` overwrite them, so copy what you keep. Row *i* of
    *n* plays boards *i*, *i + n*, *i + 2n*, ... of the seed; cards and conditions of a board depend only on
    the seed and its number.
    """

    def __init__(self, setting: Setting, rows: int, seed: int) -> None:
        self.setting = setting
        self.layout = setting.layout
        self.rows = rows
        rules = _checked(vector_rules, setting.rules.ruleset, setting.rules.kind, rows)
        self.observations: NDArray[np.uint8] = np.zeros((rows, self.layout.size), np.uint8)
        """Inputs of the seat to act, by row: ``layout.size`` values."""
        self.masks: NDArray[np.uint8] = np.zeros((rows, len(self.layout.actions)), np.uint8)
        """1 for each legal action, by row; ``masks.view(bool)`` is a mask of truth values."""
        self.rewards: NDArray[np.float32] = np.zeros((rows, len(setting.seats)), np.float32)
        """Stones that the last action brought, by row and seat (seat 1 first). Those of a row add up to 0."""
        self.dones: NDArray[np.bool_] = np.zeros(rows, np.bool_)
        """Rows whose board ended with the last action. Only their ``rewards`` still belong to that board."""
        self.seats: NDArray[np.uint8] = np.zeros(rows, np.uint8)
        """Seats to act, from 1."""
        self.boards: NDArray[np.int64] = np.zeros(rows, np.int64)
        """Numbers of the boards, from 0."""
        arrays: list[NDArray[Any]] = [self.observations, self.masks, self.rewards]
        arrays += [self.dones.view(np.uint8), self.seats, self.boards]
        self._deals = VectorDeals(rules, rows, tuple([array.reshape(-1).data for array in arrays]))
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start board *i* of the seed in row *i*. Raise ``RlError`` for a seed below 0 or above 64 bits."""
        _checked(vector_reset, self._deals, seed)

    def step(self, actions: ArrayLike) -> None:
        """Play one action per row, given as an index.

        Raise ``RlError`` if an action is masked or the array does not fit; no row changes then.
        """
        try:
            chosen = np.asarray(actions)
        except (TypeError, ValueError) as error:
            raise RlError(f"actions are no array ({error}): give one index per row") from None
        if chosen.shape != (self.rows,):
            raise RlError(f"actions have the shape {chosen.shape}: give one per row, so {(self.rows,)}")
        if chosen.dtype.kind not in "iu":
            raise RlError(f"actions have the dtype {chosen.dtype}: give whole numbers, such as int64")
        _checked(vector_step, self._deals, np.ascontiguousarray(chosen, np.int64))


def batch_env(name: str, rows: int, kind: str, seed: int, options: Mapping[str, Any] | None) -> BatchEnv:
    if not isinstance(name, str):
        raise RlError(f"a batch plays one environment, not {quoted(str(name))}: make a batch for each name")
    return BatchEnv(
        Setting.of(name, kind, options), int(rows) if isinstance(rows, np.integer) else rows, seed
    )


def random_actions(masks: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a legal action for each row of ``masks`` of at most 64 actions, each with equal probability."""
    rows, size = masks.shape
    padded = np.zeros((rows, 64), np.uint8)
    padded[:, :size] = masks
    bits = np.packbits(padded, axis=1, bitorder="little").view("<u8").ravel()
    skipped = (rng.random(rows) * np.bitwise_count(bits)).astype(np.uint8)
    actions = np.zeros(rows, np.uint64)
    # Halve the range of bits until the bit after the skipped ones is left.
    for width in (32, 16, 8, 4, 2, 1):
        low = np.bitwise_count(bits & np.uint64((1 << width) - 1))
        is_above = skipped >= low
        skipped -= low * is_above
        shift = is_above * np.uint64(width)
        bits >>= shift
        actions += shift
    return actions.astype(np.int64)


def _checked(call: Callable[..., Value], *arguments: Any) -> Value:
    try:
        return call(*arguments)
    except KernelError as error:
        raise RlError(str(error)) from None
