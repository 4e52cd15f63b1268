"""Cards, seats and the table in the terminal: symbols and colours, or plain ASCII where it must be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bots.kit.display.console import DIM
from engine import Seat

SUITS = "SHDC"
RED = "HD"
RANKS = "AKQJT98765432"
SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
MARKS = {"point": "▸", "dot": "·", "dash": "–", "times": "×"}
PLAIN_MARKS = {"point": ">", "dot": "-", "dash": "-", "times": "x"}


class Place(NamedTuple):
    """What stands at one seat of the table."""

    title: str
    lines: tuple[Text, ...]
    is_active: bool = True
    """False for who rests or has dropped."""
    is_next: bool = False
    """Whether the table waits for this seat."""


class Ink:
    """Writes cards, seats and tables, in whatever characters the terminal can show."""

    def __init__(self, encoding: str) -> None:
        """Choose between symbols and letters by what ``encoding`` can hold."""
        try:
            "".join((*SYMBOLS.values(), *MARKS.values(), "─")).encode(encoding)
            self.is_plain = False
        except (UnicodeEncodeError, LookupError):
            self.is_plain = True
        self.marks = PLAIN_MARKS if self.is_plain else MARKS

    def suit(self, suit: str) -> Text:
        """A suit."""
        return Text(suit if self.is_plain else SYMBOLS[suit], "red" if suit in RED else "")

    def card(self, card: str, *, is_high: bool = False, is_special: bool = False) -> Text:
        """One card, rank then suit as everywhere; pictures and the like stand out."""
        style = _style(card, card if is_high else "", card if is_special else "")
        return Text(card if self.is_plain else card[0] + SYMBOLS[card[1]], style)

    def by_suit(self, cards: Iterable[str], high: Collection[str], special: Collection[str]) -> Text:
        """A hand by suits, high cards first: ``♠AK4 ♥T ♦– ♣2``."""
        held = set(cards)
        parts = []
        for suit in SUITS:
            own = sorted((card for card in held if card[1] == suit), key=lambda card: RANKS.index(card[0]))
            part = Text(f"{suit}:" if self.is_plain else SYMBOLS[suit], "red" if suit in RED else "")
            for card in own:
                part.append(card[0], _style(card, high, special))
            if not own:
                part = Text(f"{part.plain}{self.marks['dash']}", DIM)
            parts.append(part)
        return Text(" ").join(parts)

    def heading(self, title: str, width: int) -> Text:
        """A heading over a whole line."""
        line = "-" if self.is_plain else "─"
        return Text.assemble((f"{line * 2} {title} ", "bold"), (line * max(0, width - len(title) - 4), DIM))

    def table(
        self, places: Mapping[Seat, Place], bottom: Seat, centre: RenderableType, place_width: int
    ) -> Table:
        """The seats as they sit, anticlockwise from the bottom, with something in the middle.

        ``place_width`` is what most places need, in characters: the table then stands still.
        """
        order = list(range(1, len(places) + 1))
        order = order[bottom - 1 :] + order[: bottom - 1]
        a_side = (len(order) - 1) // 2
        right, left = order[1 : 1 + a_side], order[len(order) - a_side :]
        grid = Table.grid(padding=(0, 2))
        for _ in range(3):
            grid.add_column(min_width=place_width)
        if len(order) % 2 == 0:
            grid.add_row("", self._place(places[order[1 + a_side]]), "")
        for row in range(a_side):
            middle = centre if row == (a_side - 1) // 2 else ""
            grid.add_row(self._place(places[left[row]]), middle, self._place(places[right[a_side - 1 - row]]))
        if not a_side:
            grid.add_row("", centre, "")
        grid.add_row("", self._place(places[order[0]]), "")
        return grid

    def _place(self, place: Place) -> Text:
        title = Text(place.title, "bold reverse" if place.is_next else "bold" if place.is_active else DIM)
        return Text("\n").join((title, *place.lines))


def _style(card: str, high: Collection[str], special: Collection[str]) -> str:
    color = "red" if card[1] in RED else ""
    return "bold magenta" if card in special else f"bold {color}".strip() if card in high else color


def indented(part: RenderableType, *, above: int = 0, below: int = 0) -> Padding:
    """Something a little to the right, with empty lines round it."""
    return Padding(part, (above, 0, below, 2), expand=False)


def seats_text(seats: Sequence[Seat]) -> str:
    """Seats in words: ``1 & 3``, or ``nobody``."""
    return " & ".join(map(str, seats)) or "nobody"


def referee_lines(acts: Iterable[tuple[Seat, str]]) -> list[Text]:
    """A line for each seat the referee acted for; ``acts`` are those acts' seats and verdicts."""
    counts = Counter(acts)
    return [
        Text(f"! The referee acted for seat {seat}, {count} time{'s' * (count > 1)}: {verdict}", "yellow")
        for (seat, verdict), count in counts.items()
    ]


def stones_text(stones: Mapping[str, int] | Mapping[Seat, int]) -> str:
    """Stones by seat: ``1 +2, 2 -2``."""
    return ", ".join(f"{seat} {won:+d}" if won else f"{seat} 0" for seat, won in stones.items())
