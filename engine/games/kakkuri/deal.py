"""The fixed conditions of a deal: dealer, deck, box, stones before it. Also selects the first dealer."""

from __future__ import annotations

from typing import NamedTuple

from engine.cards import KAKKURI_PACK, Card
from engine.game import Board, Seat
from engine.games.kakkuri.deal_history import DealHistory, HistoryReader
from engine.games.kakkuri.melds import MeldTable, card_values, meld_table
from engine.games.kakkuri.ruleset import GAME_KEY, MAX_SEATS, KakkuriRuleset
from engine.games.kakkuri.scoring import Ending
from engine.games.kakkuri.standing import seat_out
from engine.shuffle import Stream, shuffled, stream_label

PACKET = 3
"""Cards dealt at once; each seat gets two packets."""
HAND = 2 * PACKET


class Laid(NamedTuple):
    """Known locations of all cards, and the history of the deal so far."""

    hands: tuple[tuple[Card, ...], ...]
    """Six cards by seat, including those played; item 0 is empty."""
    box: tuple[Card, ...]
    """Order before any card was turned up; with eight seats, the hand that it was made of."""
    history: DealHistory = DealHistory()

    def deck(self, dealer: Seat) -> tuple[Card, ...]:
        """Return a deck from which this dealer deals these hands."""
        seats = len(self.hands) - 1
        order = [(dealer + k) % seats + 1 for k in range(seats)]
        packets = [
            card
            for start in (0, PACKET)
            for seat in order
            for card in self.hands[seat][start : start + PACKET]
        ]
        return (*packets, *(self.box if seats < MAX_SEATS else ()))


class Setting(NamedTuple):
    ruleset: KakkuriRuleset
    board: Board
    melds: MeldTable
    laid: Laid | None = None
    """Locations of the cards, if the state was made from an observation; the board is then a deal board."""

    @classmethod
    def of(cls, ruleset: KakkuriRuleset, board: Board) -> Setting:
        melds = meld_table(ruleset.court_order, ruleset.wild_mode, wild_in_sansoku=ruleset.wild_in_sansoku)
        return cls(ruleset, board, melds)

    def deck(self, number: int) -> tuple[Card, ...]:
        """Return the deck of deal ``number``: given with the board, or derived from its seed."""
        decks = self.board.given_decks
        if number <= len(decks):
            return KAKKURI_PACK.check_deck(decks[number - 1])
        return shuffled(KAKKURI_PACK.cards, self._label(number, "deal"))

    def box8(self, number: int, cards: tuple[Card, ...]) -> tuple[Card, ...]:
        """Return the box that the hand with the three of clubs becomes; ``cards`` in canonical order."""
        return shuffled(cards, self._label(number, "box8"))

    def first_dealer(self) -> Seat:
        """Return the first dealer (docs/rules/kakkuri.md#players-stones-dealer;
        contracts.md#conditions-of-deal-boards).
        """
        seats = self.ruleset.seats
        if self.board.kind == "deal":
            return (self.board.number - 1) % seats + 1
        stream = Stream(self._label(1, "dealer"))
        if self.ruleset.first_dealer == "random":
            return 1 + stream.below(seats)
        return drawn_dealer(stream, seats, card_values(self.ruleset.court_order))

    def _label(self, number: int, purpose: str) -> str:
        return stream_label(GAME_KEY, self.board.seed, number, purpose)


def drawn_dealer(stream: Stream, seats: int, values: dict[Card, int]) -> Seat:
    """Return the dealer by a draw: each seat from 1 draws from the remaining pack in canonical order.

    The highest card deals. Among equally high cards, the seat that drew the lowest card deals; if several
    drew it, all draw again from the whole pack and the same stream.

    Source: docs/rules/kakkuri.md#players-stones-dealer.
    """
    while True:
        pack = list(KAKKURI_PACK.cards)
        drawn = [values[pack.pop(stream.below(len(pack)))] for _ in range(seats)]
        for card in (max(drawn), min(drawn)):
            if drawn.count(card) == 1:
                return drawn.index(card) + 1


