"""History cells of a Kakeya board, and the events made from them. Field names: docs/contracts.md#record."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.cards import KAKEYA_PACK, PICTURES, Card
from engine.game import Action, Event, Past, Seat
from engine.games.kakeya.deal import Answers, Deal, DealResult, Trick
from engine.games.kakeya.notation import PLAY, TRICK_SIZE
from engine.lines import line_event


def deal_cell(past: Past, deal: Deal) -> Past:
    return (past, _deal, deal)


def answers_cell(past: Past, phase: str, answers: Answers) -> Past:
    """Add a complete decision about trumps or the lead to the history."""
    return (past, _answers, phase, answers)


def skipped_plays_cell(past: Past, played: int) -> Past:
    """Start the history of a deal with ``played`` cards that produce no events."""
    return (past, _no_events, played)


def plays_cell(past: Past, deal: Deal, tricks: tuple[Trick, ...]) -> Past:
    """Add all cards of a finished deal; a cell for each card would cost a twentieth of the time of a deal."""
    return (past, plays, deal, tricks, skipped_plays(past))


def deal_end_cell(past: Past, deal: Deal, captured: tuple[int, ...], result: DealResult) -> Past:
    return (past, _deal_end, deal, captured, result)


def skipped_plays(past: Past) -> int:
    """Return the number of cards of the current deal that produce no events."""
    played: int = past[2] if past is not None and past[1] is _no_events else 0
    return played


def last_result(past: Past) -> DealResult:
    """Return the result of the deal that ended last; its end must be the newest cell."""
    assert past is not None
    result: DealResult = past[-1]
    return result


def events_of(cells: list[tuple[Any, ...]], played: int) -> list[Event]:
    """Return the events of cells; if the first cell has the cards of a deal, skip ``played`` of them."""
    events: list[Event] = []
    for _, make, *arguments in cells:
        if make is plays:
            arguments[-1] = max(arguments[-1], played)
        events += make(*arguments)
        played = 0
    return events


def plays(deal: Deal, tricks: tuple[Trick, ...], played: int) -> list[Event]:
    """Return the events of finished tricks after the first ``played`` cards."""
    events: list[Event] = []
    n, offset = divmod(played, TRICK_SIZE)
    for leader, cards, winner in tricks[n:]:
        n += 1
        events += trick_plays(deal, leader, cards, offset)
        events.append(_trick_end(n, sum(map(PICTURES.__contains__, cards)), winner))
        offset = 0
    return events


def trick_plays(deal: Deal, leader: Seat, cards: tuple[Card, ...], offset: int) -> list[Event]:
    """Return the plays of a trick from position ``offset`` on."""
    return [
        act(PLAY, seat, card)
        for seat, card in zip(deal.rounds[leader][offset:], cards[offset:], strict=False)
    ]


@lru_cache(maxsize=1024)
def act(phase: str, seat: Seat, action: Action) -> Event:
    return line_event("act", {"phase": phase, "seat": seat, "action": action})


@lru_cache(maxsize=1024)
def _trick_end(n: int, pictures: int, winner: Seat) -> Event:
    return line_event("trick", {"n": n, "pictures": pictures, "winner": winner})


def _answers(phase: str, answers: Answers) -> list[Event]:
    return [act(phase, seat, answer) for seat, answer in answers]


def _no_events(played: int) -> list[Event]:
    return []


def _deal(deal: Deal) -> list[Event]:
    """Roles and trump are public, hands private to active seats, the deck for the record only."""
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
