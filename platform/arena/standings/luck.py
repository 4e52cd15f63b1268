"""How much card luck duplicate play removed: the factor of a tournament, and draws of one seating per board.

The tick computes and stores the factor. Draws are computed on the first view of a final tournament. Only
closed board sets count, and only fixtures without a forfeit or ruling.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Collection, Iterator

from django.db import transaction
from django.db.models import QuerySet, Sum

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.models import Stage, Tournament
from arena.competition.rules import rules_of
from arena.competition.transitions import tournament_row_lock, tournament_touch
from arena.matches.board_results import parse_results
from arena.matches.models import Adjudication, BoardSet, Fixture, FixtureEntry, Table, TableSeat
from arena.standings.models import BoardSetLuck, TournamentLuck
from league.luck import BoardLuck, FixtureStones, Luck, SetLuck, TooFewBoards, luck_of_sets, set_luck
from league.seating_draws import SeatingDraws, draw_seatings

__all__ = [
    "Luck",
    "SeatingDraws",
    "TooFewBoards",
    "event_luck",
    "luck_compute_due",
    "luck_mark_due",
    "stage_seating_draws",
]
MAX_SETS_PER_CALL = 100
MAX_DURATION_S = 2.0
"""Seconds after which ``luck_compute_due`` starts no further board set."""
ROWS_AT_ONCE = 5000
MAX_DRAWN_RESULTS = 100_000
"""Maximum results (boards times tables times sides) of a stage with draws."""


def event_luck(tournament: Tournament) -> Luck | TooFewBoards | None:
    """Return the factor over the closed rounds, seconds behind the scores; None if not computed yet."""
    stored = TournamentLuck.objects.filter(tournament=tournament).first()
    if stored is None:
        return None
    return Luck(**stored.values) if stored.has_factor else TooFewBoards(**stored.values)


def luck_mark_due(board_sets: Collection[BoardSet]) -> None:
    """Mark the luck of these board sets as due, since their scores were rebuilt. One query."""
    BoardSetLuck.objects.bulk_create(
        [BoardSetLuck(board_set=board_set, stale_mark=secrets.token_hex(8)) for board_set in board_sets],
        update_conflicts=True,
        unique_fields=["board_set"],
        update_fields=["stale_mark"],
    )


def luck_compute_due(most_s: float = MAX_DURATION_S) -> int:
    """Compute luck that is due, oldest first; return how many sets. Safe to run concurrently."""
    until = time.monotonic() + most_s
    due = (
        BoardSetLuck.objects.exclude(stale_mark="")
        .filter(board_set__state=BoardSet.State.CLOSED)
        .order_by("pk")
    )
    updated = 0
    for row in due.select_related("board_set__round__stage__tournament")[:MAX_SETS_PER_CALL]:
        tournament = row.board_set.round.stage.tournament
        luck = set_luck(_fixture_stones(row.board_set, tournament))
        with transaction.atomic():
            tournament_row_lock(pk=tournament.pk)
            # Scores rebuilt meanwhile are due again, for the next call.
            updated += BoardSetLuck.objects.filter(pk=row.pk, stale_mark=row.stale_mark).update(
                stale_mark="", fixtures=luck.fixtures, degrees=luck.degrees, boards=luck.boards
            )
            _event_luck_update(tournament)
        if time.monotonic() >= until:
            break
    return updated


def _event_luck_update(tournament: Tournament) -> None:
    """Compute the factor from the board sets; raise the revision if it changed. At most five queries."""
    rows = BoardSetLuck.objects.filter(board_set__round__stage__tournament=tournament).order_by("pk")
    luck = luck_of_sets(
        SetLuck(row.fixtures, row.degrees, tuple(BoardLuck(*board) for board in row.boards or ()))
        for row in rows
    )
    values = {"has_factor": isinstance(luck, Luck), "values": luck._asdict()}
    if TournamentLuck.objects.filter(tournament=tournament).values(*values).first() != values:
        TournamentLuck.objects.update_or_create(tournament=tournament, defaults=values)
        tournament_touch(tournament)


def stage_seating_draws(tournament: Tournament, stage: Stage) -> SeatingDraws | None:
    """Return the draws of a stage, entries by key as text. Cached by the tournament's revision.

    None without a counted fixture, or with more than ``MAX_DRAWN_RESULTS``. At most seven queries.
    """

    def draws() -> SeatingDraws | None:
        sets = BoardSet.objects.filter(round__stage=stage, state=BoardSet.State.CLOSED)
        played = Fixture.objects.filter(board_set__in=sets, state=Fixture.State.SETTLED)
        boards = played.aggregate(boards=Sum("board_set__boards"))["boards"] or 0
        if boards * len(rules_of(tournament).sides) ** 2 > MAX_DRAWN_RESULTS:
            return None
        return draw_seatings(_fixtures_with_entries(sets, tournament), tournament.commitment)

    key = CacheKey(("seating_draws", tournament.public_id, stage.pk), tournament.revision)
    return process_cache.get_or_build(key, draws)


def _fixture_stones(board_set: BoardSet, tournament: Tournament) -> Iterator[FixtureStones]:
    return (stones for stones, _ in _fixtures_with_entries([board_set], tournament))


def _fixtures_with_entries(
    board_sets: Collection[BoardSet] | QuerySet[BoardSet], tournament: Tournament
) -> Iterator[tuple[FixtureStones, list[list[str]]]]:
    """Yield the counted fixtures with the entries of each side, by key as text. Six queries."""
    rules = rules_of(tournament)
    sides = rules.sides
    first_seats = [side[0] for side in sides]
    played = Fixture.objects.filter(board_set__in=board_sets, state=Fixture.State.SETTLED)
    columns = ("pk", "public_id", "board_set__public_id", "board_set__boards")
    fixtures = {pk: row for pk, *row in played.order_by("pk").values_list(*columns)}
    rulings = Adjudication.objects.filter(fixture__board_set__in=board_sets).order_by("fixture", "number")
    ruled = dict(rulings.values_list("fixture_id", "kind"))
    left_out = {fixture for fixture, kind in ruled.items() if kind != Adjudication.Kind.LIFT}
    seats = TableSeat.objects.filter(table__fixture__board_set__in=board_sets)
    left_out |= set(seats.filter(forfeited=True).order_by("pk").values_list("table__fixture_id", flat=True))
    side_of = {
        (fixture, entry): side
        for fixture, entry, side in FixtureEntry.objects.filter(fixture__board_set__in=board_sets)
        .order_by("pk")
        .values_list("fixture_id", "entry_id", "side")
    }
    entries: dict[int, list[list[str]]] = defaultdict(lambda: [[] for _ in sides])
    for (fixture, entry), side in side_of.items():
        entries[fixture][side].append(str(entry))
    of_seat = {
        (table, seat): side_of[fixture, entry]
        for table, seat, entry, fixture in seats.filter(seat__in=first_seats)
        .order_by("pk")
        .values_list("table_id", "seat", "entry_id", "table__fixture_id")
    }
    played_tables = Table.objects.filter(fixture__board_set__in=board_sets).order_by("fixture_id")
    by_fixture: dict[int, dict[tuple[int, int], list[int]]] = defaultdict(dict)
    rows = played_tables.values_list("fixture_id", "rotation", "pk", "first_board", "compact_results")
    for fixture, rotation, table, first_board, text in rows.iterator(ROWS_AT_ONCE):
        if fixture in fixtures and fixture not in left_out:
            for board, seat, won, _ in parse_results(text, first_board):
                if (table, seat) in of_seat:
                    of_table = by_fixture[fixture].setdefault((board, rotation), [0] * len(sides))
                    of_table[of_seat[table, seat]] = won
    for fixture, stones_by_table in by_fixture.items():
        public_id, board_set, boards = fixtures[fixture]
        # By board, then rotation.
        tables = [stones for _, stones in sorted(stones_by_table.items())]
        # A fixture that was cut short may lack a table.
        if len(tables) == boards * len(sides):
            stones = [tables[start : start + len(sides)] for start in range(0, len(tables), len(sides))]
            yield FixtureStones(public_id, board_set, stones), entries[fixture]
