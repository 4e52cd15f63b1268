"""Round robin by Berger tables: every entry meets every other once, or twice with sides exchanged.

With an odd number of entries, each has one bye per cycle. Source: the Berger tables of the FIDE Handbook,
C.05 annex 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from league.options import IntegerOption, Options
from league.schedule import Schedule, ScheduledFormat
from league.stage import Caption, DisplaySection, Pairing, StageLayout, StageState

MAX_ENTRIES = 200


def berger_round(entries: Sequence[str], number: int) -> tuple[Pairing, ...]:
    """Return the pairings of one round of a single cycle, rounds counted from 1; a bye comes last.

    >>> berger_round(["1", "2", "3", "4"], 2)
    (('4', '3'), ('1', '2'))
    """
    players: list[str | None] = [*entries, None] if len(entries) % 2 else list(entries)
    last = len(players) - 1
    # The last position is fixed; the others rotate by half the circle per round. Positions count from 0: the
    # two of a pairing add up to the round's number less one, modulo the number of rotating positions.
    pivot = (number - 1) * (last + 1) // 2 % last
    pairs = [(pivot, last) if number % 2 else (last, pivot)]
    pairs += [((pivot + step) % last, (pivot - step) % last) for step in range(1, (last + 1) // 2)]
    met = [tuple(name for name in (players[a], players[b]) if name is not None) for a, b in pairs]
    return tuple(sorted(met, key=len, reverse=True))


@cache
def berger_positions(entries: int, cycles: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return every round of a stage by positions from 0; the second cycle has the sides exchanged."""
    names = [str(position) for position in range(entries)]
    first = tuple(
        tuple(tuple(int(name) for name in pairing) for pairing in berger_round(names, number))
        for number in range(1, cycle_rounds(entries) + 1)
    )
    second = tuple(tuple(pairing[::-1] for pairing in played) for played in first)
    return first if cycles == 1 else (*first, *second)


def berger_schedule(entries: Sequence[str], cycles: int) -> list[tuple[Pairing, ...]]:
    return [
        tuple(tuple(entries[position] for position in pairing) for pairing in played)
        for played in berger_positions(len(entries), cycles)
    ]


def cycle_rounds(entries: int) -> int:
    return entries if entries % 2 else entries - 1


CYCLES = IntegerOption("cycles", 1, 2, 1, "how often every two meet; the second time with sides exchanged")


class RoundRobin(ScheduledFormat):
    """Option ``cycles``: 1 (default) or 2."""

    key = "round_robin"
    title = "Round robin"
    summary = "Everybody meets everybody. The fairest for up to some 16 entries."
    options = Options(key, (CYCLES,))

    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        self.options.check(options)
        self.require_duels(sides, entries, MAX_ENTRIES)

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int:
        self.validate(options, entries=entries, sides=sides)
        return cycle_rounds(entries) * self._cycles(options)

    def max_fixtures(
        self, entries: int, options: Mapping[str, object], *, sides: int = 2, per_side: int = 1
    ) -> int:
        self.validate(options, entries=entries, sides=sides)
        return entries * (entries - 1) // 2 * self._cycles(options)

    def schedule(self, stage: StageState) -> Schedule:
        self.validate(stage.options, entries=len(stage.entries), sides=stage.sides)
        return berger_schedule(stage.entries, self._cycles(stage.options))

    def display(self, stage: StageState) -> StageLayout:
        return StageLayout("table", (DisplaySection(Caption(self.key), self.columns(stage)),))

    def _cycles(self, options: Mapping[str, object]) -> int:
        return self.options.integer(options, "cycles") or 1


FORMAT = RoundRobin()
