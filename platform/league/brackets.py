"""Brackets: matches that take their entrants from matches before them, found again from the rounds drawn.

A bracket is a list of matches in steps. The rounds of a stage walk through it: a step takes one round, and
one more for every replay that a match of it needs, in which the others rest.

- A level match (a draw, a void fixture, forfeits by both) is replayed, as often as the stage allows; if it
  is still level, the better seed advances.
- Whoever meets nobody has a bye and advances: because the seed was too good to play the first step, or
  because the opponent left. Where both left, nobody advances; after a level match, the better seed.
- A step in which nobody would meet anybody takes no round: those in it advance.
- What was drawn stands: if a result is changed after the next step was drawn, whoever was drawn into it
  has advanced.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from league.display import winner_of
from league.scoring import FixtureOutcome
from league.stage import Pairing, StageSoFar


class Source(NamedTuple):
    """Where an entrant comes from."""

    kind: Literal["seed", "winner", "loser"]
    number: int
    """Of the seed, from 0, or of the match, by its place in the bracket's list."""


class Match(NamedTuple):
    """One pairing of a bracket."""

    step: int
    """From 1."""
    section: str
    column: str
    """Heading below which it is shown."""
    name: str
    sources: tuple[Source, Source]
    won: int
    """Progress of the winner, and of the loser, as long as neither has played another match."""
    lost: int
    decider_of: int | None = None
    """Played only if this match was won by the entrant named second there."""


@dataclasses.dataclass
class State:
    """The state of a match."""

    match: Match
    entrants: tuple[str | None, str | None] = (None, None)
    known: bool = False
    """Both sources are decided; an entrant that is still None does not exist."""
    drawn: list[tuple[int, int, FixtureOutcome]] = dataclasses.field(default_factory=list)
    """Its fixtures: round and place in it from 1, and the outcome; first the match, then replays."""
    winner: str | None = None
    loser: str | None = None
    decided: bool = False
    is_needed: bool = True
    by_seed: bool = False
    """Still level after every replay, so the better seed advanced."""
    as_drawn: bool = False
    """Its result was changed after the next step was drawn."""

    def decide(self, winner: str | None) -> None:
        """This entrant advances, the other one, if there is one, has lost."""
        self.winner = winner
        self.loser = next((e for e in self.entrants if e is not None and e != winner), None)
        self.decided = True

    def turn(self) -> None:
        """Exchange winner and loser."""
        self.winner, self.loser = self.loser, self.winner


class Course(NamedTuple):
    """A bracket with everything played so far."""

    states: tuple[State, ...]
    next_pairings: tuple[Pairing, ...] | None
    """The next round; None while fixtures are being played, and when everything is decided."""

    @property
    def is_over(self) -> bool:
        """Every match is decided."""
        return all(state.decided for state in self.states)

    def progress(self, entries: Iterable[str], start: int) -> Mapping[str, int]:
        """How far each entry got: what its last match gave it, ``start`` for those before their first."""
        got = dict.fromkeys(entries, start)
        for state in self.states:
            if state.decided and state.is_needed:
                for entrant in state.entrants:
                    if entrant is not None:
                        got[entrant] = state.match.won if entrant == state.winner else state.match.lost
        return got


def course(matches: Sequence[Match], seeds: Sequence[str | None], stage: StageSoFar, replays: int) -> Course:
    """The state of a bracket whose first entrants are ``seeds``, and the next draw.

    Matches are listed so that each comes after those its entrants come from, steps ascending.
    """
    walk = _Walk(matches, seeds, stage, replays)
    for step in range(1, matches[-1].step + 1):
        pairings = walk.through(step)
        if pairings is not None:
            return Course(tuple(walk.states), pairings or None)
    return Course(tuple(walk.states), None)


