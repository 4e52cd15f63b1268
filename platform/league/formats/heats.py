"""Free-for-all heats: fixtures of as many entries as the table has sides, mixed in every round.

With as many entries as sides everybody meets in every round, in the circular orders of
``league.orders``. With more, each round has as many full heats as fit and the others sit out.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from league.display import drawn_columns
from league.errors import FormatError
from league.mixing import met_so_far
from league.options import Integer, Options
from league.orders import FEWEST, MOST, circular_orders
from league.stage import Caption, Display, Format, Pairing, Section, StageSoFar

MOST_ENTRIES = 1000
MOST_ROUNDS = 500
ROUNDS_MEANING = "rounds; unless given, enough that every two can meet and all sit out alike"
ROUNDS = Integer("rounds", 1, MOST_ROUNDS, None, ROUNDS_MEANING)


class Heats(Format):
    """Option ``rounds``: 1 to 500; by default what ``fair_rounds`` says."""

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
        """Two to eight sides, at least as many entries, ``rounds`` 1 to 500 and no other option."""
        self.options.check(options)
        if not FEWEST <= sides <= MOST:
            raise FormatError(f"heats are of {FEWEST} to {MOST} sides; this game has {sides}")
        if entries is not None and not sides <= entries <= MOST_ENTRIES:
            raise FormatError(f"heats of {sides} sides take {sides} to {MOST_ENTRIES} entries, not {entries}")

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int:
        """The option, or else ``fair_rounds``."""
        self.validate(options, entries=entries, sides=sides)
        rounds = options.get("rounds")
        return rounds if isinstance(rounds, int) else fair_rounds(entries, sides)

    def fixtures_bound(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        """As many heats a round as fit."""
        return entries // sides * self.round_count(entries, options, sides=sides)

    def next_round(self, stage: StageSoFar) -> tuple[Pairing, ...] | None:
        """The round after the last one opened, whatever the results; None after the last.

        Drawn among those who are still in. Heats first, each in its circular order from its best seed on;
        then the sit-outs alone. With too few for one heat there are no more rounds.
        """
        entries, played = stage.present, len(stage.rounds)
        if played >= self._rounds(stage) or len(entries) < stage.sides:
            return None
        if len(entries) == stage.sides:
            orders = circular_orders(stage.sides)
            return (tuple(entries[place] for place in orders[played % len(orders)]),)
        number = {entry: place for place, entry in enumerate(entries)}
        met = met_so_far(
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
        return tuple(tuple(entries[place] for place in heat) for heat in met.draw(stage.sides))

    def is_complete(self, stage: StageSoFar) -> bool:
        """All rounds opened, or too few left for a heat; and all fixtures done."""
        over = len(stage.rounds) >= self._rounds(stage) or len(stage.present) < stage.sides
        return over and stage.all_done

    def display(self, stage: StageSoFar) -> Display:
        """One section, a column for each round drawn."""
        return Display("heats", (Section(Caption(self.key), drawn_columns(stage.rounds)),))

    def _rounds(self, stage: StageSoFar) -> int:
        return self.round_count(len(stage.entries), stage.options, sides=stage.sides)


def fair_rounds(entries: int, sides: int) -> int:
    """The default number of rounds of a stage.

    The fewest that hold a full cycle of circular orders, let every two entries meet once, and have
    everybody sit out equally often. With as many entries as sides: one cycle.

    >>> fair_rounds(7, 7), fair_rounds(10, 7), fair_rounds(28, 7), fair_rounds(6, 3)
    (6, 10, 6, 3)
    """
    playing = entries - entries % sides
    # In a round every entry has sides-1 opponents, unless it sits out.
    to_meet_all = -(-(entries - 1) * entries // ((sides - 1) * playing))
    at_least = max(to_meet_all, len(circular_orders(sides)))
    period = entries // gcd(entries, entries % sides)
    return -(-at_least // period) * period


FORMAT = Heats()
