"""What the league decides for a round: its boards' seeds, how its tables are cut and who sits where."""

from __future__ import annotations

from collections.abc import Sequence

from arena.competition.models import Entry, Round, Tournament
from arena.competition.rules import rules_of
from league.boards import table_chunks
from league.fairness import board_seed
from league.rotation import Lineup, Place, rotations
from league.stage import Pairing

__all__ = ["Pairing", "Place", "board_chunks", "board_seeds", "seatings"]


def board_seeds(played: Round, numbers: range) -> dict[int, str]:
    """Seed by board number (DESIGN.md 8). Whoever calls this must not let them out before the set closes."""
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


def board_chunks(tournament: Tournament, cpu_ms_per_board: int) -> list[tuple[int, int]]:
    """First board and number of boards of each table of a rotation; all sets are cut alike.

    ``cpu_ms_per_board`` is what one seat may use on one board.
    """
    rules = rules_of(tournament)
    return table_chunks(
        boards=tournament.boards_per_round,
        seats=rules.game.seats(rules.ruleset),
        cpu_ms_per_board=cpu_ms_per_board,
    )


def seatings(tournament: Tournament, sides: Sequence[Entry]) -> list[tuple[Place, ...]]:
    """For each rotation every seat with the public ids of its entry and version."""
    rules = rules_of(tournament)
    lineups = [
        Lineup(entry.public_id, tuple(version.public_id for version in entry.versions())) for entry in sides
    ]
    return rotations(lineups, rules.game.sides(rules.ruleset))
