"""How certain the first place of a stage is: the leader against the second on the boards that both played."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.models import Round, Stage, Tournament
from arena.standings.models import BoardScore
from arena.standings.selectors import ListedRow
from arena.standings.stages import SCORED_STATES
from league.separation import MIN_BOARDS, Difference, neighbour_difference

__all__ = ["MIN_BOARDS", "Difference", "Margin", "lead_difference", "margins"]

VALUE_OF = {"wins": "won"}
"""Names under which rows store the value of a criterion, if they differ."""
MAX_MARGINS = 3
"""Places of a podium."""


def lead_difference(tournament: Tournament, stage: Stage, rows: Sequence[ListedRow]) -> Difference | None:
    """Return the difference of the first two entries, from the first rows of a stage; None with fewer rows.

    Cached by the tournament's revision, so it is computed once after a round. At most one query.
    """
    if len(rows) < 2:
        return None
    first, second = rows[0].entry.key, rows[1].entry.key

    def difference() -> Difference:
        scores = BoardScore.objects.filter(
            entry__in=[first, second],
            fixture__board_set__round__stage=stage,
            fixture__board_set__round__state=Round.State.CLOSED,
            fixture__state__in=SCORED_STATES,
        )
        columns = ("fixture__board_set", "board", "entry_id", "numerator", "denominator")
        boards: dict[tuple[int, int], dict[int, Fraction]] = defaultdict(dict)
        for board_set, board, entry, *value in scores.order_by().values_list(*columns):
            boards[board_set, board][entry] = Fraction(*value)
        return neighbour_difference(
            [on_board[first] - on_board[second] for on_board in boards.values() if len(on_board) == 2]
        )

    key = CacheKey(("lead", tournament.public_id, stage.pk, first, second), tournament.revision)
    return process_cache.get_or_build(key, difference)


class Margin(NamedTuple):
    """The value that separates an entry from the one below it in the standings."""

    value: str
    """Name of the first value that differs, such as ``match_points``, ``progress`` or ``lot``."""
    ahead: Fraction | None
    """Difference in this value; None if it is no number."""
    own: Any
    below: Any
    """The two values as stored."""


def margins(rows: Sequence[ListedRow]) -> list[Margin | None]:
    """Return the margin of each of the first three entries; None for the last of a stage."""
    return [
        _margin(row, below) if below is not None else None
        for row, below in zip(rows[:MAX_MARGINS], [*rows[1 : MAX_MARGINS + 1], None], strict=False)
    ]


def _margin(row: ListedRow, below: ListedRow) -> Margin:
    name = below.decided_by
    stored = VALUE_OF.get(name, name)
    own, other = row.values.get(stored), below.values.get(stored)
    ahead = None
    if name != "lot" and own is not None and other is not None:
        ahead = Fraction(own) - Fraction(other)
    return Margin(name, ahead, own, other)
