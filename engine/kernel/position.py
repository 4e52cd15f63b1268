"""Positions of Kakeya and Etori as plain numbers, and their validation.

Cards are numbered as in ``engine.cards.KAKEYA_PACK``: ``13 * suit + rank``; a set of cards is an int with a
bit per card. Players are 0 to 3 in turn order; 0 and 2 are side 0, the playing pair with the lower seats.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.cards import KAKEYA_PACK, SUITS
from engine.errors import EngineError
from engine.game import Seat, State
from engine.games.kakeya.deal import Deal, deal_result
from engine.games.kakeya.notation import PLAY, TRICKS
from engine.games.kakeya.scoring import ACE_MASK, PICTURE_MASK, PICTURES_IN_ALL, RENSHO, SPECULATION
from engine.games.kakeya.state import KakeyaState
from engine.refusals import quoted

PLAYERS = 4
_ALL_CARDS = (1 << len(KAKEYA_PACK)) - 1
MAX_VALUE = 1_000_000
"""Maximum value of a deal, in stones or points, so that sums fit a machine word."""

SUIT_MASKS = tuple(KAKEYA_PACK.suit_mask[suit] for suit in SUITS)

_RENSHO_OF = tuple(
    tuple(KAKEYA_PACK.cards.index(card) for card in dict.fromkeys((RENSHO[suit], SPECULATION)))
    for suit in SUITS
)
"""Cards that may beat all others, by trump suit: Rensho, or the Speculation of Meiji Etori."""


_values_cache: dict[tuple[object, ...], tuple[int, ...]] = {}
"""Cached values of deals: a search needs the same few repeatedly."""
_MAX_CACHED_VALUES = 4096


class KernelError(EngineError, ValueError):
    """An invalid position, number or limit; the message names the culprit and what is accepted."""


class Position(NamedTuple):
    """Four hands, the current trick and the values of the deal."""

    hands: tuple[int, int, int, int]
    """Masks of the cards in hand, by player."""
    trump: int
    """Index of the suit in ``SUITS``."""
    rensho: int
    """Number of the card that beats all others."""
    is_free: bool
    """Whether that card may be played instead of following suit."""
    turn: int
    trick: tuple[int, ...]
    """Numbers of up to three cards, in the order played; the player before ``turn`` played the last."""
    captured: tuple[int, int]
    """Number of captured pictures, by side."""
    values: tuple[int, ...]
    """Value of the deal to side 0, in stones or points, by the pictures that it takes in total: 17 numbers.

    Side 1 gets the opposite. Values may fall: with ``asahi_tie_only``, eight pictures may bring more than
    nine. Only the side with Rensho can take all sixteen; the numbers of impossible counts mean nothing.
    """


def places_of(deal: Deal) -> tuple[Seat, ...]:
    """Return the seats of players 0 to 3. Raise ``KernelError`` if ``deal`` is not a deal."""
    _check_is_deal(deal)
    order, playing = deal.seating.order, deal.seating.playing
    return order if deal.side_of[order[0]] == playing[0] else order[1:] + order[:1]


def deal_values(deal: Deal) -> tuple[int, ...]:
    """Return the values of a deal to side 0: see ``Position.values``.

    Source: docs/rules/kakeya.md#winner-of-a-deal, #payment, #end-of-a-game; docs/rules/etori.md#meiji-etori.
    """
    _check_is_deal(deal)
    a, b = deal.sides[deal.seating.playing[0]]
    # Of the dealt cards, only the aces change the values.
    aces = (deal.hands[a] | deal.hands[b]) & ACE_MASK
    known = (deal.setting.ruleset, deal.seating.playing, deal.trump, deal.stones, aces)
    values = _values_cache.get(known)
    if values is None:
        if len(_values_cache) >= _MAX_CACHED_VALUES:
            _values_cache.clear()
        values = _values_cache[known] = _values(deal)
    return values


def _check_is_deal(deal: object) -> None:
    if not isinstance(deal, Deal):
        raise KernelError(
            f"not a deal but {type(deal).__name__}: give the deal of a state of Kakeya or Etori"
        )


def _values(deal: Deal) -> tuple[int, ...]:
    first, second = deal.seating.playing
    a, b = deal.sides[first]
    holds_rensho = bool((deal.hands[a] | deal.hands[b]) & KAKEYA_PACK.bit[deal.rensho])
    # A side cannot lose its Rensho, a picture; impossible counts have no stated payment.
    least, most = (1, PICTURES_IN_ALL) if holds_rensho else (0, PICTURES_IN_ALL - 1)
    values = []
    for pictures in range(PICTURES_IN_ALL + 1):
        taken = min(max(pictures, least), most)
        captured = [0] * len(deal.sides)
        captured[first], captured[second] = (1 << taken) - 1, (1 << (PICTURES_IN_ALL - taken)) - 1
        values.append(deal_result(deal, tuple(captured)).stones[first])
    return tuple(values)


def position_of(state: State) -> Position:
    """Return the position of a state of Kakeya or Etori in phase ``play``, or raise ``KernelError``."""
    if not isinstance(state, KakeyaState):
        raise KernelError(f"no position of {type(state).__name__}: give a state of Kakeya or Etori")
    if state.phase != PLAY:
        raise KernelError(f"no cards are played in phase {state.phase!r}: give a state of phase {PLAY!r}")
    deal, unplayed = state.deal, state.unplayed
    places = places_of(deal)
    first, second, third, fourth = (deal.hands[seat] & unplayed for seat in places)
    side_0, side_1 = deal.seating.playing
    number = KAKEYA_PACK.cards.index
    return Position(
        hands=(first, second, third, fourth),
        trump=SUITS.index(deal.trump),
        rensho=number(deal.rensho),
        is_free=bool(deal.free),
        turn=places.index(state.to_act[0]),
        trick=tuple(map(number, state.trick)),
        captured=(state.captured[side_0].bit_count(), state.captured[side_1].bit_count()),
        values=deal_values(deal),
    )


def check(position: Position) -> None:
    """Raise ``KernelError`` naming the culprit if no play under the rules leads to this position."""
    _check_numbers(position)
    cards = _check_cards(position)
    if position.trick:
        _check_trick(position)
    _check_pictures(position, cards)


def check_integer(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise KernelError(f"{name} cannot be {quoted(value)}: give a whole number from {least} to {most}")


def check_tuple(name: str, values: object, least: int, most: int) -> None:
    if not isinstance(values, tuple) or not least <= len(values) <= most:
        count = f"{least}" if least == most else f"{least} to {most}"
        raise KernelError(f"{name} cannot be {quoted(values)}: give a tuple of {count} numbers")


def check_integers(name: str, values: tuple[int, ...], least: int, most: int) -> None:
    """Raise ``KernelError`` for a value outside the range; ``{}`` in the name is replaced by its index."""
    for value in values:
        # Format the name only for a wrong value: most are right.
        if type(value) is not int or not least <= value <= most:
            for index, number in enumerate(values):
                check_integer(name.format(index), number, least, most)


def check_is_position(position: object) -> None:
    if not isinstance(position, Position):
        raise KernelError(f"not a Position: {quoted(position)}; position_of makes one of a state")


def check_is_collection(name: str, values: object, kind: type, items: str) -> None:
    if not isinstance(values, kind):
        # Not quoted: a state would reveal its hands.
        raise KernelError(f"{name} cannot be of type {type(values).__name__}: give a list of {items}")


def _check_numbers(position: Position) -> None:
    check_is_position(position)
    hands, trump, rensho, is_free, turn, trick, captured, values = position
    check_tuple("hands", hands, PLAYERS, PLAYERS)
    check_integers("the hand of player {}", hands, 0, _ALL_CARDS)
    check_integer("trump", trump, 0, len(SUITS) - 1)
    check_integer("rensho", rensho, 0, len(KAKEYA_PACK) - 1)
    if type(is_free) is not bool:
        raise KernelError(f"is_free cannot be {quoted(is_free)}: give True or False")
    check_integer("turn", turn, 0, PLAYERS - 1)
    check_tuple("trick", trick, 0, PLAYERS - 1)
    check_integers("a card of the trick", trick, 0, len(KAKEYA_PACK) - 1)
    check_tuple("captured", captured, 2, 2)
    check_integers("the pictures captured by side {}", captured, 0, PICTURES_IN_ALL)
    check_tuple("values", values, PICTURES_IN_ALL + 1, PICTURES_IN_ALL + 1)
    check_integers("the value of {} pictures", values, -MAX_VALUE, MAX_VALUE)
    possible = _RENSHO_OF[trump]
    if rensho not in possible:
        names = " or ".join(f"{card} ({KAKEYA_PACK.cards[card]})" for card in possible)
        given = f"{rensho} ({KAKEYA_PACK.cards[rensho]})"
        raise KernelError(f"with trumps {SUITS[trump]} rensho cannot be {given}: give {names}")


def _check_cards(position: Position) -> int:
    """Check that no card appears twice and that hand sizes fit the trick. Return all cards."""
    hands, turn, trick = position.hands, position.turn, position.trick
    used = 0
    for cards in hands if not trick else (*hands, *(1 << card for card in trick)):
        if used & cards:
            raise KernelError(f"card {KAKEYA_PACK.listed(used & cards)[0]} comes twice in hands and trick")
        used |= cards
    sizes = [hand.bit_count() for hand in hands]
    size = sizes[turn]
    played = [(turn - back) % PLAYERS for back in range(1, len(trick) + 1)] if trick else ()
    for player, count in enumerate(sizes):
        if count != size - (player in played):
            raise KernelError(
                f"player {player} cannot hold {count} cards: player {turn}, who is to move, "
                f"holds {size}, and the trick has {len(trick)} cards"
            )
    if size > TRICKS:
        raise KernelError(f"player {turn} cannot hold {size} cards: a deal has {TRICKS} each")
    return used


def _check_trick(position: Position) -> None:
    """Check that the players of the trick followed suit if they could, except with a free Rensho."""
    trick = position.trick
    for index, card in enumerate(trick[1:], 1):
        led, player = trick[0] // TRICKS, (position.turn - len(trick) + index) % PLAYERS
        could_follow = position.hands[player] & SUIT_MASKS[led]
        if card // TRICKS != led and could_follow and not (position.is_free and card == position.rensho):
            raise KernelError(
                f"player {player} cannot have played {KAKEYA_PACK.cards[card]}: it holds "
                f"{KAKEYA_PACK.listed(could_follow)[0]} and had to follow {SUITS[led]}"
            )


def _check_pictures(position: Position, cards: int) -> None:
    """Check that captured and remaining pictures add up to sixteen and fit into the finished tricks."""
    left = (cards & PICTURE_MASK).bit_count()
    first, second = position.captured
    if first + second + left != PICTURES_IN_ALL:
        raise KernelError(
            f"captured cannot be {position.captured}: with {left} pictures in hands and trick "
            f"both numbers must add up to {PICTURES_IN_ALL - left}"
        )
    tricks = TRICKS - position.hands[position.turn].bit_count()
    if -(-first // PLAYERS) - (-second // PLAYERS) > tricks:
        raise KernelError(f"captured cannot be {position.captured}: only {tricks} tricks are over")
