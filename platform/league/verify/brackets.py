"""Independent check of eliminations: every fixture belongs to a match, and no match was left out.

Counts the losses of every entry and uses no code of the formats, so that an error there does not confirm
itself. Three statements are checked:

- each drawn fixture of two entries belongs to exactly one match, as its first fixture or as a replay;
- no match of two entries is decided without a fixture, unless an entry left;
- the champion was not eliminated, and every other entry was eliminated or left.

Source: docs/formats.md#single-elimination, #double-elimination.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

from league.scoring import FixtureOutcome
from league.verify.stages import StageCheck

LOSSES = {"single_elimination": 1, "double_elimination": 2}
"""Losses that eliminate an entry, by format."""
REPLAYS = 1
"""Default number of replays of a level match."""
MIN_ENTRIES_FOR_THIRD_PLACE = 4


class RuledFixture(Protocol):
    """A fixture with its rulings."""

    def outcome(self, opened_before: int | None = None) -> FixtureOutcome:
        """Return the outcome when this round of the stage was drawn; by default the current one."""


class PlayedElimination(NamedTuple):
    """A stage played as an elimination."""

    losses: int
    replays: int
    third_place: bool
    reset: bool
    order: tuple[str, ...]
    rounds: Sequence[Sequence[RuledFixture]]
    left: Mapping[str, int]
    """Rounds of the stage that were drawn before an entry left."""
    is_complete: bool
    """Whether it was played to its end, not ended early."""
    champion: str | None = None
    """First entry of the published standings."""


def elimination_disagreements(check: StageCheck) -> Iterator[str]:
    """Yield violations of the three statements in a verified stage; nothing for other formats."""
    stage, options = check.stage, check.stage["options"]
    if stage["format"] not in LOSSES or not check.fixtures:
        return
    played = PlayedElimination(
        losses=LOSSES[stage["format"]],
        replays=options.get("replays", REPLAYS),
        third_place=options.get("third_place", False),
        reset=options.get("reset", True),
        order=check.order,
        rounds=check.fixtures,
        left={
            name: drawn if number == check.number else 0
            for name, (number, drawn) in check.left_at.items()
            if number <= check.number
        },
        is_complete=stage["state"] == "done" and not stage["closed_early"],
        champion=next((row["entry"] for row in stage["standings"] if row["rank"] == 1), None),
    )
    for sentence in disagreements(played):
        yield f"{check.where}{sentence}"


def disagreements(played: PlayedElimination) -> Iterator[str]:
    """Yield violations of the three statements; each continues the name of the stage."""
    yield from _LossCount(played).check()


@dataclasses.dataclass
class _CountedMatch:
    entries: tuple[str, str]
    fixtures: list[RuledFixture]
    is_for_third_place: bool = False
    unbeaten: str | None = None
    """In a grand final, the entry without a loss."""


class _LossCount:
    """Losses of the entries, counted draw by draw."""

    def __init__(self, played: PlayedElimination) -> None:
        self.played = played
        self.lost = Counter(dict.fromkeys(played.order, 0))
        self.place = {entry: position for position, entry in enumerate(played.order)}
        self.matches: list[_CountedMatch] = []
        """Matches of the current step, not counted yet because their results may still change."""
        self.losers: list[str] = []
        """Losers of the previous step."""
        self.has_third_place = not (played.third_place and len(played.order) >= MIN_ENTRIES_FOR_THIRD_PLACE)
        """Whether the third-place match was drawn, or there is none."""
        self.finals = 0

    def check(self) -> Iterator[str]:
        for number, fixtures in enumerate(self.played.rounds, 1):
            drawn = [fixture for fixture in fixtures if len(fixture.outcome(number).entries) == 2]
            replayed = [self._replayed(fixture, number) for fixture in drawn]
            if all(replayed):
                for match, fixture in zip(replayed, drawn, strict=True):
                    if match is not None:
                        match.fixtures.append(fixture)
                self._byes(number, fixtures)
                continue
            yield from self._settle(number)
            for fixture in drawn:
                yield from self._first(number, fixture)
            yield from self._third_place(number)
        if self.played.is_complete:
            yield from self._settle(None)
            yield from self._end()

    def _replayed(self, fixture: RuledFixture, number: int) -> _CountedMatch | None:
        """Return the match of the current step that this fixture replays."""
        pair = set(fixture.outcome(number).entries)
        for match in self.matches:
            is_open = len(match.fixtures) <= self.played.replays
            if set(match.entries) == pair and is_open and self._winner(match, number) is None:
                return match
        return None

    def _byes(self, number: int, fixtures: Sequence[RuledFixture]) -> None:
        """Decide matches without a loss if the replay was a bye, because one of the two left."""
        byes = {entries[0] for f in fixtures if len(entries := f.outcome(number).entries) == 1}
        self.matches = [match for match in self.matches if not byes & set(match.entries)]

    def _winner(self, match: _CountedMatch, number: int | None) -> str | None:
        """Return the winner of its last fixture when this round was drawn (None: now)."""
        outcome = match.fixtures[-1].outcome(number)
        if outcome.is_void or outcome.totals is None:
            return None
        first, second = match.entries
        ahead: Fraction = outcome.totals[first] - outcome.totals[second]
        return None if ahead == 0 else first if ahead > 0 else second

    def _has_withdrawn(self, entry: str, number: int | None) -> bool:
        left = self.played.left.get(entry)
        return left is not None and (number is None or left < number)

    def _settle(self, number: int | None) -> Iterator[str]:
        """Count the losses of the current step by the outcomes when this round was drawn."""
        self.losers = []
        for match in self.matches:
            winner = self._winner(match, number)
            if winner is None and len(match.fixtures) > self.played.replays:
                winner = min(match.entries, key=lambda entry: self.place.get(entry, 0))
            if winner is None:
                if not any(self._has_withdrawn(entry, number) for entry in match.entries):
                    first, second = match.entries
                    yield f": the level match of {first} and {second} was not replayed"
                continue
            loser = next(entry for entry in match.entries if entry != winner)
            if match.is_for_third_place:
                continue
            is_last_loss = match.unbeaten == loser and not self.played.reset
            self.lost[loser] = self.played.losses if is_last_loss else self.lost[loser] + 1
            self.losers.append(loser)
        self.matches = []

    def _alive(self, number: int | None) -> list[str]:
        """Return the entries that are neither eliminated nor withdrawn."""
        return [
            entry
            for entry, losses in self.lost.items()
            if losses < self.played.losses and not self._has_withdrawn(entry, number)
        ]

    def _first(self, number: int, fixture: RuledFixture) -> Iterator[str]:
        """Start the match of a fixture that is not a replay."""
        first, second = fixture.outcome().entries
        match = _CountedMatch((first, second), [fixture])
        self.matches.append(match)
        losses = sorted((self.lost[first], self.lost[second]))
        is_final = set(self._alive(number)) == {first, second}
        if losses == [0, 1] and self.played.losses == 2 and is_final and not self.finals:
            match.unbeaten = first if self.lost[first] == 0 else second
            self.finals = 1
        elif losses == [1, 1] and self.played.losses == 1 and not self.has_third_place:
            match.is_for_third_place = self.has_third_place = True
        elif losses[0] != losses[1] or losses[1] >= self.played.losses:
            yield f", round {number}: {first} and {second} meet, but no match of theirs was due"
        elif self.finals:
            self.finals += 1
            if self.finals > 2 or not self.played.reset:
                yield f", round {number}: {first} and {second} meet, but no match of theirs was due"

    def _third_place(self, number: int) -> Iterator[str]:
        """Check that the losers of the semi-finals meet in the round of the final, unless entries left."""
        unbeaten = {entry for entry, losses in self.lost.items() if losses == 0}
        is_final = any(set(match.entries) == unbeaten for match in self.matches)
        if self.has_third_place or not is_final or len(self.losers) != 2:
            return
        if not any(self._has_withdrawn(entry, number) for entry in self.losers):
            first, second = self.losers
            yield f", round {number}: {first} and {second} do not meet for the third place"

    def _end(self) -> Iterator[str]:
        """Check that one entry is left, and is the champion."""
        alive = self._alive(None)
        if len(alive) > 1:
            yield f": it ended before a match decided between {alive[0]} and {alive[1]}"
            return
        champion = self.played.champion
        if champion is None:
            return
        is_out = self.lost[champion] >= self.played.losses
        if is_out or (alive and alive != [champion]):
            yield f": {champion} is first, but {'was eliminated' if is_out else f'{alive[0]} was not'}"
