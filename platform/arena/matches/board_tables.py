"""Every table on one board, grouped by fixture, and a fixture's tables with their seats.

Pages show the same to everybody: what is sealed is sealed here for staff as well, who have the API.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet

from arena.common.errors import NotFound
from arena.competition.models import Round, Tournament
from arena.competition.selectors import Viewer, is_visible_to
from arena.matches.fixture_selectors import ENTRY_NAMES
from arena.matches.models import (
    Adjudication,
    BoardResult,
    BoardSet,
    Fixture,
    FixtureEntry,
    Table,
    TableSeat,
)


def board_set_visible(public_id: str, viewer: Viewer) -> BoardSet:
    """One board set of a visible tournament, with the whole of both. One query for a public one.

    Raises:
        NotFound: none, or not for this viewer.
    """
    rows = BoardSet.objects.select_related("round__stage__tournament").filter(public_id=public_id)
    board_set = rows.first()
    if board_set is None or not is_visible_to(board_set.round.stage.tournament, viewer):
        raise NotFound(f"There is no board set {public_id!r}.", "board_set_missing")
    return board_set


def fixture_visible(public_id: str, viewer: Viewer) -> Fixture:
    """One fixture of a visible tournament, with round and tournament. One query for a public one.

    Raises:
        NotFound: none, or not for this viewer.
    """
    rows = Fixture.objects.select_related("board_set__round__stage", "tournament").filter(public_id=public_id)
    fixture = rows.first()
    if fixture is None or not is_visible_to(fixture.tournament, viewer):
        raise NotFound(f"There is no fixture {public_id!r}.", "fixture_missing")
    fixture.board_set.round.stage.tournament = fixture.tournament
    return fixture


def round_with_boards(tournament: Tournament, stage: int, number: int) -> Round:
    """One round of a tournament that the viewer may see, with stage and board set. One query.

    Raises:
        NotFound: there is none, or it has no boards yet.
    """
    rows = Round.objects.select_related("stage", "board_set").filter(
        stage__tournament=tournament, stage__number=stage, number=number, board_set__isnull=False
    )
    played = rows.first()
    if played is None:
        raise NotFound(f"Stage {stage} of {tournament.name} has no round {number}.", "round_missing")
    played.stage.tournament = tournament
    return played


def adjacent_rounds(played: Round) -> tuple[int | None, int | None]:
    """Numbers of the rounds before and after it in its stage, if they have boards. One query."""
    rows = Round.objects.filter(
        stage=played.stage, number__in=[played.number - 1, played.number + 1], board_set__isnull=False
    )
    numbers = set(rows.values_list("number", flat=True))
    before, after = played.number - 1, played.number + 1
    return (before if before in numbers else None), (after if after in numbers else None)


def fixtures_in(played: Round) -> QuerySet[Fixture]:
    """The fixtures of a round by number."""
    return Fixture.objects.filter(board_set=played.board_set).order_by("number")


def tables_on_board(board_set: BoardSet, number: int) -> QuerySet[Table]:
    """The tables that play a board, in no order."""
    return Table.objects.filter(
        fixture__board_set=board_set, first_board__lte=number, first_board__gt=number - F("board_count")
    ).order_by()


def fixtures_on_board(board_set: BoardSet, number: int) -> QuerySet[Fixture]:
    """The fixtures that have tables on a board, by number; byes have none."""
    on_board = tables_on_board(board_set, number).filter(fixture=OuterRef("pk"))
    return Fixture.objects.filter(Exists(on_board), board_set=board_set).order_by("number")


def fixtures_with_tables_on_board(fixtures: Collection[Fixture], number: int) -> list[Fixture]:
    """The same fixtures with sides, rulings, and their tables on the board with seats and results of it.

    For boards that are closed. Five queries, however many they are.
    """
    sides = FixtureEntry.objects.select_related(*ENTRY_NAMES).order_by("fixture_id", "position")
    rulings = Adjudication.objects.select_related("actor").order_by("number")
    tables = Table.objects.filter(first_board__lte=number, first_board__gt=number - F("board_count"))
    results = BoardResult.objects.filter(board=number).order_by("table_id", "seat")
    rows = Fixture.objects.filter(pk__in=[fixture.pk for fixture in fixtures]).prefetch_related(
        Prefetch("sides", sides),
        Prefetch("adjudications", rulings),
        Prefetch("tables", tables.order_by("fixture_id", "rotation")),
        Prefetch("tables__seats", TableSeat.objects.order_by("table_id", "seat")),
        Prefetch("tables__results", results),
    )
    return list(rows.order_by("number"))


def stone_counts(board_set: BoardSet, number: int, seats: Sequence[int]) -> dict[int, dict[int, int]]:
    """How many tables of a closed set ended a board with so many stones for each of these seats.

    By seat and stones, as played. One query.
    """
    counts: dict[int, dict[int, int]] = {seat: {} for seat in seats}
    if board_set.is_sealed:
        return counts
    rows = BoardResult.objects.filter(table__fixture__board_set=board_set, board=number, seat__in=seats)
    counted = rows.order_by().values_list("seat", "stones").annotate(count=Count("pk"))
    for seat, stones, count in counted:
        counts[seat][stones] = count
    return counts


class RoundProgress(NamedTuple):
    """How many fixtures of a round are done, byes left out: all there is to know of a sealed board."""

    done: int
    all: int


def round_progress(board_set: BoardSet) -> RoundProgress:
    """Of the round of a board set. One query."""
    rows = Fixture.objects.filter(board_set=board_set, sides__position=1).order_by()
    counted = rows.aggregate(all=Count("pk"), done=Count("pk", filter=Q(state__in=Fixture.DONE)))
    return RoundProgress(counted["done"], counted["all"])


def sides_with_names(fixture: Fixture) -> list[FixtureEntry]:
    """The sides of a fixture with their entries, in the order of the pairing. One query."""
    rows = FixtureEntry.objects.filter(fixture=fixture).select_related(*ENTRY_NAMES)
    return list(rows.order_by("position"))


def rulings_on(fixture: Fixture) -> list[Adjudication]:
    """The rulings on a fixture whose boards are closed, the last one last; none before. One query."""
    if fixture.board_set.is_sealed:
        return []
    rows = Adjudication.objects.filter(fixture=fixture).select_related("actor")
    return list(rows.order_by("number"))


def tables_of(fixture: Fixture) -> QuerySet[Table]:
    """The tables of a fixture by rotation and first board."""
    return Table.objects.filter(fixture=fixture).order_by("rotation", "first_board")


def unfinished_table_counts(fixture: Fixture) -> tuple[int, int]:
    """How many tables of a fixture may still be played, and how many are void. One query."""
    states = Counter(fixture.tables.exclude(state=Table.State.FINISHED).values_list("state", flat=True))
    void = states.pop(Table.State.VOID, 0)
    return states.total(), void


def seats_by_table(tables: Sequence[Table]) -> Mapping[int, list[TableSeat]]:
    """Who sat at these tables and how they behaved, by key of the table. For closed boards. One query."""
    seats: dict[int, list[TableSeat]] = {table.pk: [] for table in tables}
    rows = TableSeat.objects.filter(table__in=list(seats)).order_by("seat")
    for row in rows.only("table_id", "seat", "entry_id", "verdict", "forfeited", "faults"):
        seats[row.table_id].append(row)
    return seats


def stones_by_table(tables: Sequence[Table]) -> Mapping[int, dict[int, int]]:
    """Stones won as played by key of the table and seat, over its boards. For closed boards. One query."""
    stones_by_seat: dict[int, dict[int, int]] = {table.pk: {} for table in tables}
    rows = BoardResult.objects.filter(table__in=list(stones_by_seat)).order_by()
    for table, seat, stones in rows.values_list("table_id", "seat", "stones"):
        stones_by_seat[table][seat] = stones_by_seat[table].get(seat, 0) + stones
    return stones_by_seat


def first_table_with_view(board_set: BoardSet, number: int) -> Table | None:
    """The first table of a closed set that has a view of a board. One query."""
    if board_set.is_sealed:
        return None
    return (
        tables_on_board(board_set, number)
        .exclude(view_sha256="")
        .order_by("fixture__number", "rotation")
        .first()
    )
