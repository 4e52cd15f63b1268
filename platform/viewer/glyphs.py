"""The strokes our cards and crests are drawn with. No font, so they look the same everywhere.

Ranks stand in a box 10 wide and 14 high and are stroked; suits are centred on 0,0 within about 12 x 12.
A French card is 28 x 40, a komatsufuda 22 x 40, a crest 16 x 16.
"""

from __future__ import annotations

RANKS = {
    "A": "M0 14 5 0l5 14M1.7 9.4h6.6",
    "K": "M.9 0v14M9.4 0 .9 8.8M4 5.7 9.9 14",
    "Q": "M5 0C2 0 .2 2.8.2 7S2 14 5 14s4.8-2.8 4.8-7S8 0 5 0ZM5.8 10.4l4.1 4.7",
    "J": "M8 0v9.6C8 12.5 6.6 14 4.3 14S.8 12.6.5 10.4",
    "T": "M0 2.3 2.1.3V14M7.4 0C5.4 0 4.7 2.4 4.7 7s.7 7 2.7 7 2.7-2.4 2.7-7-.7-7-2.7-7Z",
    "9": "M1.3 12.5C2.2 13.5 3.4 14 4.8 14c3 0 4.8-2.9 4.8-7.6C9.6 2.2 7.8 0 5 0S.4 1.9.4 4.5 2.3 8.9 4.9 8.9"
    "s4.6-1.7 4.7-4",
    "8": "M5 6.5C2.6 6.5 1 5.2 1 3.2S2.6 0 5 0s4 1.3 4 3.2-1.6 3.3-4 3.3c-2.8 0-4.6 1.5-4.6 3.8S2.2 14 5 14"
    "s4.6-1.5 4.6-3.7S7.8 6.5 5 6.5Z",
    "7": "M.3 0h9.4C7 4.2 5.2 8.6 4.2 14",
    "6": "M8.7 1.5C7.8.5 6.6 0 5.2 0c-3 0-4.8 2.9-4.8 7.6C.4 11.8 2.2 14 5 14s4.6-1.9 4.6-4.5-1.9-4.4-4.5-4.4"
    "-4.6 1.7-4.7 4",
    "5": "M8.8 0H2.1l-.8 6.2c.9-.8 2.1-1.2 3.5-1.2 2.8 0 4.7 1.8 4.7 4.4S7.5 14 4.7 14C2.6 14 1 13.2.3 11.6",
    "4": "M7.2 14V0L.2 9.9h9.6",
    "3": "M1 2.4C1.7.9 3 0 4.9 0c2.5 0 4.2 1.4 4.2 3.4S7.3 6.7 4.3 6.7c3.2 0 5.3 1.4 5.3 3.7S7.6 14 4.9 14"
    "C2.6 14 .9 13 .3 11.2",
    "2": "M.7 3.8C.7 1.5 2.5 0 5 0s4.3 1.5 4.3 3.8c0 2.8-2.7 4.8-8.8 10.2h9.2",
    "1": "M1.7 2.9 5.6.1V14M1.5 14h7.6",
}
"""Index of a French card, and digits of a komatsufuda (``1`` to ``9``)."""

SUITS = {
    "S": "M0-5.9c3.2 3.4 5.6 5.3 5.6 7.7 0 1.6-1.2 2.7-2.5 2.7C2 4.5 1.1 3.9.6 3c.1 1.3.5 2.3 1.3 3.1h-3.8"
    "C-1.1 5.3-.7 4.3-.6 3c-.5.9-1.4 1.5-2.5 1.5-1.3 0-2.5-1.1-2.5-2.7 0-2.4 2.4-4.3 5.6-7.7Z",
    "H": "M0 5.8C-4.4 2.4-5.7.3-5.7-2c0-2 1.3-3.4 2.9-3.4 1.3 0 2.3.8 2.8 2.1.5-1.3 1.5-2.1 2.8-2.1"
    "C4.4-5.4 5.7-4 5.7-2 5.7.3 4.4 2.4 0 5.8Z",
    "D": "M0-6.1Q2-2.4 4.8 0 2 2.4 0 6.1-2 2.4-4.8 0-2-2.4 0-6.1Z",
    "C": "M-2.7-3a2.7 2.7 0 1 1 5.4 0c0 .9-.5 1.7-1.1 2.3A2.7 2.7 0 1 1 .8 3.2C.9 4.4 1.2 5.3 2 6.1h-4"
    "c.8-.8 1.1-1.7 1.2-2.9a2.7 2.7 0 1 1-.8-3.9C-2.2-1.3-2.7-2.1-2.7-3Z",
}

