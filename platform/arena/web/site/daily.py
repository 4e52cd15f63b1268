"""The deal of the day: a hand from which visitors choose a card, and the choices of the bots."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter, defaultdict
from datetime import date
from fractions import Fraction
from typing import Any, NamedTuple, cast

from arena.matches.daily import DailyBoard, daily_board
from arena.matches.models import Table
from arena.matches.replays import table_view
from arena.web.base.figures import format_exact
from arena.web.base.labels import BotLabel, bot_label
from viewer.cards import COURT_ORDER, WILD_CARDS, Deck, komatsu_value
from viewer.mat import deck_of
from viewer.shapes import View, ViewDeal, ViewItem


class OpeningChoice(NamedTuple):
    table: str
    """Public id."""
    at: str
    """Position after the action, as in URLs."""
    cards: tuple[str, ...]
    """Cards played; empty after a pass."""
    bot: BotLabel
    stones: str
    """Stones of its seat in the deal, with sign."""
    pictures: int | None
    """Pictures captured by its side; None in Kakkuri."""


class Opening(NamedTuple):
    cards: tuple[str, ...]
    choices: list[OpeningChoice]


class HandCard(NamedTuple):
    number: int
    """Position in the displayed hand, from 1."""
    code: str
    tables: int
    may: bool
    """Whether it is playable."""


@dataclasses.dataclass(frozen=True)
class DailyDeal:
    board: DailyBoard
    deck: Deck
    seat: int
    trump: str
    """A suit; empty in Kakkuri."""
    turned: str
    """Kakkuri: the card turned up; else empty."""
    suits: list[list[HandCard]]
    """The hand by suit; one group in Kakkuri."""
    openings: list[Opening]

    @property
    def cards(self) -> list[str]:
        return [card.code for suit in self.suits for card in suit]

    @property
    def tables(self) -> int:
        return sum(len(opening.choices) for opening in self.openings)

    @property
    def pass_number(self) -> int:
        """Number of the pass among the choices, after the last card; 0 if passing is impossible."""
        return len(self.cards) + 1 if self.turned else 0

    @property
    def tables_passed(self) -> int:
        return sum(len(opening.choices) for opening in self.openings if not opening.cards)


class _OpeningState(NamedTuple):
    seat: int
    trump: str
    turned: str
    hand: tuple[str, ...]
    playable: frozenset[str]
    """Playable cards of the hand."""


def daily_deal(day: date) -> DailyDeal | None:
    """Return the deal of the day from the views of its tables; None if there is none.

    Tables may differ before the first card, such as in the lead or in swaps. Only those in the most frequent
    situation are included.
    """
    board = daily_board(day)
    if board is None:
        return None
    begun = [
        opening for table in board.tables if (opening := _table_opening(table, board.number)) is not None
    ]
    if not begun:
        return None
    most = Counter(start for start, _, _ in begun).most_common(1)[0][0]
    by_cards: dict[tuple[str, ...], list[OpeningChoice]] = defaultdict(list)
    for start, _, choice in begun:
        if start == most:
            by_cards[choice.cards].append(choice)
    openings = [
        Opening(cards, choices) for cards, choices in sorted(by_cards.items(), key=lambda item: -len(item[1]))
    ]
    deck = next(deck for start, deck, _ in begun if start == most)
    suits = _suits(most, deck, openings)
    return DailyDeal(board, deck, most.seat, most.trump, most.turned, suits, openings)


def _table_opening(table: Table, number: int) -> tuple[_OpeningState, Deck, OpeningChoice] | None:
    """Return a table's first action on the board; None without a view or without an action."""
    stored = table_view(table, number)
    if stored is None:
        return None
    view = cast("View", json.loads(stored))
    deal = view["boards"][0]["deals"][0]
    steps = deal["steps"]
    index = next((index for index, step in enumerate(steps) if step["k"] in ("play", "meld", "pass")), None)
    if index is None:
        return None
    first = steps[index]
    seat = first["s"]
    hand = tuple(deal["hands"][str(seat)])
    turned = next((step for step in reversed(steps[:index]) if step["k"] == "turned"), None)
    start = _OpeningState(
        seat,
        deal.get("trump", ""),
        turned["a"] if turned else "",
        hand,
        _playable_cards(hand, turned["may"], view["options"]) if turned else frozenset(hand),
    )
    by_seat = {row.seat: row.version for row in table.seats.all()}
    choice = OpeningChoice(
        table=table.public_id,
        at=f"b{number}t1p1" if first["k"] == "play" else f"b{number}t1",
        cards=_cards(first),
        bot=bot_label(by_seat[seat]),
        stones=format_exact(Fraction(deal["end"]["stones"][str(seat)]), signed=True),
        pictures=_pictures(view, deal, seat),
    )
    return start, deck_of(deal), choice


def _playable_cards(hand: tuple[str, ...], values: list[int], options: dict[str, Any]) -> frozenset[str]:
    """Return the cards of a hand of Kakkuri that may follow, including all wild cards."""
    court = str(options.get("court_order", COURT_ORDER))
    return frozenset(card for card in hand if card in WILD_CARDS or komatsu_value(card, court) in values)


def _cards(first: ViewItem) -> tuple[str, ...]:
    if first["k"] == "play":
        return (first["a"],)
    return tuple(first.get("c", ()))


def _pictures(view: View, deal: ViewDeal, seat: int) -> int | None:
    if "pictures" not in deal["end"]:
        return None
    side = next(number for number, seats in enumerate(view["sides"]) if seat in seats)
    return deal["end"]["pictures"][side]


def _suits(start: _OpeningState, deck: Deck, openings: list[Opening]) -> list[list[HandCard]]:
    counts = Counter(card for opening in openings for card in set(opening.cards) for _ in opening.choices)
    suits: list[list[HandCard]] = []
    for number, code in enumerate(start.hand, 1):
        if not suits or (deck == "french" and suits[-1][0].code[1] != code[1]):
            suits.append([])
        suits[-1].append(HandCard(number, code, counts[code], code in start.playable))
    return suits
