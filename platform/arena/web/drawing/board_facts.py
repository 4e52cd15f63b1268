"""Facts about a board at each table, from the views of the tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.common.process_cache import CacheKey, process_cache
from arena.matches.models import Table
from arena.matches.replays import table_view
from viewer.cards import WILD_CARDS
from viewer.mat import dealt_hands
from viewer.shapes import View, ViewBoard, ViewDeal

PICTURE_RANKS = "AKQJ"
"""Ranks of the sixteen cards that Kakeya and Etori count."""


class Lead(NamedTuple):
    seat: int
    card: str


class PictureBar(NamedTuple):
    """Pictures of the two playing sides, as cells of a bar; the first side starts at the left."""

    left: int
    right: int
    left_seats: tuple[int, ...]
    right_seats: tuple[int, ...]


class DealFacts(NamedTuple):
    number: int
    before: Mapping[int, int]
    """Stones by seat before the deal; empty on deal boards."""
    stones: Mapping[int, int]
    """Stones won or paid, by seat."""
    winner: tuple[int, ...]
    how: str


class BoardFacts(NamedTuple):
    lead: Lead | None
    """Kakeya and Etori only."""
    trump: str
    """A suit; empty in Kakkuri and for games."""
    pictures: PictureBar | None
    winner: tuple[int, ...]
    """Seats; empty without a winner."""
    how: str
    """End of the last deal of Kakkuri; else empty."""
    laps: int
    """Laps of the first deal of Kakkuri; else 0."""
    plays: int
    deals: tuple[DealFacts, ...]


def load_table_view(table: Table) -> View | None:
    """Return the view of a table with closed boards; None if there is none."""
    stored = table_view(table)
    if stored is None:
        return None
    view: View = json.loads(stored)
    return view


def board_in_view(view: View, number: int) -> ViewBoard | None:
    return next((board for board in view["boards"] if board["board"] == number), None)


def facts_by_table(tables: Sequence[Table], number: int) -> dict[int, BoardFacts]:
    """Return the facts of a board by table key, for tables with closed boards."""
    by_table = {}
    for table in tables:
        facts = _facts_of(table).get(number)
        if facts is not None:
            by_table[table.pk] = facts
    return by_table


def _facts_of(table: Table) -> Mapping[int, BoardFacts]:
    if not table.view_sha256:
        return {}
    # All boards at once, so that the next board of the same tables is cached.
    return (
        process_cache.get_or_build(CacheKey("board facts", table.view_sha256), lambda: _facts_read(table))
        or {}
    )


def _facts_read(table: Table) -> Mapping[int, BoardFacts] | None:
    view = load_table_view(table)
    if view is None:
        return None
    return {board["board"]: facts_of_board(board, view["sides"]) for board in view["boards"]}


def facts_of_board(board: ViewBoard, sides: Sequence[Sequence[int]]) -> BoardFacts:
    first, last = board["deals"][0], board["deals"][-1]
    is_single = len(board["deals"]) == 1
    played = [step for step in first["steps"] if step["k"] == "play"]
    return BoardFacts(
        lead=Lead(played[0]["s"], played[0]["a"]) if played else None,
        trump=first.get("trump", "") if is_single else "",
        pictures=_pictures(first, sides) if is_single else None,
        winner=tuple(last["end"]["winner"]),
        how=last["end"]["how"] or "",
        laps=max((step.get("lap", 0) for step in first["steps"]), default=0),
        plays=len(first["steps"]),
        deals=tuple(_deal(deal) for deal in board["deals"]),
    )


def _pictures(deal: ViewDeal, sides: Sequence[Sequence[int]]) -> PictureBar | None:
    counted = deal["end"].get("pictures")
    if counted is None:
        return None
    resting = set(deal.get("resting", ()))
    playing = [
        (count, tuple(side))
        for count, side in zip(counted, sides, strict=True)
        if not resting.intersection(side)
    ]
    if len(playing) != 2:
        return None
    (left, left_seats), (right, right_seats) = playing
    return PictureBar(left, right, left_seats, right_seats)


def _deal(deal: ViewDeal) -> DealFacts:
    return DealFacts(
        number=deal["deal"],
        before={int(seat): stones for seat, stones in (deal["stones"] or {}).items()},
        stones={int(seat): stones for seat, stones in deal["end"]["stones"].items()},
        winner=tuple(deal["end"]["winner"]),
        how=deal["end"]["how"] or "",
    )


def undo_swaps(deal: ViewDeal) -> ViewDeal:
    """Return the deal with the hands as dealt, before swaps, which differ between tables."""
    return {**deal, "hands": dealt_hands(deal)}


class Holding(NamedTuple):
    """The seats that were dealt an important card or the pictures."""

    kind: str
    """``rensho`` or ``ace`` (of trumps), with card and seat; ``pictures``, with the seats of a side and its
    number of pictures; ``wild``, with a wild card of Kakkuri and its seat, no seat if it is in the box.
    """
    card: str
    seats: tuple[int, ...]
    pictures: int = 0


def key_holdings(deal: ViewDeal, sides: Sequence[Sequence[int]]) -> list[Holding]:
    """Return the important holdings of a deal, in the order of display."""
    hands = {int(seat): cards for seat, cards in deal["hands"].items()}

    def holder(card: str) -> tuple[int, ...]:
        return tuple(seat for seat, cards in hands.items() if card in cards)

    if "box" in deal:
        return [Holding("wild", card, holder(card)) for card in WILD_CARDS]
    if "trump" not in deal:
        return []
    key_cards = [Holding("rensho", deal["rensho"], holder(deal["rensho"]))]
    ace = f"A{deal['trump']}"
    if ace != deal["rensho"]:
        key_cards.append(Holding("ace", ace, holder(ace)))
    resting = set(deal.get("resting", ()))
    side = next(side for side in sides if not resting.intersection(side))
    count = sum(card[0] in PICTURE_RANKS for seat in side for card in hands[seat])
    key_cards.append(Holding("pictures", "", tuple(side), count))
    return key_cards
