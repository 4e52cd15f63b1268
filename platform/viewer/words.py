"""What the viewer says, in English and Japanese.

Fields are texts, or patterns of ``str.format`` whose fields stand in their docstrings.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence


@dataclasses.dataclass(frozen=True)
class Words:
    """All words of one language."""

    language: str
    """The ``lang`` of HTML."""
    suits: Mapping[str, str]
    """By letter: the suits of the French deck."""
    ranks: Mapping[str, str]
    card: str
    """``rank``, ``suit``."""
    komatsu_suits: Mapping[str, str]
    komatsu_card: str
    """``value``, ``suit``."""
    wild_card: str
    """``value``, ``suit``."""
    backs: tuple[str, str]
    """One and many: ``count``."""
    seat: str
    """``seat``."""
    seats: str
    """``seats``, joined by ``and``."""
    between_seats: str
    deals: str
    may_lead: str
    rests: str
    dealer: str
    trumps: str
    rensho: str
    whole_deal: str
    """What a drawing of a deal shows: ``board``."""
    box: str

    def card_name(self, code: str) -> str:
        """A card of the French deck as it is spoken.

        >>> words("en").card_name("TD")
        '10 of diamonds'
        """
        return self.card.format(rank=self.ranks[code[0]], suit=self.suits[code[1]])

    def komatsu_name(self, value: int, suit: str, is_wild: bool) -> str:
        """A card of the Kakkuri deck as it is spoken.

        >>> words("en").komatsu_name(11, "S", False)
        '11 of swords'
        """
        pattern = self.wild_card if is_wild else self.komatsu_card
        return pattern.format(value=value, suit=self.komatsu_suits[suit])

    def backs_name(self, count: int) -> str:
        """Cards that lie face down."""
        return self.backs[count != 1].format(count=count)

    def seat_name(self, seat: int) -> str:
        """``Seat 3``."""
        return self.seat.format(seat=seat)

    def pair(self, seats: Sequence[int]) -> str:
        """``1 & 3``."""
        return self.between_seats.join(map(str, seats))


_NUMBERS = {"T": "10", **{str(rank): str(rank) for rank in range(2, 10)}}

ENGLISH = Words(
    language="en",
    suits={"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"},
    ranks={"A": "ace", "K": "king", "Q": "queen", "J": "jack", **_NUMBERS},
    card="{rank} of {suit}",
    komatsu_suits={"S": "swords", "H": "cups", "D": "coins", "C": "staves"},
    komatsu_card="{value} of {suit}",
    wild_card="wild card, {value} of {suit}",
    backs=("1 card", "{count} cards"),
    seat="Seat {seat}",
    seats="Seats {seats}",
    between_seats=" & ",
    deals="deals",
    may_lead="may lead",
    rests="rests this deal",
    dealer="dealer",
    trumps="Trumps",
    rensho="Rensho",
    whole_deal="Board {board}: all hands",
    box="box",
)

JAPANESE = Words(
    language="ja",
    suits={"S": "スペード", "H": "ハート", "D": "ダイヤ", "C": "クラブ"},
    ranks={"A": "エース", "K": "キング", "Q": "クイーン", "J": "ジャック", **_NUMBERS},
    card="{suit}の{rank}",
    komatsu_suits={"S": "イス", "H": "コツ", "D": "オウル", "C": "パオ"},
    komatsu_card="{suit}の{value}",
    wild_card="鬼札、{suit}の{value}",
    backs=("1枚", "{count}枚"),
    seat="席{seat}",
    seats="席{seats}",
    between_seats="・",
    deals="配り手",
    may_lead="打ち出し側",
    rests="この局は休み",
    dealer="親",
    trumps="切り札",
    rensho="れんしょ",
    whole_deal="ボード{board}の全ての手札",
    box="箱",
)

_LANGUAGES = {spoken.language: spoken for spoken in (ENGLISH, JAPANESE)}


def words(language: str) -> Words:
    """The words of a language such as ``ja`` or ``ja-jp``; English for those we do not speak."""
    return _LANGUAGES.get(language.lower().split("-")[0], ENGLISH)
