"""Flags of a turn, and the words allowed in it in addition to melds.

The state of a turn is a sum of flags. Source: docs/rules/kakkuri.md#turns.
"""

from __future__ import annotations

from functools import cache

from engine.game import Action, Seat
from engine.games.kakkuri.notation import DROP, PASS, SANSOKU, TURN
from engine.games.kakkuri.standing import seats_of

RETURN = 1
"""The turn has returned: all other seats passed or dropped after this seat played."""
TURNED = 2
"""A box card was turned up in this turn."""
DECLARED = 4
"""Sansoku was declared in this turn."""
FREE = 8
"""The turn returned to an empty box: the seat must play, and its first meld may have any value."""
MUST_TURN = 16
"""The turn returned under ``turn_forced``: no meld before a box card is turned up."""
MELD = 32
"""Added for each meld of the turn; a turn of at least this number has one."""

BEGUN = TURNED | DECLARED
"""Something other than a meld was done in the turn."""


def melds_made(turn: int) -> int:
    return turn // MELD


def may_pass(turn: int) -> bool:
    """Return whether the turn may end now."""
    return turn >= MELD or not turn & RETURN or bool(turn & TURNED)


def may_turn(turn: int) -> bool:
    """Return whether a box card may be turned up, if the box is not empty, which ``FREE`` indicates."""
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
"""Allowed words by turn before any meld, then by one of the three constants above; in canonical order."""
WORDS_AFTER_MELD: tuple[Action, ...] = (PASS,)


@cache
def followers(active: int) -> tuple[tuple[Seat, ...], ...]:
    """Return the next seat of ``active`` to the right of each seat 0..8, as the resulting ``to_act``."""
    seats = seats_of(active)
    return tuple(
        (next((other for other in seats if other > seat), seats[0]),) if seats else () for seat in range(9)
    )
