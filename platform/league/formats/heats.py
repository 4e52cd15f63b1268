"""Free-for-all heats: fixtures of as many entries as the table has sides, mixed anew every round.

With as many entries as sides everybody meets in every round, in the circular orders of
``league.orders``. With more, each round has as many full heats as fit and the others sit out.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from league.errors import FormatError
from league.mixing import met_so_far
from league.orders import FEWEST, MOST, circular_orders
from league.stage import Format, Pairing, StageSoFar

MOST_ENTRIES = 200
MOST_ROUNDS = 500


class Heats(Format):
    """Option ``rounds``: 1 to 500; by default what ``fair_rounds`` says."""

    key = "heats"
    title = "Heats"
    needs_results = False

    def validate(self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2) -> None:
        """Two to eight sides, at least as many entries, ``rounds`` 1 to 500 and no other option."""
        unknown = sorted(set(options) - {"rounds"})
        if unknown:
            raise FormatError(f"unknown option {unknown[0]!r} of heats; options: rounds")
        rounds = options.get("rounds", 1)
        if isinstance(rounds, bool) or not isinstance(rounds, int) or not 1 <= rounds <= MOST_ROUNDS:
            raise FormatError(f"rounds of heats must be 1 to {MOST_ROUNDS}, not {rounds!r}")
        if not FEWEST <= sides <= MOST:
            raise FormatError(f"heats are of {FEWEST} to {MOST} sides; this game has {sides}")
        if entries is not None and not sides <= entries <= MOST_ENTRIES:
            raise FormatError(f"heats of {sides} sides take {sides} to {MOST_ENTRIES} entries, not {entries}")

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int:
        """The option, or else ``fair_rounds``."""
        self.validate(options, entries=entries, sides=sides)
        rounds = options.get("rounds")
        return rounds if isinstance(rounds, int) else fair_rounds(entries, sides)

    def next_round(self, stage: StageSoFar) -> tuple[Pairing, ...] | None:
        """The round after the last one opened, whatever the results; None after the last.

        Heats first, each in its circular order from its best seed on; then the sit-outs alone.
        """
        entries, played = stage.entries, len(stage.rounds)
        if played >= self.round_count(len(entries), stage.options, sides=stage.sides):
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
                    if not fixture.is_bye
                ]
                for drawn in stage.rounds
            ],
        )
        return tuple(tuple(entries[place] for place in heat) for heat in met.draw(stage.sides))

    def is_complete(self, stage: StageSoFar) -> bool:
        """All rounds opened, all fixtures done."""
        rounds = self.round_count(len(stage.entries), stage.options, sides=stage.sides)
        return len(stage.rounds) >= rounds and all(
            fixture.is_done for drawn in stage.rounds for fixture in drawn
        )


def fair_rounds(entries: int, sides: int) -> int:
    """How many rounds a stage has unless told otherwise.

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
