"""The standings and the crosstable as they are shown. Both rest on closed board sets alone."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from fractions import Fraction
from itertools import permutations

from arena.competition.models import Tournament
from arena.standings.models import StandingRow
from arena.standings.selectors import standings_of
from arena.web.figures import exact_column
from arena.web.labels import SCORE_MEANINGS, SCORE_NAMES, EntryLabel, criteria_of, entry_label
from arena.web.rounds import DRAW, WIN, RoundLine, result_of

BOARD_SCORES = ("board_score", "board_score_difference")
CROSSTABLE_ENTRIES_AT_MOST = 20
"""A wider one cannot be read; the rounds say the same."""
BAR_HALF = 50
"""Half the width of a bar in the units of its drawing."""
LOT_DIGITS = 6
STONES_AT_MOST = 8
"""More meetings of the same two are counted instead."""


@dataclasses.dataclass(frozen=True)
class Column:
    """One value that orders the table."""

    name: str
    title: str
    meaning: str
    is_score: bool
    has_bar: bool


@dataclasses.dataclass(frozen=True)
class Cell:
    """One value of one row."""

    text: str
    full: str
    """The exact value as stored, where the text is shortened or differs in form."""
    is_deciding: bool
    bar: Bar | None = None


@dataclasses.dataclass(frozen=True)
class Bar:
    """Where a bar begins and how long it is, in units of its drawing; zero lies at ``BAR_HALF``."""

    x: float
    width: float
    is_negative: bool


@dataclasses.dataclass(frozen=True)
class RankLine:
    """One entry's line."""

    rank: int
    entry: EntryLabel
    played: int
    won: int
    drawn: int
    lost: int
    cells: tuple[Cell, ...]
    by_wins: bool
    """Whether its wins put it below the row above."""


@dataclasses.dataclass(frozen=True)
class Ranking:
    """The standings of one stage."""

    stage: int
    columns: tuple[Column, ...]
    lines: tuple[RankLine, ...]


@dataclasses.dataclass(frozen=True)
class Meeting:
    """How one entry did against another in one fixture."""

    result: str
    """``win``, ``draw`` or ``loss``."""
    text: str
    """The entry's board score; empty where more than two met."""


@dataclasses.dataclass(frozen=True)
class Crossing:
    """How one entry did against another: each of their meetings, oldest first."""

    meetings: tuple[Meeting, ...]
    is_self: bool = False

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


@dataclasses.dataclass(frozen=True)
class CrossLine:
    """One entry's row of the crosstable."""

    rank: int
    entry: EntryLabel
    crossings: tuple[Crossing, ...]


def ranking_of(tournament: Tournament) -> Ranking | None:
    """The standings after the rounds closed so far, of the last stage that has any. Two queries."""
    rows = list(standings_of(tournament))
    if not rows:
        return None
    criteria = _criteria(tournament, rows)
    columns = tuple(
        Column(
            name=name,
            title=SCORE_NAMES.get(name, name),
            meaning=SCORE_MEANINGS.get(name, ""),
            is_score=name == tournament.scoring,
            has_bar=name in BOARD_SCORES,
        )
        for name in criteria
    )
    cells = [_cells(name, rows) for name in criteria]
    lines = tuple(
        RankLine(
            rank=row.rank,
            entry=entry_label(row.entry),
            played=row.values.get("played", 0),
            won=row.values.get("won", 0),
            drawn=row.values.get("drawn", 0),
            lost=row.values.get("lost", 0),
            cells=tuple(column[place] for column in cells),
            by_wins=row.decided_by == "wins",
        )
        for place, row in enumerate(rows)
    )
    return Ranking(rows[0].stage.number, columns, lines)


def _criteria(tournament: Tournament, rows: list[StandingRow]) -> list[str]:
    """The columns: the board score always, the lot only if it was drawn upon; wins have one anyway."""
    criteria = [name for name in criteria_of(tournament) if name != "wins"]
    if not set(criteria) & set(BOARD_SCORES):
        criteria.insert(1, "board_score")
    if not any(row.decided_by == "lot" for row in rows):
        criteria.remove("lot")
    return criteria


def _cells(name: str, rows: list[StandingRow]) -> list[Cell]:
    """One column from top to bottom."""
    stored = [row.values.get(name) for row in rows]
    deciding = [row.decided_by == name for row in rows]
    if name == "lot":
        return [
            Cell((text or "")[:LOT_DIGITS], text or "", decides)
            for text, decides in zip(stored, deciding, strict=True)
        ]
    values = [None if text is None else Fraction(text) for text in stored]
    known = [value for value in values if value is not None]
    texts = iter(exact_column(known, signed=name in BOARD_SCORES))
    longest = max((abs(value) for value in known), default=Fraction()) or Fraction(1)
    return [
        Cell("–", "not needed or not applicable", decides)
        if value is None
        else Cell(next(texts), str(value), decides, _bar(value / longest) if name in BOARD_SCORES else None)
        for value, decides in zip(values, deciding, strict=True)
    ]


def _bar(share: Fraction) -> Bar:
    """A bar to the right of zero for a share above it, to the left for one below."""
    width = round(float(abs(share)) * BAR_HALF, 2)
    return Bar(BAR_HALF - width if share < 0 else BAR_HALF, width, share < 0)


def crosstable_of(ranking: Ranking | None, rounds: list[RoundLine]) -> list[CrossLine]:
    """Everybody against everybody in the order of the standings; empty where it would not help.

    From fixtures that are unsealed, of the stage of the standings; of more than two sides each pair of
    entries is a meeting.
    """
    if ranking is None or not 2 < len(ranking.lines) <= CROSSTABLE_ENTRIES_AT_MOST:
        return []
    met: dict[tuple[str, str], list[Meeting]] = defaultdict(list)
    for played in reversed(rounds):
        if played.stage != ranking.stage:
            continue
        for fixture in played.fixtures:
            for one, other in permutations(fixture.sides, 2):
                if one.total is None or other.total is None:
                    continue
                text = "" if fixture.is_many else one.total_text
                met[one.entry.id, other.entry.id].append(Meeting(result_of(one.total, other.total), text))
    return [
        CrossLine(
            line.rank,
            line.entry,
            tuple(
                Crossing(tuple(met[line.entry.id, other.entry.id]), is_self=line is other)
                for other in ranking.lines
            ),
        )
        for line in ranking.lines
    ]