class DealTexts:
    """Cached JSON fragments that the observations of a deal share. Not part of the state's value."""

    __slots__ = ("frames", "history", "sizes", "standing")

    def __init__(self, melds: MeldTable, history: DealHistory) -> None:
        self.history = HistoryReader(melds, history)
        self.standing: tuple[object, ...] = ()
        """Standing for which frames and sizes were built."""
        self.frames: dict[Seat, list[str]] = {}
        """By seat, the fragments that are constant while the standing is."""
        self.sizes: tuple[int, str] = (-1, "")
        """Cards played, and the resulting sizes of hands."""


class Deal:
    """A deal before play. Immutable, shared by all its states; tuples by seat have an unused item 0."""

    __slots__ = (
        "box",
        "box8",
        "dealer",
        "deck",
        "hands",
        "melds",
        "number",
        "pass_penalty",
        "results",
        "setting",
        "stones",
        "texts",
    )

    def __init__(
        self,
        setting: Setting,
        number: int,
        dealer: Seat,
        stones: tuple[int, ...],
        results: tuple[tuple[int, ...], ...],
        *,
        is_dealt: bool = True,
    ) -> None:
        seats = setting.ruleset.seats
        self.setting = setting
        self.melds = setting.melds
        self.pass_penalty = setting.ruleset.pass_penalty
        """Whether passing a turn without playing costs a stone."""
        self.number = number
        """From 1; always 1 on a deal board."""
        self.dealer = dealer
        """Before the deal, the previous winner, who may still pass on the deal."""
        self.stones = stones
        """By seat, before this deal."""
        self.results = results
        """Stones won by seat in each previous deal."""
        laid = setting.laid
        self.texts = DealTexts(setting.melds, laid.history if laid else DealHistory())
        self.deck: tuple[Card, ...] = ()
        """Empty while the deal may still be passed on, as are hands and box."""
        self.box: tuple[Card, ...] = ()
        """Top card first, before any card is turned up."""
        self.box8: tuple[Card, ...] = ()
        """The box with eight seats, otherwise empty."""
        hands = [0] * (seats + 1)
        if is_dealt:
            deck = self.deck = laid.deck(dealer) if laid else setting.deck(number)
            bit = KAKKURI_PACK.bit
            for k in range(2 * seats):
                a, b, c = deck[PACKET * k : PACKET * k + PACKET]
                hands[(dealer + k) % seats + 1] |= bit[a] | bit[b] | bit[c]
            self.box = deck[HAND * seats :]
            if seats == MAX_SEATS:
                out = hands[seat_out(tuple(hands))]
                self.box = self.box8 = laid.box if laid else setting.box8(number, KAKKURI_PACK.listed(out))
        self.hands = tuple(hands)
        """Dealt cards by seat as masks, before swaps."""

    def dealt_by(self, dealer: Seat) -> Deal:
        return Deal(self.setting, self.number, dealer, self.stones, self.results)

    def is_last(self, ended: Ending) -> bool:
        """Return whether the board ends with this deal. Source: docs/rules/kakkuri.md#session."""
        ruleset, board = self.setting.ruleset, self.setting.board
        if board.kind == "deal" or self.number == ruleset.hands:
            return True
        return ruleset.bankruptcy == "stop" and min(self.stones_after(ended.stones)[1:]) <= 0

    def stones_after(self, change: tuple[int, ...]) -> tuple[int, ...]:
        """Return stones by seat after these results of the deal."""
        return tuple(map(sum, zip(self.stones, change, strict=True)))

    def following(self, ended: Ending) -> Deal:
        """Return the next deal, dealt by the winner, or by the same seat after a dead deal."""
        ruleset = self.setting.ruleset
        return Deal(
            self.setting,
            self.number + 1,
            ended.winner or self.dealer,
            self.stones_after(ended.stones),
            (*self.results, ended.stones),
            is_dealt=not (ruleset.deal_pass and ended.winner),
        )
