"""Positions of Kakeya and Etori as plain numbers, for what reads very many of them. The engine is the oracle.

A position is taken from a state of the engine, or made by hand and checked:

>>> from engine import Board, preset_named
>>> from engine.kernel import legal_cards, position_of
>>> game, ruleset = preset_named("etori.meiji")
>>> position = position_of(game.start(ruleset, Board("deal", 1, "demo")))
>>> len(legal_cards(position)), position.captured
(13, (0, 0))
"""

from engine.kernel.moves import legal_cards, play
from engine.kernel.position import KernelError, Position, check, deal_values, places_of, position_of

__all__ = [
    "KernelError",
    "Position",
    "check",
    "deal_values",
    "legal_cards",
    "places_of",
    "play",
    "position_of",
]
