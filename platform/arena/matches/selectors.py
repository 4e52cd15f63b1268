"""Who may read which board set, fixture, table, record, log and fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db.models import Prefetch, QuerySet, Sum, prefetch_related_objects

from arena.accounts.models import User
from arena.common.blobs import blob_get
from arena.common.errors import Forbidden, NotFound, Sealed
from arena.competition.models import Tournament
from arena.competition.selectors import Viewer, is_staff, is_visible_to
from arena.matches.faults import fault_groups_of
from arena.matches.models import BoardResult, BoardSet, FaultGroup, Table, TableSeat
from arena.matches.replays import table_notes, table_view
from arena.roster.models import Bot, BotVersion
from arena.roster.selectors import may_see_inside

MAX_WHOLE_VIEW_BYTES = 200_000
"""A larger view is given board by board."""


def is_sealed_for(board_set: BoardSet, user: Viewer) -> bool:
    """Sealed for everybody but staff until the last table on these boards is done."""
    return board_set.is_sealed and not is_staff(user)


_BOARD_SET_COLUMNS = (
    *("public_id", "kind", "boards", "state", "round__number", "round__stage__number"),
    *("round__stage__field_digest", "round__stage__tournament__public_id"),
    *("round__stage__tournament__visibility", "round__stage__tournament__state"),
    *("round__stage__tournament__revision", "round__stage__tournament__state_at"),
)
"""What a look at a board set needs; the settings of the event above it would take most of the time."""


def board_set_get(public_id: str, user: Viewer) -> BoardSet:
    """One board set of a visible tournament.

    Raises:
        NotFound: none, or not for this viewer.
    """
    rows = BoardSet.objects.select_related("round__stage__tournament").only(*_BOARD_SET_COLUMNS)
    board_set = rows.filter(public_id=public_id).first()
    if board_set is None or not is_visible_to(board_set.round.stage.tournament, user):
        raise NotFound(f"There is no board set {public_id!r}.", "board_set_missing")
    return board_set


def table_get(public_id: str, user: Viewer) -> Table:
    """One table of a visible tournament, with its seats, their versions and entries.

    Raises:
        NotFound: none, or not for this viewer.
    """
    seats = TableSeat.objects.select_related("version__bot__owner", "entry__player").order_by("seat")
    rows = Table.objects.select_related("fixture__board_set__round__stage__tournament")
    table = rows.prefetch_related(Prefetch("seats", seats)).filter(public_id=public_id).first()
    if table is None or not is_visible_to(table.fixture.board_set.round.stage.tournament, user):
        raise NotFound(f"There is no table {public_id!r}.", "table_missing")
    return table


def record_of(table: Table, user: Viewer) -> bytes:
    """The record, uncompressed.

    Raises:
        NotFound: the table has none (yet).
        Sealed: the board set is still open.
    """
    if is_sealed_for(table.fixture.board_set, user):
        raise Sealed("This record")
    if not table.record_sha256:
        raise NotFound(f"This table is {table.state} and has no record.", "record_missing")
    return blob_get(table.record_sha256)


def view_of(table: Table, user: Viewer, board: int | None = None) -> bytes:
    """The view of the record: one of its boards if ``board`` is given, else all, or the first if it is large.

    Raises:
        NotFound: code ``view_missing``, or ``board_missing`` for a board the table did not play.
        Sealed: the board set is still open.
    """
    if is_sealed_for(table.fixture.board_set, user):
        raise Sealed("This view")
    boards = range(table.first_board, table.first_board + table.board_count)
    if board is not None and board not in boards:
        raise NotFound(f"This table played boards {boards[0]} to {boards[-1]}.", "board_missing")
    view = table_view(table, board)
    if view is not None and board is None and len(view) > MAX_WHOLE_VIEW_BYTES:
        view = table_view(table, boards[0])
    if view is None:
        raise NotFound(f"This table is {table.state} and has no view.", "view_missing")
    return view


def notes_of(table: Table, user: Viewer) -> bytes:
    """A solver's notes on the record.

    Raises:
        NotFound: code ``notes_missing``.
        Sealed: the board set is still open.
    """
    if is_sealed_for(table.fixture.board_set, user):
        raise Sealed("These notes", are_several=True)
    notes = table_notes(table)
    if notes is None:
        raise NotFound("There are no notes on this table.", "notes_missing")
    return notes


def seat_of_owner(table: Table, seat: int, user: Viewer, *, of_times: bool = False) -> TableSeat:
    """A seat whose log and times the viewer may see: its owner's own, or any for staff.

    ``of_times``: a refusal speaks of these, else of the log.

    Raises:
        NotFound: no such seat.
        Forbidden: somebody else's.
        Sealed: the board set is still open.
    """
    for row in table.seats.all():
        if row.seat == seat:
            owner = row.version.bot.owner.user_id
            if not is_staff(user) and not (isinstance(user, User) and user.pk == owner):
                raise Forbidden(
                    f"The {'times are' if of_times else 'log is'} for the owner of the bot and staff.",
                    "not_the_owner",
                )
            if is_sealed_for(table.fixture.board_set, user):
                raise Sealed("These times" if of_times else "This log", are_several=of_times)
            return row
    raise NotFound(f"This table has no seat {seat}.", "seat_missing")


def log_of(table: Table, seat: int, user: Viewer) -> bytes:
    """What the bot on a seat wrote to standard error, capped; empty if it wrote nothing.

    Raises:
        NotFound, Forbidden, Sealed: as ``seat_of_owner``.
    """
    row = seat_of_owner(table, seat, user)
    return blob_get(row.log_sha256) if row.log_sha256 else b""


def board_results(board_set: BoardSet, number: int, user: Viewer) -> QuerySet[BoardResult]:
    """How one board went at every table that played it, as played.

    Raises:
        NotFound: no such board.
        Sealed: the board set is still open.
    """
    if not 1 <= number <= board_set.boards:
        raise NotFound(f"This set has boards 1 to {board_set.boards}.", "board_missing")
    if is_sealed_for(board_set, user):
        raise Sealed("This board")
    return (
        BoardResult.objects.filter(table__fixture__board_set=board_set, board=number)
        .select_related("table__fixture")
        .order_by("table__fixture__number", "table__rotation", "seat")
    )


def version_faults(version: BotVersion, viewer: Viewer) -> list[FaultGroup]:
    """A version's faults, alike ones together, most frequent first; each with its sample's table or check.

    Of closed board sets and of checks; staff also see those of sets still open, counted on the spot (such
    groups are not stored rows). Constant queries.

    Raises:
        Forbidden: code ``not_yours``.
    """
    if not may_see_inside(viewer, version.bot):
        raise Forbidden("Faults are shown to the bot's owner only.", "not_yours")
    if is_staff(viewer):
        groups = fault_groups_of(version, with_sealed=True)
    else:
        groups = list(version.fault_groups.order_by("-count", "fingerprint"))
    for group in groups:
        group.version = version
    prefetch_related_objects(groups, "table__fixture__board_set__round__stage__tournament", "check_run")
    return groups


def table_faults(table: Table, viewer: Viewer) -> dict[tuple[int, int, int], tuple[str, str]]:
    """The faults of a table's seats whose groups the viewer may see: version and fingerprint of each.

    By seat, board, and how many the seat had before on this board; those before the first request left out.
    The table comes with seats, versions and owners. One query if there are such faults.
    """
    places: dict[tuple[int, int, int], tuple[str, str]] = {}
    for row in table.seats.all():
        if row.faults and may_see_inside(viewer, row.version.bot):
            faults = sorted((fault for fault in row.faults if fault["decision"]), key=_decision)
            counts: Counter[int] = Counter()
            for fault in faults:
                board = fault["board"]
                places[row.seat, board, counts[board]] = (row.version.public_id, fault["fingerprint"])
                counts[board] += 1
    if not places:
        return {}
    groups = FaultGroup.objects.filter(version__public_id__in={version for version, _ in places.values()})
    grouped = set(groups.values_list("version__public_id", "fingerprint"))
    return {key: group for key, group in places.items() if group in grouped}


def _decision(fault: Mapping[str, Any]) -> int:
    return int(fault["decision"])


def bot_faults(bot: Bot, viewer: Viewer) -> list[FaultGroup]:
    """The faults of a bot since its last upload: those of its latest version, as ``version_faults``.

    Raises:
        Forbidden: code ``not_yours``.
    """
    if not may_see_inside(viewer, bot):
        raise Forbidden("Faults are shown to the bot's owner only.", "not_yours")
    latest = bot.versions.select_related("bot__owner__user").order_by("-number").first()
    return [] if latest is None else version_faults(latest, viewer)


def fault_group_get(version: BotVersion, fingerprint: str, viewer: Viewer) -> FaultGroup:
    """One group of a version, with its sample's table or check.

    A fault at a sealed table is as unknown to its owner as one that never was: what a bot writes to its
    log decides its fingerprint, so that knowing of one would be knowing of the deal.

    Raises:
        Forbidden: code ``not_yours``.
        NotFound: code ``fault_unknown``.
    """
    for group in version_faults(version, viewer):
        if group.fingerprint == fingerprint:
            return group
    raise NotFound(f"{version} has no fault {fingerprint!r} that you may see.", "fault_unknown")


SAMPLE_TOURNAMENTS = 30
SAMPLE_TABLES = 300
"""The cost of a board is estimated from the latest tables of the latest tournaments, so many at most."""


def mean_cpu_ms_per_board(game: str, preset: str, board_kind: str) -> float | None:
    """CPU in ms that all seats together use for one board of a preset, as measured; None if never played.

    ``board_kind`` is ``deal`` or ``game``. Of closed rounds alone: everybody may ask, and how long bots
    thought about sealed boards is not for everybody. Three queries.
    """
    latest = Tournament.objects.order_by("-id").filter(
        game=game, preset=preset, board_kind=board_kind, cpu_ms_spent__gt=0
    )
    tables = dict(
        Table.objects.order_by("-id")
        .filter(tournament__in=list(latest.values_list("pk", flat=True)[:SAMPLE_TOURNAMENTS]))
        .filter(state=Table.State.FINISHED, fixture__board_set__state=BoardSet.State.CLOSED)
        .values_list("pk", "board_count")[:SAMPLE_TABLES]
    )
    if not tables:
        return None
    spent = TableSeat.objects.filter(table__in=list(tables)).aggregate(sum=Sum("cpu_ms"))["sum"] or 0
    return float(spent) / sum(tables.values())
