"""Brackets as they are shown: who meets whom when, and who went on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from arena.competition.models import Stage
from arena.standings.selectors import is_knockout, stage_display
from arena.web.labels import EntryLabel

if TYPE_CHECKING:
    from league.stage import Display

SLOTS_AT_MOST = 400
"""A stage with more places is not drawn: its rounds say the same."""


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


@dataclasses.dataclass(frozen=True)
class Bracket:
    """The brackets of one stage."""

    stage: int
    sections: tuple[BracketSection, ...]


def brackets_of(stages: Sequence[Stage], entries: Mapping[str, EntryLabel]) -> list[Bracket]:
    """The brackets of the stages that were begun and have them, the last one first.

    ``entries`` are the labels by public id.
    """
    found = []
    for stage in sorted(stages, key=lambda stage: -stage.number):
        if not stage.field_digest or not is_knockout(stage):
            continue
        display = stage_display(stage)
        if _size(display) > SLOTS_AT_MOST:
            continue
        sections = tuple(
            BracketSection(
                section.title,
                tuple(
                    BracketColumn(
                        column.title,
                        tuple(
                            Place(
                                tuple(
                                    Line(
                                        entries.get(name) if name else None,
                                        is_winner=name is not None and name == slot.winner,
                                    )
                                    for name in slot.entries
                                    if name or slot.winner is None
                                ),
                                slot.note,
                                slot.round,
                                slot.fixture,
                            )
                            for slot in column.slots
                        ),
                    )
                    for column in section.columns
                ),
            )
            for section in display.sections
        )
        found.append(Bracket(stage.number, sections))
    return found


def _size(display: Display) -> int:
    return sum(len(column.slots) for section in display.sections for column in section.columns)