class _Walk:
    """The rounds drawn, laid over the steps of the bracket one after the other."""

    def __init__(
        self, matches: Sequence[Match], seeds: Sequence[str | None], stage: StageSoFar, replays: int
    ) -> None:
        self.states = [State(match) for match in matches]
        self.seeds = seeds
        self.stage = stage
        self.replays = replays
        self.seed_of = {entry: number for number, entry in enumerate(seeds) if entry is not None}
        self.taken = 0  # rounds that belong to the steps so far

    def through(self, step: int) -> tuple[Pairing, ...] | None:
        """Decide the matches of a step by its rounds; None once all are decided.

        Otherwise the pairings to draw, none while there is something to wait for.
        """
        of_step = [state for state in self.states if state.match.step == step]
        if self.taken < len(self.stage.rounds):
            self._follow(of_step, self.stage.rounds[self.taken])
        for state in of_step:
            self._enter(state)
        while undecided := [state for state in of_step if not state.decided]:
            if self.taken < len(self.stage.rounds):
                self._take_round(undecided)
                if any(s.drawn and not s.drawn[-1][2].is_done for s in undecided):
                    return ()
                continue
            pairings = [self._pairing(state) for state in undecided]
            if any(len(pairing) == 2 for pairing in pairings):
                return (
                    *(pairing for pairing in pairings if len(pairing) == 2),
                    *(pairing for pairing in pairings if len(pairing) == 1),
                )
            self._pass_over(undecided)
        return None

    def _follow(self, of_step: Sequence[State], drawn: Sequence[FixtureOutcome]) -> None:
        """Where this round has others in its matches than results say now, follow what was drawn.

        Results are turned one after the other, each time the one that explains most; if that does not
        explain the whole round, it is not one of this step, and nothing is turned.
        """
        expected = (
            (self._from(first), self._from(second)) for first, second in (s.match.sources for s in of_step)
        )
        gone = {None, *self.stage.left}
        if all(first in gone or second in gone for first, second in expected):
            return  # leaving explains it: the step took no round
        turned: list[State] = []
        unlike = self._unlike(of_step, drawn)
        while unlike[0]:
            before = [s for s in self._before(of_step) if s not in turned]
            found = min(
                (
                    (self._unlike_if_turned(state, of_step, drawn), place)
                    for place, state in enumerate(before)
                ),
                default=(unlike, 0),
            )
            if found[0] >= unlike:
                for state in turned:
                    state.turn()
                return
            unlike = found[0]
            before[found[1]].turn()
            turned.append(before[found[1]])
        for state in turned:
            state.as_drawn, state.by_seed = True, False

    def _before(self, of_step: Sequence[State]) -> list[State]:
        """The matches played by two that these take their entrants from, each once."""
        numbers = {
            source.number for state in of_step for source in state.match.sources if source.kind != "seed"
        }
        return [
            state
            for state in (self.states[number] for number in sorted(numbers))
            if state.winner and state.loser and state.drawn and not state.drawn[-1][2].is_bye
        ]

    def _unlike_if_turned(
        self, state: State, of_step: Sequence[State], drawn: Sequence[FixtureOutcome]
    ) -> tuple[int, int]:
        state.turn()
        unlike = self._unlike(of_step, drawn)
        state.turn()
        return unlike

    def _unlike(self, of_step: Sequence[State], drawn: Sequence[FixtureOutcome]) -> tuple[int, int]:
        """How many fixtures are of nobody who should be in a match, and how many pairs stand elsewhere."""
        expected = [
            frozenset(entry for source in state.match.sources if (entry := self._from(source)) is not None)
            for state in of_step
        ]
        match_of = {entry: entries for entries in expected for entry in entries}
        strangers = sum(
            not (
                frozenset(fixture.entries) == match_of.get(fixture.entries[0])
                or (fixture.is_bye and fixture.entries[0] in match_of)
            )
            for fixture in drawn
        )
        pairs = [frozenset(fixture.entries) for fixture in drawn if not fixture.is_bye]
        in_order = [entries for entries in expected if entries in set(pairs)]
        return strangers, sum(
            pair != expected_pair for pair, expected_pair in zip(pairs, in_order, strict=False)
        )

    def _enter(self, state: State) -> None:
        """Fill in the entrants; a match without entrants, or not needed, is decided."""
        first, second = (self._from(source) for source in state.match.sources)
        state.entrants, state.known = (first, second), True
        if state.match.decider_of is not None:
            before = self.states[state.match.decider_of]
            is_drawn = self.taken < len(self.stage.rounds)
            state.is_needed = before.winner is not None and (before.winner == before.entrants[1] or is_drawn)
        if not state.is_needed or (first is None and second is None):
            state.decide(None)

    def _from(self, source: Source) -> str | None:
        if source.kind == "seed":
            return self.seeds[source.number]
        before = self.states[source.number]
        return before.winner if source.kind == "winner" else before.loser

    def _take_round(self, undecided: Sequence[State]) -> None:
        """Decide by the next round drawn, if it is one of this step: if any of these matches is in it."""
        drawn = self.stage.rounds[self.taken]
        fixtures = {
            entry: (place, fixture) for place, fixture in enumerate(drawn, 1) for entry in fixture.entries
        }
        if not any(
            not fixture.is_bye and set(fixture.entries) == set(state.entrants)
            for state in undecided
            for fixture in drawn
        ):
            self._pass_over(undecided)
            return
        self.taken += 1
        for state in undecided:
            present = [e for e in state.entrants if e is not None and e in fixtures]
            if not present:
                self._decide_empty(state)
                continue
            place, fixture = fixtures[present[0]]
            state.drawn.append((self.taken, place, fixture))
            if fixture.is_done:
                self._judge(state, fixture)

    def _judge(self, state: State, fixture: FixtureOutcome) -> None:
        winner = fixture.entries[0] if fixture.is_bye else winner_of(fixture)
        if winner is not None:
            state.decide(winner)
        elif len(state.drawn) > self.replays:
            self._decide_by_seed(state)

    def _decide_by_seed(self, state: State) -> None:
        state.by_seed = True
        state.decide(min((e for e in state.entrants if e is not None), key=self.seed_of.__getitem__))

    def _decide_empty(self, state: State) -> None:
        """Both left: before they met, or when they were to meet again."""
        if state.drawn:
            self._decide_by_seed(state)
        else:
            state.decide(None)

    def _pairing(self, state: State) -> Pairing:
        """Its entrants who are still in, the better seed first."""
        present = (e for e in state.entrants if e is not None and e not in self.stage.left)
        return tuple(sorted(present, key=self.seed_of.__getitem__))

    def _pass_over(self, undecided: Sequence[State]) -> None:
        """No round was drawn for these, as none had two entrants left: whoever was left advanced.

        Who has left by now may have been in still; then it shows by being drawn later.
        """
        later = {
            entry
            for drawn in self.stage.rounds[self.taken :]
            for fixture in drawn
            for entry in fixture.entries
        }
        for state in undecided:
            entrants = [entry for entry in state.entrants if entry is not None]
            here = [entry for entry in entrants if entry not in self.stage.left]
            here = here or [entry for entry in entrants if entry in later]
            if here:
                state.decide(here[0])
                state.as_drawn = len(here) > 1  # it was won once; the next step corrects by whom
            else:
                self._decide_empty(state)


