"""A reading of Kakkuri's observation: what may follow, the hand by value, what is still hidden.

An author's first lines::

    class Mine(Bot):
        def act(self, request: Request) -> str:
            view = KakkuriView(request)
            if view.phase != "turn":          # fuwaru, or who deals: nobody has looked at a card yet
                return request.legal[0]
            out = view.way_out()              # melds that empty the hand in this turn, or None
            if out:
                return out[0].text
            if view.melds:                    # the legal melds, each with cards, value and text
                return max(view.melds, key=lambda meld: len(meld.cards)).text
            return "PASS" if "PASS" in view.words else view.words[0]

Values and wilds depend on three options, ``court_order``, ``wild_mode`` and ``wild_in_sansoku``. They
come with hello; the loop of ``Bot`` hands them on in ``request.ruleset``, so the view needs nothing but
the request. A request read without a hello is read by the rules of the preset ``kakkuri``.
"""

from __future__ import annotations

from bots.sdk.kakkuri_hand import ANY, KAKKURI_PACK, WILDS, KakkuriHand, Meld, card_values, parse_meld

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any  # fields of decoded JSON have no narrower type

    from bots.sdk.messages import Request


class KakkuriView:
    """What one seat sees of a deal of Kakkuri, with the sums a player does in the head.

    To be read only. Costs about 10 microseconds; what takes longer is worked out when first asked for.
    """

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
        """The fields as they came; docs/bot-protocol.md describes each."""
        self.ruleset: Mapping[str, Any] = ruleset
        """Every option by name; empty if no hello was heard, which means the defaults."""
        self.seat: int = observation["seat"]
        """This bot's seat."""
        self.phase: str = observation["phase"]
        """``deal``, ``fuwaru`` or ``turn``."""
        self.legal: tuple[str, ...] = request.legal
        """The legal actions: words, then melds."""
        self.words: tuple[str, ...] = tuple(action for action in request.legal if "@" not in action)
        """The legal actions that are words: ``PASS``, ``TURN``, ``DROP``, ``SANSOKU``, ..."""
        self.melds: tuple[Meld, ...] = tuple(parse_meld(text) for text in request.legal if "@" in text)
        """The legal melds: first the single cards, by value, then pairs or triples."""
        self.hand: tuple[str, ...] = tuple(observation["hand"])
        """Own cards, in canonical order; none before the phase ``turn``."""
        self.follow: int | None = observation["follow"]
        """The value to follow, 1..12; None before the start card is turned up."""
        self.last: int | None = observation["last"]
        """The seat that played last, to which the return turn belongs."""
        self.return_turn: bool = observation["return_turn"]
        """Whether the turn has come back to this seat with nobody else having played."""
        self.has_declared: bool = self.seat in observation["sansoku"]
        """Whether this seat has declared sansoku, so plays pairs only."""
        self.values: Mapping[str, int] = card_values(ruleset.get("court_order", "JQK"))
        """Printed value by card, ace 1 to king 12."""
        self.is_wild_reset: bool = ruleset.get("wild_mode") == "reset"
        """Whether any value may follow a wild (``wild_mode=reset``)."""
        self.is_wild_in_sansoku: bool = ruleset.get("wild_in_sansoku", False)
        """Whether a wild may stand for another value in a pair of sansoku (``wild_in_sansoku``)."""
        self._unseen: frozenset[str] | None = None
        self._search: KakkuriHand | None = None

    @property
    def wilds(self) -> tuple[str, ...]:
        """Own wild cards, ``AC`` and ``2D``; none once sansoku is declared, for then they are plain.

        Under ``wild_in_sansoku`` they stay wild.
        """
        if self.has_declared and not self.is_wild_in_sansoku:
            return ()
        return tuple(card for card in self.hand if card in WILDS)

    @property
    def by_value(self) -> dict[int, tuple[str, ...]]:
        """Own cards by printed value, wilds left out, lowest value first."""
        wilds = self.wilds
        found: dict[int, tuple[str, ...]] = {}
        for card in sorted(self.hand, key=self.values.__getitem__):
            if card not in wilds:
                value = self.values[card]
                found[value] = (*found.get(value, ()), card)
        return found

    @property
    def others(self) -> tuple[int, ...]:
        """The other seats still in this deal, in turn from this one's right."""
        active: list[int] = self.observation["active"]
        right = [seat for seat in active if seat > self.seat]
        return (*right, *(seat for seat in active if seat < self.seat))

    @property
    def unseen(self) -> frozenset[str]:
        """Cards this seat has not seen: in other hands, folded hands or the box."""
        if self._unseen is None:
            seen = set(self.hand)
            seen.update(self.observation["turned"])
            for _, meld in self.observation["plays"]:
                seen.update(parse_meld(meld).cards)
            self._unseen = frozenset(KAKKURI_PACK) - seen
        return self._unseen

    @property
    def unseen_by_value(self) -> dict[int, int]:
        """How many unseen cards have each printed value 1..12, wilds left out: ``unseen_wilds`` has them."""
        found = dict.fromkeys(range(1, ANY + 1), 0)
        for card in self.unseen:
            if card not in WILDS:
                found[self.values[card]] += 1
        return found

    @property
    def unseen_wilds(self) -> int:
        """How many of the two wilds this seat has not seen."""
        return sum(card in self.unseen for card in WILDS)

    @property
    def is_unbroken(self) -> bool:
        """Whether this seat had played no card before this turn, so that going out in it is guri."""
        made = sum(seat == self.seat for seat, _ in self.observation["plays"])
        return bool(made == self.observation["played_this_turn"])

    @property
    def search(self) -> KakkuriHand:
        """The search of hands under these rules; it remembers, so keep to one view in a decision."""
        if self._search is None:
            self._search = self._searching(is_sansoku=self.has_declared)
        return self._search

    @property
    def sansoku_search(self) -> KakkuriHand:
        """The search of hands by pairs, as it is once sansoku is declared; a new one each time."""
        return self._searching(is_sansoku=True)

    def _searching(self, *, is_sansoku: bool) -> KakkuriHand:
        return KakkuriHand(
            self.values,
            is_wild_reset=self.is_wild_reset,
            is_sansoku=is_sansoku,
            is_wild_in_sansoku=self.is_wild_in_sansoku,
        )

    def cards_left(self, seat: int) -> int:
        """How many cards a seat still holds."""
        return int(self.observation["hand_sizes"][str(seat)])

    def has_played(self, seat: int) -> bool:
        """Whether the seat has played a card in this deal, so can neither drop nor make guri any more."""
        return any(other == seat for other, _ in self.observation["plays"])

    def passed_at(self, seat: int) -> frozenset[int]:
        """The values to follow at which the seat passed: what fitted then, it kept back or lacked."""
        return frozenset(value for other, value in self.observation["passes"] if other == seat)

    def melds_after(self, value: int, hand: Iterable[str] | None = None) -> tuple[Meld, ...]:
        """The melds that these cards (own hand if none are given) allow when ``value`` is to be followed."""
        return self.search.melds(self.hand if hand is None else hand, value)

    def way_out(self, value: int | None = None, hand: Iterable[str] | None = None) -> tuple[Meld, ...] | None:
        """Melds that empty the hand in one turn from this value to follow, or None if there are none.

        Without arguments: own hand, what is to be followed now.
        """
        cards = self.hand if hand is None else tuple(hand)
        start = self.to_follow if value is None else value
        return None if start is None else self.search.way_out(cards, start)

    def longest(self, value: int | None = None, hand: Iterable[str] | None = None) -> tuple[Meld, ...]:
        """Melds that play as many cards as one turn allows; arguments as in ``way_out``. Empty: none fits."""
        cards = self.hand if hand is None else tuple(hand)
        start = self.to_follow if value is None else value
        return () if start is None else self.search.longest(cards, start)

    @property
    def to_follow(self) -> int | None:
        """The value to follow in this turn, like ``follow``; on a free lead 12, after which anything fits."""
        return ANY if self.is_free_lead else self.follow

    @property
    def ways_out(self) -> frozenset[int]:
        """The values to follow, 1..12, from which own hand can go out in one turn."""
        search = self.search
        key = search.key(self.hand)
        return frozenset(value for value in range(1, ANY + 1) if search.can_go_out(key, value))

    @property
    def is_free_lead(self) -> bool:
        """Whether this turn may begin with any value: a return turn that found the box empty."""
        observation = self.observation
        has_begun: bool = observation["turned_this_turn"] or observation["played_this_turn"] > 0
        is_empty: bool = observation["box_size"] == 0
        return is_empty and self.return_turn and not has_begun


VIEW = KakkuriView
