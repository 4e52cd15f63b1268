"""What an entrant imports: the loop, the views of what is asked, and card helpers.

A whole bot::

    from bots.sdk import Bot, KakeyaView, Request

    class Mine(Bot):
        def act(self, request: Request) -> str:
            return request.legal[0]

    if __name__ == "__main__":
        Mine().run()

``KakeyaView`` reads requests of Kakeya and Etori, ``KakkuriView`` those of Kakkuri, ``view_of`` gives the
view of whatever game is played; ``PACK``, ``RANKS``,
``PICTURES`` and the functions about ranks are Kakeya's, ``KAKKURI_PACK``, ``WILDS``, ``card_values``
and ``KakkuriHand`` Kakkuri's.

``determinize`` and ``state_from`` are for searches: they draw the hidden hands and make a state of the
engine; docs/searching.md shows how.

Standard library only, and little of that: a bot's start is on the clock. The engine is imported with
``determinize`` or ``state_from``, by who asks for them. The messages themselves are described in
docs/bot-protocol.md.
"""

from bots.sdk.bot import Bot
from bots.sdk.cards import PACK, PICTURES, RANKS, SUITS, is_picture, rank_of, sorted_cards, suit_of
from bots.sdk.errors import ProtocolError, SdkError, WorldError
from bots.sdk.games import view_of
from bots.sdk.games.kakeya import KakeyaView
from bots.sdk.games.kakkuri import KakkuriView
from bots.sdk.kakkuri_hand import (
    KAKKURI_PACK,
    WILDS,
    KakkuriHand,
    Meld,
    card_values,
    next_values,
    parse_meld,
)
from bots.sdk.messages import Answer, Hello, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bots.sdk.worlds import determinize, state_from

__all__ = [
    "KAKKURI_PACK",
    "PACK",
    "PICTURES",
    "RANKS",
    "SUITS",
    "WILDS",
    "Answer",
    "Bot",
    "Hello",
    "KakeyaView",
    "KakkuriHand",
    "KakkuriView",
    "Meld",
    "ProtocolError",
    "Request",
    "SdkError",
    "WorldError",
    "card_values",
    "determinize",
    "is_picture",
    "next_values",
    "parse_meld",
    "rank_of",
    "sorted_cards",
    "state_from",
    "suit_of",
    "view_of",
]


def __getattr__(name: str) -> object:
    """What the engine is needed for: imported when first asked for."""
    if name not in ("determinize", "state_from"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bots.sdk import worlds

    return getattr(worlds, name)
