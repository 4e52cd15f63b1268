"""Groups: the field is split by seed into groups with a round robin in each, played in parallel.

Seeds are assigned back and forth, so that groups have similar strength; sizes differ by at most one. Groups
followed by a knockout are two stages: this format, then an elimination of the first ``qualify`` entries of
the overall order: all group winners, then all seconds, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from league.errors import FormatError
from league.formats.round_robin import CYCLES, berger_schedule, cycle_rounds
from league.options import IntegerOption, Options
from league.schedule import Schedule, ScheduledFormat
from league.stage import Caption, DisplaySection, StageLayout, StageState

MAX_ENTRIES = 1000
MAX_GROUP_SIZE = 100
DEFAULT_SIZE = 4


class Groups(ScheduledFormat):
    """Options ``groups`` (number) or ``size`` (maximum entries per group, 4), and ``cycles`` (1)."""

    key = "groups"
    title = "Groups"
    summary = "The field is split by seed into groups, with a round robin in each; mostly before a knockout."
    options = Options(
        key,
        [
            IntegerOption("groups", 1, MAX_ENTRIES // 2, None, "how many groups; give this or size"),
            IntegerOption(
                "size",
                2,
                MAX_GROUP_SIZE,
                None,
                f"entries of a group at most; {DEFAULT_SIZE} unless groups is given",
            ),
            CYCLES,
        ],
    )

    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        """Require two sides, ``groups`` or ``size`` but not both, and groups of 2 to 100."""
        self.options.check(options)
        if "groups" in options and "size" in options:
            raise FormatError("groups takes groups or size, not both: one follows from the other")
        self.require_duels(sides, entries, MAX_ENTRIES)
        if entries is None:
            return
        number = self._number(entries, options)
        if not 2 * number <= entries <= MAX_GROUP_SIZE * number:
            least = -(-entries // MAX_GROUP_SIZE)
            raise FormatError(
                f"groups must be {least} to {entries // 2} with {entries} entries, not {number}: "
                f"a group has 2 to {MAX_GROUP_SIZE}"
            )

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int:
        self.validate(options, entries=entries, sides=sides)
        largest = -(-entries // self._number(entries, options))
        # A group of an odd size has as many rounds as entries, like the next larger even size.
        sizes = (largest, entries // self._number(entries, options))
        return max(map(cycle_rounds, sizes)) * self._cycles(options)

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        self.validate(options, entries=entries, sides=sides)
        number = self._number(entries, options)
        size, larger = divmod(entries, number)
        pairs = larger * (size + 1) * size // 2 + (number - larger) * size * (size - 1) // 2
        return pairs * self._cycles(options)

    def groups(self, stage: StageState) -> tuple[tuple[str, ...], ...]:
        self.validate(stage.options, entries=len(stage.entries), sides=stage.sides)
        return snake(stage.entries, self._number(len(stage.entries), stage.options))

    def schedule(self, stage: StageState) -> Schedule:
        tables = (berger_schedule(group, self._cycles(stage.options)) for group in self.groups(stage))
        return [
            tuple(sorted((p for played in rounds for p in played), key=len, reverse=True))
            for rounds in zip_longest(*tables, fillvalue=())
        ]

    def display(self, stage: StageState) -> StageLayout:
        return StageLayout(
            "groups",
            tuple(
                DisplaySection(Caption("group", number), self.columns(stage, frozenset(group)))
                for number, group in enumerate(self.groups(stage), 1)
            ),
        )

    def _number(self, entries: int, options: Mapping[str, object]) -> int:
        number = self.options.integer(options, "groups")
        if number is not None:
            return number
        size = self.options.integer(options, "size") or DEFAULT_SIZE
        # Each group has at least two entries, even if the last group of this size would have one.
        return max(1, min(-(-entries // size), entries // 2))

    def _cycles(self, options: Mapping[str, object]) -> int:
        return self.options.integer(options, "cycles") or 1


def snake(entries: Sequence[str], groups: int) -> tuple[tuple[str, ...], ...]:
    """Assign entries to groups back and forth.

    >>> snake("abcdefgh", 3)
    (('a', 'f', 'g'), ('b', 'e', 'h'), ('c', 'd'))
    """
    dealt: list[list[str]] = [[] for _ in range(groups)]
    for position, entry in enumerate(entries):
        turn, group = divmod(position, groups)
        dealt[groups - 1 - group if turn % 2 else group].append(entry)
    return tuple(tuple(group) for group in dealt)


FORMAT = Groups()
