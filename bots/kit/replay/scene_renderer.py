"""Rendering of scenes, cards and headings in the terminal, with suit symbols or in ASCII."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bots.kit.display.console import DIM, text_table
from engine import Seat
from engine.printable import printable
from viewer.cards import SUIT_SIGNS, TEXT_STYLE
from viewer.position_scene import Chip, Line, PositionScene, SeatRows, SeatScene, by_suit
from viewer.texts import ENGLISH

LEAD, WON, BY_REFEREE = "▸", "*", "!"
SIGNS = "".join(SUIT_SIGNS.values()) + "▸·–−─"
ASCII_SIGNS = str.maketrans(SIGNS, "".join(SUIT_SIGNS) + ">----")
"""Translation for terminals that cannot display the signs."""
MIN_SEAT_WIDTH = 22
"""Minimum width of a seat in characters. It fits most seats, so that the table does not move."""


MAX_NAME_CHARS = 24


class SceneRenderer:
    """Renders cards, seats and tables in the characters that ``encoding`` supports."""

    def __init__(self, encoding: str, names: Mapping[Seat, str] = MappingProxyType({})) -> None:
        """``names`` has the names of bots by seat, as far as they are known."""
        self.names = names
        try:
            SIGNS.encode(encoding)
            self.is_plain = False
        except (UnicodeEncodeError, LookupError):
            self.is_plain = True

    def text(self, text: str, style: str = "") -> Text:
        """Return a text with coloured cards."""
        visible = text.replace(TEXT_STYLE, "")
        if self.is_plain:
            return Text(visible.translate(ASCII_SIGNS).encode("ascii", "replace").decode(), style)
        coloured = Text(visible, style)
        coloured.highlight_regex("[2-9TJQKA]?[♥♦]", "red")
        return coloured

    def chips(self, chips: Iterable[Chip], between: str = " ") -> Text:
        """Return cards and texts in one line. ``!`` marks actions that the referee chose."""
        return Text(between).join(
            self.text(chip.text + BY_REFEREE * chip.is_played, "bold magenta" if chip.is_special else "")
            for chip in chips
        )

    def line(self, line: Line) -> Text:
        """Return the label, the chips and the note of a line."""
        parts = [part for part in (self.chips(line.chips), self.text(line.note)) if part]
        label = self.text(line.label + ":" * bool(line.label and parts))
        return Text(" ").join([label, *parts] if label else parts)

    def heading(self, title: str, width: int) -> Text:
        """Return a heading that fills the width. ``·`` separates its parts."""
        title = self.text(title).plain
        line = self.text("─").plain
        return Text.assemble((f"{line * 2} {title} ", "bold"), (line * max(0, width - len(title) - 4), DIM))

    def rows(self, rows: SeatRows) -> Table:
        right = [
            column for column in range(len(rows.heads)) if not any(line[column].chips for line in rows.lines)
        ]
        return text_table(rows.heads, ([self._cell(cell) for cell in line] for line in rows.lines), right)

    def table(self, scene: PositionScene) -> Table:
        """Return the seats around the table, anticlockwise from the viewing seat at the bottom."""
        order = list(scene.seats)
        bottom = (scene.own or 1) - 1
        order = order[bottom:] + order[:bottom]
        a_side = (len(order) - 1) // 2
        right, left = order[1 : 1 + a_side], order[len(order) - a_side :]
        centre = Text("\n").join(
            self.line(line._replace(chips=()) if line.note else line) for line in scene.centre
        )
        grid = Table.grid(padding=(0, 2))
        for _ in range(3):
            grid.add_column(min_width=MIN_SEAT_WIDTH)
        if len(order) % 2 == 0:
            grid.add_row("", self._seat(scene, order[1 + a_side]), "")
        for row in range(a_side):
            middle = centre if row == (a_side - 1) // 2 else ""
            grid.add_row(self._seat(scene, left[row]), middle, self._seat(scene, right[a_side - 1 - row]))
        if not a_side:
            grid.add_row("", centre, "")
        grid.add_row("", self._seat(scene, order[0]), "")
        return grid

    def _cell(self, cell: Line) -> Text:
        label = self.text(cell.label or " " * bool(cell.chips))
        return Text.assemble(label, self.chips(cell.chips, ", "), self.text(cell.note))

    def _seat(self, scene: PositionScene, seat: SeatScene) -> Text:
        name = printable(self.names.get(seat.seat, ""))
        named = f" {name[:MAX_NAME_CHARS]}" if name else ""
        names = [ENGLISH.seat_name(seat.seat) + named + " (you)" * (seat.seat == scene.own), *seat.badges]
        style = "bold reverse" if seat.is_next else "bold" if seat.is_active else DIM
        laid = Text(" ").join(
            Text.assemble(self.text(LEAD * play.is_led), self.chips([play.chip]), WON * play.is_winner)
            for play in scene.laid
            if play.seat == seat.seat
        )
        note = self.text(seat.said if seat.is_active and not scene.laid else "", DIM)
        return Text("\n").join((Text(", ".join(names), style), self._hand(scene, seat), laid or note))

    def _hand(self, scene: PositionScene, seat: SeatScene) -> Text:
        if not seat.is_active:
            return self.text(seat.said, DIM)
        if seat.hidden:
            return Text(ENGLISH.backs_name(seat.hidden), DIM)
        if scene.kind != "trick" or not seat.cards:
            return self.chips(seat.cards)
        suits = []
        for suit in by_suit(seat.cards):
            ranks = [self.text(chip.text[0], _style(chip)) for chip in suit.chips]
            label = self.text(suit.label + ":" * self.is_plain, "" if ranks else DIM)
            suits.append(Text("").join((label, *(ranks or [self.text(suit.note, DIM)]))))
        return Text(" ").join(suits)


def _style(chip: Chip) -> str:
    return "bold magenta" if chip.is_special else "red" if chip.is_red else ""


def indented(part: RenderableType, *, above: int = 0, below: int = 0) -> Padding:
    return Padding(part, (above, 0, below, 2), expand=False)


def stones_text(stones: Mapping[str, int] | Mapping[Seat, int]) -> str:
    """Return stones by seat: ``1 +2, 2 -2``."""
    return ", ".join(f"{seat} {won:+d}" if won else f"{seat} 0" for seat, won in stones.items())
