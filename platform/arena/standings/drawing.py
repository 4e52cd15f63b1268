"""Drawing and scoring the rounds of a stage in memory, for those who make many at once.

The same functions of the league that the flow uses, without reading every earlier round again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from arena.competition.models import Entry, Stage, Tournament
from arena.standings.scores import forfeit_of
from arena.standings.stages import field_of, so_far
from league.formats import format_named
from league.scoring import FixtureOutcome, board_scores, fixture_totals, table_result
from league.stage import Pairing

BoardValues = dict[int, tuple[Fraction, ...]]
"""Board score by board number, one value a position of the pairing."""


class StageDrawn:
    """The rounds of one stage whose field is fixed and of which none was drawn yet."""

    def __init__(self, stage: Stage) -> None:
        self._format = format_named(stage.format)
        self._so_far = so_far(stage, field_of(stage), ())

    @property
    def rounds(self) -> int | None:
        """How many rounds there will be, or None if that depends on results."""
        state = self._so_far
        return self._format.round_count(len(state.entries), state.options, sides=state.sides)

    def next_round(self) -> tuple[Pairing, ...] | None:
        """The pairings of the next round by public id, or None after the last."""
        return self._format.next_round(self._so_far)

    def played(self, outcomes: Sequence[tuple[Pairing, Mapping[str, Fraction] | None, bool]]) -> None:
        """Say what came of the round drawn last: (entries, totals, is_void) of each of its fixtures."""
        state = self._so_far
        mixed = state.per_side if self._format.mixes_partners else 1
        done = tuple(
            FixtureOutcome(entries, totals, is_void, mixed if len(entries) > 1 else 1)
            for entries, totals, is_void in outcomes
        )
        self._so_far = state._replace(rounds=(*state.rounds, done))


def position_scores(
    tournament: Tournament,
    sides: Sequence[int],
    tables: Sequence[tuple[int, Mapping[int, int], Sequence[tuple[int, int, int]], Sequence[int]]],
) -> BoardValues:
    """Board scores of a fixture by position instead of entry, so that equal fixtures can share them.

    ``sides`` gives the side of each position; a table is (rotation, position by seat, (board, seat, stones)
    of every result, forfeited seats).
    """
    names = [f"{position:03d}" for position in range(len(sides))]
    scores = board_scores(
        [
            table_result(
                rotation, {seat: names[position] for seat, position in seats.items()}, results, forfeited
            )
            for rotation, seats, results, forfeited in tables
        ],
        forfeit_of(tournament),
        [
            tuple(name for name, its in zip(names, sides, strict=True) if its == side)
            for side in sorted(set(sides))
        ],
    )
    return {board: tuple(value for _, value in sorted(by.items())) for board, by in scores.items()}


def totals_of(values: BoardValues, entries: Sequence[Entry]) -> dict[str, Fraction]:
    """Total by entry, from board scores by position."""
    return fixture_totals(
        {
            board: {entry.public_id: value for entry, value in zip(entries, by, strict=True)}
            for board, by in values.items()
        }
    )
