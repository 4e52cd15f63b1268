"""Round robin by Berger tables: everybody meets everybody once, or twice with sides exchanged.

With an odd number of entries one of them has a bye in every round, each once a cycle.
Source: the Berger tables of the FIDE Handbook, C.05 annex 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from league.errors import FormatError
from league.stage import Format, Pairing, StageSoFar

MOST_ENTRIES = 200


def berger_round(entries: Sequence[str], number: int) -> tuple[Pairing, ...]:
    """The pairings of one round of a single cycle, rounds counted from 1; a bye comes last.

    >>> berger_round(["1", "2", "3", "4"], 2)
    (('4', '3'), ('1', '2'))
    """
    players: list[str | None] = [*entries, None] if len(entries) % 2 else list(entries)
    last = len(players) - 1
    # The last place stays; the others turn by half the circle a round. Places count from 0: the two
    # of a pairing add up to the round's number less one, modulo the number of turning places.
    pivot = (number - 1) * (last + 1) // 2 % last
    pairs = [(pivot, last) if number % 2 else (last, pivot)]
    pairs += [((pivot + step) % last, (pivot - step) % last) for step in range(1, (last + 1) // 2)]
    met = [tuple(name for name in (players[a], players[b]) if name is not None) for a, b in pairs]
    return tuple(sorted(met, key=len, reverse=True))


class RoundRobin(Format):
    """Option ``cycles``: 1 (default) or 2."""

    key = "round_robin"
    title = "Round robin"
    needs_results = False

    def validate(self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2) -> None:
        """Two sides, two entries or more, ``cycles`` 1 or 2 and no other option."""
        unknown = sorted(set(options) - {"cycles"})
        if unknown:
            raise FormatError(f"unknown option {unknown[0]!r} of round_robin; options: cycles")
        cycles = options.get("cycles", 1)
        if isinstance(cycles, bool) or cycles not in (1, 2):
            raise FormatError(f"cycles of round_robin must be 1 or 2, not {cycles!r}")
        if sides != 2:
            raise FormatError(f"round_robin brings two sides together; this game has {sides}: take heats")
        if entries is not None and not 2 <= entries <= MOST_ENTRIES:
            raise FormatError(f"round_robin takes 2 to {MOST_ENTRIES} entries, not {entries}")

    def round_count(self, entries: int, options: Mapping[str, object], *, sides: int = 2) -> int:
        """One less than the entries, or as many if they are odd; twice that with two cycles."""
        self.validate(options, entries=entries, sides=sides)
        return _cycle_rounds(entries) * (2 if options.get("cycles") == 2 else 1)

    def next_round(self, stage: StageSoFar) -> tuple[Pairing, ...] | None:
        """The round after the last one opened, whatever the results; None after the last."""
        played = len(stage.rounds)
        if played >= self.round_count(len(stage.entries), stage.options, sides=stage.sides):
            return None
        cycle, before = divmod(played, _cycle_rounds(len(stage.entries)))
        pairings = berger_round(stage.entries, before + 1)
        return tuple(pairing[::-1] for pairing in pairings) if cycle else pairings

    def is_complete(self, stage: StageSoFar) -> bool:
        """All rounds opened, all fixtures done."""
        return len(stage.rounds) >= self.round_count(
            len(stage.entries), stage.options, sides=stage.sides
        ) and all(fixture.is_done for played in stage.rounds for fixture in played)


def _cycle_rounds(entries: int) -> int:
    return entries if entries % 2 else entries - 1


FORMAT = RoundRobin()
