"""A reading of Kakeya's observation: the table, the trick under way, what is left, who is void."""

from __future__ import annotations

from bots.sdk.cards import PACK, PICTURES, RANKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any  # fields of decoded JSON have no narrower type

    from bots.sdk.messages import Request

_LED_POWER = 1
_TRUMP_POWER = 100
_RENSHO_POWER = 200


class KakeyaView:
    """What one seat sees of a deal of Kakeya or Etori, with the sums a player does in the head.

    With three pairs one pair rests; it may still be asked about trumps. To be read only. Costs about
    20 microseconds; whatever is worked out from the finished tricks is worked out when first asked for.
    """

    __slots__ = (
        "_played",
        "_unseen",
        "_voids",
        "hand",
        "is_rensho_free",
        "legal",
        "observation",
        "partner",
        "phase",
        "rensho",
        "ruleset",
        "seat",
        "trick",
        "tricks",
        "trump",
    )

    def __init__(self, request: Request) -> None:
        observation = request.observation
        self.observation: Mapping[str, Any] = observation
        """The fields as they came; docs/bot-protocol.md describes each."""
        self.ruleset: Mapping[str, Any] = request.ruleset
        """Every option by name; empty if no hello was heard, which means the defaults."""
        self.seat: int = observation["seat"]
        """This bot's seat."""
        self.partner: int = observation["partner"]
        """The other seat of the pair."""
        self.phase: str = observation["phase"]
        """``trump``, ``lead`` or ``play``; not every preset asks all three."""
        self.legal: tuple[str, ...] = request.legal
        """The legal actions; in phase ``play`` the cards that follow suit, or else the whole hand."""
        self.hand: tuple[str, ...] = tuple(observation["hand"])
        """Own cards not played yet, in canonical order; none in phase ``trump``."""
        self.trump: str = observation["trump"]
        """The trump suit; in phase ``trump`` the one that may be changed."""
        self.rensho: str = observation["rensho"]
        """The card that beats everything."""
        self.is_rensho_free: bool = bool(request.ruleset.get("rensho_free"))
        """Whether Rensho may be played by one who could follow suit (option ``rensho_free``)."""
        self.trick: tuple[tuple[int, str], ...] = tuple((seat, card) for seat, card in observation["trick"])
        """Seat and card of the trick under way, in the order played; empty if this seat leads."""
        self.tricks: tuple[Mapping[str, Any], ...] = tuple(observation["tricks"])
        """Finished tricks of this deal, each with ``leader``, ``cards`` in the order played, ``winner``."""
        self._played: frozenset[str] | None = None
        self._unseen: frozenset[str] | None = None
        self._voids: dict[int, frozenset[str]] | None = None

    @property
    def active(self) -> tuple[int, ...]:
        """Seats that play this deal, ascending."""
        return tuple(self.observation["active"])

    @property
    def resting(self) -> tuple[int, ...]:
        """Seats of the pair that rests in this deal, ascending; empty with four seats."""
        active = self.active
        return tuple(seat for seat in range(1, self.observation["seats"] + 1) if seat not in active)

    @property
    def opponents(self) -> tuple[int, ...]:
        """The seats playing against this one, in turn after it; none while its pair rests."""
        if self.seat not in self.active:
            return ()
        return tuple(seat for seat in self.turn_order(self.seat) if seat not in (self.seat, self.partner))

    @property
    def led(self) -> str | None:
        """The suit of the trick under way; None if this seat leads."""
        return self.trick[0][1][1] if self.trick else None

    @property
    def still_to_play(self) -> tuple[int, ...]:
        """The seats that play to this trick after this one, in turn; none while its pair rests."""
        if self.seat not in self.active:
            return ()
        return self.turn_order(self.seat)[1 : len(self.active) - len(self.trick)]

    @property
    def winning(self) -> tuple[int, str] | None:
        """Seat and card that win the trick so far; None if this seat leads."""
        led = self.led
        return max(self.trick, key=lambda play: self.power(play[1], led)) if led else None

    @property
    def played(self) -> frozenset[str]:
        """Every card on the table so far in this deal, the trick under way included."""
        if self._played is None:
            cards = {card for trick in self.tricks for card in trick["cards"]}
            cards.update(card for _, card in self.trick)
            self._played = frozenset(cards)
        return self._played

    @property
    def unseen(self) -> frozenset[str]:
        """The cards the other seats hold between them."""
        if self._unseen is None:
            self._unseen = frozenset(PACK) - self.played - frozenset(self.hand)
        return self._unseen

    @property
    def voids(self) -> Mapping[int, frozenset[str]]:
        """By seat that plays this deal, the suits it did not follow, so cannot hold any more."""
        if self._voids is None:
            found: dict[int, set[str]] = {seat: set() for seat in self.active}
            for trick in self.tricks:
                self._note_voids(zip(self.turn_order(trick["leader"]), trick["cards"], strict=True), found)
            self._note_voids(self.trick, found)
            self._voids = {seat: frozenset(suits) for seat, suits in found.items()}
        return self._voids

    @property
    def pictures_on_table(self) -> int:
        """How many pictures the trick under way holds so far."""
        return sum(card in PICTURES for _, card in self.trick)

    def turn_order(self, first: int) -> tuple[int, ...]:
        """The seats that play this deal, in turn from ``first``, one of them: right or left by the rules."""
        order = self.active[::-1] if self.observation.get("direction") == "left" else self.active
        at = order.index(first)
        return (*order[at:], *order[:at])

    def cards_left(self, seat: int) -> int:
        """How many cards a seat still holds; none if its pair rests."""
        if seat not in self.active:
            return 0
        in_hand = len(PACK) // len(self.active) - len(self.tricks)
        return in_hand - any(seat == other for other, _ in self.trick)

    def power(self, card: str, led: str | None = None) -> int:
        """The strength of a card in a trick of this lead, own suit led if none is given.

        The strongest card wins; 0 can never win; powers of one lead differ unless both are 0.
        """
        if card == self.rensho:
            return _RENSHO_POWER
        rank = RANKS.index(card[0])
        if card[1] == self.trump:
            return _TRUMP_POWER + rank
        return _LED_POWER + rank if led is None or card[1] == led else 0

    def would_win(self, card: str) -> bool:
        """Whether this card would be the strongest of the trick so far."""
        winning = self.winning
        return winning is None or self.power(card, self.led) > self.power(winning[1], self.led)

    def beating(self, card: str, led: str | None = None) -> frozenset[str]:
        """The unseen cards stronger than ``card`` in a trick of this lead, own suit led if none is given."""
        suit = led or card[1]
        power = self.power(card, suit)
        return frozenset(other for other in self.unseen if self.power(other, suit) > power)

    def pictures_taken(self, seat: int) -> int:
        """How many pictures the pair of this seat has captured in this deal; none if it rests."""
        taken: Mapping[str, list[str]] = self.observation["pictures"]
        half = self.observation["seats"] // 2
        lowest = seat if seat <= half else seat - half
        return len(taken.get(str(lowest), ()))

    def _note_voids(self, plays: Iterable[tuple[int, str]], found: dict[int, set[str]]) -> None:
        led = None
        for seat, card in plays:
            if led is None:
                led = card[1]
            elif card[1] != led and not (self.is_rensho_free and card == self.rensho):
                found[seat].add(led)


VIEW = KakeyaView
