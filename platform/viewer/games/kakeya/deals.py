"""Deals of Kakeya and Etori in a view: tricks, current winners, pictures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise, permutations

from engine import Replay, ReplayedBoard, Seat, Side
from engine.cards import KAKEYA_PACK, SUITS, Card, Suit
from engine.games.kakeya.notation import PLAY
from engine.games.kakeya.state import KakeyaState
from viewer.board_events import BoardEvent, Clocks, board_events
from viewer.shapes import Hands, ViewDeal, ViewItem

_RED = "HD"
_HIGHEST_FIRST = {card: -index for index, card in enumerate(KAKEYA_PACK.cards)}


def build_deals(replayed: Replay, board: ReplayedBoard, clocks: Clocks) -> list[ViewDeal]:
    reader = _DealReader(replayed.game.sides(replayed.ruleset), is_game=board.board.kind == "game")
    for happening in board_events(replayed, board, clocks):
        reader.read(happening)
    return reader.deals


class _DealReader:
    def __init__(self, sides: tuple[Side, ...], *, is_game: bool) -> None:
        self.deals: list[ViewDeal] = []
        self._sides = sides
        self._is_game = is_game
        self._before: list[ViewItem] = []
        """Trump proposals of the next deal."""
        self._trick: list[ViewItem] = []
        self._pictures = [0] * len(sides)

    def read(self, happening: BoardEvent) -> None:
        event = happening.event
        if event.kind == "act" and event.public["phase"] == PLAY:
            self._play(happening)
        elif event.kind == "act":
            item: ViewItem = {**happening.entry(event.public["phase"]), "a": event.public["action"]}
            (self.deals[-1]["before"] if event.public["phase"] == "lead" else self._before).append(item)
        elif event.kind == "deal":
            self._begin(happening)
        elif event.kind == "trick":
            self._pictures[self._side_of(event.public["winner"])] += event.public["pictures"]
            self._trick[-1]["w"] = event.public["winner"]
            self._trick[-1]["e"] = list(self._pictures)
            self._trick = []
        else:
            self.deals[-1]["end"] = {
                "category": event.public["category"],
                "pictures": list(self._pictures),
                "winner": event.public["winner"],
                "stones": event.public["stones"],
                "how": None,
            }

    def _begin(self, happening: BoardEvent) -> None:
        state = happening.state
        assert isinstance(state, KakeyaState), "a state of this game"
        fields, private = happening.event.public, happening.event.private
        seats = [seat for side in self._sides for seat in side]
        deal: ViewDeal = {
            "deal": fields["deal"],
            "dealers": fields["dealers"],
            "leaders": fields["leaders"],
            "resting": sorted(set(seats) - set(private)),
            "trump": fields["trump"],
            "rensho": state.deal.rensho,
            "stones": {str(seat): stones for seat, stones in state.deal.by_seat(state.deal.stones).items()}
            if self._is_game
            else None,
            "hands": sorted_hands({seat: cards["hand"] for seat, cards in private.items()}, fields["trump"]),
            "before": self._before,
            "steps": [],
            "end": {"winner": [], "stones": {}, "how": None},
        }
        if "dealer" in fields:
            deal["dealer"] = fields["dealer"]
        self.deals.append(deal)
        self._before, self._trick, self._pictures = [], [], [0] * len(self._sides)

    def _play(self, happening: BoardEvent) -> None:
        """Add a card. The winner of a full trick is in the next event."""
        state = happening.state
        assert isinstance(state, KakeyaState), "a state of this game"
        steps = self.deals[-1]["steps"]
        trick = steps[-1]["t"] if self._trick else (steps[-1]["t"] + 1 if steps else 1)
        item: ViewItem = {
            **happening.entry("play"),
            "a": happening.event.public["action"],
            "t": trick,
            "p": len(self._trick),
            "w": state.strongest,
            "e": list(self._pictures),
        }
        self._trick.append(item)
        steps.append(item)

    def _side_of(self, seat: Seat) -> int:
        return next(index for index, side in enumerate(self._sides) if seat in side)


def sorted_hands(hands: Mapping[Seat, Iterable[Card]], trump: Suit) -> Hands:
    """Return hands by suit, trumps first and colours alternating if possible, the highest card first."""
    return {str(seat): _sort_hand(frozenset(cards), trump) for seat, cards in sorted(hands.items())}


def _sort_hand(hand: frozenset[Card], trump: Suit) -> list[Card]:
    suits = "".join(suit for suit in SUITS if any(card[1] == suit for card in hand))
    order = _suit_order(suits, trump)
    return sorted(hand, key=lambda card: (order.index(card[1]), _HIGHEST_FIRST[card]))


@cache
def _suit_order(suits: str, trump: Suit) -> tuple[Suit, ...]:
    """Return the suits of a hand: red and black alternating, as far as trumps first allows."""

    def badness(order: tuple[Suit, ...]) -> tuple[bool, int]:
        together = sum((suit in _RED) == (following in _RED) for suit, following in pairwise(order))
        return trump in suits and order[0] != trump, together

    return min(permutations(suits), key=badness)
