"""Reasons why an action is not allowed in a turn, without revealing other hands.

Source: docs/rules/kakkuri.md#what-may-follow, #sansoku, #turns.
"""

from __future__ import annotations

from engine.game import Action, Seat
from engine.games.kakkuri.melds import HIGHEST, next_values
from engine.games.kakkuri.notation import DROP, PASS, SANSOKU, TURN
from engine.games.kakkuri.position import KakkuriPosition
from engine.games.kakkuri.turns import FREE, MUST_TURN, RETURN


def broken_rule(state: KakkuriPosition, seat: Seat, action: Action) -> str:
    """Return the rule that an illegal action of the seat to act breaks, in the phase ``turn``."""
    turn = state.turn
    dealt = state.standing.hands[seat]
    ruleset = state.deal.setting.ruleset
    if action == PASS:
        return "the turn has come back: play first" + ("" if turn & FREE else " or turn up a box card")
    if action == TURN:
        if not turn & RETURN:
            return "a box card is turned up only when the turn has come back"
        return "the box is empty" if turn & FREE else "only one box card a turn, before any meld"
    if action in (DROP, SANSOKU):
        if dealt & state.played:
            return "this seat has played a card"
        if action == DROP:
            return "dropping is the first thing in a turn"
        return "sansoku is declared" if state.standing.sansoku >> seat & 1 else "the hand is not three pairs"
    meld = state.deal.melds.by_text.get(action)
    if meld is None:
        return "not a meld under the options of this table" if "@" in action else "not an answer in a turn"
    if meld.cards & ~(dealt & ~state.played):
        return "the hand does not hold these cards"
    if turn & MUST_TURN:
        return "the turn has come back: turn up a box card first"
    if meld.is_pair != bool(state.standing.sansoku >> seat & 1):
        if meld.is_pair:
            return "pairs only under sansoku"
        return "after sansoku only pairs" + ("" if ruleset.wild_in_sansoku else " of printed value")
    if meld.follows >> (HIGHEST if turn & FREE else state.follow) & 1:
        return "the cards left could not be split into pairs"
    allowed = " or ".join(map(str, sorted(next_values(state.follow))))
    return f"on {state.follow} follows {allowed}"
