"""Lists of a tournament's boards: biggest swings, hardest boards, and luck removed by duplicate play."""

from __future__ import annotations

from typing import Any

from arena.competition.models import Tournament
from arena.standings.luck import Luck, TooFewBoards, event_luck
from arena.standings.swings import biggest_swings, boards_decided, hardest_boards
from arena.web.drawing.swing_lines import swing_lines

MAX_BOARDS_LISTED = 20
"""Maximum boards per list."""


def deals_context(tournament: Tournament) -> dict[str, Any]:
    """Return the template context of the lists, from closed rounds only. Six queries."""
    luck = event_luck(tournament)
    return {
        "swings": swing_lines(biggest_swings([tournament], MAX_BOARDS_LISTED)),
        "hardest": swing_lines(hardest_boards([tournament], MAX_BOARDS_LISTED)),
        "boards": boards_decided(tournament),
        "luck": luck if isinstance(luck, Luck) else None,
        "too_few": luck if isinstance(luck, TooFewBoards) else None,
    }
