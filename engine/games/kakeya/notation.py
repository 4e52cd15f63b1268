"""Words of Kakeya's notation, and the size of tricks.

Source: docs/rules/common.md#card-notation; docs/rules/kakeya.md#trump-decision, #opening-lead,
#fallback-actions.
"""

from __future__ import annotations

from engine.cards import KAKEYA_PACK, SUITS
from engine.errors import NotationError
from engine.game import Action
from engine.refusals import quoted

TRUMP = "trump"
LEAD = "lead"
PLAY = "play"
OVER = "over"

TRICKS = 13
TRICK_SIZE = 4

KEEP = "KEEP"
PREFER = "PREFER"
DEFER = "DEFER"
IKU = "IKU"
KOI = "KOI"

TRUMP_PROPOSALS: tuple[Action, ...] = (KEEP, *SUITS)
LEAD_DECLARATIONS: tuple[Action, ...] = (PREFER, DEFER)
LEAD_TALK: tuple[Action, ...] = (IKU, KOI)

WORDS = frozenset(TRUMP_PROPOSALS + LEAD_DECLARATIONS + LEAD_TALK)

ACTIONS = WORDS | frozenset(KAKEYA_PACK.cards)
"""All possible actions of a seat."""


def parse_action(text: str) -> Action:
    """Return the action if the text is a card, a suit or a word. Raise ``NotationError`` otherwise."""
    if not isinstance(text, str) or text not in ACTIONS:
        raise NotationError(
            f"not an action of kakeya: {quoted(text)}; actions are cards such as 'TD', suits of {SUITS!r} "
            f"and {', '.join(sorted(WORDS - set(SUITS)))}"
        )
    return text
