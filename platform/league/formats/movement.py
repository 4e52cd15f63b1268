"""Individual movement: partners are mixed, so that everybody plays with and against everybody evenly.

Every entry holds one seat. It gets the score of the side it sits on, and its partners and opponents change
from round to round by a fixed schedule (``league/movements.py``); whoever is over sits out, all equally
often. The owners of the entries have agreed to play with other people's bots.

When somebody leaves, the schedule stays: a table that lacks a player is not played, and its others have a
bye in that round.
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
    """Option ``rounds``; by default a full movement, in which everybody has played with everybody."""

    key = "movement"
    title = "Individual movement"
    summary = "Partners change every round, until everybody has played with everybody."
    mixes_partners = True
    options = Options(key, [ROUNDS])

    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        """Two or three sides of two seats, and entries for one table at least."""
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
        """The option, or else a full movement."""
        self.validate(options, entries=entries, sides=sides, per_side=SEATS)
        rounds = self.options.integer(options, "rounds")
        return cycle_rounds(entries, sides) if rounds is None else rounds

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        """As many tables a round as can be filled."""
        return entries // (sides * SEATS) * self.round_count(entries, options, sides=sides)

    def schedule(self, stage: StageState) -> Schedule:
        """The movement as often as the rounds need, each round's tables first and then the sit-outs."""
        entries = stage.entries
        rounds = self.round_count(len(entries), stage.options, sides=stage.sides)
        full = movement(len(entries), stage.sides)
        schedule = []
        for number in range(rounds):
            tables = full[number % len(full)]
            seated = {place for table in tables for place in table}
            schedule.append(
                (
                    *(tuple(entries[place] for place in table) for table in tables),
                    *((entry,) for place, entry in enumerate(entries) if place not in seated),
                )
            )
        return schedule

    def display(self, stage: StageState) -> StageLayout:
        """One section, a column for each round; a slot names the entries side after side."""
        return StageLayout("movement", (DisplaySection(Caption(self.key), self.columns(stage)),))


FORMAT = Movement()
