"""Base of single and double elimination: options, the field, and the display of a bracket."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence

from league.brackets import BracketMatch, BracketState, EntrantSource, MatchState, bracket_state, seeded_apart
from league.options import IntegerOption
from league.stage import (
    Caption,
    DisplayColumn,
    DisplaySection,
    DisplaySlot,
    Format,
    Pairing,
    StageLayout,
    StageState,
)

MAX_ENTRIES = 1000

REPLAYS = IntegerOption(
    "replays",
    0,
    5,
    1,
    "how often a level match is played again on new boards before the better seed advances",
)


def bracket_rounds(entries: int) -> int:
    """Return the number of halvings that reduce this many entries to one."""
    return max(0, entries - 1).bit_length()


class Elimination(Format):
    needs_results = True

    @abstractmethod
    def bracket(self, entries: int, options: Mapping[str, object]) -> tuple[BracketMatch, ...]:
        """Return the matches for this number of entries, which takes at least one halving."""

    @abstractmethod
    def start(self, entries: int) -> int:
        """Return the progress of every entry before its first match."""

    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        self.options.check(options)
        self.require_duels(sides, entries, MAX_ENTRIES)

    def replays(self, options: Mapping[str, object]) -> int:
        return self.options.integer(options, "replays") or 0

    def bracket_state(self, stage: StageState) -> BracketState:
        entries = len(stage.entries)
        self.validate(stage.options, entries=entries, sides=stage.sides)
        return bracket_state(
            self.bracket(entries, stage.options),
            seeded_apart(stage.entries, stage.origins),
            stage,
            self.replays(stage.options),
        )

    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """Return the matches of the next step, or the replays of this one; None while one is being played."""
        return self.bracket_state(stage).next_pairings if stage.all_done else None

    def is_complete(self, stage: StageState) -> bool:
        return stage.all_done and self.bracket_state(stage).is_over

    def replayed(self, stage: StageState) -> Mapping[tuple[int, int], tuple[tuple[int, int], ...]]:
        """Return the earlier fixtures of each replayed match by its last one: rounds and positions from 1."""
        matches = ([fixture[:2] for fixture in state.drawn] for state in self.bracket_state(stage).states)
        return {fixtures[-1]: tuple(fixtures[:-1]) for fixtures in matches if len(fixtures) > 1}

    def progress(self, stage: StageState) -> Mapping[str, int]:
        """Return higher numbers for entries that lasted longer, equal ones if equally long."""
        return self.bracket_state(stage).progress(stage.entries, self.start(len(stage.entries)))

    def display(self, stage: StageState) -> StageLayout:
        """Return a section for each part of the bracket with a column per round, matches from the top."""
        states = self.bracket_state(stage).states
        sections: dict[Caption, dict[Caption, list[DisplaySlot]]] = {}
        for state in states:
            columns = sections.setdefault(state.match.section, {})
            columns.setdefault(state.match.column, []).append(match_slot(state, states))
        return StageLayout(
            "bracket",
            tuple(
                DisplaySection(
                    title, tuple(DisplayColumn(name, tuple(slots)) for name, slots in columns.items())
                )
                for title, columns in sections.items()
            ),
        )


def match_slot(state: MatchState, states: Sequence[MatchState]) -> DisplaySlot:
    """Return the slot of a match: its last fixture and what decided it, or the sources of its entrants."""
    number, position = state.drawn[-1][:2] if state.drawn else (None, None)
    entrants = state.entrants
    if not state.known:
        first, second = state.match.sources
        entrants = (_entrant(first, states), _entrant(second, states))
    return DisplaySlot(number, position, entrants, state.winner, _notes(state, states))


def _notes(state: MatchState, states: Sequence[MatchState]) -> tuple[Caption, ...]:
    if not state.known:
        return tuple(
            Caption(source.kind, of=states[source.number].match.name)
            for source in state.match.sources
            if source.kind != "seed" and not states[source.number].decided
        )
    note = _note(state, states)
    return () if note is None else (note,)


def _note(state: MatchState, states: Sequence[MatchState]) -> Caption | None:
    if not state.is_needed:
        return Caption("not_needed")
    if state.decided and state.winner is None:
        return Caption("nobody")
    if state.as_drawn:
        return Caption("changed")
    if state.by_seed:
        return Caption("seed_advances" if _is_followed(state, states) else "seed_wins")
    if None in state.entrants or (state.decided and (not state.drawn or state.drawn[-1][2].is_bye)):
        return Caption("bye")
    if not state.drawn:
        return None
    if not state.decided:
        return Caption("to_be_replayed" if state.drawn[-1][2].is_done else "playing")
    return Caption("replay", len(state.drawn) - 1) if len(state.drawn) > 1 else None


def _is_followed(state: MatchState, states: Sequence[MatchState]) -> bool:
    """Return whether the winner plays another match."""
    return any(
        source.kind == "winner" and states[source.number] is state
        for other in states
        for source in other.match.sources
    )


def _entrant(source: EntrantSource, states: Sequence[MatchState]) -> str | None:
    before = states[source.number]
    return before.winner if source.kind == "winner" else before.loser
