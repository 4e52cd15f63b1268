"""What is drawn of each game: a module named as the game's key. Each part of it is optional.

``DEALS`` makes the deals of a view, as described by ``Deals``; ``SITTING`` and ``DEAL_END`` draw a seat that
plays (``viewer.sitting``); ``POSITION`` shows an observation to the author of a bot (``viewer.observed``).
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import ModuleType
from typing import Any, Protocol

from engine import Replay, ReplayedBoard
from viewer.shapes import ViewDeal
from viewer.walk import Clocks


class Deals(Protocol):
    """Makes the deals of a view."""

    def __call__(self, replayed: Replay, board: ReplayedBoard, clocks: Clocks) -> list[ViewDeal]:
        """The deals of one board of this game, in order."""


@functools.cache
def module_of(game: str) -> ModuleType | None:
    """What draws the game with this key; None if nothing does."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    return importlib.import_module(f"{__name__}.{game}")


def drawing_of(game: str, part: str) -> Any:
    """A part of what draws the game with this key; None if there is none."""
    return getattr(module_of(game), part, None)


def deals_of(game: str) -> Deals | None:
    """What makes the deals of the game with this key; None if nothing does."""
    made: Deals | None = drawing_of(game, "DEALS")
    return made
