"""Brackets of elimination stages: matches, scores of unsealed boards, winners."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from arena.competition.entries.counts import field_sizes
from arena.competition.models import Stage
from arena.competition.selectors import entries_by_id
from arena.matches.fixture_selectors import fixture_ids
from arena.standings.captions import caption_text
from arena.standings.selectors import ListedRow, StageDisplay, stage_display_with_rounds
from arena.standings.stages import is_knockout
from arena.web.base.figures import format_exact
from arena.web.base.labels import EntryLabel, entry_label
from arena.web.base.wording import join_facts
from arena.web.tournaments.qualified import Qualified, build_qualified, seed_labels

if TYPE_CHECKING:
    from league.scoring import FixtureOutcome
    from league.stage import DisplaySlot

MAX_MATCHES = 40
"""Maximum matches drawn per bracket; of larger brackets only the last columns are drawn."""
MAX_ENTRIES = 256
"""Maximum entries of a stage that is drawn, since drawing reads all its fixtures."""


@dataclasses.dataclass(frozen=True)
class BracketSide:
    entry: EntryLabel | None
    """None if not known yet, or for a bye."""
    is_winner: bool
    goes_on: bool = False
    """Whether it won and has a later match, unlike the winner of a final or of the match for third place."""
    score: str = ""
    """Board scores in its fixtures, play-offs last; empty while sealed or without a score."""
    seed: str = ""
    """Number, or group and place such as ``A1``."""


@dataclasses.dataclass(frozen=True)
class BracketFixture:
    fixture: str
    """Public id."""
    round: int
    title: str
    """``round 4`` for the first fixture, ``play-off`` or ``play-off 2`` for the next."""


@dataclasses.dataclass(frozen=True)
class BracketMatch:
    lines: tuple[BracketSide, ...]
    note: str
    """Empty if the titles of ``fixtures`` contain it."""
    fixtures: tuple[BracketFixture, ...]
    """Its fixtures, replays last; empty before the draw, and for a bye."""

    @property
    def last_fixture(self) -> str:
        """Public id of the last fixture; empty if there is none."""
        return self.fixtures[-1].fixture if self.fixtures else ""


@dataclasses.dataclass(frozen=True)
class BracketColumn:
    title: str
    matches: tuple[BracketMatch, ...]
    joint: str = ""
    """``pairs`` if two matches each lead to one in the next column, ``straight`` if one does, else empty."""

    @property
    def rounds(self) -> str:
        """Rounds of its matches as text; empty before the draw, and if the title is the same."""
        numbers = {bracket_fixture.round for match in self.matches for bracket_fixture in match.fixtures}
        if not numbers:
            return ""
        first, last = min(numbers), max(numbers)
        if first == last:
            text = _("round {n}").format(n=first)
            return "" if text.casefold() == self.title.casefold() else text
        return _("rounds {n} to {m}").format(n=first, m=last)


@dataclasses.dataclass(frozen=True)
class BracketSection:
    """The winners' bracket, the losers' bracket, or the final."""

    title: str
    is_main: bool
    """Whether it needs no heading."""
    columns: tuple[BracketColumn, ...]
    columns_before: int = 0
    """Number of columns before the first one drawn."""


@dataclasses.dataclass(frozen=True)
class Bracket:
    stage: int
    sections: tuple[BracketSection, ...]
    undrawn: int = 0
    """Number of entries if they exceed ``MAX_ENTRIES``; else 0."""
    still_in: tuple[EntryLabel, ...] = ()
    """Entries with a match to come, while there are any; in the order of the bracket."""
    qualified: Qualified | None = None
    """The groups that its entries come from; None without groups, or with too many entries to list."""


def build_brackets(
    stages: Sequence[Stage], rows: Mapping[int, Sequence[ListedRow]] | None = None
) -> list[Bracket]:
    """Return the brackets of elimination stages that have begun, last stage first.

    ``rows`` are the standings of the stages, by key.

    A stage with more than ``MAX_ENTRIES`` has only its number of entries. Six queries per bracket, and three.
    """
    begun = [stage for stage in stages if stage.field_digest and is_knockout(stage)]
    sizes = field_sizes([stage for stage in stages if stage.field_digest]) if begun else {}
    drawn = {
        stage: stage_display_with_rounds(stage)
        for stage in sorted(begun, key=lambda stage: -stage.number)
        if sizes.get(stage.pk, 0) <= MAX_ENTRIES
    }
    drawn_names = {
        name for stage_draw in drawn.values() for slot in _slots(stage_draw) for name in slot.entries if name
    }
    entries = entries_by_id(begun[0].tournament, drawn_names) if drawn_names else {}
    labels = {name: entry_label(entry) for name, entry in entries.items()}
    ids = fixture_ids(
        [
            key
            for stage_draw in drawn.values()
            for drawn_round in stage_draw.rounds
            for key in drawn_round.fixture_ids
        ]
    )
    brackets = []
    before_of = {stage.number + 1: stage for stage in stages}
    for stage in sorted(begun, key=lambda stage: -stage.number):
        if stage in drawn:
            before = before_of.get(stage.number)
            earlier = (rows or {}).get(before.pk, ()) if before else ()
            names = drawn[stage].seeds
            seeds = seed_labels(names, earlier)
            sections = _BracketBuilder(drawn[stage], labels, ids, seeds).sections()
            still_in = tuple(labels[name] for name in _still_in(_slots(drawn[stage])))
            is_whole = before is not None and len(earlier) == sizes.get(before.pk)
            qualified = (
                build_qualified(before.number, stage.tournament.scoring, earlier, frozenset(names))
                if before is not None and is_whole
                else None
            )
            brackets.append(
                Bracket(
                    stage.number,
                    tuple(_last_columns(sections)),
                    still_in=still_in,
                    qualified=qualified,
                )
            )
        else:
            brackets.append(Bracket(stage.number, (), undrawn=sizes[stage.pk]))
    return brackets


def _slots(drawn: StageDisplay) -> list[DisplaySlot]:
    return [slot for section in drawn.display.sections for column in section.columns for slot in column.slots]


def _still_in(slots: Sequence[DisplaySlot]) -> list[str]:
    """Return the known entries of matches that have no winner yet, each once."""
    open_slots = (
        slot
        for slot in slots
        if slot.winner is None and not any(note.code in ("nobody", "not_needed") for note in slot.notes)
    )
    return list(dict.fromkeys(name for slot in open_slots for name in slot.entries if name))


def _winners_continue(slots: Sequence[DisplaySlot]) -> list[bool]:
    """Return for each slot, in the order of play, whether its winner has a later slot."""
    later: set[str | None] = set()
    flags = []
    for slot in reversed(slots):
        flags.append(slot.winner is not None and slot.winner in later)
        later.update(slot.entries)
    return flags[::-1]


class _BracketBuilder:
    def __init__(
        self,
        drawn: StageDisplay,
        labels: Mapping[str, EntryLabel],
        ids: Mapping[int, str],
        seeds: Mapping[str, str],
    ) -> None:
        self.drawn = drawn
        self.seeds = seeds
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
                        _joint(len(column.slots), len(after.slots) if after else 0),
                    )
                    for column, after in zip_longest(section.columns, section.columns[1:])
                ),
            )
            for section in self.drawn.display.sections
        ]

    def _match(self, slot: DisplaySlot, *, goes_on: bool) -> BracketMatch:
        fixtures = self._fixtures(slot)
        totals = [outcome.totals for _number, _key, outcome in fixtures if outcome.totals]
        bracket_fixtures = tuple(
            BracketFixture(
                self.ids[key],
                number,
                _fixture_title(number, before, len(fixtures) - 1),
            )
            for before, (number, key, _outcome) in enumerate(fixtures)
        )
        notes = [note for note in slot.notes if len(bracket_fixtures) < 2 or note.code != "replay"]
        return BracketMatch(
            tuple(
                BracketSide(
                    self.labels.get(name) if name else None,
                    is_winner=name is not None and name == slot.winner,
                    goes_on=goes_on and name == slot.winner,
                    score=" · ".join(
                        format_exact(values[name], signed=True) for values in totals if name in values
                    )
                    if name
                    else "",
                    seed=self.seeds.get(name, "") if name else "",
                )
                for name in slot.entries
                if name or slot.winner is None
            ),
            join_facts(map(caption_text, notes)),
            bracket_fixtures,
        )

    def _fixtures(self, slot: DisplaySlot) -> list[tuple[int, int, FixtureOutcome]]:
        """Return round, key and outcome of a match's fixtures, without byes, in the order of play."""
        if slot.round is None or slot.fixture is None:
            return []
        last = (slot.round, slot.fixture)
        places = [*self.drawn.replayed.get(last, ()), last]
        fixtures = [
            (number, drawn_round.fixture_ids[fixture_number - 1], drawn_round.fixtures[fixture_number - 1])
            for number, fixture_number in places
            for drawn_round in (self.drawn.rounds[number - 1],)
        ]
        return [fixture for fixture in fixtures if not fixture[2].is_bye]


def _joint(matches: int, following: int) -> str:
    """Return ``BracketColumn.joint`` by the numbers of matches in this column and the next."""
    if not following:
        return ""
    return {2 * following: "pairs", following: "straight"}.get(matches, "")


def _fixture_title(round_number: int, before: int, replays: int) -> str:
    """Return the title of a match's fixture after ``before`` others."""
    if not before:
        return _("round {n}").format(n=round_number)
    return _("play-off") if replays == 1 else _("play-off {n}").format(n=before)


def _last_columns(sections: Sequence[BracketSection]) -> list[BracketSection]:
    """Remove the first columns until the brackets fit into ``MAX_MATCHES``."""
    room = MAX_MATCHES // max(1, len(sections))
    shortened = []
    for section in sections:
        columns: list[BracketColumn] = []
        left = room
        for column in reversed(section.columns):
            left -= len(column.matches)
            if columns and left < 0:
                break
            columns.insert(0, column)
        shortened.append(
            dataclasses.replace(
                section, columns=tuple(columns), columns_before=len(section.columns) - len(columns)
            )
        )
    return shortened
