"""Brackets: the state of their matches, derived from the rounds drawn.

A bracket is a list of matches in steps. A step takes one round, and one more for every replay that one of its
matches needs; its other matches then pause.

- A level match (a draw, a void fixture, forfeits by both) is replayed, as often as the stage allows; then the
  better seed advances. A match is decided by its last fixture.
- An entry without an opponent has a bye and advances. If both left, no entry advances; after a level match,
  the better seed does.
- A step in which no two entries would meet takes no round: its entries advance.
- Once a round of a later step was drawn, the matches of a step stay decided as they were then; until then,
  the current outcome of its last fixture decides a match.

Each round was drawn from the outcomes known at the time (``FixtureOutcome.when_drawn``). If these do not
explain a round, because an outcome was changed without its history, the round itself is the evidence: entries
that meet again replay their match, and entries that meet in a later match have advanced to it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from league.display import winner_of
from league.scoring import FixtureOutcome
from league.stage import Caption, Pairing, StageState


class EntrantSource(NamedTuple):
    kind: Literal["seed", "winner", "loser"]
    number: int
    """Seed, from 0, or index of the match in the bracket's list."""


class BracketMatch(NamedTuple):
    step: int
    section: Caption
    column: Caption
    name: Caption
    sources: tuple[EntrantSource, EntrantSource]
    won: int
    """Progress of the winner and of the loser until they play another match."""
    lost: int
    decider_of: int | None = None
    """Index of the match whose second entrant has to win for this match to be played."""


@dataclasses.dataclass
class MatchState:
    match: BracketMatch
    entrants: tuple[str | None, str | None] = (None, None)
    known: bool = False
    """Whether both sources are decided; an entrant that is still None does not exist."""
    drawn: list[tuple[int, int, FixtureOutcome]] = dataclasses.field(default_factory=list)
    """Its fixtures, first the match, then replays: round and position in it from 1, and the outcome."""
    winner: str | None = None
    loser: str | None = None
    decided: bool = False
    is_needed: bool = True
    by_seed: bool = False
    """Whether it was level after every replay, so that the better seed advanced."""
    as_drawn: bool = False
    """Whether its result was changed after the next step was drawn."""
    frozen_at: int | None = None
    """First round drawn of a later step; later changes do not change who advanced."""

    def decide(self, winner: str | None) -> None:
        """Decide the match for the winner; its opponent, if any, has lost."""
        self.winner = winner
        self.loser = next((e for e in self.entrants if e is not None and e != winner), None)
        self.decided = True

    def swap_result(self) -> None:
        self.winner, self.loser = self.loser, self.winner


class BracketState(NamedTuple):
    """A bracket after all rounds so far."""

    states: tuple[MatchState, ...]
    next_pairings: tuple[Pairing, ...] | None
    """Next round; None while fixtures are being played, and when everything is decided."""

    @property
    def is_over(self) -> bool:
        return all(state.decided for state in self.states)

    def progress(self, entries: Iterable[str], start: int) -> Mapping[str, int]:
        """Return the progress of each entry from its last match; ``start`` before its first match."""
        got = dict.fromkeys(entries, start)
        for state in self.states:
            if state.decided and state.is_needed:
                for entrant in state.entrants:
                    if entrant is not None:
                        got[entrant] = state.match.won if entrant == state.winner else state.match.lost
        return got


def bracket_state(
    matches: Sequence[BracketMatch], seeds: Sequence[str | None], stage: StageState, replays: int
) -> BracketState:
    """Return the state of a bracket whose first entrants are ``seeds``, with its next round.

    Each match follows the matches that its entrants come from, with steps ascending.
    """
    walk = _BracketTracker(matches, seeds, stage, replays)
    for number, drawn in enumerate(stage.rounds, 1):
        walk.add_round(number, drawn)
    pairings = walk.next_pairings(None)
    walk.mark_changed()
    return BracketState(tuple(walk.states), pairings or None)


