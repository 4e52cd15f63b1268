"""Lines of boards with large swings, for lists on several pages."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction

from arena.standings.swings import Swing
from arena.web.base.figures import format_exact
from arena.web.base.labels import entry_label
from arena.web.drawing.sides import SideName, side_names


@dataclasses.dataclass(frozen=True)
class DealLine:
    swing: Swing
    winners: tuple[SideName, ...]
    others: tuple[SideName, ...]
    value: str
    """Largest board score."""
    part: str
    """Length of the bar, in percent of the longest."""


def swing_lines(swings: Sequence[Swing]) -> tuple[DealLine, ...]:
    most = max((swing.mean for swing in swings), default=Fraction(1))
    sides = [side for swing in swings for side in (swing.winners, swing.others)]
    names = side_names([[entry_label(entry) for entry in side] for side in sides])
    return tuple(
        DealLine(
            swing,
            winners,
            losers,
            format_exact(swing.value, signed=True),
            f"{100 * float(swing.mean / most):.1f}",
        )
        for swing, winners, losers in zip(swings, names[::2], names[1::2], strict=True)
    )
