"""Eliminations played by chance: level and void fixtures, entries that leave at any time, and rulings on any
fixture that are made, replaced and lifted at any time."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from league.formats import format_named
from league.scoring import FixtureOutcome
from league.stage import StageState
from league.verify.brackets import LOSSES, PlayedElimination
from tests.league.formats.simulated import names

KEYS = ("single_elimination", "double_elimination")
MOST_ROUNDS = 400


class RuledFixture:
    """A fixture as it was played, and its rulings with the number of rounds drawn by then."""

    def __init__(self, pairing: tuple[str, ...]) -> None:
        self.pairing = pairing
        self.played = FixtureOutcome(pairing)
        self.rulings: list[tuple[int, FixtureOutcome | None]] = []

    def outcome(self, opened_before: int | None = None) -> FixtureOutcome:
        known = [r for r in self.rulings if opened_before is None or r[0] < opened_before]
        earlier: dict[int, FixtureOutcome] = {}
        for number, (opened, _) in enumerate(known):
            earlier.setdefault(opened, self._by(known[:number]))
        return self._by(known)._replace(earlier=tuple(sorted(earlier.items())))

    def _by(self, known: list[tuple[int, FixtureOutcome | None]]) -> FixtureOutcome:
        return (known[-1][1] if known else None) or self.played

    def win(self, loser: str) -> FixtureOutcome:
        return self.of({entry: Fraction(-1 if entry == loser else 1) for entry in self.pairing})

    def of(self, totals: dict[str, Fraction]) -> FixtureOutcome:
        return FixtureOutcome(self.pairing, totals)


class RandomElimination:
    """One stage, drawn by its format and played by chance until it is over."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        self.key = rng.choice(KEYS)
        self.format: Any = format_named(self.key)
        self.entries = names(rng.choice((2, 3, 4, 4, 5, 6, 7, 8, 9, 12)))
        self.options: dict[str, object] = {"replays": rng.choice((0, 1, 1, 2))}
        flag = "third_place" if self.key == KEYS[0] else "reset"
        self.options[flag] = rng.random() < 0.5
        self.leaves, self.rules, self.levels = (
            rng.choice((0.0, low, high)) for low, high in ((0.03, 0.15), (0.1, 0.5), (0.2, 0.6))
        )
        self.rounds: list[list[RuledFixture]] = []
        self.left: dict[str, int] = {}
        self.play()

    def stage(self, opened_before: int | None = None) -> StageState:
        """The stage now, or when this round was drawn."""
        rounds = self.rounds if opened_before is None else self.rounds[: opened_before - 1]
        return StageState(
            self.entries,
            self.options,
            tuple(tuple(fixture.outcome(opened_before) for fixture in played) for played in rounds),
            left=frozenset(e for e, at in self.left.items() if opened_before is None or at < opened_before),
        )

    def play(self) -> None:
        while True:
            self.happen()
            pairings = self.format.next_round(self.stage())
            if pairings is None:
                if self.rounds and self.rules and self.rng.random() < 0.3:
                    self.rule()
                    continue
                break
            assert len(self.rounds) < MOST_ROUNDS
            self.rounds.append([RuledFixture(pairing) for pairing in pairings])
            self.happen()
            for fixture in self.rounds[-1]:
                if len(fixture.pairing) == 2:
                    self.finish(fixture)

    def finish(self, fixture: RuledFixture) -> None:
        """Play a fixture; an entry that left while it was open forfeits it."""
        gone = [entry for entry in fixture.pairing if entry in self.left]
        fixture.played = self.result(fixture)
        if gone and not fixture.rulings:
            forfeited = fixture.win(gone[0]) if len(gone) == 1 else self.level(fixture)
            fixture.rulings.append((len(self.rounds), forfeited))

    def result(self, fixture: RuledFixture) -> FixtureOutcome:
        if self.rng.random() < self.levels:
            return self.level(fixture)
        return fixture.win(self.rng.choice(fixture.pairing))

    def level(self, fixture: RuledFixture) -> FixtureOutcome:
        if self.rng.random() < 0.5:
            return FixtureOutcome(fixture.pairing, is_void=True)
        return fixture.of(dict.fromkeys(fixture.pairing, Fraction()))

    def happen(self) -> None:
        for entry in self.entries:
            if entry not in self.left and self.rng.random() < self.leaves:
                self.left[entry] = len(self.rounds)
        while self.rng.random() < self.rules and self.rounds:
            self.rule()

    def rule(self) -> None:
        """A ruling on any fixture, more often on one of the last rounds."""
        number = len(self.rounds) - 1 - min(self.rng.choice((0, 0, 1, 1, 2, 9)), len(self.rounds) - 1)
        fixtures = [fixture for fixture in self.rounds[number] if len(fixture.pairing) == 2]
        fixture = self.rng.choice(fixtures)
        is_played = fixture.played.is_done
        ruling = None if is_played and self.rng.random() < 0.2 else self.result(fixture)
        fixture.rulings.append((len(self.rounds), ruling))

    def played(self, **changes: Any) -> PlayedElimination:
        """What verifying it is asked about."""
        progress = self.format.progress(self.stage())
        return PlayedElimination(
            LOSSES[self.key],
            int(str(self.options["replays"])),
            bool(self.options.get("third_place", False)),
            bool(self.options.get("reset", True)),
            self.entries,
            self.rounds,
            self.left,
            True,
            max(progress, key=lambda entry: progress[entry]) if self.rounds else None,
        )._replace(**changes)
