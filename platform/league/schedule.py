"""Formats whose whole schedule is known beforehand, and how it is walked when entries leave.

A schedule never shifts. Who left is taken out of the pairings to come: a pairing that lacks somebody is
not played and its others have byes. A round in which nobody would meet anybody is passed over, so the
round to draw is the first playable one after those already drawn, each of which is found again in the
schedule by the pairings it held.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from league.display import drawn_slot, future_slot, round_column
from league.stage import DisplayColumn, Format, Pairing, StageState

Schedule = Sequence[Sequence[Pairing]]
"""Every round of a stage as if nobody left, a single entry having a bye."""


def playable_pairings(pairings: Iterable[Pairing], left: frozenset[str]) -> tuple[Pairing, ...]:
    """The pairings of a round that can be played, then the byes, each in the order given.

    >>> without([("a", "b"), ("c", "d")], frozenset("b"))
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
    """Base of all such formats."""

    needs_results = False
    repeats = True

    @abstractmethod
    def schedule(self, stage: StageState) -> Schedule:
        """Every round of one pass of the stage as if nobody left."""

    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """The next round of the schedule in which anybody meets, whatever the results; None after it."""
        schedule = self.schedule(stage)
        for number in range(_rounds_passed(schedule, stage), len(schedule)):
            drawn = playable_pairings(schedule[number], stage.left)
            if any(len(pairing) > 1 for pairing in drawn):
                return drawn
        return None

    def is_complete(self, stage: StageState) -> bool:
        """No round of the schedule is left to play, and all fixtures are done."""
        return stage.all_done and self.next_round(stage) is None

    def columns(self, stage: StageState, members: frozenset[str] | None = None) -> tuple[DisplayColumn, ...]:
        """A column for every round, drawn or to come; only the pairings of ``members`` if given."""
        found = [
            round_column(
                number,
                (
                    drawn_slot(number, place, fixture)
                    for place, fixture in enumerate(drawn, 1)
                    if members is None or members.issuperset(fixture.entries)
                ),
            )
            for number, drawn in enumerate(stage.rounds, 1)
        ]
        schedule = self.schedule(stage)
        for planned in schedule[_rounds_passed(schedule, stage) :]:
            pairings = playable_pairings(planned, stage.left)
            if any(len(pairing) > 1 for pairing in pairings):
                found.append(
                    round_column(
                        len(found) + 1,
                        (future_slot(p) for p in pairings if members is None or members.issuperset(p)),
                    )
                )
        return tuple(each for each in found if each.slots)


def _rounds_passed(schedule: Schedule, stage: StageState) -> int:
    """How many rounds of the schedule were drawn or passed over."""
    passed = 0
    for drawn in stage.rounds:
        met = {fixture.entries for fixture in drawn if not fixture.is_bye}
        while met and passed < len(schedule) and met.isdisjoint(schedule[passed]):
            passed += 1
        passed += 1
    return passed
