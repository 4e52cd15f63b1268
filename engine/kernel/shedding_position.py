"""Positions of Kakkuri as plain numbers, and their validation.

Cards are numbered as in ``engine.cards.KAKKURI_PACK``; sets of cards and of seats are ints with a bit for
each. Tuples by seat have an unused item 0.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.cards import KAKKURI_PACK
from engine.game import Seat, State
from engine.games.kakkuri.deal import HAND
from engine.games.kakkuri.melds import HIGHEST, MeldTable, meld_table
from engine.games.kakkuri.position import KakkuriPosition
from engine.games.kakkuri.ruleset import CHOICES, MAX_SEATS, MIN_SEATS, KakkuriRuleset
from engine.games.kakkuri.standing import seats_of
from engine.games.kakkuri.state import DEALING, OVER, SWAPPING
from engine.games.kakkuri.turns import DECLARED, FREE, MELD, MUST_TURN, RETURN, TURNED
from engine.kernel.position import KernelError, check_integer, check_integers, check_tuple
from engine.refusals import quoted

MAX_PAID = 1 << 20
"""Maximum stones that a seat has paid into the pot."""
_PACK = (1 << len(KAKKURI_PACK)) - 1
_THREE_OF_CLUBS = KAKKURI_PACK.bit["3C"]
_FLAGS = RETURN | TURNED | DECLARED | FREE | MUST_TURN
_SEATS = (1 << MAX_SEATS + 1) - 2
_MAX_NUMBERS = {
    "active": _SEATS,
    "out": MAX_SEATS,
    "seat": MAX_SEATS,
    "dealer": MAX_SEATS,
    "follow": HIGHEST,
    "last": MAX_SEATS,
    "opened": _SEATS,
    "sansoku": _SEATS,
    "turn": _FLAGS | MELD,
}
"""Maximum of each number of a position, independent of the others."""


class SheddingRules(NamedTuple):
    """Options of ``KakkuriRuleset`` that apply during a deal."""

    court_order: str = "JQK"
    wild_mode: str = "named"
    wild_in_sansoku: bool = False
    pass_penalty: bool = False
    turn_forced: bool = False
    dropped_pay: bool = False
    box_empty: str = "free_lead"

    @classmethod
    def of(cls, ruleset: KakkuriRuleset) -> SheddingRules:
        return cls(*(getattr(ruleset, name) for name in cls._fields))

    @property
    def melds(self) -> MeldTable:
        return meld_table(self.court_order, self.wild_mode, wild_in_sansoku=self.wild_in_sansoku)


_CHOICES = tuple(CHOICES.get(name, (False, True)) for name in SheddingRules._fields)


class SheddingPosition(NamedTuple):
    """Hands, box, pot and the seat to act."""

    rules: SheddingRules
    hands: tuple[int, ...]
    """Masks of the cards in hand, by seat; 0 for a seat that has left the deal."""
    box: tuple[int, ...]
    """Numbers of the cards in the box, the next to be turned up first.

    With eight seats that have not looked, the cards of the hand with the three of clubs.
    """
    active: int
    out: Seat
    seat: Seat
    """The seat to act."""
    paid: tuple[int, ...]
    dealer: Seat
    """The seat with whose hand others may swap; used only before the seats look."""
    is_swapping: bool = False
    """Whether ``seat`` decides about swapping its unseen hand; all later fields are then 0."""
    follow: int = 0
    last: Seat = 0
    """The seat that played last and gets the return turn."""
    opened: int = 0
    """Seats that played a card of this deal before the current turn."""
    sansoku: int = 0
    turn: int = 0
    """Flags of the current turn from ``engine.games.kakkuri.turns``, with ``MELD`` after a meld."""


def shedding_position_of(state: State) -> SheddingPosition:
    """Return the position of a state of Kakkuri at a swap or in a turn.

    Raise ``KernelError`` if it is of another game, over, or no cards are dealt yet.
    """
    if not isinstance(state, KakkuriPosition):
        raise KernelError(f"no position of {type(state).__name__}: give a state of Kakkuri")
    if state.phase == OVER:
        raise KernelError("no position: the board is over; take a state in which a seat is to act")
    if state.phase == DEALING:
        raise KernelError(
            "no position: the deal may still be handed on and no cards are dealt; take a state after DEAL"
        )
    standing, deal = state.standing, state.deal
    is_swapping = state.phase == SWAPPING
    active = standing.active
    hands = [hand & ~state.played for hand in standing.hands]
    number = KAKKURI_PACK.cards.index
    return SheddingPosition(
        rules=SheddingRules.of(deal.setting.ruleset),
        hands=tuple(hand if active >> seat & 1 else 0 for seat, hand in enumerate(hands)),
        box=tuple(map(number, deal.box[standing.turned :])),
        active=active,
        out=0 if is_swapping else standing.out,
        seat=state.to_act[0],
        paid=standing.paid,
        dealer=deal.dealer,
        is_swapping=is_swapping,
        follow=state.follow,
        last=state.last,
        opened=sum(
            1 << seat
            for seat in seats_of(active)
            if standing.hands[seat] & (state.opened if seat == state.to_act[0] else state.played)
        ),
        sansoku=standing.sansoku & active,
        turn=state.turn & _FLAGS | (MELD if state.turn >= MELD else 0),
    )


def check_shedding(position: SheddingPosition) -> None:
    """Raise ``KernelError`` naming the culprit if the position is not possible."""
    _check_numbers(position)
    _check_rules(position.rules)
    _check_seats(position)
    _check_cards(position)
    if position.is_swapping:
        _check_swapping(position)
    else:
        _check_turn(position)


def _check_numbers(position: SheddingPosition) -> None:
    if not isinstance(position, SheddingPosition):
        # Not quoted: a state would reveal its hands.
        raise KernelError(
            f"not a SheddingPosition but {type(position).__name__}; shedding_position_of makes one of a state"
        )
    rules, hands, box, active, out, seat, paid, dealer, is_swapping, *numbers = position
    if not isinstance(rules, SheddingRules):
        raise KernelError(f"rules cannot be {quoted(rules)}: give SheddingRules(…)")
    check_tuple("hands, with an unused item 0,", hands, MIN_SEATS + 1, MAX_SEATS + 1)
    check_integers("the hand of seat {}", hands, 0, _PACK)
    check_tuple("box", box, 0, len(KAKKURI_PACK))
    check_integers("a card of the box", box, 0, len(KAKKURI_PACK) - 1)
    check_tuple("paid, with an unused item 0,", paid, len(hands), len(hands))
    check_integers("what seat {} has paid", paid, 0, MAX_PAID)
    if type(is_swapping) is not bool:
        raise KernelError(f"is_swapping cannot be {quoted(is_swapping)}: give True or False")
    for value in (active, out, seat, dealer, *numbers):
        # Ranges that depend on other fields are checked later.
        if type(value) is not int:
            for name, most in _MAX_NUMBERS.items():
                check_integer(name, getattr(position, name), 0, most)


def _check_rules(rules: SheddingRules) -> None:
    for name, value, choices in zip(SheddingRules._fields, rules, _CHOICES, strict=True):
        if value not in choices or type(value) is not type(choices[0]):
            raise KernelError(f"option {name} is {quoted(value)}: give one of {', '.join(map(str, choices))}")


def _check_seats(position: SheddingPosition) -> None:
    seats = len(position.hands) - 1
    if position.paid[0]:
        raise KernelError(f"paid is {position.paid[0]} in its unused item 0: give 0")
    everybody = (1 << seats + 1) - 2
    for name in ("active", "opened", "sansoku"):
        if getattr(position, name) & ~everybody:
            raise KernelError(f"{name} names a seat that is not at the table: bits 1 to {seats} are seats")
    active = position.active
    if not active & active - 1:
        raise KernelError("fewer than two seats are in the deal: it is over")
    for name in ("seat", "dealer"):
        seat = getattr(position, name)
        if not 1 <= seat <= seats:
            raise KernelError(f"{name} {seat} is not at the table: seats are 1 to {seats}")
    if not active >> position.seat & 1:
        raise KernelError(f"seat {position.seat} is to act and no longer in the deal")
    if (position.opened | position.sansoku) & ~active:
        raise KernelError("a seat that has played a card or declared sansoku stays in the deal: see active")


def _check_cards(position: SheddingPosition) -> None:
    used = 0
    for seat, hand in enumerate(position.hands):
        if hand and not position.active >> seat & 1:
            raise KernelError(f"seat {seat} is not in the deal and holds cards: give it 0")
        if hand & used:
            raise KernelError(f"seat {seat} holds {_card_names(hand & used)}, which another hand has too")
        used |= hand
    waits = position.is_swapping and len(position.hands) - 1 == MAX_SEATS
    if waits:
        used = 0
    for card in position.box:
        if used >> card & 1:
            raise KernelError(f"{KAKKURI_PACK.cards[card]} is in the box and somewhere else")
        used |= 1 << card


def _check_swapping(position: SheddingPosition) -> None:
    seats = len(position.hands) - 1
    if position.active != (1 << seats + 1) - 2:
        raise KernelError("nobody leaves a deal before everybody has looked: active has to be every seat")
    if position.seat == position.dealer:
        raise KernelError(f"seat {position.seat} deals, and the dealer is not asked to swap")
    for seat in range(1, seats + 1):
        if position.hands[seat].bit_count() != HAND:
            raise KernelError(
                f"seat {seat} holds {position.hands[seat].bit_count()} cards before it looked, not {HAND}"
            )
    box = sum(1 << card for card in position.box)
    if seats == MAX_SEATS and (not box & _THREE_OF_CLUBS or box not in position.hands):
        raise KernelError("the box of eight seats has to be the hand with the three of clubs until they look")
    if not position.box:
        raise KernelError("the box is empty: the start card is missing")
    for name in ("out", "follow", "last", "opened", "sansoku", "turn"):
        if getattr(position, name):
            raise KernelError(f"{name} is {getattr(position, name)} before everybody has looked: give 0")


def _check_turn(position: SheddingPosition) -> None:
    seat, turn, last = position.seat, position.turn, position.last
    if not 1 <= position.follow <= HIGHEST:
        raise KernelError(f"the value to follow is {position.follow}: give 1 to {HIGHEST}")
    if last < 1 or not position.active >> last & 1:
        raise KernelError(f"seat {last} cannot be the last to play: it is not in the deal")
    if position.out and (not 1 <= position.out < len(position.hands) or position.active >> position.out & 1):
        raise KernelError(f"seat {position.out} cannot be out: it is in the deal or not at the table")
    if (position.out == 0) != (len(position.hands) - 1 < MAX_SEATS):
        raise KernelError("the three of clubs puts a seat out with eight seats, and only then: see out")
    if turn & ~(_FLAGS | MELD) or turn < 0:
        raise KernelError(f"turn is {turn}: add up flags of engine.games.kakkuri.turns, MELD once at most")
    is_made = turn >= MELD
    for other in seats_of(position.active):
        size = position.hands[other].bit_count()
        touched = bool(position.opened >> other & 1) or (other == seat and is_made)
        if touched and not 1 <= size < HAND:
            raise KernelError(f"seat {other} has played and holds {size} cards: give 1 to {HAND - 1}")
        if not touched and size != HAND:
            raise KernelError(f"seat {other} has played no card and holds {size}, not {HAND}")
        if position.sansoku >> other & 1 and not position.rules.melds.is_pairs(position.hands[other]):
            raise KernelError(f"seat {other} has declared sansoku and does not hold pairs")
    _check_flags(position, is_made)


def _check_flags(position: SheddingPosition, is_made: bool) -> None:
    seat, turn, box, rules = position.seat, position.turn, position.box, position.rules
    if (is_made or turn & RETURN) and position.last != seat:
        raise KernelError(f"seat {seat} made a meld or its turn came back, so it is the last to play")
    if turn & (TURNED | FREE | MUST_TURN) and not turn & RETURN:
        raise KernelError("turn has TURNED, FREE or MUST_TURN without RETURN")
    if turn & DECLARED and not position.sansoku >> seat & 1:
        raise KernelError(f"turn has DECLARED and seat {seat} is not in sansoku")
    if turn & RETURN and not is_made and not turn & TURNED:
        expected = (MUST_TURN if rules.turn_forced else 0) if box else FREE
        if rules.box_empty == "dead" and not box:
            raise KernelError("the turn has come back to an empty box: under box_empty=dead the deal is over")
        if turn & (FREE | MUST_TURN) != expected:
            raise KernelError(
                "turn has come back: FREE belongs to an empty box, MUST_TURN to turn_forced and no other"
            )
    elif turn & (FREE | MUST_TURN):
        raise KernelError("turn has FREE or MUST_TURN after a meld or a card turned up")


def _card_names(mask: int) -> str:
    return ", ".join(KAKKURI_PACK.listed(mask))
