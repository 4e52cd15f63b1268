"""Shared by single and double elimination: options, the field, and how a bracket is shown."""

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
    """Steps in which a field of so many is halved to one."""
    return max(0, entries - 1).bit_length()


class Elimination(Format):
    """A format that is a bracket."""

    needs_results = True

    @abstractmethod
    def bracket(self, entries: int, options: Mapping[str, object]) -> tuple[BracketMatch, ...]:
        """The matches of so many entries, ``bracket_rounds`` of them 1 or more."""

    @abstractmethod
    def start(self, entries: int) -> int:
        """The progress of everybody before the first match."""

    def validate(
        self, options: Mapping[str, object], *, entries: int | None = None, sides: int = 2, per_side: int = 1
    ) -> None:
        """Two sides, 2 to 1,000 entries."""
        self.options.check(options)
        self.require_duels(sides, entries, MAX_ENTRIES)

    def replays(self, options: Mapping[str, object]) -> int:
        """How often a level match is played again."""
        return self.options.integer(options, "replays") or 0

    def bracket_state(self, stage: StageState) -> BracketState:
        """The bracket of a stage with all that was played."""
        entries = len(stage.entries)
        self.validate(stage.options, entries=entries, sides=stage.sides)
        return bracket_state(
            self.bracket(entries, stage.options),
            seeded_apart(stage.entries, stage.origins),
            stage,
            self.replays(stage.options),
        )

    def next_round(self, stage: StageState) -> tuple[Pairing, ...] | None:
        """The matches of the next step, or the replays of this one; None while a fixture is being played."""
        return self.bracket_state(stage).next_pairings if stage.all_done else None

    def is_complete(self, stage: StageState) -> bool:
        """Every match is decided and every fixture done."""
        return stage.all_done and self.bracket_state(stage).is_over

    def replayed(self, stage: StageState) -> Mapping[tuple[int, int], tuple[tuple[int, int], ...]]:
        """The earlier fixtures of each match that was replayed, by its last one: rounds and places from 1."""
        matches = ([fixture[:2] for fixture in state.drawn] for state in self.bracket_state(stage).states)
        return {fixtures[-1]: tuple(fixtures[:-1]) for fixtures in matches if len(fixtures) > 1}

    def progress(self, stage: StageState) -> Mapping[str, int]:
        """Higher for who lasted longer; equal for those who went out at the same point."""
        return self.bracket_state(stage).progress(stage.entries, self.start(len(stage.entries)))

    def display(self, stage: StageState) -> StageLayout:
        """A section for each part of the bracket, a column for each of its rounds, matches from the top."""
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
    """How a match is shown: its last fixture and what decided it, or where its entrants will come from."""
    number, place = state.drawn[-1][:2] if state.drawn else (None, None)
    entrants = state.entrants
    if not state.known:
        first, second = state.match.sources
        entrants = (_entrant(first, states), _entrant(second, states))
    return DisplaySlot(number, place, entrants, state.winner, _notes(state, states))


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
    """The note on a match whose entrants are known."""
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
    """Whether its winner goes on to another match."""
    return any(
        source.kind == "winner" and states[source.number] is state
        for other in states
        for source in other.match.sources
    )


def _entrant(source: EntrantSource, states: Sequence[MatchState]) -> str | None:
    """Who comes from there, if that is decided; seeds are known from the start."""
    before = states[source.number]
    return before.winner if source.kind == "winner" else before.loser
