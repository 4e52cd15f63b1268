"""Words of Kakkuri's notation in addition to melds.

Source: docs/rules/kakkuri.md#fuwaru, #turns, #fallback-actions; docs/contracts.md#engine.
"""

from __future__ import annotations

from engine.errors import NotationError
from engine.game import Action
from engine.games.kakkuri.melds import meld_table
from engine.games.kakkuri.ruleset import CHOICES
from engine.refusals import quoted

PASS = "PASS"
TURN = "TURN"
DROP = "DROP"
SANSOKU = "SANSOKU"
SWAP = "SWAP"
KEEP = "KEEP"
DEAL = "DEAL"
GIVE = "GIVE"

WORDS: tuple[Action, ...] = (PASS, TURN, DROP, SANSOKU, SWAP, KEEP, DEAL, GIVE)
"""In the order in which legal actions name them, before any meld."""
SWAP_ANSWERS: tuple[Action, ...] = (SWAP, KEEP)
DEAL_ANSWERS: tuple[Action, ...] = (DEAL, GIVE)

MELDS: frozenset[Action] = frozenset(
    text
    for court_order in CHOICES["court_order"]
    for wild_mode in CHOICES["wild_mode"]
    for text in meld_table(court_order, wild_mode, wild_in_sansoku=True).by_text
)
"""Every meld any ruleset knows."""


def parse_action(text: str) -> Action:
    """Return the action if the text is a meld in its canonical spelling or a word, else raise
    ``NotationError``.

    >>> parse_action("7H+7D+AC@7")
    '7H+7D+AC@7'
    """
    if not isinstance(text, str) or (text not in MELDS and text not in WORDS):
        raise NotationError(
            f"not an action of kakkuri: {quoted(text)}; actions are {', '.join(WORDS)} and melds such as "
            "'4H@4', 'AC@6' or '7H+7D+AC@7': cards in the order S H D C, wild cards last, then the value"
        )
    return text
