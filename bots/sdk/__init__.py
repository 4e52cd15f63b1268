"""What an entrant imports: the loop, the views of what is asked, and card helpers.

A whole bot::

    from bots.sdk import Bot, KakeyaView, Request

    class Mine(Bot):
        def act(self, request: Request) -> str:
            return request.legal[0]

    if __name__ == "__main__":
        Mine().run()

Standard library only, and little of that: a bot's start is on the clock. The messages
themselves are described in docs/bot-protocol.md.
"""

from bots.sdk.bot import Bot
from bots.sdk.cards import PACK, PICTURES, RANKS, SUITS, is_picture, rank_of, sorted_cards, suit_of
from bots.sdk.errors import ProtocolError, SdkError
from bots.sdk.kakeya import KakeyaView
from bots.sdk.messages import Answer, Hello, Request

__all__ = [
    "PACK",
    "PICTURES",
    "RANKS",
    "SUITS",
    "Answer",
    "Bot",
    "Hello",
    "KakeyaView",
    "ProtocolError",
    "Request",
    "SdkError",
    "is_picture",
    "rank_of",
    "sorted_cards",
    "suit_of",
]
