"""Whose turn it is and the words allowed in it, apart from melds.

A turn under way is one number, see the flags; seats still in a deal are one too, bit *s* for seat *s*.

Source: docs/rules/kakkuri.md#turns.
"""

from __future__ import annotations

from functools import cache

from engine.game import Action, Seat
from engine.games.kakkuri.notation import DROP, PASS, SANSOKU, TURN
from engine.games.kakkuri.standing import seats_of

RETURN = 1
"""The turn has come back: everybody else passed or dropped since this seat was the last to play."""
TURNED = 2
"""A box card was turned up in this turn."""
DECLARED = 4
"""Sansoku was declared in this turn."""
FREE = 8
"""The turn came back to an empty box: the seat must play, and its first meld may have any value."""
MUST_TURN = 16
"""The turn came back under ``turn_forced``: no meld before a box card is turned up."""
MELD = 32
"""Added for each meld made in the turn; a turn of this or more has one."""

BEGUN = TURNED | DECLARED
"""Something other than a meld was done in the turn."""


def melds_made(turn: int) -> int:
    """How many melds were made in the turn."""
    return turn // MELD


def may_pass(turn: int) -> bool:
    """Whether the turn may end here."""
    return turn >= MELD or not turn & RETURN or bool(turn & TURNED)


def may_turn(turn: int) -> bool:
    """Whether a box card may be turned up, the box not being empty: ``FREE`` says when it is."""
    return turn < MELD and turn & (RETURN | TURNED | FREE) == RETURN


def _words(turn: int, is_untouched: bool, may_declare: bool) -> tuple[Action, ...]:
    allowed = {
        PASS: may_pass(turn),
        TURN: may_turn(turn),
        DROP: is_untouched and not turn & BEGUN,
        SANSOKU: is_untouched and may_declare,
    }
    return tuple(word for word, is_allowed in allowed.items() if is_allowed)


TOUCHED, UNTOUCHED, PAIRED = range(3)
"""A seat that has played a card in this deal; that has not; that has not and may declare sansoku."""

WORDS_IN = tuple(
    (_words(turn, False, False), _words(turn, True, False), _words(turn, True, True)) for turn in range(MELD)
)
"""The words allowed by turn before any meld, then by one of the three above; in canonical order."""
WORDS_AFTER_MELD: tuple[Action, ...] = (PASS,)


@cache
def followers(active: int) -> tuple[tuple[Seat, ...], ...]:
    """The next seat of ``active`` to the right of each seat 0..8, as the ``to_act`` it makes."""
    seats = seats_of(active)
    return tuple(
        (next((other for other in seats if other > seat), seats[0]),) if seats else () for seat in range(9)
    )
