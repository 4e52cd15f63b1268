"""Standings as displayed. They contain only results of closed board sets."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.notes import Note
from arena.competition.models import Stage, Tournament
from arena.competition.selectors import format_title, stage_or_latest_of, stages_of
from arena.standings.models import StandingRow
from arena.standings.selectors import (
    ListedRow,
    row_counts,
    rows_of_account,
    rows_of_stage,
    rows_with_entries,
)
from arena.web.base.figures import format_column
from arena.web.base.labels import (
    SCORE_MEANINGS,
    SCORE_NAMES,
    EntryLabel,
    entry_label,
    in_sentence,
    ranking_criteria,
)
from arena.web.base.wording import join_facts
from arena.web.drawing.crosstable import CrosstableWindow, build_group_windows
from arena.web.drawing.visitor_parts import OwnEntry
from arena.web.tournaments.places import PlacesPlot, build_group_places
from arena.web.tournaments.row_details import RowDetails, RowResult, build_row_details

Row = StandingRow | ListedRow
"""A row computed for a past time, or a listed row."""
BOARD_SCORES = ("board_score", "board_score_difference")
LINES_PER_PAGE = 50
"""Lines per page of a stage's standings, and maximum lines of a stage with groups on a tournament's page."""
MAX_WHOLE_LINES = 16
"""Maximum lines of the last stage that a tournament's page shows whole; of more, it shows ``TOP_LINES``."""
TOP_LINES = 10
MAX_OWN_LINES = 10
"""Maximum rows of the visitor that a tournament's page adds to the first ones."""
MAX_PLOTTED_LINES = 32
"""Maximum lines of a stage with groups whose places over the rounds are drawn."""
MAX_EARLIER_LINES = 20
"""Maximum lines of all earlier stages together on a tournament's page."""
LEADING_VALUES = ("place", "progress", "score_per_fixture")
"""Values displayed before the score, in stages that have them."""
MIN_COMPARED = 2
"""Minimum rows of standings that leave out columns with equal values."""
NO_DETAILS = RowDetails()
BAR_HALF = 50
"""Half the width of a bar, in units of its drawing."""


@dataclasses.dataclass(frozen=True)
class RankingColumn:
    name: str
    title: str
    meaning: str
    is_first: bool
    """Whether it counts first or is a score, so that narrow screens keep it."""


@dataclasses.dataclass(frozen=True)
class RankingCell:
    text: str
    full: str
    """The exact stored value, if the text is shortened or formatted."""
    is_deciding: bool
    is_first: bool
    bar: ScoreBar | None = None


@dataclasses.dataclass(frozen=True)
class ScoreBar:
    """Start and length of a bar, in units of its drawing; zero is at ``BAR_HALF``."""

    x: float
    width: float
    is_negative: bool


@dataclasses.dataclass(frozen=True)
class RankingLine:
    rank: int
    entry: EntryLabel
    played: int
    won: int
    drawn: int
    lost: int
    cells: tuple[RankingCell, ...]
    by_wins: bool
    """Whether wins separate it from the row above."""
    place: int = 0
    """Place in its group, from 1; 0 without groups."""
    by_lot: str = ""
    """Lot of an entry that only the lot separates from the row above, 64 hex digits; else empty."""
    decided_by: str = ""
    """The value that separates it from the row above, for narrow screens that hide its column."""
    results: Sequence[RowResult] = ()
    """Latest results, in order of rounds."""
    faults: int = 0
    """Tables with a fault."""


class TableShape(NamedTuple):
    """The columns of standings besides those of values."""

    has_played: bool = False
    """Whether the entries have played different numbers of fixtures."""
    has_results: bool = False
    has_faults: bool = False


@dataclasses.dataclass(frozen=True)
class RankingGroup:
    """The standings of a group; ranks are places within the group."""

    number: int
    columns: tuple[RankingColumn, ...]
    lines: tuple[RankingLine, ...]
    window: CrosstableWindow | None = None
    """Its crosstable, on a tournament's page."""
    places: PlacesPlot | None = None
    """Its places over the rounds, on a tournament's page."""

    @property
    def by_lot(self) -> str:
        return lot_ranks(self.lines)


@dataclasses.dataclass(frozen=True)
class Ranking:
    stage: int
    format: str
    note: Note
    """Reason why the stage ended, or what was adapted."""
    columns: tuple[RankingColumn, ...]
    lines: tuple[RankingLine, ...]
    groups: tuple[RankingGroup, ...]
    """Empty without groups."""
    is_done: bool
    shape: TableShape
    more: int = 0

    @property
    def count(self) -> int:
        return len(self.lines) + self.more

    @property
    def by_lot(self) -> str:
        return lot_ranks(self.lines)


