"""The events of a board of Kakeya, from the cells of its history.

Field names: docs/contracts.md#record.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.cards import KAKEYA_PACK
from engine.game import Action, Event, Past, Seat
from engine.games.kakeya.deal import Deal, DealResult


def deal_cell(past: Past, deal: Deal) -> Past:
    """The past with cards dealt."""
    return (past, _deal, deal)


def deal_end_cell(past: Past, deal: Deal, captured: tuple[int, ...], result: DealResult) -> Past:
    """The past with a finished deal and the masks of pictures each pair captured."""
    return (past, _deal_end, deal, captured, result)


def result_told(past: Past) -> DealResult:
    """The result of a deal whose end is the newest thing of a past."""
    assert past is not None
    result: DealResult = past[-1]
    return result


def event_of(cell: tuple[Any, ...]) -> Event:
    """The event of the newest cell of a history."""
    event: Event = cell[1](*cell[2:])
    return event


@lru_cache(maxsize=1024)
def act_event(phase: str, seat: Seat, action: Action) -> Event:
    """An answer of a seat. Its cell, ``(past, act_event, phase, seat, action)``, is made for every card."""
    return Event("act", {"phase": phase, "seat": seat, "action": action})


@lru_cache(maxsize=1024)
def trick_event(n: int, pictures: int, winner: Seat) -> Event:
    """A finished trick, its number from 1. Its cell is made in place too, for every trick."""
    return Event("trick", {"n": n, "pictures": pictures, "winner": winner})


def _deal(deal: Deal) -> Event:
    """Everybody learns roles and trump, each active seat its hand, the record the deck."""
    roles = deal.roles
    alone = {} if roles.dealer is None else {"dealer": roles.dealer}
    return Event(
        "deal",
        public={
            "deal": deal.number,
            "dealers": list(roles.dealers),
            **alone,
            "leaders": list(roles.leaders),
            "trump": deal.trump,
        },
        record={"deck": list(deal.deck)},
        private={seat: {"hand": list(KAKEYA_PACK.listed(deal.hands[seat]))} for seat in roles.active},
    )


def _deal_end(deal: Deal, captured: tuple[int, ...], result: DealResult) -> Event:
    return Event(
        "deal_end",
        {
            "deal": deal.number,
            "category": result.category,
            "pictures": {str(side[0]): mask.bit_count() for side, mask in deal.of_playing(captured)},
            "stones": {str(seat): stones for seat, stones in deal.by_seat(result.stones)},
            "winner": list(result.winners),
        },
    )
