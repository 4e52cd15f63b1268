"""``rensho replay FILE --text POSITION``: one position of a record as position text."""

from __future__ import annotations

from pathlib import Path

from analysis.deal_position import deal_position
from analysis.position_errors import PositionError as TextError
from analysis.position_text import format_position_text
from bots.kit.errors import InvalidInput
from engine import Replay, State
from engine.games.kakeya.notation import PLAY
from engine.games.kakeya.state import KakeyaState
from viewer.build import view_of
from viewer.position import PositionError, TablePosition, find_deal, parse_position, positions_at
from viewer.texts import ENGLISH


def position_text(record: bytes, replayed: Replay, source: Path, address: str) -> str:
    """Return the text of a position. Before the first card, it has the lead that was declared.

    Raise ``InvalidInput`` if the record has no such position, or its game no position text.
    """
    view = view_of(record)
    try:
        position = parse_position(address, view)
        _, deal = find_deal(view, position)
        stops = positions_at(view, position)
    except PositionError as error:
        raise InvalidInput(f"{source}: {error.said(ENGLISH)}") from None
    try:
        first = deal_position(_first_state(replayed, position))
    except TextError as error:
        raise InvalidInput(f"--text: {error}") from None
    played = max(min(position.at, stops.last) - stops.declared, 0)
    plays = tuple(item["a"] for item in deal["steps"][:played])
    return format_position_text(first._replace(plays=plays))


def _first_state(replayed: Replay, position: TablePosition) -> State:
    """Return the state of a deal before its first card; any state if the game has no position text."""
    (board,) = (board for board in replayed.boards if board.board.number == position.board)
    states = (step.state for step in replayed._replace(boards=(board,)).steps())
    return next(
        state
        for state in states
        if not isinstance(state, KakeyaState)
        or (state.phase == PLAY and state.deal.number == position.deal and not state.cards_played)
    )
