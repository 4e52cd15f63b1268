"""The deals of each game: a module named as the game's key exports ``deals``, as described by ``Deals``.

A game without a module here has no views. Adding one edits nothing else.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import Protocol

from engine import Replay, ReplayedBoard
from viewer.shapes import ViewDeal
from viewer.walk import Clocks


class Deals(Protocol):
    """Makes the deals of a view."""

    def __call__(self, replayed: Replay, board: ReplayedBoard, clocks: Clocks) -> list[ViewDeal]:
        """The deals of one board of this game, in order."""


@functools.cache
def deals_of(game: str) -> Deals | None:
    """What makes the deals of the game with this key; None if nothing does."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    made: Deals = importlib.import_module(f"{__name__}.{game}").deals
    return made
