"""Everybody against everybody as it is shown: meetings as stones, and what is more than chance.

From fixtures whose boards are unsealed alone.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import permutations

from arena.competition.models import Stage
from arena.standings.crosstables import crosstable
from arena.web.figures import MINUS
from arena.web.labels import EntryLabel
from arena.web.ranking import Ranking
from arena.web.rounds import DRAW, WIN, RoundLine, result_of

ENTRIES_AT_MOST = 20
"""A wider one cannot be read; the rounds say the same."""
STONES_AT_MOST = 8
"""More meetings of the same two are counted instead."""


@dataclasses.dataclass(frozen=True)
class Meeting:
    """How one entry did against another in one fixture."""

    result: str
    """``win``, ``draw`` or ``loss``."""
    text: str
    """The entry's board score; empty where more than two met."""


@dataclasses.dataclass(frozen=True)
class Crossing:
    """How one entry did against another: each of their meetings, oldest first, and on all their boards."""

    meetings: tuple[Meeting, ...]
    is_self: bool = False
    mark: str = ""
    """``*`` or ``**``: its mean differs from zero beyond chance, at 95 or 99 %."""
    meaning: str = ""
    """The mean with its interval, in words."""

    @property
    def is_many(self) -> bool:
        """Too many for a stone each."""
        return len(self.meetings) > STONES_AT_MOST

    @property
    def won(self) -> int:
        """Meetings won."""
        return sum(meeting.result == WIN for meeting in self.meetings)

    @property
    def drawn(self) -> int:
        """Meetings drawn."""
        return sum(meeting.result == DRAW for meeting in self.meetings)

    @property
    def lost(self) -> int:
        """Meetings lost."""
        return len(self.meetings) - self.won - self.drawn

    @property
    def counts_text(self) -> str:
        """The counts and the mean in words."""
        return f"{self.won} won, {self.drawn} drawn, {self.lost} lost; {self.meaning}"


@dataclasses.dataclass(frozen=True)
class CrossLine:
    """One entry's row of the crosstable."""

    rank: int
    entry: EntryLabel
    crossings: tuple[Crossing, ...]


def crosstable_of(
    ranking: Ranking | None, stages: Sequence[Stage], rounds: Sequence[RoundLine]
) -> list[CrossLine]:
    """Everybody against everybody in the order of the standings; empty where it would not help.

    Of the stage of the standings; of more than two sides each pair of entries is a meeting.
    """
    if ranking is None or not 2 < len(ranking.lines) <= ENTRIES_AT_MOST:
        return []
    stage = next(stage for stage in stages if stage.number == ranking.stage)
    met = _meetings(ranking.stage, rounds)
    cells = crosstable(stage).cells
    lines = []
    for line in ranking.lines:
        crossings = []
        for other in ranking.lines:
            pair = (line.entry.id, other.entry.id)
            cell = cells.get(pair)
            crossings.append(
                Crossing(
                    tuple(met.get(pair, ())),
                    is_self=line is other,
                    mark=cell.mark if cell else "",
                    meaning=_meaning(cell.mean, cell.low, cell.high, cell.boards) if cell else "",
                )
            )
        lines.append(CrossLine(line.rank, line.entry, tuple(crossings)))
    return lines


def _meetings(stage: int, rounds: Sequence[RoundLine]) -> Mapping[tuple[str, str], list[Meeting]]:
    """By entry and opponent; partners do not meet."""
    met: dict[tuple[str, str], list[Meeting]] = defaultdict(list)
    for played in reversed(rounds):
        if played.stage != stage:
            continue
        for fixture in played.fixtures:
            for side, other in permutations(fixture.sides, 2):
                if side.total is None or other.total is None:
                    continue
                text = "" if fixture.is_many else side.total_text
                for mine in side.entries:
                    for theirs in other.entries:
                        met[mine.id, theirs.id].append(Meeting(result_of(side.total, other.total), text))
    return met


def _meaning(mean: float, low: float, high: float, boards: int) -> str:
    """The mean in words.

    >>> _meaning(0.5, -0.25, 1.25, 16)
    '+0.50 stones a board over 16 boards, 95 % from −0.25 to +1.25'
    """
    text = f"{_signed(mean)} stones a board over {boards} boards"
    return text if boards < 2 else f"{text}, 95 % from {_signed(low)} to {_signed(high)}"


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", MINUS)
