"""Formats whose whole schedule is known in advance, and its rounds when entries leave.

A schedule never shifts. A pairing without one of its entries is not played, and the others have byes. A round
in which no two entries would meet is skipped.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from league.display import drawn_slot, future_slot, round_column
from league.stage import DisplayColumn, Format, Pairing, StageState

Schedule = Sequence[Sequence[Pairing]]
"""Every round of a stage if no entry leaves; a single entry has a bye."""


def playable_pairings(pairings: Iterable[Pairing], left: frozenset[str]) -> tuple[Pairing, ...]:
    """Return the pairings of a round that can be played, then the byes, each in the given order.

    >>> playable_pairings([("a", "b"), ("c", "d")], frozenset("b"))
    (('c', 'd'), ('a',))
    """
    played: list[Pairing] = []
    byes: list[Pairing] = []
    for pairing in pairings:
        present = tuple(entry for entry in pairing if entry not in left)
        if len(present) == len(pairing) > 1:
            played.append(present)
        else:
            byes += [(entry,) for entry in present]
    return (*played, *byes)


class ScheduledFormat(Format):
    """Base of formats with a fixed schedule."""

    needs_results = False
    repeats = True

    @abstractmethod
    def schedule(self, stage: StageState) -> Schedule:
        """Return every round of one pass of the stage if no entry leaves."""

    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """Return the next round in which two entries meet, independent of results; None after the last."""
        schedule = self.schedule(stage)
        for number in range(_rounds_passed(schedule, stage), len(schedule)):
            drawn = playable_pairings(schedule[number], stage.left)
            if any(len(pairing) > 1 for pairing in drawn):
                return drawn
        return None

    def is_complete(self, stage: StageState) -> bool:
        """Return whether no round is left to play, and all fixtures are done."""
        return stage.all_done and self.next_round(stage) is None

    def columns(self, stage: StageState, members: frozenset[str] | None = None) -> tuple[DisplayColumn, ...]:
        """Return a column for every round, drawn or future, optionally with pairings of ``members`` only."""
        columns = [
            round_column(
                number,
                (
                    drawn_slot(number, position, fixture)
                    for position, fixture in enumerate(drawn, 1)
                    if members is None or members.issuperset(fixture.entries)
                ),
            )
            for number, drawn in enumerate(stage.rounds, 1)
        ]
        schedule = self.schedule(stage)
        for planned in schedule[_rounds_passed(schedule, stage) :]:
            pairings = playable_pairings(planned, stage.left)
            if any(len(pairing) > 1 for pairing in pairings):
                columns.append(
                    round_column(
                        len(columns) + 1,
                        (future_slot(p) for p in pairings if members is None or members.issuperset(p)),
                    )
                )
        return tuple(each for each in columns if each.slots)


def _rounds_passed(schedule: Schedule, stage: StageState) -> int:
    """Return the number of rounds of the schedule that were drawn or skipped."""
    passed = 0
    for drawn in stage.rounds:
        met = {fixture.entries for fixture in drawn if not fixture.is_bye}
        while met and passed < len(schedule) and met.isdisjoint(schedule[passed]):
            passed += 1
        passed += 1
    return passed