_BODY, _LINE, _INNER = "f", "s", "w"
"""How a path is drawn: filled, stroked, stroked in the colour of the card."""

FIGURES = {
    "K": (
        (_BODY, "M20.6 18.4c-3.8.8-5.2 9-5.6 19h11.2c-.4-10-1.8-18.2-5.6-19Z"),
        (_INNER, "M20.6 21.5v15.9M17.2 26.2h6.8"),
        (_LINE, "M20.6 12.5V5.8c2.7-.7 4 .6 3.5 3.3M20.6 12.5a2.6 2.6 0 1 0 .01 0Z"),
    ),
    "Q": (
        (_BODY, "M20.6 19c-4.4.8-5.7 9-6.1 18.4h12.2C26.3 28 25 19.8 20.6 19Z"),
        (_INNER, "M16.4 29.6c2.2-4.4 6.2-4.4 8.4 0M20.6 26.4v11"),
        (_BODY, "M15.7 19.3c-1-6.2 1-9.3 4.9-9.3s5.9 3.1 4.9 9.3l-2.4-1.9a3.3 3.3 0 1 0-5 0Z"),
        (_LINE, "M20.6 13.4a2.2 2.2 0 1 0 .01 0Z"),
    ),
    "J": (
        (_BODY, "M18.6 20h4l2.7 17.4h-9.4Z"),
        (_INNER, "M17.4 27.4h6.4"),
        (_LINE, "M20.6 13.2a2.5 2.5 0 1 0 .01 0ZM20.6 13.2V9.6"),
        (_BODY, "M20.6 6.6a1.6 1.6 0 1 1-.01 0Z"),
    ),
}
"""Dolls of the doll festival: the king with the tall cap of the court, the queen with wide hair and a fan,
the jack with a topknot. Parts as (kind, path): ``f`` filled, ``s`` stroked, ``w`` in the card's colour."""

KOMATSU_SUITS = {
    "C": "M-6-6 6 6M6-6-6 6M-7.1-4.9l2.2-2.2M4.9-7.1l2.2 2.2M-7.1 4.9l2.2 2.2M4.9 7.1 7.1 4.9",
    "S": "M-6.4-6.4c5 3.4 5 9.4 0 12.8M6.4-6.4c-5 3.4-5 9.4 0 12.8M-4.6 0h9.2",
    "D": "M0-6.3a6.3 6.3 0 1 0 .01 0ZM0-1.2a1.2 1.2 0 1 0 .01 0Z",
    "H": "M-6-6.4v4.2C-6 1.6-3.4 3.4 0 3.4s6-1.8 6-5.6v-4.2M0 3.4v3.2M-4 6.6h8",
}
"""Suits of the komatsufuda by their letters: pao, isu, oru, kotsu."""

CRESTS = {
    "A": "M8 2a6 6 0 1 0 .01 0ZM8 6.6a1.4 1.4 0 1 0 .01 0Z",
    "B": "M8 1.2 14.8 8 8 14.8 1.2 8ZM8 6.2 9.8 8 8 9.8 6.2 8Z",
    "C": "M8 1.8 15 14H1ZM8 8.6a1.4 1.4 0 1 0 .01 0Z",
    "D": "M2.2 2.2h11.6v11.6H2.2ZM8 5v6M5 8h6",
}
"""Crests of sides: ring with dot, lozenge, triangle (a scale, uroko), square with cross."""

CREST_OUTLINES = {side: path.split("Z")[0] + "Z" for side, path in CRESTS.items()}
"""The same without what is inside, for the filled ones of sides 5 to 8."""
