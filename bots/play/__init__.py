"""Matches from Python and notebooks: what ``rensho play`` and ``rensho compare`` do, with results as values.

A bot is a folder, an archive, a ``.py`` file, ``house:NAME``, or a function or class of the program itself.
Source: docs/kit.md#matches-from-python.
"""

from bots.kit.errors import CheckFailed, EnvironmentFailure, InvalidInput, KitError
from bots.play.matches import compare, play
from bots.play.replays import Replay
from bots.play.results import Comparison, Match, Side

__all__ = [
    "CheckFailed",
    "Comparison",
    "EnvironmentFailure",
    "InvalidInput",
    "KitError",
    "Match",
    "Replay",
    "Side",
    "compare",
    "play",
]
