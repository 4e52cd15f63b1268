"""Base class of layouts: named fields in one array of ``uint8``, and indices of actions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.refusals import quoted

Array = NDArray[np.uint8]

STONES_ZERO = 128
"""Value that stands for 0 stones. Stones are clipped to -127 .. 127, so that 0 stands for no seat."""
HIGHEST_VALUE = 255


class LayoutError(ValueError):
    """An observation, action, name or file does not fit a layout. The message has one line."""


class Field(NamedTuple):
    name: str
    offset: int
    """Index of the first element in the array."""
    shape: tuple[int, ...]


class Layout(ABC):
    """Meaning of the elements of an array, and of the indices of actions, for all presets of a game."""

    def __init__(
        self,
        name: str,
        version: int,
        shapes: Sequence[tuple[str, tuple[int, ...]]],
        actions: Sequence[str],
        highest: Mapping[str, Sequence[int]],
    ) -> None:
        """``highest`` has the largest values of fields that are not all 0 or 1."""
        self.name = name
        """The key of the game."""
        self.version = version
        fields, offset = [], 0
        for field, shape in shapes:
            fields.append(Field(field, offset, shape))
            offset += math.prod(shape)
        self.fields: tuple[Field, ...] = tuple(fields)
        self.size = offset
        self.actions: tuple[str, ...] = tuple(actions)
        """Actions by index, in the notation of the game."""
        self.index: dict[str, int] = {action: number for number, action in enumerate(self.actions)}
        """Index by action."""
        self.offsets: dict[str, int] = {field.name: field.offset for field in fields}
        self.highest: Array = np.ones(self.size, dtype=np.uint8)
        """The largest value of each element; divide by it for inputs from 0 to 1."""
        for field, values in highest.items():
            self.highest[self.offsets[field] :][: len(values)] = values

    @abstractmethod
    def encode(self, observation: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Array:
        """Return ``size`` values for an observation: of ``State.observe``, or of a request to a bot.

        ``options`` are the options of the rules that differ from the preset, or all (``request.ruleset``).
        """

    def mask(self, legal: Iterable[str]) -> Array:
        """Return 1 for each legal action, else 0."""
        mask = np.zeros(len(self.actions), dtype=np.uint8)
        try:
            for action in legal:
                mask[self.index[action]] = 1
        except KeyError:
            raise LayoutError(f"{quoted(action)} is no action of the layout {self.title}") from None
        return mask

    def part(self, encoded: NDArray[Any], field: str) -> NDArray[Any]:
        """Return a field of an encoded observation, or of a batch of them, in its own shape.

        >>> from bots.rl.layouts import layout
        >>> import numpy as np
        >>> layout("kakeya4_v0").part(np.zeros((8, 527)), "voids").shape
        (8, 4, 4)
        """
        by_name = {each.name: each for each in self.fields}
        if field not in by_name:
            names = ", ".join(by_name)
            raise LayoutError(f"the layout {self.title} has no field {quoted(field)}; fields: {names}")
        _, offset, shape = by_name[field]
        flat = encoded[..., offset : offset + math.prod(shape)]
        return flat.reshape(*encoded.shape[:-1], *shape)

    @property
    def title(self) -> str:
        return f"{self.name}_v{self.version}"

    def foreign(self, game: object) -> LayoutError:
        """Return the error for an observation of another game."""
        return LayoutError(f"the layout {self.title} encodes {self.name}, not {quoted(str(game))}")


def stones_value(stones: int) -> int:
    """Return the value of a number of stones.

    >>> stones_value(-3), stones_value(0), stones_value(1000)
    (125, 128, 255)
    """
    return min(max(stones + STONES_ZERO, 1), HIGHEST_VALUE)