def bracket_order(size: int) -> list[int]:
    """Seeds from 0 in the order of the bracket, so that the best two can meet in the final only.

    >>> bracket_order(8)
    [0, 7, 3, 4, 1, 6, 2, 5]
    """
    order = [0]
    while len(order) < size:
        order = [seed for better in order for seed in (better, 2 * len(order) - 1 - better)]
    return order


def seeded_apart(entries: Sequence[str], origins: Mapping[str, int]) -> list[str | None]:
    """The seeds of a full bracket, None where there is a bye, so that no first match is of one origin.

    Only the lower seeds of first matches change places, each with the nearest possible; if not all can be
    kept apart, as many as possible are.
    """
    size = 1 << max(0, len(entries) - 1).bit_length()
    seeds: list[str | None] = [*entries, *([None] * (size - len(entries)))]
    byes = size - len(entries)
    upper = range(byes, size // 2)
    lower = [size - 1 - seed for seed in upper]

    def is_apart(seed: int, rival: int) -> bool:
        origin = origins.get(entries[seed])
        return origin is None or origin != origins.get(entries[rival])

    # Augmenting paths from the natural pairing; the nearest place is tried first.
    holder = {rival: seed for seed, rival in zip(upper, lower, strict=True) if is_apart(seed, rival)}

    def place(seed: int, tried: set[int]) -> bool:
        for rival in sorted(lower, key=lambda other: (abs(other - (size - 1 - seed)), other)):
            if rival in tried or not is_apart(seed, rival):
                continue
            tried.add(rival)
            if rival not in holder or place(holder[rival], tried):
                holder[rival] = seed
                return True
        return False

    for seed in upper:
        if seed not in holder.values():
            place(seed, set())
    rival_of = {seed: rival for rival, seed in holder.items()}
    spare = [rival for rival in lower if rival not in holder]
    for seed in upper:
        if seed not in rival_of:
            rival_of[seed] = spare.pop(0)
    for seed, rival in rival_of.items():
        seeds[size - 1 - seed] = entries[rival]
    return seeds
