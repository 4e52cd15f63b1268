"""Lists of a tournament's boards: biggest swings, hardest boards, and luck removed by duplicate play."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from arena.competition.models import Tournament
from arena.standings.luck import Luck, TooFewBoards, event_luck
from arena.standings.swings import Swing, biggest_swings, boards_decided, hardest_boards
from arena.web.base.figures import format_exact
from arena.web.base.labels import entry_label
from arena.web.drawing.sides import SideName, side_names

MAX_BOARDS_LISTED = 20
"""Maximum boards per list."""


@dataclasses.dataclass(frozen=True)
class DealLine:
    swing: Swing
    winners: tuple[SideName, ...]
    others: tuple[SideName, ...]
    value: str
    """Largest board score."""
    part: str
    """Length of the bar, in percent of the longest."""


def deals_context(tournament: Tournament) -> dict[str, Any]:
    """Return the template context of the lists, from closed rounds only. Six queries."""
    luck = event_luck(tournament)
    return {
        "swings": _lines(biggest_swings([tournament], MAX_BOARDS_LISTED)),
        "hardest": _lines(hardest_boards([tournament], MAX_BOARDS_LISTED)),
        "boards": boards_decided(tournament),
        "luck": luck if isinstance(luck, Luck) else None,
        "too_few": luck if isinstance(luck, TooFewBoards) else None,
    }


def _lines(swings: Sequence[Swing]) -> tuple[DealLine, ...]:
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
