"""Maximum number of decisions of one seat on a board.

Source: docs/rules/kakkuri.md#turns; the derivation is below.
"""

from __future__ import annotations

from engine.cards import KAKKURI_PACK
from engine.game import BoardKind
from engine.games.kakkuri.ruleset import KakkuriRuleset

HAND = 6


def max_decisions(ruleset: KakkuriRuleset, kind: BoardKind) -> int:
    """Return the maximum number of decisions of one seat on a board; a deal can reach it.

    A *step* is a turn in which a meld is made, or a return turn. After a step of seat L, no other seat has
    two turns before the next step, and L's own next turn, if no step comes before it, is a return turn. So a
    seat has at most 1 + steps turns before its last one.

    Steps before the deal is over: a seat plays at most 5 cards without going out, and all cards of the box
    except the start card are turned up. With eight seats, one seat is out and its hand is the box. Dropping
    adds at most one step and removes five. Triples reduce the number of steps; sansoku adds one decision and
    removes at least three steps, since it allows only pairs.

    Decisions of a seat that turns up the whole box and goes out last: one at the end of each turn, five melds
    and every TURN; also a swap, which the dealer does not decide, and in games the decision who deals.
    """
    players = min(ruleset.seats, len(KAKKURI_PACK) // HAND - 1)
    turned_up = len(KAKKURI_PACK) - HAND * players - 1
    cards = HAND - 1
    steps = cards * players + turned_up
    a_deal = 1 + steps + cards + turned_up
    swap = 1 if ruleset.fuwaru else 0
    if kind == "deal":
        return a_deal + swap
    # The winner of a deal deals the next and does not swap; a loser lacks the last meld.
    deals = ruleset.hands
    if not ruleset.deal_pass:
        return deals * a_deal + swap
    return deals * (a_deal + swap) + deals - 1