def lot_ranks(lines: Sequence[RankingLine]) -> str:
    """Return the ranks among which only the lot decides, such as ``2–3, 7–10``; empty if there are none."""
    runs: list[list[int]] = []
    for above, line in pairwise(lines):
        if not line.by_lot:
            continue
        if runs and runs[-1][1] == above.rank:
            runs[-1][1] = line.rank
        else:
            runs.append([above.rank, line.rank])
    return join_facts(f"{first}\N{EN DASH}{last}" for first, last in runs)


def build_rankings(
    tournament: Tournament, stages: Sequence[Stage], rows: Mapping[int, Sequence[Row]]
) -> list[Ranking]:
    """Return the standings of all stages that have them, last stage first.

    At most seven queries, and eight more per stage with groups.

    ``rows`` are the first ``LINES_PER_PAGE`` of each stage, by key. Earlier stages that are too long have no
    lines.
    """
    counts = row_counts(tournament) if rows else {}
    rankings: list[Ranking] = []
    room = MAX_EARLIER_LINES
    for stage in sorted(stages, key=lambda stage: -stage.number):
        if stage.pk not in rows:
            continue
        count = counts.get(stage.pk, 0)
        lines = rows[stage.pk]
        if rankings:
            lines = lines if count <= room else []
            room -= len(lines)
        elif count > MAX_WHOLE_LINES and "group" not in lines[0].values:
            lines = lines[:TOP_LINES]
        listed = [row for row in lines if isinstance(row, ListedRow)]
        # Of earlier stages, only the places matter.
        keys = [] if rankings else [row.entry.key for row in listed]
        details = build_row_details(stage, keys) if keys else NO_DETAILS
        ranking = build_ranking(tournament, stage, lines, more=count - len(lines), details=details)
        rankings.append(_with_drawings(ranking, stage, listed))
    return rankings


def _with_drawings(ranking: Ranking, stage: Stage, rows: Sequence[ListedRow]) -> Ranking:
    """Add crosstables and places of groups if no row is missing. Eight queries, none without groups."""
    if not ranking.groups or ranking.more:
        return ranking
    of_group: dict[int, list[ListedRow]] = defaultdict(list)
    for row in rows:
        of_group[int(row.values["group"])].append(row)
    windows = build_group_windows(stage, of_group)
    places = build_group_places(stage, of_group) if len(rows) <= MAX_PLOTTED_LINES else {}
    groups = (
        dataclasses.replace(group, window=windows.get(group.number), places=places.get(group.number))
        for group in ranking.groups
    )
    return dataclasses.replace(ranking, groups=tuple(groups))


def own_ranking(tournament: Tournament, user: User, own: Sequence[OwnEntry]) -> Ranking | None:
    """Return the rows of an account that are not on a tournament's page; None if there are none.

    At most three queries, and none if all entries of the account are among the first.
    """
    last = max((entry.stage or 0 for entry in own), default=0)
    if not any(entry.stage == last and (entry.rank or 0) > TOP_LINES for entry in own):
        return None
    stage = stage_or_latest_of(tournament, stages_of(tournament), last)
    count = rows_of_stage(stage).count()
    rows = [row for row in rows_with_entries(rows_of_account(stage, user)) if row.rank > TOP_LINES]
    if count <= MAX_WHOLE_LINES or not rows or "group" in rows[0].values:
        return None
    return build_ranking(tournament, stage, rows[:MAX_OWN_LINES], more=len(rows) - MAX_OWN_LINES)


def build_ranking(
    tournament: Tournament,
    stage: Stage,
    rows: Sequence[Row],
    *,
    more: int = 0,
    details: RowDetails = NO_DETAILS,
) -> Ranking:
    """Return the standings of these rows; ``more`` lines are not included."""
    criteria = _criteria(tournament, rows)
    columns, lines = _table(criteria, rows, [row.decided_by for row in rows], tournament.scoring, details)
    return Ranking(
        stage=stage.number,
        format=in_sentence(format_title(stage)),
        note=stage.end_note,
        columns=columns,
        lines=lines,
        groups=_groups(criteria, rows, tournament.scoring, details),
        is_done=stage.state == Stage.State.DONE,
        shape=TableShape(
            len({line.played for line in lines}) > 1,
            any(line.results for line in lines),
            any(line.faults for line in lines),
        ),
        more=max(0, more),
    )


