"""The events of a board of Kakeya, from the cells of its history.

Field names: docs/contracts.md#record.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.cards import KAKEYA_PACK, PICTURES, Card
from engine.game import Action, Event, Past, Seat
from engine.games.kakeya.deal import Deal, DealResult, Said, Trick
from engine.games.kakeya.notation import PLAY, TRICK_SIZE
from engine.lines import line_event


def deal_cell(past: Past, deal: Deal) -> Past:
    """The past with cards dealt."""
    return (past, _deal, deal)


def answers_cell(past: Past, phase: str, said: Said) -> Past:
    """The past with a decision about trumps or the lead, answered by all who were asked."""
    return (past, _answers, phase, said)


def untold_cell(past: Past, played: int) -> Past:
    """The past of a deal that begins with so many cards played, which are no events."""
    return (past, _nothing, played)


def plays_cell(past: Past, deal: Deal, tricks: tuple[Trick, ...]) -> Past:
    """The past with the cards of a deal that is over.

    Until it is, they are in no cell, as to make one for each would cost a twentieth of a deal.
    """
    return (past, plays, deal, tricks, untold(past))


def deal_end_cell(past: Past, deal: Deal, captured: tuple[int, ...], result: DealResult) -> Past:
    """The past with a finished deal and the masks of pictures each pair captured."""
    return (past, _deal_end, deal, captured, result)


def untold(past: Past) -> int:
    """How many cards of a deal under way are no events."""
    played: int = past[2] if past is not None and past[1] is _nothing else 0
    return played


def result_told(past: Past) -> DealResult:
    """The result of a deal whose end is the newest thing of a past."""
    assert past is not None
    result: DealResult = past[-1]
    return result


def events_of(cells: list[tuple[Any, ...]], played: int) -> list[Event]:
    """The events of cells. If the first has the cards of a deal, only what came after ``played`` of them."""
    events: list[Event] = []
    for _, make, *told in cells:
        if make is plays:
            told[-1] = max(told[-1], played)
        events += make(*told)
        played = 0
    return events


def plays(deal: Deal, tricks: tuple[Trick, ...], played: int) -> list[Event]:
    """Cards and ends of finished tricks, after ``played`` of the cards."""
    events: list[Event] = []
    n, at = divmod(played, TRICK_SIZE)
    for leader, cards, winner in tricks[n:]:
        n += 1
        events += trick_plays(deal, leader, cards, at)
        events.append(_trick_end(n, sum(map(PICTURES.__contains__, cards)), winner))
        at = 0
    return events


def trick_plays(deal: Deal, leader: Seat, cards: tuple[Card, ...], at: int) -> list[Event]:
    """The cards of a trick from place ``at`` on, as its leader and then the others in turn played them."""
    return [act(PLAY, seat, card) for seat, card in zip(deal.rounds[leader][at:], cards[at:], strict=False)]


@lru_cache(maxsize=1024)
def act(phase: str, seat: Seat, action: Action) -> Event:
    """An answer of a seat."""
    return line_event("act", {"phase": phase, "seat": seat, "action": action})


@lru_cache(maxsize=1024)
def _trick_end(n: int, pictures: int, winner: Seat) -> Event:
    """The end of a trick, its number from 1."""
    return line_event("trick", {"n": n, "pictures": pictures, "winner": winner})


def _answers(phase: str, said: Said) -> list[Event]:
    return [act(phase, seat, answer) for seat, answer in said]


def _nothing(played: int) -> list[Event]:
    return []


def _deal(deal: Deal) -> list[Event]:
    """Everybody learns roles and trump, each active seat its hand, the record the deck."""
    roles = deal.roles
    alone = {} if roles.dealer is None else {"dealer": roles.dealer}
    dealt = Event(
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
    return [dealt]


def _deal_end(deal: Deal, captured: tuple[int, ...], result: DealResult) -> list[Event]:
    end = Event(
        "deal_end",
        {
            "deal": deal.number,
            "category": result.category,
            "pictures": {str(side[0]): mask.bit_count() for side, mask in deal.of_playing(captured)},
            "stones": {str(seat): stones for seat, stones in deal.by_seat(result.stones).items()},
            "winner": list(result.winners),
        },
    )
    return [end]
