"""Brackets as they are shown: who meets whom when, the scores of unsealed boards, and who went on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from arena.competition.entries.counts import field_sizes
from arena.competition.models import Stage
from arena.competition.selectors import entries_by_id
from arena.matches.fixture_selectors import fixture_ids
from arena.standings.captions import caption_text
from arena.standings.selectors import StageDisplay, stage_display_with_rounds
from arena.standings.stages import is_knockout
from arena.web.base.figures import format_exact
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.wording import join_facts

if TYPE_CHECKING:
    from league.scoring import FixtureOutcome
    from league.stage import Slot

MAX_MATCHES = 40
"""Of a bracket with more places, the columns before the last ones are left to its rounds."""
MAX_ENTRIES = 256
"""A stage with more is not drawn, as all its fixtures would have to be read: its rounds say the same."""


@dataclasses.dataclass(frozen=True)
class BracketSide:
    """One side of a slot."""

    entry: EntryLabel | None
    """None: not known yet, or nobody."""
    is_winner: bool
    goes_on: bool = False
    """It won and plays on: the winner of a final, or of the match for third place, does not."""
    score: str = ""
    """Its board score in the last fixture; empty while that is sealed, and where it has none."""


@dataclasses.dataclass(frozen=True)
class BracketFixture:
    """A fixture of a place."""

    fixture: str
    """Public id."""
    round: int
    title: str
    """``round 4`` of the first one, ``replay 1`` of that after it."""


@dataclasses.dataclass(frozen=True)
class BracketMatch:
    """One match of a bracket, played or to come."""

    lines: tuple[BracketSide, ...]
    note: str
    """Empty if the titles of ``meetings`` include it."""
    meetings: tuple[BracketFixture, ...]
    """Its fixtures, replays last; none before it is drawn, and none of a bye."""

    @property
    def fixture(self) -> str:
        """Public id of the last one; empty if there is none."""
        return self.meetings[-1].fixture if self.meetings else ""


@dataclasses.dataclass(frozen=True)
class BracketColumn:
    """The matches below one heading."""

    title: str
    places: tuple[BracketMatch, ...]

    @property
    def rounds(self) -> str:
        """The rounds in which they are played, in words; empty before any is drawn."""
        numbers = {meeting.round for match in self.places for meeting in match.meetings}
        if not numbers:
            return ""
        first, last = min(numbers), max(numbers)
        if first == last:
            return _("round {n}").format(n=first)
        return _("rounds {n} to {m}").format(n=first, m=last)


@dataclasses.dataclass(frozen=True)
class BracketSection:
    """One bracket: the winners', the losers', the final."""

    title: str
    is_main: bool
    """It needs no heading."""
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


def build_brackets(stages: Sequence[Stage]) -> list[Bracket]:
    """The brackets of the stages that were begun and have them, the last one first: of a large one, which
    has more than ``MAX_ENTRIES``, nothing but how many they are.

    Six queries a bracket, and three.
    """
    begun = [stage for stage in stages if stage.field_digest and is_knockout(stage)]
    sizes = field_sizes(begun) if begun else {}
    drawn = {
        stage: stage_display_with_rounds(stage)
        for stage in sorted(begun, key=lambda stage: -stage.number)
        if sizes.get(stage.pk, 0) <= MAX_ENTRIES
    }
    names = {
        name for stage_draw in drawn.values() for slot in _slots(stage_draw) for name in slot.entries if name
    }
    entries = entries_by_id(begun[0].tournament, names) if names else {}
    labels = {name: entry_label(entry) for name, entry in entries.items()}
    ids = fixture_ids(
        [key for stage_draw in drawn.values() for played in stage_draw.rounds for key in played.fixture_ids]
    )
    brackets = []
    for stage in sorted(begun, key=lambda stage: -stage.number):
        if stage in drawn:
            sections = _BracketBuilder(drawn[stage], labels, ids).sections()
            brackets.append(Bracket(stage.number, tuple(_last_columns(sections))))
        else:
            brackets.append(Bracket(stage.number, (), undrawn=sizes[stage.pk]))
    return brackets


def _slots(drawn: StageDisplay) -> list[Slot]:
    return [slot for section in drawn.display.sections for column in section.columns for slot in column.slots]


def _winners_continue(slots: Sequence[Slot]) -> list[bool]:
    """Of each of these, in the order of play, whether its winner is in one after it."""
    later: set[str | None] = set()
    flags = []
    for slot in reversed(slots):
        flags.append(slot.winner is not None and slot.winner in later)
        later.update(slot.entries)
    return flags[::-1]


class _BracketBuilder:
    """The sections of one stage."""

    def __init__(self, drawn: StageDisplay, labels: Mapping[str, EntryLabel], ids: Mapping[int, str]) -> None:
        self.drawn = drawn
        self.labels = labels
        self.ids = ids

    def sections(self) -> list[BracketSection]:
        going_on = iter(_winners_continue(_slots(self.drawn)))
        return [
            BracketSection(
                caption_text(section.title),
                section.title.code == "bracket",
                tuple(
                    BracketColumn(
                        caption_text(column.title),
                        tuple(self._match(slot, goes_on=next(going_on)) for slot in column.slots),
                    )
                    for column in section.columns
                ),
            )
            for section in self.drawn.display.sections
        ]

    def _match(self, slot: Slot, *, goes_on: bool) -> BracketMatch:
        fixtures = self._fixtures(slot)
        totals = (fixtures[-1][2].totals if fixtures else None) or {}
        meetings = tuple(
            BracketFixture(
                self.ids[key],
                number,
                (_("replay {n}") if before else _("round {n}")).format(n=before or number),
            )
            for before, (number, key, _outcome) in enumerate(fixtures)
        )
        notes = [note for note in slot.notes if len(meetings) < 2 or note.code != "replay"]
        return BracketMatch(
            tuple(
                BracketSide(
                    self.labels.get(name) if name else None,
                    is_winner=name is not None and name == slot.winner,
                    goes_on=goes_on and name == slot.winner,
                    score=format_exact(totals[name], signed=True) if name and name in totals else "",
                )
                for name in slot.entries
                if name or slot.winner is None
            ),
            join_facts(map(caption_text, notes)),
            meetings,
        )

    def _fixtures(self, slot: Slot) -> list[tuple[int, int, FixtureOutcome]]:
        """Round, key and outcome of the fixtures of a match, without byes, in the order of play."""
        if slot.round is None or slot.fixture is None:
            return []
        last = (slot.round, slot.fixture)
        places = [*self.drawn.replayed.get(last, ()), last]
        fixtures = [
            (number, played.fixture_ids[fixture_number - 1], played.fixtures[fixture_number - 1])
            for number, fixture_number in places
            for played in (self.drawn.rounds[number - 1],)
        ]
        return [fixture for fixture in fixtures if not fixture[2].is_bye]


def _last_columns(sections: Sequence[BracketSection]) -> list[BracketSection]:
    """The sections without the columns that are too long to be drawn, and how many those were."""
    room = MAX_MATCHES // max(1, len(sections))
    shortened = []
    for section in sections:
        columns: list[BracketColumn] = []
        left = room
        for column in reversed(section.columns):
            left -= len(column.places)
            if columns and left < 0:
                break
            columns.insert(0, column)
        shortened.append(
            dataclasses.replace(
                section, columns=tuple(columns), columns_before=len(section.columns) - len(columns)
            )
        )
    return shortened
