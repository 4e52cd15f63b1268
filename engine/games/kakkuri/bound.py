"""How often one seat can be asked on one board.

Source: docs/rules/kakkuri.md#turns, counted out below.
"""

from __future__ import annotations

from engine.cards import KAKKURI_PACK
from engine.game import BoardKind
from engine.games.kakkuri.ruleset import KakkuriRuleset

HAND = 6


def most_decisions(ruleset: KakkuriRuleset, kind: BoardKind) -> int:
    """The most decisions of one seat on a board; a deal can reach it.

    Call a turn a *step* if a meld is made in it or it is a return turn. After a step of seat L nobody
    else has two turns before the next step, and L's own next turn, if none comes before, is a return
    turn. So a seat has at most one turn before the first step and one between each step and the next:
    no more turns than 1 + steps before the last turn.

    Steps before the deal is over: nobody plays more than 5 cards without going out, and of the box all
    but the start card are turned up. With eight seats one of them is out, and the box is its hand.
    Dropping gives a step at most and takes five away; triples make steps fewer, and so does sansoku, which
    is one decision more and takes at least three steps away: pairs, with wild cards or without.

    The decisions of a seat that turns up the whole box and goes out last:
    one at the end of each turn (a pass, or the last meld), five melds and every TURN.
    To these come a swap, which the dealer is not asked for, and in games the question who deals.
    """
    players = min(ruleset.seats, len(KAKKURI_PACK) // HAND - 1)
    turned_up = len(KAKKURI_PACK) - HAND * players - 1
    cards = HAND - 1
    steps = cards * players + turned_up
    a_deal = 1 + steps + cards + turned_up
    swap = 1 if ruleset.fuwaru else 0
    if kind == "deal":
        return a_deal + swap
    # Who wins a deal deals the next and is not asked to swap; who does not win lacks the last meld.
    deals = ruleset.hands
    if not ruleset.deal_pass:
        return deals * a_deal + swap
    return deals * (a_deal + swap) + deals - 1
