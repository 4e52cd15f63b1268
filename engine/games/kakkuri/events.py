"""History cells of a Kakkuri board, and the events made from them. Field names: docs/contracts.md#record."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.cards import Card
from engine.game import Action, Event, Past, Seat
from engine.games.kakkuri.scoring import Ending
from engine.lines import line_event


def act_cell(past: Past, phase: str, seat: Seat, action: Action) -> Past:
    return (past, act_event, phase, seat, action)


def deal_cell(past: Past, number: int, dealer: Seat, deck: tuple[Card, ...], box8: tuple[Card, ...]) -> Past:
    """Add deal ``number``, from 1, to the history; ``box8`` is empty with fewer than eight seats."""
    return (past, deal_event, number, dealer, deck, box8)


def out_cell(past: Past, seat: Seat) -> Past:
    return (past, out_event, seat)


def utazu_cell(past: Past, seat: Seat) -> Past:
    return (past, utazu_event, seat)


def turned_cell(past: Past, card: Card) -> Past:
    return (past, turned_event, card)


def deal_end_cell(past: Past, number: int, ended: Ending) -> Past:
    return (past, deal_end_event, number, ended)


def event_of(cell: tuple[Any, ...]) -> Event:
    event: Event = cell[1](*cell[2:])
    return event


@lru_cache(maxsize=1024)
def act_event(phase: str, seat: Seat, action: Action) -> Event:
    return line_event("act", {"phase": phase, "seat": seat, "action": action})


def deal_event(number: int, dealer: Seat, deck: tuple[Card, ...], box8: tuple[Card, ...]) -> Event:
    """Return the event: dealer public, deck for the record only. Hands are private until after the swaps."""
    record = {"deck": list(deck)}
    if box8:
        record["box8"] = list(box8)
    return Event("deal", {"deal": number, "dealer": dealer}, record=record)


def out_event(seat: Seat) -> Event:
    return Event("out", {"seat": seat})


def utazu_event(seat: Seat) -> Event:
    return Event("utazu", {"seat": seat})


def turned_event(card: Card) -> Event:
    return Event("turned", {"card": card})


def deal_end_event(number: int, ended: Ending) -> Event:
    return Event(
        "deal_end",
        {
            "deal": number,
            "how": ended.how,
            "stones": {str(seat): stones for seat, stones in enumerate(ended.stones) if seat},
            "winner": [ended.winner] if ended.winner else [],
        },
    )
