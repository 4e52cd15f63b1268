"""Playouts, searches and a solver for Kakeya, Etori and Kakkuri, over positions made of plain numbers.

The modules are compiled where there is a C compiler; without one, the same files run as plain Python,
slower, with the same results. A position is made from a state of the engine, or by hand and checked:

>>> from engine import Board, preset_named
>>> from engine.kernel import legal_cards, position_of
>>> game, ruleset = preset_named("etori.meiji")
>>> position = position_of(game.start(ruleset, Board("deal", 1, "demo")))
>>> len(legal_cards(position)), position.captured
(13, (0, 0))
"""

from engine.kernel.limits import Answer, Cancel, Limits
from engine.kernel.moves import legal_cards, play
from engine.kernel.playing import Playouts, playout_line, playouts, playouts_by_card, replayed
from engine.kernel.playing_deal import __file__ as _playing_file
from engine.kernel.position import KernelError, Position, check, deal_values, places_of, position_of
from engine.kernel.search_deal import __file__ as _search_file
from engine.kernel.searching import Searched, search_cards
from engine.kernel.shedding import (
    SheddingPlayouts,
    shedding_legal,
    shedding_line,
    shedding_playouts,
    shedding_playouts_by_action,
    shedding_replayed,
)
from engine.kernel.shedding_deal import __file__ as _shedding_file
from engine.kernel.shedding_plan import __file__ as _plan_file
from engine.kernel.shedding_position import (
    SheddingPosition,
    SheddingRules,
    check_shedding,
    shedding_position_of,
)
from engine.kernel.shedding_searching import SheddingTried, shedding_kind, shedding_margins, shedding_search
from engine.kernel.shedding_walk import __file__ as _walk_file
from engine.kernel.solving import (
    SolvedLine,
    SolvedPlay,
    solve,
    solve_line,
    solve_many,
    solve_moves,
    solve_play,
)
from engine.kernel.solving_search import __file__ as _solving_file
from engine.kernel.vector_deal import __file__ as _vector_file

__all__ = [
    "Answer",
    "Cancel",
    "KernelError",
    "Limits",
    "Playouts",
    "Position",
    "Searched",
    "SheddingPlayouts",
    "SheddingPosition",
    "SheddingRules",
    "SheddingTried",
    "SolvedLine",
    "SolvedPlay",
    "check",
    "check_shedding",
    "deal_values",
    "is_compiled",
    "legal_cards",
    "places_of",
    "play",
    "playout_line",
    "playouts",
    "playouts_by_card",
    "position_of",
    "replayed",
    "search_cards",
    "shedding_kind",
    "shedding_legal",
    "shedding_line",
    "shedding_margins",
    "shedding_playouts",
    "shedding_playouts_by_action",
    "shedding_position_of",
    "shedding_replayed",
    "shedding_search",
    "solve",
    "solve_line",
    "solve_many",
    "solve_moves",
    "solve_play",
]

is_compiled = not any(
    file.endswith(".py")
    for file in (
        *(_playing_file, _search_file, _solving_file, _vector_file),
        *(_shedding_file, _plan_file, _walk_file),
    )
)
"""Whether all modules of the kernel are compiled."""
