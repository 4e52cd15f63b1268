"""The events of a board of Kakkuri, from the cells of its history.

Field names: docs/contracts.md#record.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.cards import Card
from engine.game import Action, Event, Past, Seat
from engine.games.kakkuri.scoring import Ending
from engine.lines import line_event


def act_cell(past: Past, phase: str, seat: Seat, action: Action) -> Past:
    """The past with an answer of a seat."""
    return (past, act_event, phase, seat, action)


def deal_cell(past: Past, number: int, dealer: Seat, deck: tuple[Card, ...], box8: tuple[Card, ...]) -> Past:
    """The past with cards dealt: deal ``number`` from 1; ``box8`` is empty with fewer than eight seats."""
    return (past, deal_event, number, dealer, deck, box8)


def out_cell(past: Past, seat: Seat) -> Past:
    """The past with the seat that holds the three of clubs out."""
    return (past, out_event, seat)


def utazu_cell(past: Past, seat: Seat) -> Past:
    """The past with a deal won by three aces."""
    return (past, utazu_event, seat)


def turned_cell(past: Past, card: Card) -> Past:
    """The past with a card of the box turned up."""
    return (past, turned_event, card)


def deal_end_cell(past: Past, number: int, ended: Ending) -> Past:
    """The past with deal ``number`` finished."""
    return (past, deal_end_event, number, ended)


def event_of(cell: tuple[Any, ...]) -> Event:
    """The event of the newest cell of a history."""
    event: Event = cell[1](*cell[2:])
    return event


@lru_cache(maxsize=1024)
def act_event(phase: str, seat: Seat, action: Action) -> Event:
    """An answer, public at once."""
    return line_event("act", {"phase": phase, "seat": seat, "action": action})


def deal_event(number: int, dealer: Seat, deck: tuple[Card, ...], box8: tuple[Card, ...]) -> Event:
    """The dealer is public, the deck goes into the record. No hand: swaps come before anybody looks."""
    record = {"deck": list(deck)}
    if box8:
        record["box8"] = list(box8)
    return Event("deal", {"deal": number, "dealer": dealer}, record=record)


def out_event(seat: Seat) -> Event:
    """A seat is out of the deal."""
    return Event("out", {"seat": seat})


def utazu_event(seat: Seat) -> Event:
    """A seat holds three aces."""
    return Event("utazu", {"seat": seat})


def turned_event(card: Card) -> Event:
    """A card of the box lies face up."""
    return Event("turned", {"card": card})


def deal_end_event(number: int, ended: Ending) -> Event:
    """A deal is over and paid."""
    return Event(
        "deal_end",
        {
            "deal": number,
            "how": ended.how,
            "stones": {str(seat): stones for seat, stones in enumerate(ended.stones) if seat},
            "winner": [ended.winner] if ended.winner else [],
        },
    )
