"""Brackets as they are shown: who meets whom when, and who went on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arena.competition.models import Stage
from arena.competition.selectors import entries_by_id, field_sizes
from arena.standings.selectors import is_knockout, stage_display
from arena.web.labels import EntryLabel, entry_label

if TYPE_CHECKING:
    from league.stage import Section, Slot

PLACES_AT_MOST = 40
"""Of a bracket with more places, the columns before the last ones are left to its rounds."""
ENTRIES_AT_MOST = 256
"""A stage with more is not drawn, as all its fixtures would have to be read: its rounds say the same."""


@dataclasses.dataclass(frozen=True)
class Line:
    """One side of a slot."""

    entry: EntryLabel | None
    """None: not known yet, or nobody."""
    is_winner: bool


@dataclasses.dataclass(frozen=True)
class Place:
    """One meeting of a bracket, played or to come."""

    lines: tuple[Line, ...]
    note: str
    round: int | None
    fixture: int | None


@dataclasses.dataclass(frozen=True)
class BracketColumn:
    """The meetings below one heading."""

    title: str
    places: tuple[Place, ...]


@dataclasses.dataclass(frozen=True)
class BracketSection:
    """One bracket: the winners', the losers', the final."""

    title: str
    columns: tuple[BracketColumn, ...]
    columns_before: int = 0
    """Columns before the first that are not drawn."""


@dataclasses.dataclass(frozen=True)
class Bracket:
    """The brackets of one stage."""

    stage: int
    sections: tuple[BracketSection, ...]
    undrawn: int = 0
    """How many entries it has, if they are too many for it to be drawn."""


def brackets_of(stages: Sequence[Stage]) -> list[Bracket]:
    """The brackets of the stages that were begun and have them, the last one first: of a large one, which
    has more than ``ENTRIES_AT_MOST``, nothing but how many they are.

    Six queries a bracket, and one.
    """
    begun = [stage for stage in stages if stage.field_digest and is_knockout(stage)]
    sizes = field_sizes(begun) if begun else {}
    displays = {
        stage: stage_display(stage)
        for stage in sorted(begun, key=lambda stage: -stage.number)
        if sizes.get(stage.pk, 0) <= ENTRIES_AT_MOST
    }
    names = {
        name
        for display in displays.values()
        for section in display.sections
        for column in section.columns
        for slot in column.slots
        for name in slot.entries
        if name
    }
    found = entries_by_id(begun[0].tournament, names) if names else {}
    labels = {name: entry_label(entry) for name, entry in found.items()}
    brackets = []
    for stage in sorted(begun, key=lambda stage: -stage.number):
        if stage in displays:
            sections = [_section(section, labels) for section in displays[stage].sections]
            brackets.append(Bracket(stage.number, tuple(_last_columns(sections))))
        else:
            brackets.append(Bracket(stage.number, (), undrawn=sizes[stage.pk]))
    return brackets


def _section(section: Section, labels: Mapping[str, EntryLabel]) -> BracketSection:
    return BracketSection(
        section.title,
        tuple(
            BracketColumn(column.title, tuple(_place(slot, labels) for slot in column.slots))
            for column in section.columns
        ),
    )


def _place(slot: Slot, labels: Mapping[str, EntryLabel]) -> Place:
    return Place(
        tuple(
            Line(labels.get(name) if name else None, is_winner=name is not None and name == slot.winner)
            for name in slot.entries
            if name or slot.winner is None
        ),
        slot.note,
        slot.round,
        slot.fixture,
    )


def _last_columns(sections: Sequence[BracketSection]) -> list[BracketSection]:
    """The sections without the columns that are too long to be drawn, and how many those were."""
    room = PLACES_AT_MOST // max(1, len(sections))
    kept = []
    for section in sections:
        columns: list[BracketColumn] = []
        left = room
        for column in reversed(section.columns):
            left -= len(column.places)
            if columns and left < 0:
                break
            columns.insert(0, column)
        kept.append(
            dataclasses.replace(
                section, columns=tuple(columns), columns_before=len(section.columns) - len(columns)
            )
        )
    return kept
