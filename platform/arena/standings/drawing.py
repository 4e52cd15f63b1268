"""Drawing and scoring the rounds of a stage in memory, for those who make many at once.

The same functions of the league that the flow uses, without reading every earlier round again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from arena.competition.models import Entry, Stage, StageEntry, Tournament
from arena.competition.rules import rules_of, sides_of
from league.formats import format_named
from league.scoring import FixtureOutcome, board_scores, fixture_totals, forfeit_stones, table_result
from league.stage import Pairing, StageSoFar

BoardValues = dict[int, tuple[Fraction, ...]]
"""Board score by board number, one value a position of the pairing."""


class StageDrawn:
    """The rounds of one stage whose field is fixed and of which none was drawn yet."""

    def __init__(self, stage: Stage) -> None:
        field = list(
            StageEntry.objects.filter(stage=stage).select_related("entry__player").order_by("position")
        )
        sides = sides_of(stage.tournament)
        self._format = format_named(stage.format)
        self._so_far = StageSoFar(
            tuple(row.entry.public_id for row in field),
            stage.options,
            sides=len(sides),
            owners={row.entry.public_id: str(row.entry.player_id) for row in field},
            origins={row.entry.public_id: row.origin for row in field if row.origin is not None},
            per_side=len(sides[0]),
            scoring=stage.tournament.scoring,
        )

    @property
    def rounds(self) -> int | None:
        """How many rounds there will be, or None if that depends on results."""
        told = self._so_far
        return self._format.round_count(len(told.entries), told.options, sides=told.sides)

    def next_round(self) -> tuple[Pairing, ...] | None:
        """The pairings of the next round by public id, or None after the last."""
        return self._format.next_round(self._so_far)

    def played(self, outcomes: Sequence[tuple[Pairing, Mapping[str, Fraction] | None, bool]]) -> None:
        """Say what came of the round drawn last: (entries, totals, is_void) of each of its fixtures."""
        told = tuple(FixtureOutcome(entries, totals, is_void) for entries, totals, is_void in outcomes)
        self._so_far = self._so_far._replace(rounds=(*self._so_far.rounds, told))


def position_scores(
    tournament: Tournament,
    tables: Sequence[tuple[int, Mapping[int, int], Sequence[tuple[int, int, int]], Sequence[int]]],
) -> BoardValues:
    """Board scores of a fixture by position instead of entry, so that equal fixtures can share them.

    A table is (rotation, position by seat, (board, seat, stones) of every result, forfeited seats).
    """
    rules = rules_of(tournament)
    scores = board_scores(
        [
            table_result(
                rotation, {seat: f"{position:03d}" for seat, position in seats.items()}, results, forfeited
            )
            for rotation, seats, results, forfeited in tables
        ],
        forfeit_stones(tournament.board_kind, rules.game.forfeit_stones(rules.ruleset)),
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
