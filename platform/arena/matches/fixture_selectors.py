"""Selectors of fixtures, tables and board sets for lists and pages, with constant numbers of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Case, Count, Exists, F, Min, OuterRef, Prefetch, Q, QuerySet, Sum, When

from arena.accounts.models import AuditEvent, User
from arena.accounts.selectors import audit_trail
from arena.common.causes import WaitingFor
from arena.common.errors import NotFound
from arena.common.notes import Note
from arena.competition.entries.names import ListedEntry, with_entries
from arena.competition.models import Entry, Round, Tournament
from arena.competition.organisers import organiser_filter
from arena.competition.selectors import Viewer, is_staff, tournaments_visible_to
from arena.matches.board_results import parse_board
from arena.matches.models import (
    Adjudication,
    BoardSet,
    FaultGroup,
    Fixture,
    FixtureEntry,
    Table,
    TableSeat,
)
from arena.matches.waits import EMPTY_NOTE
from arena.roster.models import BotVersion, CheckRun

ENTRY_NAMES = ("entry__player", "entry__version__bot", "entry__partner_version__bot")
ENDED_STATE = "done"
"""State shown for an ended fixture while its board set is sealed."""


def rounds_of(tournament: Tournament) -> QuerySet[Round]:
    return Round.objects.filter(stage__tournament=tournament).select_related("stage", "board_set")


def rounds_with_boards(tournament: Tournament, only: Collection[int] | None = None) -> list[Round]:
    """Return the rounds that have boards, limited to the keys in ``only``, newest first. One query."""
    rows = rounds_of(tournament).filter(board_set__isnull=False)
    if only is not None:
        rows = rows.filter(pk__in=only)
    return list(rows.order_by("-stage__number", "-number"))


def board_sets_of(tournament: Tournament) -> QuerySet[BoardSet]:
    rows = BoardSet.objects.filter(round__stage__tournament=tournament)
    return rows.select_related("round__stage__tournament").order_by("round__stage__number", "round__number")


class RoundKey(NamedTuple):
    key: int
    board_set: int
    stage: int
    number: int
    is_open: bool


def round_keys(tournament: Tournament) -> list[RoundKey]:
    rows = Round.objects.filter(stage__tournament=tournament, board_set__isnull=False)
    columns = ("pk", "board_set__pk", "stage__number", "number", "state")
    ordered = rows.order_by("-stage__number", "-number").values_list(*columns)
    return [
        RoundKey(key, board_set, stage, number, state == Round.State.OPEN)
        for key, board_set, stage, number, state in ordered
    ]


def has_more_fixtures_than(tournament: Tournament, most: int) -> bool:
    """Return whether the tournament has more than ``most`` fixtures. One query with bounded cost."""
    keys = Fixture.objects.filter(tournament=tournament).order_by("id").values_list("pk")
    return keys[most : most + 1].exists()


class FixtureCounts(NamedTuple):
    all: int
    done: int


def fixture_counts(sets: Collection[int]) -> dict[int, FixtureCounts]:
    rows = Fixture.objects.filter(board_set__in=sets, sides__position=1).order_by().values_list("board_set")
    counted = rows.annotate(all=Count("pk"), done=Count("pk", filter=Q(state__in=Fixture.DONE)))
    return {key: FixtureCounts(count, done) for key, count, done in counted}


class OpenTables(NamedTuple):
    state: str
    waiting_for: str
    lacks: Note
    """Runtimes that no live worker has, if they wait for these."""
    tables: int
    boards_done: int
    boards: int


def open_tables(tournament: Tournament) -> list[OpenTables]:
    rows = Table.objects.filter(tournament=tournament, fixture__board_set__state=BoardSet.State.OPEN)
    lacks = Case(When(waiting_for=WaitingFor.RUNTIME, then=F("note")), default=EMPTY_NOTE)
    kinds = rows.order_by().annotate(lacks=lacks).values_list("state", "waiting_for", "lacks")
    counted = kinds.annotate(tables=Count("pk"), done=Sum("boards_done"), boards=Sum("board_count"))
    return [OpenTables(*row) for row in counted]


def _with_sides_and_tables(sides: QuerySet[FixtureEntry], tables: QuerySet[Table]) -> QuerySet[Fixture]:
    return Fixture.objects.prefetch_related(
        Prefetch("sides", sides.order_by("fixture_id", "position")),
        Prefetch("tables", tables.order_by("fixture_id", "rotation", "first_board")),
    )


def fixtures_listed(viewer: Viewer, tournament: Tournament | None = None) -> QuerySet[Fixture]:
    """Return visible fixtures, or those of ``tournament``, with sides and tables. Three queries per page."""
    sides = FixtureEntry.objects.select_related(*ENTRY_NAMES)
    rows = _with_sides_and_tables(sides, Table.objects.all())
    rows = rows.select_related("board_set__round__stage", "tournament")
    return rows.filter(_is_visible_to(viewer)) if tournament is None else rows.filter(tournament=tournament)


def fixtures_by_board_set(
    sets: Collection[BoardSet], only: Collection[int] | None = None
) -> dict[int, list[Fixture]]:
    """Return fixtures by key of the board set, in order of number, without data that is still sealed.

    ``only`` limits them to these keys. Sides come without their entries, tables only for open board sets,
    rulings only for closed ones. At most four queries.
    """
    sealed = {board_set.pk: board_set.is_sealed for board_set in sets}
    # Django makes no query for an empty list.
    tables = Table.objects.filter(fixture__board_set__in=[key for key, is_open in sealed.items() if is_open])
    columns = (
        "fixture_id",
        "state",
        "boards_done",
        "board_count",
        "attempt",
        "started_at",
        "waiting_for",
        "note",
    )
    closed = [key for key, is_open in sealed.items() if not is_open]
    rulings = Adjudication.objects.filter(fixture__board_set__in=closed)
    rows = _with_sides_and_tables(FixtureEntry.objects.all(), tables.only(*columns)).prefetch_related(
        Prefetch("adjudications", rulings.select_related("actor").order_by("number"))
    )
    fixtures: dict[int, list[Fixture]] = {key: [] for key in sealed}
    rows = rows.filter(board_set__in=list(sealed))
    if only is not None:
        rows = rows.filter(pk__in=only)
    for fixture in rows.order_by("number"):
        fixtures[fixture.board_set_id].append(fixture)
    return fixtures


def forfeits_in(sets: Collection[int], only: Collection[int] | None = None) -> set[tuple[int, int]]:
    """Return fixture and entry of forfeited tables on closed sets. One query, or none without sets."""
    if not sets:
        return set()
    rows = TableSeat.objects.filter(
        forfeited=True,
        table__fixture__board_set__state=BoardSet.State.CLOSED,
        table__fixture__board_set__in=sets,
    )
    if only is not None:
        rows = rows.filter(table__fixture__in=only)
    return set(rows.values_list("table__fixture_id", "entry_id").distinct())


class OpenFixture(NamedTuple):
    """A fixture of an open round from the view of one entry."""

    fixture: str
    stage: int
    round: int
    opponents: tuple[ListedEntry, ...]
    """Entries on other sides, in the order of the pairing; empty for a bye."""


def open_fixtures_of(entries: Collection[str]) -> dict[str, OpenFixture]:
    """Return the fixture in an open round by entry (public id). The pairing is public. Two queries."""
    sides = FixtureEntry.objects.filter(
        entry__public_id__in=entries, fixture__board_set__state=BoardSet.State.OPEN
    ).order_by()
    columns = ("fixture__board_set__round__stage__number", "fixture__board_set__round__number")
    own = list(sides.values_list("fixture_id", "side", "entry__public_id", "fixture__public_id", *columns))
    members = FixtureEntry.objects.filter(fixture__in=[row[0] for row in own]).order_by("fixture", "position")
    met: dict[int, list[tuple[int, ListedEntry]]] = defaultdict(list)
    for (fixture, side), entry in with_entries(members, "fixture_id", "side"):
        met[fixture].append((side, entry))
    return {
        entry: OpenFixture(
            public_id, stage, number, tuple(other for of_side, other in met[fixture] if of_side != side)
        )
        for fixture, side, entry, public_id, stage, number in own
    }


class IrregularFixtures(NamedTuple):
    ruled: int
    """Fixtures with a ruling in force."""
    forfeited: int
    """Fixtures with a forfeited table."""


def irregular_fixtures(tournament: Tournament) -> IrregularFixtures:
    """Count fixtures of closed board sets with rulings and forfeits. Two queries that read no others."""
    rulings = Adjudication.objects.filter(
        tournament=tournament, fixture__board_set__state=BoardSet.State.CLOSED
    ).order_by("fixture", "number")
    last = dict(rulings.values_list("fixture_id", "kind"))
    # By entry: an index has only the seats that forfeited.
    seats = TableSeat.objects.filter(
        forfeited=True,
        entry__tournament=tournament,
        table__fixture__board_set__state=BoardSet.State.CLOSED,
    )
    return IrregularFixtures(
        sum(kind != Adjudication.Kind.LIFT for kind in last.values()),
        seats.aggregate(fixtures=Count("table__fixture", distinct=True))["fixtures"],
    )


def fixture_ids(keys: Collection[int]) -> dict[int, str]:
    """Return public ids by key of the fixture. One query, or none without keys."""
    return dict(Fixture.objects.filter(pk__in=keys).values_list("pk", "public_id")) if keys else {}


def _is_visible_to(viewer: Viewer) -> Exists:
    """Return a filter evaluated per row in list order, which avoids a sort of all rows."""
    return Exists(tournaments_visible_to(viewer).filter(pk=OuterRef("tournament_id")))


def tables_listed(viewer: Viewer, version: BotVersion | None = None) -> QuerySet[Table]:
    """Return tables of visible tournaments, of ``version`` if given, with seats. Two queries per page."""
    seats = TableSeat.objects.select_related("version__bot", "entry__player").order_by("table_id", "seat")
    rows = (
        Table.objects.select_related("fixture__board_set__round__stage", "tournament")
        .prefetch_related(Prefetch("seats", seats))
        .filter(_is_visible_to(viewer))
    )
    if version is None:
        return rows
    return rows.filter(pk__in=TableSeat.objects.filter(version=version).values("table"))


def table_detail(public_id: str, viewer: Viewer) -> Table:
    """Return a table with its results. Raises NotFound."""
    table = tables_listed(viewer).filter(public_id=public_id).first()
    if table is None:
        raise NotFound(f"There is no table {public_id!r}.", "table_not_found")
    return table


SIDE_COLUMNS = {
    "entry": ("entry__public_id",),
    "player": ("entry__player__handle",),
    "version": ("entry__version__public_id", "entry__partner_version__public_id"),
    "bot": ("entry__version__bot__public_id", "entry__partner_version__bot__public_id"),
}
SEAT_COLUMNS = {
    "entry": "entry__public_id",
    "player": "entry__player__handle",
    "version": "version__public_id",
    "bot": "version__bot__public_id",
}


def fixtures_involving(rows: QuerySet[Fixture], kind: str, name: str) -> QuerySet[Fixture]:
    """Filter by public id of an ``entry``, ``version`` or ``bot``, or by handle of a ``player``."""
    condition = Q()
    for column in SIDE_COLUMNS[kind]:
        condition |= Q(**{column: name})
    return rows.filter(pk__in=FixtureEntry.objects.filter(condition).values("fixture"))


def tables_involving(rows: QuerySet[Table], kind: str, name: str) -> QuerySet[Table]:
    """Filter tables by a seat, with the kinds of ``fixtures_involving``."""
    return rows.filter(pk__in=TableSeat.objects.filter(**{SEAT_COLUMNS[kind]: name}).values("table"))


def fixtures_in_state(rows: QuerySet[Fixture], state: str, viewer: Viewer) -> QuerySet[Fixture]:
    """Filter by the state that the viewer may see: ``ENDED_STATE``, or a state of fixtures."""
    if state == ENDED_STATE:
        return rows.filter(state__in=Fixture.DONE)
    rows = rows.filter(state=state)
    if state in Fixture.DONE and not is_staff(viewer):
        rows = rows.filter(board_set__state=BoardSet.State.CLOSED)
    return rows


def fixtures_done_since(rows: QuerySet[Fixture], since: datetime, viewer: Viewer) -> QuerySet[Fixture]:
    """Filter for fixtures done since this moment, as far as the viewer may know it."""
    rows = rows.filter(done_at__gte=since)
    return rows if is_staff(viewer) else rows.filter(board_set__state=BoardSet.State.CLOSED)


def tables_finished_since(rows: QuerySet[Table], since: datetime, viewer: Viewer) -> QuerySet[Table]:
    rows = rows.filter(finished_at__gte=since)
    return rows if is_staff(viewer) else rows.filter(fixture__board_set__state=BoardSet.State.CLOSED)


def quarantined_tables(tournament: Tournament) -> QuerySet[Table]:
    rows = Table.objects.filter(state=Table.State.QUARANTINED, tournament=tournament)
    return rows.select_related("fixture__board_set__round").order_by("state_at")


def quarantined_counts(tournaments: Iterable[Tournament]) -> dict[int, int]:
    """Return numbers of quarantined tables by key of the tournament, without zeros. One query."""
    rows = Table.objects.filter(state=Table.State.QUARANTINED, tournament__in=list(tournaments))
    return dict(rows.order_by().values_list("tournament").annotate(count=Count("pk")))


class Quarantine(NamedTuple):
    """Tables of a tournament that failed three times and wait for a decision."""

    public_id: str
    tournament: str
    tables: int
    since: datetime


def quarantines() -> list[Quarantine]:
    """Return all tournaments with quarantined tables of open fixtures, longest wait first. One query."""
    rows = Table.objects.filter(state=Table.State.QUARANTINED, fixture__state=Fixture.State.OPEN).order_by()
    grouped = rows.values_list("tournament__public_id", "tournament__name")
    counted = grouped.annotate(tables=Count("pk"), since=Min("state_at")).order_by("since")
    return [Quarantine(*row) for row in counted]


def table_counts(tournament: Tournament) -> dict[str, int]:
    """Return numbers of tables by state, without zeros. One query."""
    rows = Table.objects.filter(tournament=tournament).order_by()
    return dict(rows.values_list("state").annotate(count=Count("pk")))


class OpenBoards(NamedTuple):
    done: int
    all: int
    playing: int


def open_boards(tournaments: Iterable[Tournament]) -> dict[int, OpenBoards]:
    """Return progress by key of the tournament; those without open board sets are missing. One query."""
    rows = Table.objects.filter(
        fixture__board_set__state=BoardSet.State.OPEN,
        fixture__board_set__round__stage__tournament__in=list(tournaments),
    ).exclude(state=Table.State.VOID)
    counted = (
        rows.order_by()
        .values_list("fixture__board_set__round__stage__tournament")
        .annotate(
            done=Sum("boards_done"),
            all=Sum("board_count"),
            playing=Count("pk", filter=Q(state=Table.State.LEASED)),
        )
    )
    return {key: OpenBoards(done, count, playing) for key, done, count, playing in counted}


def ended_while_sealed() -> dict[str, int]:
    """Return numbers of ended fixtures of open board sets by state. One query."""
    rows = Fixture.objects.filter(state__in=Fixture.DONE, board_set__state=BoardSet.State.OPEN)
    return dict(rows.order_by().values_list("state").annotate(count=Count("pk")))


def unserved_counts() -> dict[str, int]:
    """Return numbers of tables and checks that no live worker can run. Two queries."""
    waiting = Q(state="waiting", waiting_for=WaitingFor.RUNTIME)
    tables = Table.objects.filter(waiting, tournament__state=Tournament.State.RUNNING)
    return {"table": tables.count(), "check": CheckRun.objects.filter(waiting).count()}


def fault_counts(versions: Collection[BotVersion]) -> dict[int, int]:
    rows = FaultGroup.objects.filter(version__in=versions).order_by().values_list("version")
    return dict(rows.annotate(faults=Sum("count")))


class SeatResult(NamedTuple):
    table: str
    fixture: str
    rotation: int
    seat: int
    entry: str
    bot: str
    stones: int
    verdict: str


def seat_results(board_set: BoardSet, number: int) -> list[SeatResult]:
    """Return the results of a board as played, with entry and bot of the seat, by fixture, rotation and seat.
    Two queries.
    """
    tables = Table.objects.filter(
        fixture__board_set=board_set,
        first_board__lte=number,
        first_board__gt=number - F("board_count"),
    )
    seats = TableSeat.objects.filter(table__in=tables.order_by().values("pk")).order_by()
    columns = seats.values_list("table_id", "seat", "entry__public_id", "version__bot__name")
    who = {(table, seat): (entry, bot) for table, seat, entry, bot in columns}
    rows = tables.order_by("fixture__number", "rotation").values_list(
        "pk", "public_id", "fixture__public_id", "rotation", "first_board", "compact_results"
    )
    return [
        SeatResult(
            table, fixture, rotation, result.seat, *who[pk, result.seat], result.stones, result.verdict
        )
        for pk, table, fixture, rotation, first_board, text in rows
        for result in parse_board(text, first_board, number)
    ]


def audit_about(rows: QuerySet[AuditEvent], public_id: str) -> QuerySet[AuditEvent]:
    """Filter for audit rows about an object; for a tournament also about its fixtures and tables."""
    about = Q(object_id=public_id)
    for kind, model in (("fixture", Fixture), ("table", Table)):
        of_tournament = model.objects.filter(tournament__public_id=public_id)
        about |= Q(kind=kind, object_id__in=of_tournament.values("public_id"))
    return rows.filter(about)


def audit_trail_of(user: User) -> QuerySet[AuditEvent]:
    """Return the account's own actions; for organisers also those on their tournaments; for staff all."""
    if is_staff(user):
        return audit_trail()
    visible = Q(actor=user)
    if user.is_organiser:
        own = Tournament.objects.filter(organiser_filter(user))
        for kind, rows in (
            ("tournament", own),
            ("entry", Entry.objects.filter(tournament__in=own)),
            ("fixture", Fixture.objects.filter(tournament__in=own)),
            ("table", Table.objects.filter(tournament__in=own)),
        ):
            visible |= Q(kind=kind, object_id__in=rows.values("public_id"))
    return audit_trail().filter(visible)
