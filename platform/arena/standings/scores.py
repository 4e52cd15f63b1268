"""Board scores of a fixture, computed from its results and rulings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from arena.competition.models import Tournament
from arena.competition.rules import rules_of
from arena.matches.models import Adjudication, Fixture, FixtureEntry, Table
from league.scoring import (
    FixtureOutcome,
    Scores,
    adjudicated_scores,
    board_scores,
    fixture_totals,
    forfeit_stones,
    table_result,
)

FOR_SCORES = ("sides__entry", "adjudications", "tables__seats")
"""Relations of a fixture that ``scores_of`` reads, for prefetching."""


def forfeit_of(tournament: Tournament) -> int:
    """Return F, the stones that a forfeit costs on a board."""
    rules = rules_of(tournament)
    return forfeit_stones(tournament.board_kind, rules.forfeit_stones)


def scores_of(fixture: Fixture, forfeit: int, rulings: Iterable[Adjudication] | None = None) -> Scores:
    by_side: dict[int, list[FixtureEntry]] = defaultdict(list)
    for side in sorted(fixture.sides.all(), key=lambda side: side.position):
        by_side[side.side].append(side)
    sides = [tuple(member.entry.public_id for member in by_side[side]) for side in sorted(by_side)]
    if len(sides) < 2:
        return {}
    known = fixture.adjudications.all() if rulings is None else rulings
    last = max(known, key=lambda ruling: ruling.number, default=None)
    if last is not None and last.kind != Adjudication.Kind.LIFT:
        return adjudicated_scores(last.kind, last.entries, sides, fixture.board_set.boards, forfeit)
    names = {side.entry_id: side.entry.public_id for side in fixture.sides.all()}
    return board_scores(
        [
            table_result(
                table.rotation,
                {seat.seat: names[seat.entry_id] for seat in table.seats.all()},
                [(result.board, result.seat, result.stones) for result in table.results],
                [seat.seat for seat in table.seats.all() if seat.forfeited],
            )
            for table in fixture.tables.all()
        ],
        forfeit,
        sides,
    )


def outcome_by(
    fixture: Fixture, forfeit: int, rulings: Iterable[Adjudication], outcome: FixtureOutcome
) -> FixtureOutcome:
    """Return the outcome of a done fixture under the last of these rulings. Reads ``FOR_SCORES``."""
    known = list(rulings)
    last = max(known, key=lambda ruling: ruling.number, default=None)
    if last is None or last.kind == Adjudication.Kind.LIFT:
        is_void = any(table.state != Table.State.FINISHED for table in fixture.tables.all())
    else:
        is_void = last.kind == Adjudication.Kind.VOID
    scores = {} if is_void else scores_of(fixture, forfeit, known)
    return outcome._replace(is_void=is_void, totals=fixture_totals(scores) if scores else None)
