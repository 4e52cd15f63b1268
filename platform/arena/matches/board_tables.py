"""Tables on a board by fixture, and a fixture's tables with their seats, for pages. Sealed for staff too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Case, Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, When

from arena.common.errors import NotFound
from arena.competition.models import Round, Tournament
from arena.competition.selectors import Viewer, is_visible_to
from arena.matches.board_results import parse_board
from arena.matches.fixture_selectors import ENTRY_NAMES
from arena.matches.models import (
    Adjudication,
    BoardSet,
    Fixture,
    FixtureEntry,
    Table,
    TableSeat,
)

ROWS_AT_ONCE = 5000


def board_set_visible(public_id: str, viewer: Viewer) -> BoardSet:
    """Return a board set of a visible tournament, with all columns. Raises NotFound."""
    rows = BoardSet.objects.select_related("round__stage__tournament").filter(public_id=public_id)
    board_set = rows.first()
    if board_set is None or not is_visible_to(board_set.round.stage.tournament, viewer):
        raise NotFound(f"There is no board set {public_id!r}.", "board_set_not_found")
    return board_set


def fixture_visible(public_id: str, viewer: Viewer) -> Fixture:
    """Return a fixture of a visible tournament, with round and tournament. Raises NotFound."""
    rows = Fixture.objects.select_related("board_set__round__stage", "tournament").filter(public_id=public_id)
    fixture = rows.first()
    if fixture is None or not is_visible_to(fixture.tournament, viewer):
        raise NotFound(f"There is no fixture {public_id!r}.", "fixture_not_found")
    fixture.board_set.round.stage.tournament = fixture.tournament
    return fixture


def round_with_boards(tournament: Tournament, stage: int, number: int) -> Round:
    """Return a round with stage and board set; the caller checks visibility. Raises NotFound."""
    rows = Round.objects.select_related("stage", "board_set").filter(
        stage__tournament=tournament, stage__number=stage, number=number, board_set__isnull=False
    )
    played = rows.first()
    if played is None:
        raise NotFound(f"Stage {stage} of {tournament.name} has no round {number}.", "round_not_found")
    played.stage.tournament = tournament
    return played


def adjacent_rounds(played: Round) -> tuple[int | None, int | None]:
    """Return the numbers of the previous and next round, None if without boards. One query."""
    rows = Round.objects.filter(
        stage=played.stage, number__in=[played.number - 1, played.number + 1], board_set__isnull=False
    )
    numbers = set(rows.values_list("number", flat=True))
    before, after = played.number - 1, played.number + 1
    return (before if before in numbers else None), (after if after in numbers else None)


class AdjacentFixtures(NamedTuple):
    """Public ids of the fixtures before and after one in its round; empty if there is none."""

    before: str
    after: str


def adjacent_fixtures(fixture: Fixture) -> AdjacentFixtures:
    rows = Fixture.objects.filter(
        board_set=fixture.board_set_id, number__in=[fixture.number - 1, fixture.number + 1]
    )
    ids = dict(rows.values_list("number", "public_id"))
    return AdjacentFixtures(ids.get(fixture.number - 1, ""), ids.get(fixture.number + 1, ""))


def fixtures_in(played: Round) -> QuerySet[Fixture]:
    return Fixture.objects.filter(board_set=played.board_set).order_by("number")


def tables_on_board(board_set: BoardSet, number: int) -> QuerySet[Table]:
    return Table.objects.filter(
        fixture__board_set=board_set, first_board__lte=number, first_board__gt=number - F("board_count")
    ).order_by()


def fixtures_on_board(board_set: BoardSet, number: int) -> QuerySet[Fixture]:
    on_board = tables_on_board(board_set, number).filter(fixture=OuterRef("pk"))
    return Fixture.objects.filter(Exists(on_board), board_set=board_set).order_by("number")


def played_tables_on_board(fixture: Fixture, number: int) -> list[Table]:
    """Return the finished tables of a fixture on a closed board, with seats and versions. Two queries."""
    seats = TableSeat.objects.select_related("version__bot__owner").order_by("seat")
    rows = tables_on_board(fixture.board_set, number).filter(fixture=fixture, state=Table.State.FINISHED)
    return list(rows.prefetch_related(Prefetch("seats", seats)).order_by("rotation"))


def other_tables(table: Table) -> QuerySet[Table]:
    """Return other finished tables of settled fixtures that played the same boards of a closed set. Tables of
    the same fixture come first.
    """
    rows = Table.objects.filter(
        fixture__board_set=table.fixture.board_set_id,
        fixture__board_set__state=BoardSet.State.CLOSED,
        fixture__state=Fixture.State.SETTLED,
        state=Table.State.FINISHED,
        first_board=table.first_board,
    )
    is_other = Case(When(fixture=table.fixture_id, then=0), default=1)
    return rows.exclude(pk=table.pk).exclude(view_sha256="").order_by(is_other, "pk")


def fixtures_with_tables_on_board(fixtures: Collection[Fixture], number: int) -> list[Fixture]:
    """Return fixtures with sides, rulings and their tables on a closed board. Four queries."""
    sides = FixtureEntry.objects.select_related(*ENTRY_NAMES).order_by("fixture_id", "position")
    rulings = Adjudication.objects.select_related("actor").order_by("number")
    tables = Table.objects.filter(first_board__lte=number, first_board__gt=number - F("board_count"))
    rows = Fixture.objects.filter(pk__in=[fixture.pk for fixture in fixtures]).prefetch_related(
        Prefetch("sides", sides),
        Prefetch("adjudications", rulings),
        Prefetch("tables", tables.order_by("fixture_id", "rotation")),
        Prefetch("tables__seats", TableSeat.objects.order_by("table_id", "seat")),
    )
    return list(rows.order_by("number"))


def stone_counts(board_set: BoardSet, number: int, seats: Sequence[int]) -> dict[int, Counter[int]]:
    """Count the tables of a closed set by seat and by stones won on a board, as played. One query."""
    counts: dict[int, Counter[int]] = {seat: Counter() for seat in seats}
    if board_set.is_sealed:
        return counts
    rows = tables_on_board(board_set, number).values_list("compact_results", "first_board")
    for text, first_board in rows.iterator(ROWS_AT_ONCE):
        for result in parse_board(text, first_board, number):
            if result.seat in counts:
                counts[result.seat][result.stones] += 1
    return counts


class RoundProgress(NamedTuple):
    """Fixtures of a round without byes: all that is public about a sealed board."""

    done: int
    all: int


def round_progress(board_set: BoardSet) -> RoundProgress:
    rows = Fixture.objects.filter(board_set=board_set, sides__position=1).order_by()
    counted = rows.aggregate(all=Count("pk"), done=Count("pk", filter=Q(state__in=Fixture.DONE)))
    return RoundProgress(counted["done"], counted["all"])


def sides_with_names(fixture: Fixture) -> list[FixtureEntry]:
    rows = FixtureEntry.objects.filter(fixture=fixture).select_related(*ENTRY_NAMES)
    return list(rows.order_by("position"))


def rulings_on(fixture: Fixture) -> list[Adjudication]:
    if fixture.board_set.is_sealed:
        return []
    rows = Adjudication.objects.filter(fixture=fixture).select_related("actor")
    return list(rows.order_by("number"))


def tables_of(fixture: Fixture) -> QuerySet[Table]:
    return Table.objects.filter(fixture=fixture).order_by("rotation", "first_board")


def tables_of_boards(fixture: Fixture, first: int, last: int) -> list[Table]:
    """Return the tables of a fixture that have one of these boards. One query."""
    rows = tables_of(fixture).filter(first_board__lte=last, first_board__gt=first - F("board_count"))
    return list(rows)


def unfinished_table_counts(fixture: Fixture) -> tuple[int, int]:
    """Return the numbers of tables that may still be played and of void tables. One query."""
    states = Counter(fixture.tables.exclude(state=Table.State.FINISHED).values_list("state", flat=True))
    void = states.pop(Table.State.VOID, 0)
    return states.total(), void


def seats_by_table(tables: Sequence[Table]) -> Mapping[int, list[TableSeat]]:
    """Return entries and conduct of the seats by key of the table. For closed boards. One query."""
    seats: dict[int, list[TableSeat]] = {table.pk: [] for table in tables}
    rows = TableSeat.objects.filter(table__in=list(seats)).order_by("seat")
    columns = ("table_id", "seat", "entry_id", "verdict", "forfeited", "faults", "decisions", "cpu_ms")
    for row in rows.only(*columns):
        seats[row.table_id].append(row)
    return seats


def stones_by_table(tables: Sequence[Table]) -> Mapping[int, dict[int, int]]:
    """Return stones won as played, by key of the table and seat. For closed boards."""
    stones_by_seat: dict[int, dict[int, int]] = {table.pk: {} for table in tables}
    for table in tables:
        of_table = stones_by_seat[table.pk]
        for result in table.results:
            of_table[result.seat] = of_table.get(result.seat, 0) + result.stones
    return stones_by_seat


def stones_by_board(tables: Sequence[Table]) -> Mapping[tuple[int, int, int], int]:
    """Return stones won as played, by key of the table, board and seat. For closed boards."""
    return {
        (table.pk, result.board, result.seat): result.stones for table in tables for result in table.results
    }


def first_table_with_view(board_set: BoardSet, number: int) -> Table | None:
    if board_set.is_sealed:
        return None
    return (
        tables_on_board(board_set, number)
        .exclude(view_sha256="")
        .order_by("fixture__number", "rotation")
        .first()
    )
