"""Free-for-all heats: fixtures with as many entries as the table has sides, mixed in every round.

With as many entries as sides, all meet in every round, in the circular orders of ``league.orders``. With
more, each round has as many full heats as fit and the others sit out.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from league.display import drawn_columns
from league.errors import FormatError
from league.mixing import meeting_history
from league.options import IntegerOption, Options
from league.orders import MAX_SIZE, MIN_SIZE, circular_orders
from league.stage import Caption, DisplaySection, Format, Pairing, StageLayout, StageState

MAX_ENTRIES = 1000
MAX_ROUNDS = 500
ROUNDS_MEANING = "rounds; unless given, enough that every two can meet and all sit out alike"
ROUNDS = IntegerOption("rounds", 1, MAX_ROUNDS, None, ROUNDS_MEANING)


class Heats(Format):
    """Option ``rounds``: 1 to 500; default ``default_rounds``."""

    key = "heats"
    title = "Heats"
    summary = (
        "For games of more than two sides: every round fills tables, so that all meet about equally often."
    )
    needs_results = False
    repeats = True
    options = Options(key, [ROUNDS])

    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        """Require two to eight sides, at least as many entries, and ``rounds`` of 1 to 500."""
        self.options.check(options)
        if not MIN_SIZE <= sides <= MAX_SIZE:
            raise FormatError(f"heats are of {MIN_SIZE} to {MAX_SIZE} sides; this game has {sides}")
        if entries is not None and not sides <= entries <= MAX_ENTRIES:
            raise FormatError(f"heats of {sides} sides take {sides} to {MAX_ENTRIES} entries, not {entries}")

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int:
        self.validate(options, entries=entries, sides=sides)
        rounds = options.get("rounds")
        return rounds if isinstance(rounds, int) else default_rounds(entries, sides)

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        return entries // sides * self.round_count(entries, options, sides=sides)

    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """Return the next round, independent of results; None after the last or with too few entries.

        Heats come first, each in its circular order from its best seed, then the entries that sit out.
        """
        entries, played = stage.present, len(stage.rounds)
        if played >= self._rounds(stage) or len(entries) < stage.sides:
            return None
        if len(entries) == stage.sides:
            orders = circular_orders(stage.sides)
            return (tuple(entries[position] for position in orders[played % len(orders)]),)
        number = {entry: position for position, entry in enumerate(entries)}
        met = meeting_history(
            len(entries),
            [
                [
                    [number[entry] for entry in fixture.entries if entry in number]
                    for fixture in drawn
                    if not fixture.is_bye and not stage.left.issuperset(fixture.entries)
                ]
                for drawn in stage.rounds
            ],
        )
        return tuple(tuple(entries[position] for position in heat) for heat in met.draw_round(stage.sides))

    def is_complete(self, stage: StageState) -> bool:
        over = len(stage.rounds) >= self._rounds(stage) or len(stage.present) < stage.sides
        return over and stage.all_done

    def display(self, stage: StageState) -> StageLayout:
        return StageLayout("heats", (DisplaySection(Caption(self.key), drawn_columns(stage.rounds)),))

    def _rounds(self, stage: StageState) -> int:
        return self.round_count(len(stage.entries), stage.options, sides=stage.sides)


def default_rounds(entries: int, sides: int) -> int:
    """Return the smallest number of rounds that is a full cycle: of circular orders, meetings and sit-outs.

    >>> default_rounds(7, 7), default_rounds(10, 7), default_rounds(28, 7), default_rounds(6, 3)
    (6, 10, 6, 3)
    """
    playing = entries - entries % sides
    # In a round every entry has sides-1 opponents, unless it sits out.
    to_meet_all = -(-(entries - 1) * entries // ((sides - 1) * playing))
    at_least = max(to_meet_all, len(circular_orders(sides)))
    period = entries // gcd(entries, entries % sides)
    return -(-at_least // period) * period


FORMAT = Heats()
