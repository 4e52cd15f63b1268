"""Individual movement: partners are mixed, so that all entries play with and against each other evenly.

Every entry holds one seat and gets the score of its side. The owners have agreed to play with other owners'
bots. When an entry leaves, the schedule stays: a table without it is not played, and its others have a bye.
"""

from __future__ import annotations

from collections.abc import Mapping

from league.errors import FormatError
from league.movements import SEATS, cycle_rounds, movement
from league.options import IntegerOption, Options
from league.schedule import Schedule, ScheduledFormat
from league.stage import Caption, DisplaySection, StageLayout, StageState

MAX_ENTRIES = 100
MAX_ROUNDS = 300
ROUNDS_MEANING = "rounds; unless given, a full movement: as many as entries, or one less if nobody sits out"
ROUNDS = IntegerOption("rounds", 1, MAX_ROUNDS, None, ROUNDS_MEANING)


class Movement(ScheduledFormat):
    """Option ``rounds``; default: a full movement, in which every entry has played with every other."""

    key = "movement"
    title = "Individual movement"
    summary = "Partners change every round, until everybody has played with everybody."
    mixes_partners = True
    options = Options(key, [ROUNDS])

    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        """Require two or three sides of two seats, and enough entries for one table."""
        self.options.check(options)
        if per_side != SEATS or sides not in (2, 3):
            raise FormatError(
                f"movement mixes partners: it is for 2 or 3 sides of {SEATS} seats, "
                f"and this game has {sides} of {per_side}"
            )
        if entries is not None and not sides * SEATS <= entries <= MAX_ENTRIES:
            raise FormatError(
                f"movement of {sides} sides takes {sides * SEATS} to {MAX_ENTRIES} entries, not {entries}"
            )

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int:
        self.validate(options, entries=entries, sides=sides, per_side=SEATS)
        rounds = self.options.integer(options, "rounds")
        return cycle_rounds(entries, sides) if rounds is None else rounds

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        return entries // (sides * SEATS) * self.round_count(entries, options, sides=sides)

    def schedule(self, stage: StageState) -> Schedule:
        """Repeat the movement as often as needed; tables first, then the entries that sit out."""
        entries = stage.entries
        rounds = self.round_count(len(entries), stage.options, sides=stage.sides)
        full = movement(len(entries), stage.sides)
        schedule = []
        for number in range(rounds):
            tables = full[number % len(full)]
            seated = {position for table in tables for position in table}
            schedule.append(
                (
                    *(tuple(entries[position] for position in table) for table in tables),
                    *((entry,) for position, entry in enumerate(entries) if position not in seated),
                )
            )
        return schedule

    def display(self, stage: StageState) -> StageLayout:
        """Return one section with a column per round; a slot lists the entries side by side."""
        return StageLayout("movement", (DisplaySection(Caption(self.key), self.columns(stage)),))


FORMAT = Movement()
