"""What the league decides for a round: its boards' seeds, how its tables are cut and who sits where."""

from __future__ import annotations

from collections.abc import Sequence

from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.rules import cpu_ms_per_seat, per_side_of, rules_of
from league.fairness import board_seed
from league.formats import format_named
from league.rotation import Lineup, Place, mixed_rotations, rotations, table_chunks
from league.stage import Pairing

__all__ = ["Pairing", "Place", "board_chunks", "board_seeds", "seatings", "sides_by_entry"]


def board_seeds(played: Round, numbers: range) -> dict[int, str]:
    """Seed by board number. The caller must not publish them before the set closes.

    Source: docs/contracts.md#fair-deals.
    """
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
    """First board and number of boards of each table of a rotation; all sets of a stage are cut alike.

    ``of`` is a stage, or a tournament whose stages all play its number of boards.
    """
    tournament, boards = (of.tournament, of.boards) if isinstance(of, Stage) else (of, of.boards_per_round)
    rules = rules_of(tournament)
    return table_chunks(
        boards=boards,
        seats=rules.game.seats(rules.ruleset),
        cpu_ms_per_board=cpu_ms_per_seat(rules, tournament.clock),
    )


def seatings(of: Tournament | Stage, entries: Sequence[Entry]) -> list[tuple[Place, ...]]:
    """For each rotation every seat with the public ids of its entry and version.

    ``entries`` come in the order of the pairing; where a stage mixes partners, side after side.
    """
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
    """The side (from 0) of each of the entries of a pairing, in its order.

    Everywhere an entry is a side; where a stage mixes partners, several make one.
    """
    if not format_named(of.format).mixes_partners:
        return list(range(entries))
    return [position // per_side_of(of.tournament) for position in range(entries)]
