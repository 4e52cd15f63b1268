"""Values from the league that a round needs: board seeds, board chunks of its tables, and seatings."""

from __future__ import annotations

from collections.abc import Sequence

from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.rules import cpu_ms_per_seat, per_side_of, rules_of
from league.fairness import board_seed
from league.formats import format_named
from league.rotation import Lineup, TableSeat, mixed_rotations, rotations, table_chunks
from league.stage import Pairing

__all__ = ["Pairing", "TableSeat", "board_chunks", "board_seeds", "seatings", "sides_by_entry"]


def board_seeds(played: Round, numbers: range) -> dict[int, str]:
    """Return seeds by board number, secret until the set closes. Source: docs/contracts.md#fair-deals."""
    stage = played.stage
    tournament = stage.tournament
    return {
        number: board_seed(
            bytes(tournament.secret),
            tournament.public_id,
            stage.field_digest,
            stage.number,
            played.number,
            number,
        )
        for number in numbers
    }


def board_chunks(of: Tournament | Stage) -> list[tuple[int, int]]:
    """Return first board and number of boards for each table of a rotation, equal for all board sets of a
    stage.

    ``of`` is a stage, or a tournament whose stages all play its own number of boards.
    """
    tournament, boards = (of.tournament, of.boards) if isinstance(of, Stage) else (of, of.boards_per_round)
    rules = rules_of(tournament)
    return table_chunks(
        boards=boards,
        seats=rules.game.seats(rules.ruleset),
        cpu_ms_per_board=cpu_ms_per_seat(rules, tournament.clock),
    )


def seatings(of: Tournament | Stage, entries: Sequence[Entry]) -> list[tuple[TableSeat, ...]]:
    """Return for each rotation all seats with entry and version; ``entries`` in the order of the pairing."""
    tournament = of.tournament if isinstance(of, Stage) else of
    rules = rules_of(tournament)
    sides = rules.sides
    if isinstance(of, Stage) and format_named(of.format).mixes_partners:
        return mixed_rotations([(entry.public_id, entry.version.public_id) for entry in entries], sides)
    lineups = [
        Lineup(entry.public_id, tuple(version.public_id for version in entry.versions())) for entry in entries
    ]
    return rotations(lineups, sides)


def sides_by_entry(of: Stage, entries: int) -> list[int]:
    """Return the side (from 0) of each entry of a pairing; several entries per side with mixed partners."""
    if not format_named(of.format).mixes_partners:
        return list(range(entries))
    return [position // per_side_of(of.tournament) for position in range(entries)]
