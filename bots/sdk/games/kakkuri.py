"""View of a Kakkuri observation: the legal melds, the hand by value, the hidden cards.

A first bot::

    class Mine(Bot):
        def act(self, request: Request) -> str:
            view = KakkuriView(request)
            if view.phase != "turn":          # fuwaru or deal: no seat has looked at its cards yet
                return request.legal[0]
            out = view.way_out()              # melds that empty the hand in this turn, or None
            if out:
                return out[0].text
            if view.melds:                    # the legal melds, each with cards, value and text
                return max(view.melds, key=lambda meld: len(meld.cards)).text
            return "PASS" if "PASS" in view.words else view.words[0]

Values and wilds depend on three options: ``court_order``, ``wild_mode`` and ``wild_in_sansoku``. Hello
sends them, and ``Bot`` passes them on in ``request.ruleset``, so the view needs only the request. A
request without a hello is read by the rules of the preset ``kakkuri``.
"""

from __future__ import annotations

from bots.sdk.kakkuri_hand import ANY, KAKKURI_PACK, WILDS, KakkuriHand, Meld, card_values, parse_meld

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any  # fields of decoded JSON have no narrower type

    from bots.sdk.messages import Request


class KakkuriView:
    """Read-only view of a deal of Kakkuri from one seat. Costs about 10 microseconds."""

    __slots__ = (
        "_search",
        "_unseen",
        "follow",
        "hand",
        "has_declared",
        "is_wild_in_sansoku",
        "is_wild_reset",
        "last",
        "legal",
        "melds",
        "observation",
        "phase",
        "return_turn",
        "ruleset",
        "seat",
        "values",
        "words",
    )

    def __init__(self, request: Request) -> None:
        observation = request.observation
        ruleset = request.ruleset
        self.observation: Mapping[str, Any] = observation
        """The original fields; docs/bot-protocol.md describes each."""
        self.ruleset: Mapping[str, Any] = ruleset
        """Options by name; empty before a hello, which means the defaults."""
        self.seat: int = observation["seat"]
        self.phase: str = observation["phase"]
        """``deal``, ``fuwaru`` or ``turn``."""
        self.legal: tuple[str, ...] = request.legal
        """Legal actions: words, then melds."""
        self.words: tuple[str, ...] = tuple(action for action in request.legal if "@" not in action)
        """Legal actions that are words: ``PASS``, ``TURN``, ``DROP``, ``SANSOKU``, ..."""
        self.melds: tuple[Meld, ...] = tuple(parse_meld(text) for text in request.legal if "@" in text)
        """Legal melds: single cards by value, then pairs or triples."""
        self.hand: tuple[str, ...] = tuple(observation["hand"])
        """Own cards, in canonical order; empty before phase ``turn``."""
        self.follow: int | None = observation["follow"]
        """The value to follow, 1 to 12; None before the start card is turned up."""
        self.last: int | None = observation["last"]
        """The seat that played last and gets the return turn."""
        self.return_turn: bool = observation["return_turn"]
        """Whether the turn has come back to this seat without another seat having played."""
        self.has_declared: bool = self.seat in observation["sansoku"]
        """Whether this seat has declared sansoku, so it plays only pairs."""
        self.values: Mapping[str, int] = card_values(ruleset.get("court_order", "JQK"))
        """Printed value by card, ace 1 to king 12."""
        self.is_wild_reset: bool = ruleset.get("wild_mode") == "reset"
        """Whether any value may follow a wild (``wild_mode=reset``)."""
        self.is_wild_in_sansoku: bool = ruleset.get("wild_in_sansoku", False)
        """Whether a wild may match any card in a pair of sansoku (``wild_in_sansoku``)."""
        self._unseen: frozenset[str] | None = None
        self._search: KakkuriHand | None = None

    @property
    def wilds(self) -> tuple[str, ...]:
        """Own wild cards, ``AC`` and ``2D``; none after sansoku, unless ``wild_in_sansoku`` is set."""
        if self.has_declared and not self.is_wild_in_sansoku:
            return ()
        return tuple(card for card in self.hand if card in WILDS)

    @property
    def by_value(self) -> dict[int, tuple[str, ...]]:
        """Own cards by printed value, ascending, without wilds."""
        wilds = self.wilds
        by_value: dict[int, tuple[str, ...]] = {}
        for card in sorted(self.hand, key=self.values.__getitem__):
            if card not in wilds:
                value = self.values[card]
                by_value[value] = (*by_value.get(value, ()), card)
        return by_value

    @property
    def others(self) -> tuple[int, ...]:
        """Other seats still in this deal, in turn order to the right."""
        active: list[int] = self.observation["active"]
        right = [seat for seat in active if seat > self.seat]
        return (*right, *(seat for seat in active if seat < self.seat))

    @property
    def unseen(self) -> frozenset[str]:
        """Cards that this seat has not seen: in other hands, dropped hands or the box."""
        if self._unseen is None:
            known_cards = set(self.hand)
            known_cards.update(self.observation["turned"])
            for _, meld in self.observation["plays"]:
                known_cards.update(parse_meld(meld).cards)
            self._unseen = frozenset(KAKKURI_PACK) - known_cards
        return self._unseen

    @property
    def unseen_by_value(self) -> dict[int, int]:
        """Number of unseen cards of each printed value 1 to 12, without wilds (see ``unseen_wilds``)."""
        counts = dict.fromkeys(range(1, ANY + 1), 0)
        for card in self.unseen:
            if card not in WILDS:
                counts[self.values[card]] += 1
        return counts

    @property
    def unseen_wilds(self) -> int:
        """Number of wilds that this seat has not seen, 0 to 2."""
        return sum(card in self.unseen for card in WILDS)

    @property
    def is_unbroken(self) -> bool:
        """Whether this seat had played no card before this turn, so that going out now is guri."""
        melds_made = sum(seat == self.seat for seat, _ in self.observation["plays"])
        return bool(melds_made == self.observation["played_this_turn"])

    @property
    def search(self) -> KakkuriHand:
        """A ``KakkuriHand`` under these rules. It caches answers, so use one view per decision."""
        if self._search is None:
            self._search = self._searching(is_sansoku=self.has_declared)
        return self._search

    @property
    def sansoku_search(self) -> KakkuriHand:
        """A new ``KakkuriHand`` for pairs, as after sansoku."""
        return self._searching(is_sansoku=True)

    def _searching(self, *, is_sansoku: bool) -> KakkuriHand:
        return KakkuriHand(
            self.values,
            is_wild_reset=self.is_wild_reset,
            is_sansoku=is_sansoku,
            is_wild_in_sansoku=self.is_wild_in_sansoku,
        )

    def cards_left(self, seat: int) -> int:
        return int(self.observation["hand_sizes"][str(seat)])

    def has_played(self, seat: int) -> bool:
        """Return whether the seat has played a card in this deal, so it can neither drop nor make guri."""
        return any(other == seat for other, _ in self.observation["plays"])

    def passed_at(self, seat: int) -> frozenset[int]:
        """Return the values to follow at which the seat passed: it had no fitting card, or kept it."""
        return frozenset(value for other, value in self.observation["passes"] if other == seat)

    def melds_after(self, value: int, hand: Iterable[str] | None = None) -> tuple[Meld, ...]:
        """Return the melds of the cards (default: the own hand) when ``value`` is to be followed."""
        return self.search.melds(self.hand if hand is None else hand, value)

    def way_out(self, value: int | None = None, hand: Iterable[str] | None = None) -> tuple[Meld, ...] | None:
        """Return melds that empty the hand in one turn from this value to follow, or None.

        Defaults: the own hand and the value to follow now.
        """
        cards = self.hand if hand is None else tuple(hand)
        start = self.to_follow if value is None else value
        return None if start is None else self.search.way_out(cards, start)

    def longest(self, value: int | None = None, hand: Iterable[str] | None = None) -> tuple[Meld, ...]:
        """Return melds that play as many cards as one turn allows, or (); arguments as in ``way_out``."""
        cards = self.hand if hand is None else tuple(hand)
        start = self.to_follow if value is None else value
        return () if start is None else self.search.longest(cards, start)

    @property
    def to_follow(self) -> int | None:
        """The value to follow in this turn: ``follow``, or 12 on a free lead, which any value may follow."""
        return ANY if self.is_free_lead else self.follow

    @property
    def ways_out(self) -> frozenset[int]:
        """Values to follow, 1 to 12, from which the own hand can go out in one turn."""
        search = self.search
        key = search.key(self.hand)
        return frozenset(value for value in range(1, ANY + 1) if search.can_go_out(key, value))

    @property
    def is_free_lead(self) -> bool:
        """Whether this turn may begin with any value: a return turn with an empty box."""
        observation = self.observation
        has_begun: bool = observation["turned_this_turn"] or observation["played_this_turn"] > 0
        is_empty: bool = observation["box_size"] == 0
        return is_empty and self.return_turn and not has_begun


VIEW = KakkuriView
