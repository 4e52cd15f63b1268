"""The Python SDK for bots: the protocol loop, views of requests, and card helpers.

A complete bot::

    from bots.sdk import Bot, KakeyaView, Request

    class Mine(Bot):
        def act(self, request: Request) -> str:
            return request.legal[0]

    if __name__ == "__main__":
        Mine().run()

``KakeyaView`` reads requests of Kakeya and Etori, ``KakkuriView`` those of Kakkuri; ``view_of`` returns the
view for any game. ``PACK``, ``RANKS``, ``PICTURES`` and the functions for ranks belong to Kakeya;
``KAKKURI_PACK``, ``WILDS``, ``card_values`` and ``KakkuriHand`` belong to Kakkuri. For searches,
``determinize`` draws the hidden hands and ``state_from`` returns a state of the engine: docs/searching.md.

The SDK needs only the standard library. Because the start of a bot is on the clock, each name is imported on
first use. docs/bot-protocol.md describes the messages.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
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

_NAMES = {
    "bot": "Bot",
    "cards": "PACK PICTURES RANKS SUITS is_picture rank_of sorted_cards suit_of",
    "errors": "ProtocolError SdkError WorldError",
    "games": "view_of",
    "games.kakeya": "KakeyaView",
    "games.kakkuri": "KakkuriView",
    "kakkuri_hand": "KAKKURI_PACK WILDS KakkuriHand Meld card_values next_values parse_meld",
    "messages": "Answer Hello Request",
    "worlds": "determinize state_from",
}
"""Public names by submodule."""

if not TYPE_CHECKING:  # A checker would take any name for granted.

    def __getattr__(name):
        """Import a public name or a submodule on first use."""
        for module, names in _NAMES.items():
            if name in names.split():
                value = getattr(__import__(f"{__name__}.{module}", fromlist=(name,)), name)
                globals()[name] = value
                return value
            if name == module.partition(".")[0]:
                return __import__(f"{__name__}.{name}", fromlist=("__name__",))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
