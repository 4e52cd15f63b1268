"""Positions of a board of Kakeya or Etori: a deal of a table's view and a sequence of plays."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.deal_position import DealPosition
from analysis.position_errors import PositionError
from analysis.position_text import parse_position_text
from arena.common.errors import Conflict, Invalid, NotFound, quoted
from engine import Seat, game_named
from engine.cards import KAKEYA_PACK
from engine.games.kakeya.state import KakeyaState
from engine.kernel import Position, places_of, position_of

GAME = "kakeya"
"""Key of the game that the solver knows; it includes Etori."""


class RequestedPosition(NamedTuple):
    position: Position
    seat: Seat
    """Seat to play."""
    side: tuple[Seat, ...]
    """First playing side, to which values are stones."""


def requested_position(
    view: bytes, board: int, deal: int, lead: int | None, plays: Sequence[str]
) -> RequestedPosition:
    """Return the position of a view after these plays, which ``lead`` begins, else the seat that led.

    Raises as ``deal_states``, with Invalid ``illegal_sequence`` for illegal plays, and after the last play.
    """
    try:
        state = deal_states(json.loads(view), board, deal, lead, plays)[-1]
    except PositionError as error:
        field = "lead" if error.code == "leader" else "plays"
        raise Invalid(f"{error}.", "illegal_sequence", field=field) from None
    if not state.to_act:
        raise Invalid(f"The deal is over after {len(plays)} plays.", "illegal_sequence", field="plays")
    return position_at(state)


def position_at(state: KakeyaState) -> RequestedPosition:
    """Return the position of a state in which a card is to be played."""
    return RequestedPosition(position_of(state), state.to_act[0], tuple(places_of(state.deal)[::2]))


def deal_states(
    whole: Mapping[str, Any], board: int, deal: int, lead: int | None, plays: Sequence[str]
) -> tuple[KakeyaState, ...]:
    """Return the state before the first play and after each play, of a view.

    Raises Conflict ``game_not_solvable``, NotFound (``board_not_found``, ``deal_not_found``), PositionError.
    """
    if whole["game"] != GAME:
        raise Conflict(
            "Positions of this game cannot be solved; the solver knows Kakeya and Etori.",
            "game_not_solvable",
        )
    deals = [each for part in whole["boards"] if part["board"] == board for each in part["deals"]]
    if not deals:
        raise NotFound(f"This table did not play board {board}.", "board_not_found")
    dealt = next((each for each in deals if each["deal"] == deal), None)
    if dealt is None:
        raise NotFound(f"Board {board} has deals 1 to {len(deals)} at this table.", "deal_not_found")
    leaders = dealt["leaders"]
    if lead is None:
        lead = dealt["steps"][0]["s"] if dealt["steps"] else leaders[0]
    elif lead not in leaders:
        raise PositionError("leader", seat=lead, seats=", ".join(map(str, leaders)))
    for number, card in enumerate(plays, start=1):
        if card not in KAKEYA_PACK.bit:
            raise PositionError("play_card", number=number, word=quoted(card))
    return table_position(whole, dealt, lead, plays).states()


def text_position(text: str) -> DealPosition:
    """Return the position of a position text in which a card is to be played. Raises PositionError."""
    position = parse_position_text(text)
    if not position.state().to_act:
        raise PositionError("over")
    return position


def table_position(
    view: Mapping[str, Any], deal: Mapping[str, Any], lead: int, plays: Sequence[str]
) -> DealPosition:
    """Return the position of a deal of a view after these plays, which the rules have not checked."""
    game = game_named(GAME)
    ruleset: Any = game.ruleset(view["preset"], view["options"])
    sides = view["sides"]
    start = game.starting_stones(ruleset)
    before = deal["stones"]
    return DealPosition(
        ruleset,
        deal["trump"],
        lead,
        {int(seat): tuple(hand) for seat, hand in deal["hands"].items() if hand},
        tuple(plays),
        tuple(start if before is None else before[str(side[0])] for side in sides),
    )


def position_to_json(position: Position) -> dict[str, Any]:
    return position._asdict()


def position_from_json(values: Mapping[str, Any]) -> Position:
    known: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return Position(**known)
