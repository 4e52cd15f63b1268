"""Rules of Kakeya Toranpu, Etori and Kakkuri. Standard library only; no clock, file or network.

>>> from engine import Board, preset_named
>>> game, ruleset = preset_named("kakeya4")
>>> state = game.start(ruleset, Board("deal", 1, "demo"))
>>> state.to_act, state.legal(1)
((1, 3), ('PREFER', 'DEFER'))
>>> while state.to_act:
...     seat = state.to_act[0]
...     state = state.apply(seat, state.legal(seat)[0])
>>> sum(state.outcome().stones.values())
0
"""

from engine.errors import (
    EngineError,
    IllegalAction,
    NotationError,
    ObservationError,
    RecordError,
    RulesetError,
    RulesVersionMismatch,
    UnknownGame,
)
from engine.game import (
    Action,
    Board,
    BoardKind,
    Event,
    Game,
    Hands,
    Observation,
    Outcome,
    Rules,
    Ruleset,
    Seat,
    Side,
    State,
    Worlds,
    partner_of,
)
from engine.games import all_games, game_named, preset_named
from engine.record import (
    Act,
    RecordWriter,
    Replay,
    ReplayedBoard,
    Step,
    replay,
)

ENGINE_VERSION = "1.0.0"
"""Version of this package. ``Game.rules_version`` versions the results of the rules."""

__all__ = [
    "ENGINE_VERSION",
    "Act",
    "Action",
    "Board",
    "BoardKind",
    "EngineError",
    "Event",
    "Game",
    "Hands",
    "IllegalAction",
    "NotationError",
    "Observation",
    "ObservationError",
    "Outcome",
    "RecordError",
    "RecordWriter",
    "Replay",
    "ReplayedBoard",
    "Rules",
    "RulesVersionMismatch",
    "Ruleset",
    "RulesetError",
    "Seat",
    "Side",
    "State",
    "Step",
    "UnknownGame",
    "Worlds",
    "all_games",
    "game_named",
    "partner_of",
    "preset_named",
    "replay",
]