class _BracketTracker:
    """Assigns the rounds drawn to the steps of the bracket, one after the other."""

    def __init__(
        self, matches: Sequence[BracketMatch], seeds: Sequence[str | None], stage: StageState, replays: int
    ) -> None:
        self.states = [MatchState(match) for match in matches]
        self.seeds = seeds
        self.stage = stage
        self.replays = replays
        self.seed_of = {entry: number for number, entry in enumerate(seeds) if entry is not None}
        self.last_drawn = {
            entry: number
            for number, drawn in enumerate(stage.rounds, 1)
            for fixture in drawn
            for entry in fixture.entries
        }
        """Last round that each entry was drawn into."""
        self.last_step = matches[-1].step
        self.step = 0
        self.of_step: list[MatchState] = []
        self._enter_step(None)

    def add_round(self, number: int, drawn: Sequence[FixtureOutcome]) -> None:
        """Assign the fixtures of this round to the matches they were drawn for."""
        step = self.step
        if {frozenset(pairing) for pairing in self.next_pairings(number)} != {
            frozenset(fixture.entries) for fixture in drawn
        }:
            self._return_to_step(step, number)
            if not self._is_replay(drawn) and not self._skip_to_step_of(number, drawn):
                self._return_to_step(step, number)
                return  # no match explains it: not a round of this bracket
        for state in self.states:
            if state.match.step < self.step and state.frozen_at is None:
                state.frozen_at = number
        fixture_of = {
            entry: (position, fixture)
            for position, fixture in enumerate(drawn, 1)
            for entry in fixture.entries
        }
        for state in self.of_step:
            present = [entry for entry in state.entrants if entry is not None and entry in fixture_of]
            if present:
                position, fixture = fixture_of[present[0]]
                state.drawn.append((number, position, fixture))

    def next_pairings(self, number: int | None) -> tuple[Pairing, ...]:
        """Decide matches and return the pairings of this round (None: the next one); empty while playing."""
        while True:
            self._decide_step(number)
            undecided = [state for state in self.of_step if not state.decided]
            if number is None and any(s.drawn and not s.drawn[-1][2].is_done for s in undecided):
                return ()
            pairings = [self._remaining_entrants(state, number) for state in undecided]
            if any(len(pairing) == 2 for pairing in pairings):
                return (
                    *(pairing for pairing in pairings if len(pairing) == 2),
                    *(pairing for pairing in pairings if len(pairing) == 1),
                )
            self._skip_matches(undecided, number)
            if self.step == self.last_step:
                return ()
            self._enter_step(number)

    def mark_changed(self) -> None:
        """Mark the matches whose last fixture has another winner than when the next step was drawn."""
        for state in self.states:
            if state.frozen_at and state.drawn and not state.drawn[-1][2].is_bye:
                fixture = state.drawn[-1][2]
                state.as_drawn |= winner_of(fixture.when_drawn(state.frozen_at)) != winner_of(fixture)

    # --- which matches a round was drawn for

    def _is_replay(self, drawn: Sequence[FixtureOutcome]) -> bool:
        """Return whether all pairings repeat matches of the current step."""
        met = {
            frozenset(state.entrants)
            for state in self.of_step
            if state.drawn and len(state.drawn) <= self.replays
        }
        return all(fixture.is_bye or frozenset(fixture.entries) in met for fixture in drawn)

    def _skip_to_step_of(self, number: int, drawn: Sequence[FixtureOutcome]) -> bool:
        """Skip to the step that this round begins; return False if there is none."""
        met = {frozenset(fixture.entries) for fixture in drawn if not fixture.is_bye}
        while not any(not state.drawn and frozenset(state.entrants) in met for state in self.of_step):
            self._skip_matches([state for state in self.of_step if not state.decided], number)
            if self.step == self.last_step:
                return False
            self._enter_step(number, drawn)
            self._decide_step(number)
        return True

    def _return_to_step(self, step: int, number: int) -> None:
        """Reset the later steps, which followed from the outcomes before this round."""
        for index, state in enumerate(self.states):
            if state.match.step > step:
                self.states[index] = MatchState(state.match)
        self.step = step
        self.of_step = [state for state in self.states if state.match.step == step]
        self._decide_step(number)

    def _enter_step(self, number: int | None, drawn: Sequence[FixtureOutcome] = ()) -> None:
        """Enter the next step and fill in its entrants; ``drawn`` is a round of this or a later step."""
        self.step += 1
        self.of_step = [state for state in self.states if state.match.step == self.step]
        if drawn:
            self._correct_winners(self.of_step, drawn)
        for state in self.of_step:
            first, second = (self._entrant_from(source) for source in state.match.sources)
            state.entrants, state.known = (first, second), True
            if state.match.decider_of is None:
                continue
            before = self.states[state.match.decider_of]
            if drawn and before.winner == first and before.loser == second:
                before.swap_result()
                before.as_drawn = True
            state.is_needed = before.winner is not None and before.winner == before.entrants[1]

    def _correct_winners(self, of_step: Sequence[MatchState], drawn: Sequence[FixtureOutcome]) -> None:
        """If the pairings of this round differ from the outcomes, correct the outcomes to the pairings.

        Swaps one result at a time, always the one that explains most. If the whole round cannot be explained,
        no result is swapped.
        """
        turned: list[MatchState] = []
        unlike = self._mismatches(of_step, drawn)
        while unlike[0]:
            before = [s for s in self._source_matches(of_step) if s not in turned]
            best = min(
                (
                    (self._mismatches_if_swapped(state, of_step, drawn), index)
                    for index, state in enumerate(before)
                ),
                default=(unlike, 0),
            )
            if best[0] >= unlike:
                for state in turned:
                    state.swap_result()
                return
            unlike = best[0]
            before[best[1]].swap_result()
            turned.append(before[best[1]])
        for state in turned:
            state.as_drawn, state.by_seed = True, False

    def _source_matches(self, of_step: Sequence[MatchState]) -> list[MatchState]:
        numbers = {
            source.number for state in of_step for source in state.match.sources if source.kind != "seed"
        }
        return [
            state
            for state in (self.states[number] for number in sorted(numbers))
            if state.winner and state.loser and state.drawn and not state.drawn[-1][2].is_bye
        ]

    def _mismatches_if_swapped(
        self, state: MatchState, of_step: Sequence[MatchState], drawn: Sequence[FixtureOutcome]
    ) -> tuple[int, int]:
        state.swap_result()
        unlike = self._mismatches(of_step, drawn)
        state.swap_result()
        return unlike

    def _mismatches(self, of_step: Sequence[MatchState], drawn: Sequence[FixtureOutcome]) -> tuple[int, int]:
        """Count fixtures with wrong entrants, and pairs at the wrong position."""
        expected = [
            frozenset(
                entry for source in state.match.sources if (entry := self._entrant_from(source)) is not None
            )
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

    # --- decisions

    def _entrant_from(self, source: EntrantSource) -> str | None:
        if source.kind == "seed":
            return self.seeds[source.number]
        before = self.states[source.number]
        return before.winner if source.kind == "winner" else before.loser

    def _decide_step(self, number: int | None) -> None:
        """Decide the matches of the current step by the outcomes when this round was drawn (None: now)."""
        for state in self.of_step:
            state.winner, state.loser, state.decided = None, None, False
            state.by_seed, state.as_drawn = False, False
            if not state.is_needed or state.entrants == (None, None):
                state.decide(None)
            elif state.drawn:
                fixture = state.drawn[-1][2]
                self._decide_by_fixture(
                    state, fixture if number is None else fixture.when_drawn(number), number
                )
            elif not self._remaining_entrants(state, number):
                state.decide(None)

    def _decide_by_fixture(self, state: MatchState, fixture: FixtureOutcome, number: int | None) -> None:
        winner = winner_of(fixture)
        if winner is not None:
            state.decide(winner)
        elif fixture.is_done and (
            len(state.drawn) > self.replays or not self._remaining_entrants(state, number)
        ):
            self._decide_by_seed(state)

    def _decide_by_seed(self, state: MatchState) -> None:
        state.by_seed = True
        state.decide(min((e for e in state.entrants if e is not None), key=self.seed_of.__getitem__))

    def _remaining_entrants(self, state: MatchState, number: int | None) -> Pairing:
        """Return the entrants that had not left when this round was drawn (None: now), best seed first."""
        entrants = [entry for entry in state.entrants if entry is not None]
        withdrawn = self._withdrawn(entrants, number)
        return tuple(sorted(set(entrants) - withdrawn, key=self.seed_of.__getitem__))

    def _withdrawn(self, entries: Iterable[str | None], number: int | None) -> set[str | None]:
        """Return the entries that had left when this round was drawn, as far as their own draws show it."""
        return {
            entry
            for entry in entries
            if entry in self.stage.left and (number is None or self.last_drawn.get(entry, 0) < number)
        }

    def _skip_matches(self, undecided: Sequence[MatchState], number: int | None) -> None:
        """Decide matches for which no round was drawn, since none had two entrants: the other advances."""
        for state in undecided:
            present = self._remaining_entrants(state, number)
            if present:
                state.decide(present[0])
                state.as_drawn = len(present) > 1  # it had a winner, which the next step corrects
            else:
                state.decide(None)


def bracket_order(size: int) -> list[int]:
    """Return seeds from 0 in bracket order: the best two can only meet in the final.

    >>> bracket_order(8)
    [0, 7, 3, 4, 1, 6, 2, 5]
    """
    order = [0]
    while len(order) < size:
        order = [seed for better in order for seed in (better, 2 * len(order) - 1 - better)]
    return order


def seeded_apart(entries: Sequence[str], origins: Mapping[str, int]) -> list[str | None]:
    """Return the seeds of a full bracket, None for a bye, with entries of one origin apart in first matches.

    Only the lower seeds of first matches change positions, each to the nearest possible one. If not all can
    be separated, as many as possible are.
    """
    size = 1 << max(0, len(entries) - 1).bit_length()
    seeds: list[str | None] = [*entries, *([None] * (size - len(entries)))]
    byes = size - len(entries)
    upper = range(byes, size // 2)
    lower = [size - 1 - seed for seed in upper]

    def is_apart(seed: int, rival: int) -> bool:
        origin = origins.get(entries[seed])
        return origin is None or origin != origins.get(entries[rival])

    # Augmenting paths from the natural pairing; the nearest position is tried first.
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
