"""Analysis of each game: a module named by the game's key, with ``NOTES``, a ``GameNotes``."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from analysis.estimates import Estimate
from analysis.shapes import DealNotes, Limits
from analysis.work import AnalysisError, Work
from engine import Observation, Replay, ReplayedBoard, Worlds


class DealsAnalysis(Protocol):
    """Analysis of the deals of a board: yields the notes of each deal, in the order of play.

    Indices of ``declarations`` and ``steps`` are indices in ``before`` and ``steps`` of the view. It calls
    ``Work.check`` at least every 50 ms, is limited by ``Work.limits`` alone and draws by ``Work.rng``.
    """

    def __call__(self, replayed: Replay, board: ReplayedBoard, work: Work) -> Iterator[DealNotes]: ...


class HintAnalysis(Protocol):
    """Estimate for the seat that sees an observation, from its ``worlds`` alone; None if there is none.

    It calls ``Work.check`` at least every 50 ms and draws by ``Work.rng``.
    """

    def __call__(self, worlds: Worlds, observation: Observation, work: Work) -> Estimate | None: ...


class GameNotes(NamedTuple):
    limits: Limits
    """Default limits."""
    deals: DealsAnalysis
    hint: HintAnalysis


@functools.cache
def notes_of_game(game: str) -> GameNotes:
    """Return the analysis of a game. Raise ``AnalysisError`` if it has none."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        raise AnalysisError(f"no analysis of {game}: analysis/games has no module {game}")
    notes: GameNotes = importlib.import_module(f"{__name__}.{game}").NOTES
    return notes
