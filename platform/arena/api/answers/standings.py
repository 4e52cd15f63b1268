"""Responses: standings, crosstables and displays of stages."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, TypedDict

from arena.api.answers.entries import EntryName, entry_name_from, entry_names_of, named_entry
from arena.api.base.parts import Part
from arena.competition.models import Stage
from arena.competition.selectors import NamedEntry
from arena.standings.captions import caption_text
from arena.standings.crosstables import FixtureVersion
from arena.standings.crosstables import crosstable_from as crosstable_of
from arena.standings.selectors import StandingsKey, stage_display, standing_values, standings_as_of

DISPLAY_KINDS = ("table", "groups", "bracket", "heats", "movement")


class StandingOut(EntryName):
    """A row of the standings."""

    rank: int
    version: Annotated[str, "The first of ``versions``."]
    status: Annotated[str, "entered, or left: it does not play any more."]
    values: Annotated[
        dict[str, Any],
        "All values that can order the table; fractions as texts n/d. In groups also ``group``, ``place``.",
    ]
    decided_by: Annotated[str, "The first value that differs from the row above."]


class StageStandingsOut(Part):
    """The standings of a stage after its closed rounds."""

    stage: int
    state: str
    rows: list[StandingOut]


class CellOut(TypedDict):
    """The result of the row's entry against an opponent, from closed rounds."""

    entry: Annotated[str, "The opponent."]
    mean: Annotated[float, "Average board score, in stones."]
    boards: int
    low: Annotated[float | None, "Lower bound of the 95% interval; null with a single board."]
    high: float | None
    mark: Annotated[str, "** if the 99% interval excludes 0, * if the 95% interval does."]
    match_points: int


class CrossRowOut(EntryName):
    """An entry with its results against all opponents."""

    against: list[CellOut]


class CrosstableOut(Part):
    """Results of all pairs of entries of a stage, in the order of the standings."""

    stage: int
    rows: list[CrossRowOut]


class SlotOut(TypedDict):
    """A pairing in a bracket, group or round."""

    round: int | None
    fixture: Annotated[int | None, "Its number within the round."]
    entries: list[str | None]
    winner: Annotated[str | None, "From closed rounds only."]
    note: str


class ColumnOut(TypedDict):
    """A column of a section."""

    title: str
    slots: list[SlotOut]


class SectionOut(TypedDict):
    """A section of a display, such as a group or the losers' bracket."""

    title: str
    columns: list[ColumnOut]


class DisplayOut(Part):
    """The layout of a stage in its format. Entries are ids; ``names`` contains their names."""

    stage: int
    format: str
    kind: Annotated[str, DISPLAY_KINDS]
    sections: list[SectionOut]
    names: Annotated[dict[str, EntryName], "Names by id of the entry."]


class CrosstableKey(NamedTuple):
    """Everything that determines a crosstable."""

    standings: StandingsKey
    """Key of the standings of this stage alone."""
    fixtures: tuple[FixtureVersion, ...]


def standings_out(key: StandingsKey) -> list[StageStandingsOut]:
    """Return the stages of a key with their rows, best first, from closed board sets only. One query."""
    stages = key.stages()
    values = standing_values(stages)
    return [
        {
            "next_first": None,
            "stage": stage.number,
            "state": stage.state,
            "rows": [_row(row.entry, *values[row.key]) for row in stage.rows],
        }
        for stage in stages
    ]


def standings_as_of_out(
    stage: Stage, round_number: int | None = None, time: datetime.datetime | None = None
) -> StageStandingsOut:
    """Return the standings of a stage after a closed round, or at a time.

    Raises Invalid (``round_not_closed``).
    """
    rows = standings_as_of(stage, round_number, time)
    return {
        "next_first": None,
        "stage": stage.number,
        "state": stage.state,
        "rows": [_row(named_entry(row.entry), row.rank, row.values, row.decided_by) for row in rows],
    }


def _row(entry: NamedEntry, rank: int, values: Mapping[str, Any], decided_by: str) -> StandingOut:
    return {
        **entry_name_from(entry),
        "rank": rank,
        "version": entry.versions[0].id,
        "status": entry.status,
        "values": dict(values),
        "decided_by": decided_by,
    }


def crosstable_out(key: CrosstableKey) -> CrosstableOut:
    """Return the crosstable, rows in the order of the standings. Three queries for new results."""
    (stage,) = key.standings.stages()
    names = {row.entry.id: row.entry for row in stage.rows}
    table = crosstable_of(tuple(names), key.fixtures)
    rows: list[CrossRowOut] = []
    for entry in table.entries:
        against: list[CellOut] = [
            {
                "entry": other,
                "mean": cell.mean,
                "boards": cell.boards,
                "low": _finite(cell.low),
                "high": _finite(cell.high),
                "mark": cell.mark,
                "match_points": cell.match_points,
            }
            for other in table.entries
            if (cell := table.cells.get((entry, other))) is not None
        ]
        rows.append({**entry_name_from(names[entry]), "against": against})
    return {"next_first": None, "stage": stage.number, "rows": rows}


def display_out(stage: Stage) -> DisplayOut:
    """Return the layout of a stage in its format, with the names of its entries."""
    display = stage_display(stage)
    sections: list[SectionOut] = [
        {
            "title": caption_text(section.title),
            "columns": [
                {
                    "title": caption_text(column.title),
                    "slots": [
                        {
                            "round": slot.round,
                            "fixture": slot.fixture,
                            "entries": list(slot.entries),
                            "winner": slot.winner,
                            "note": ", ".join(map(caption_text, slot.notes)),
                        }
                        for slot in column.slots
                    ],
                }
                for column in section.columns
            ],
        }
        for section in display.sections
    ]
    columns = [column for section in sections for column in section["columns"]]
    ids = {entry for column in columns for slot in column["slots"] for entry in slot["entries"] if entry}
    return {
        "next_first": None,
        "stage": stage.number,
        "format": stage.format,
        "kind": display.kind,
        "sections": sections,
        "names": entry_names_of(stage.tournament, sorted(ids)),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