def _table(
    criteria: Sequence[str], rows: Sequence[Row], deciders: Sequence[str], scoring: str, details: RowDetails
) -> tuple[tuple[RankingColumn, ...], tuple[RankingLine, ...]]:
    """Return columns and lines. Columns with equal values in all rows are left out, except scores.

    ``deciders`` are the values that separate the rows from the row above.
    """
    first = {criteria[0], scoring, *BOARD_SCORES}
    columns, cells = [], []
    for name in criteria:
        column = _cells(name, rows, deciders, is_first=name in first)
        if name in first or len(rows) < MIN_COMPARED or len({cell.text for cell in column}) > 1:
            columns.append(
                RankingColumn(
                    name, str(SCORE_NAMES.get(name, name)), str(SCORE_MEANINGS.get(name, "")), name in first
                )
            )
            cells.append(column)
    lines = tuple(
        RankingLine(
            rank=row.rank,
            entry=entry_label(row.entry),
            played=row.values.get("played", 0),
            won=row.values.get("won", 0),
            drawn=row.values.get("drawn", 0),
            lost=row.values.get("lost", 0),
            cells=tuple(column[index] for column in cells),
            by_wins=decider == "wins",
            by_lot=(row.values.get("lot") or "") if decider == "lot" else "",
            place=int(row.values.get("place") or 0),
            decided_by=_decided_by([column[index] for column in cells], columns),
            results=details.results.get(_entry_key(row), ()),
            faults=details.faults.get(_entry_key(row), 0),
        )
        for index, (row, decider) in enumerate(zip(rows, deciders, strict=True))
    )
    return tuple(columns), lines


def _entry_key(row: Row) -> int:
    return row.entry.key if isinstance(row, ListedRow) else row.entry_id


def _decided_by(cells: Sequence[RankingCell], columns: Sequence[RankingColumn]) -> str:
    for cell, column in zip(cells, columns, strict=True):
        if cell.is_deciding and not column.is_first:
            return f"{column.title} {cell.text}"
    return ""


def _groups(
    criteria: Sequence[str], rows: Sequence[Row], scoring: str, details: RowDetails
) -> tuple[RankingGroup, ...]:
    """Return the lines by group, without the column of places, since the rank displays the place."""
    rows_of: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if row.values.get("group"):
            rows_of[int(row.values["group"])].append(row)
    groups = []
    for number, of_group in sorted(rows_of.items()):
        ordered = sorted(of_group, key=lambda row: int(row.values["place"]))
        deciders = [row.values.get("place_by") or "" for row in ordered]
        within = [name for name in criteria if name != "place"]
        columns, lines = _table(within, ordered, deciders, scoring, details)
        groups.append(
            RankingGroup(number, columns, tuple(dataclasses.replace(line, rank=line.place) for line in lines))
        )
    return tuple(groups)


def _criteria(tournament: Tournament, rows: Sequence[Row]) -> list[str]:
    """Return the columns: always the board score, never the wins or the lot."""
    first = rows[0].values if rows else {}
    leading = [name for name in LEADING_VALUES if name in first]
    criteria = leading + [name for name in ranking_criteria(tournament) if name not in ("wins", "lot")]
    if not set(criteria) & set(BOARD_SCORES):
        criteria.insert(len(leading) + 1, "board_score")
    return criteria


def _cells(name: str, rows: Sequence[Row], deciders: Sequence[str], *, is_first: bool) -> list[RankingCell]:
    """Return a column; bars are relative to the largest value."""
    stored = [row.values.get(name) for row in rows]
    deciding = [decider == name for decider in deciders]
    values = [None if text is None else Fraction(text) for text in stored]
    known = [value for value in values if value is not None]
    texts = iter(format_column(known, signed=name in BOARD_SCORES))
    longest = max((abs(value) for value in known), default=Fraction()) or Fraction(1)
    return [
        RankingCell("–", _("not needed or not applicable"), decides, is_first)
        if value is None
        else RankingCell(
            next(texts),
            str(value),
            decides,
            is_first,
            _bar(value / longest) if name in BOARD_SCORES else None,
        )
        for value, decides in zip(values, deciding, strict=True)
    ]


def _bar(share: Fraction) -> ScoreBar:
    """Return a bar to the right for a positive share, to the left for a negative one."""
    width = round(float(abs(share)) * BAR_HALF, 2)
    return ScoreBar(BAR_HALF - width if share < 0 else BAR_HALF, width, share < 0)
