"""View of a Kakeya observation: the table, the current trick, the cards left, the voids."""

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
    """Read-only view of a deal of Kakeya or Etori from one seat, with derived facts.

    With three pairs, one pair rests, but it may still decide about trumps. A view costs about 20
    microseconds; facts that depend on finished tricks are computed on first use.
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
        """The original fields; docs/bot-protocol.md describes each."""
        self.ruleset: Mapping[str, Any] = request.ruleset
        """Options by name; empty before a hello, which means the defaults."""
        self.seat: int = observation["seat"]
        self.partner: int = observation["partner"]
        self.phase: str = observation["phase"]
        """``trump``, ``lead`` or ``play``; not every preset has all three."""
        self.legal: tuple[str, ...] = request.legal
        """Legal actions; in phase ``play``, the cards that follow suit, or else the whole hand."""
        self.hand: tuple[str, ...] = tuple(observation["hand"])
        """Own cards in hand, in canonical order; empty in phase ``trump``."""
        self.trump: str = observation["trump"]
        """The trump suit; in phase ``trump``, the suit that may be changed."""
        self.rensho: str = observation["rensho"]
        """The card that beats all others."""
        self.is_rensho_free: bool = bool(request.ruleset.get("rensho_free"))
        """Whether Rensho may be played instead of following suit (option ``rensho_free``)."""
        self.trick: tuple[tuple[int, str], ...] = tuple((seat, card) for seat, card in observation["trick"])
        """Seats and cards of the current trick, in the order played; empty if this seat leads."""
        self.tricks: tuple[Mapping[str, Any], ...] = tuple(observation["tricks"])
        """Finished tricks of this deal: ``leader``, ``cards`` in the order played, and ``winner``."""
        self._played: frozenset[str] | None = None
        self._unseen: frozenset[str] | None = None
        self._voids: dict[int, frozenset[str]] | None = None

    @property
    def active(self) -> tuple[int, ...]:
        return tuple(self.observation["active"])

    @property
    def resting(self) -> tuple[int, ...]:
        """Seats of the pair that rests in this deal, ascending; empty with four seats."""
        active = self.active
        return tuple(seat for seat in range(1, self.observation["seats"] + 1) if seat not in active)

    @property
    def opponents(self) -> tuple[int, ...]:
        """Active opponents, in turn order after this seat; empty while its pair rests."""
        if self.seat not in self.active:
            return ()
        return tuple(seat for seat in self.turn_order(self.seat) if seat not in (self.seat, self.partner))

    @property
    def led(self) -> str | None:
        """Suit led in the current trick; None if this seat leads."""
        return self.trick[0][1][1] if self.trick else None

    @property
    def still_to_play(self) -> tuple[int, ...]:
        """Seats that play to this trick after this seat, in turn order; empty while its pair rests."""
        if self.seat not in self.active:
            return ()
        return self.turn_order(self.seat)[1 : len(self.active) - len(self.trick)]

    @property
    def winning(self) -> tuple[int, str] | None:
        """Seat and card that are winning the trick; None if this seat leads."""
        led = self.led
        return max(self.trick, key=lambda play: self.power(play[1], led)) if led else None

    @property
    def played(self) -> frozenset[str]:
        """All cards played in this deal, including the current trick."""
        if self._played is None:
            cards = {card for trick in self.tricks for card in trick["cards"]}
            cards.update(card for _, card in self.trick)
            self._played = frozenset(cards)
        return self._played

    @property
    def unseen(self) -> frozenset[str]:
        """Cards in the hands of the other seats."""
        if self._unseen is None:
            self._unseen = frozenset(PACK) - self.played - frozenset(self.hand)
        return self._unseen

    @property
    def voids(self) -> Mapping[int, frozenset[str]]:
        """Suits that each active seat did not follow and therefore cannot have."""
        if self._voids is None:
            voids: dict[int, set[str]] = {seat: set() for seat in self.active}
            for trick in self.tricks:
                self._note_voids(zip(self.turn_order(trick["leader"]), trick["cards"], strict=True), voids)
            self._note_voids(self.trick, voids)
            self._voids = {seat: frozenset(suits) for seat, suits in voids.items()}
        return self._voids

    @property
    def pictures_on_table(self) -> int:
        return sum(card in PICTURES for _, card in self.trick)

    def turn_order(self, first: int) -> tuple[int, ...]:
        """Return the active seats in turn order, starting with the active seat ``first``."""
        order = self.active[::-1] if self.observation.get("direction") == "left" else self.active
        start = order.index(first)
        return (*order[start:], *order[:start])

    def cards_left(self, seat: int) -> int:
        """Return the number of cards in a seat's hand; 0 if its pair rests."""
        if seat not in self.active:
            return 0
        in_hand = len(PACK) // len(self.active) - len(self.tricks)
        return in_hand - any(seat == other for other, _ in self.trick)

    def power(self, card: str, led: str | None = None) -> int:
        """Return the strength of a card if ``led`` is led; by default, its own suit.

        The strongest card wins. A card of power 0 cannot win; other powers differ between cards.
        """
        if card == self.rensho:
            return _RENSHO_POWER
        rank = RANKS.index(card[0])
        if card[1] == self.trump:
            return _TRUMP_POWER + rank
        return _LED_POWER + rank if led is None or card[1] == led else 0

    def would_win(self, card: str) -> bool:
        winning = self.winning
        return winning is None or self.power(card, self.led) > self.power(winning[1], self.led)

    def beating(self, card: str, led: str | None = None) -> frozenset[str]:
        """Return the unseen cards stronger than ``card`` if ``led`` is led; by default, its own suit."""
        suit = led or card[1]
        power = self.power(card, suit)
        return frozenset(other for other in self.unseen if self.power(other, suit) > power)

    def pictures_taken(self, seat: int) -> int:
        """Return the number of pictures that the seat's pair has captured in this deal; 0 if it rests."""
        taken: Mapping[str, list[str]] = self.observation["pictures"]
        half = self.observation["seats"] // 2
        lowest = seat if seat <= half else seat - half
        return len(taken.get(str(lowest), ()))

    def _note_voids(self, plays: Iterable[tuple[int, str]], voids: dict[int, set[str]]) -> None:
        led = None
        for seat, card in plays:
            if led is None:
                led = card[1]
            elif card[1] != led and not (self.is_rensho_free and card == self.rensho):
                voids[seat].add(led)


VIEW = KakeyaView
