"""Given fixtures: rounds of ladders and batches of experiments, drawn elsewhere.

One round of exactly the listed fixtures, all on the same boards, without byes. Standings use totals alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from league.display import drawn_columns, future_slot, round_column
from league.errors import FormatError
from league.options import FixturesOption, Options
from league.stage import Caption, DisplaySection, Format, Pairing, StageLayout, StageState

MAX_ENTRIES = 1000
MAX_FIXTURES = 5000
FIXTURES = FixturesOption(
    "fixtures", MAX_FIXTURES, "the seeds of the entries of each fixture, in the order of its sides"
)


class GivenFixtures(Format):
    """Option ``fixtures``: lists of seeds, counted from 1 in the order of the field."""

    key = "given"
    title = "Given fixtures"
    summary = "Fixtures that a ladder or an experiment has drawn."
    needs_results = False
    is_offered = False
    options = Options(key, (FIXTURES,))

    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        """Require as many distinct entries as sides in every fixture, no duplicates, and every seed."""
        self.options.check(options)
        if entries is not None and not sides <= entries <= MAX_ENTRIES:
            raise FormatError(f"given takes {sides} to {MAX_ENTRIES} entries, not {entries}")
        fixtures = _fixtures(options)
        if not fixtures:
            raise FormatError(f"given needs the option fixtures: {FIXTURES.allowed}")
        known: set[tuple[int, ...]] = set()
        for number, met in enumerate(fixtures, 1):
            if len(met) != sides:
                raise FormatError(f"fixture {number} of given has {len(met)} seeds, not {sides}: {list(met)}")
            if len(set(met)) < len(met):
                raise FormatError(f"fixture {number} of given names a seed twice: {list(met)}")
            # Two sides always exchange seats. With more, another order round the table is another fixture.
            same = tuple(sorted(met)) if sides == 2 else met
            if same in known:
                raise FormatError(f"fixture {number} of given stands there twice: {list(met)}")
            known.add(same)
        playing = {seed for met in fixtures for seed in met}
        of = max(playing) if entries is None else entries
        if playing != set(range(1, of + 1)):
            wrong = sorted(playing ^ set(range(1, of + 1)))[0]
            raise FormatError(f"the fixtures of given must have the seeds 1 to {of}; look at seed {wrong}")

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int:
        self.validate(options, entries=entries, sides=sides)
        return 1

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        self.validate(options, entries=entries, sides=sides)
        return len(_fixtures(options))

    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """Return the listed fixtures whose entries have not left; None if there are none, or later."""
        return None if stage.rounds else self._playable(stage) or None

    def is_complete(self, stage: StageState) -> bool:
        return stage.all_done if stage.rounds else not self._playable(stage)

    def display(self, stage: StageState) -> StageLayout:
        columns = drawn_columns(stage.rounds)
        if not stage.rounds and (coming := self._playable(stage)):
            columns = (round_column(1, [future_slot(met) for met in coming]),)
        return StageLayout("heats", (DisplaySection(Caption(self.key), columns),))

    def _playable(self, stage: StageState) -> tuple[Pairing, ...]:
        self.validate(stage.options, entries=len(stage.entries), sides=stage.sides)
        drawn = (tuple(stage.entries[seed - 1] for seed in met) for met in _fixtures(stage.options))
        return tuple(met for met in drawn if stage.left.isdisjoint(met))


def _fixtures(options: Mapping[str, object]) -> list[tuple[int, ...]]:
    given = options.get(FIXTURES.name)
    if not isinstance(given, Sequence):
        return []
    return [tuple(met) for met in given]


FORMAT = GivenFixtures()
