"""Visibility of board sets, fixtures, tables, records, logs and faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db.models import Prefetch, Sum, prefetch_related_objects

from arena.accounts.models import User
from arena.common.blob_expiry import expiring_blob_get
from arena.common.blobs import blob_get
from arena.common.errors import Forbidden, NotFound, Sealed
from arena.competition.models import Tournament
from arena.competition.selectors import Viewer, is_staff, is_visible_to
from arena.matches.faults import fault_groups_of
from arena.matches.models import BoardSet, FaultGroup, Table, TableSeat
from arena.matches.replays import table_view
from arena.roster.models import Bot, BotVersion
from arena.roster.selectors import may_read_private

MAX_WHOLE_VIEW_BYTES = 200_000
"""Maximum bytes of a view returned with all its boards; larger views are returned board by board."""


def is_sealed_for(board_set: BoardSet, user: Viewer) -> bool:
    return board_set.is_sealed and not is_staff(user)


_BOARD_SET_COLUMNS = (
    *("public_id", "kind", "boards", "state", "round__number", "round__stage__number"),
    *("round__stage__field_digest", "round__stage__tournament__public_id"),
    *("round__stage__tournament__visibility", "round__stage__tournament__state"),
    *("round__stage__tournament__revision", "round__stage__tournament__state_at"),
)
"""Columns that a board set needs, since settings of its tournament are slow to load."""


def board_set_get(public_id: str, user: Viewer) -> BoardSet:
    """Return a board set of a visible tournament. Raises NotFound."""
    rows = BoardSet.objects.select_related("round__stage__tournament").only(*_BOARD_SET_COLUMNS)
    board_set = rows.filter(public_id=public_id).first()
    if board_set is None or not is_visible_to(board_set.round.stage.tournament, user):
        raise NotFound(f"There is no board set {public_id!r}.", "board_set_not_found")
    return board_set


def table_get(public_id: str, user: Viewer) -> Table:
    """Return a table of a visible tournament with seats, versions and entries. Raises NotFound."""
    seats = TableSeat.objects.select_related("version__bot__owner", "entry__player").order_by("seat")
    rows = Table.objects.select_related("fixture__board_set__round__stage__tournament")
    table = rows.prefetch_related(Prefetch("seats", seats)).filter(public_id=public_id).first()
    if table is None or not is_visible_to(table.fixture.board_set.round.stage.tournament, user):
        raise NotFound(f"There is no table {public_id!r}.", "table_not_found")
    return table


def record_of(table: Table, user: Viewer) -> bytes:
    """Return the record, uncompressed. Raises NotFound, or Sealed while the board set is open."""
    if is_sealed_for(table.fixture.board_set, user):
        raise Sealed("This record")
    if not table.record_sha256:
        raise NotFound(f"This table is {table.state} and has no record.", "record_not_found")
    return blob_get(table.record_sha256)


def view_of(table: Table, user: Viewer, board: int | None = None) -> bytes:
    """Return the record's view: board ``board``, else all boards, or the first if the view is large.

    Raises NotFound ``view_not_found`` or ``board_not_found``, or Sealed while the board set is open.
    """
    if is_sealed_for(table.fixture.board_set, user):
        raise Sealed("This view")
    boards = range(table.first_board, table.first_board + table.board_count)
    if board is not None and board not in boards:
        raise NotFound(f"This table played boards {boards[0]} to {boards[-1]}.", "board_not_found")
    view = table_view(table, board)
    if view is not None and board is None and len(view) > MAX_WHOLE_VIEW_BYTES:
        view = table_view(table, boards[0])
    if view is None:
        raise NotFound(f"This table is {table.state} and has no view.", "view_not_found")
    return view


def seat_of_owner(table: Table, seat: int, user: Viewer, *, of_times: bool = False) -> TableSeat:
    """Return a seat whose log and times the viewer may see: the owner's own seats, all seats for staff.

    ``of_times`` selects the message of errors. Raises NotFound, Forbidden, or Sealed.
    """
    for row in table.seats.all():
        if row.seat == seat:
            owner = row.version.bot.owner.user_id
            if not is_staff(user) and not (isinstance(user, User) and user.pk == owner):
                raise Forbidden(
                    f"Only the owner of the bot and staff can see the {'times' if of_times else 'log'}.",
                    "not_owner",
                )
            if is_sealed_for(table.fixture.board_set, user):
                raise Sealed("These times" if of_times else "This log", are_several=of_times)
            return row
    raise NotFound(f"This table has no seat {seat}.", "seat_not_found")


def log_of(table: Table, seat: int, user: Viewer) -> bytes:
    """Return a bot's capped standard error output, or b"". Raises as ``seat_of_owner``, ``blob_expired``."""
    row = seat_of_owner(table, seat, user)
    return expiring_blob_get(row.log_sha256) if row.log_sha256 else b""


def require_board_visible(board_set: BoardSet, number: int, user: Viewer) -> None:
    """Raise NotFound, or Sealed, unless the viewer may see the results of a board."""
    if not 1 <= number <= board_set.boards:
        raise NotFound(f"This set has boards 1 to {board_set.boards}.", "board_not_found")
    if is_sealed_for(board_set, user):
        raise Sealed("This board")


def version_faults(version: BotVersion, viewer: Viewer, *, with_tables: bool = True) -> list[FaultGroup]:
    """Return a version's fault groups, most frequent first, by default with table and check of the sample.

    Staff also see faults on open sets, as unsaved groups. Constant number of queries. Raises Forbidden
    ``not_owner``.
    """
    if not may_read_private(viewer, version.bot):
        raise Forbidden("Only the bot's owner and staff can see its faults.", "not_owner")
    if is_staff(viewer):
        groups = fault_groups_of(version, with_sealed=True)
    else:
        groups = list(version.fault_groups.order_by("-count", "fingerprint"))
    for group in groups:
        group.version = version
    if with_tables:
        prefetch_related_objects(groups, "table__fixture__board_set__round__stage__tournament", "check_run")
    return groups


def table_faults(table: Table, viewer: Viewer) -> dict[tuple[int, int, int], tuple[str, str]]:
    places: dict[tuple[int, int, int], tuple[str, str]] = {}
    for row in table.seats.all():
        if row.faults and may_read_private(viewer, row.version.bot):
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
    """Return ``version_faults`` of a bot's latest version. Raises Forbidden ``not_owner``."""
    if not may_read_private(viewer, bot):
        raise Forbidden("Only the bot's owner and staff can see its faults.", "not_owner")
    latest = bot.versions.select_related("bot__owner__user").order_by("-number").first()
    return [] if latest is None else version_faults(latest, viewer)


def fault_group_get(version: BotVersion, fingerprint: str, viewer: Viewer) -> FaultGroup:
    """Return a fault group of a version, with the table or check of the sample.

    A fault at a sealed table is hidden from its owner: its fingerprint could reveal the deal. Raises
    Forbidden ``not_owner``, NotFound ``fault_not_found``.
    """
    for group in version_faults(version, viewer):
        if group.fingerprint == fingerprint:
            return group
    raise NotFound(f"{version} has no fault {fingerprint!r} that you may see.", "fault_not_found")


SAMPLE_TOURNAMENTS = 30
SAMPLE_TABLES = 300
"""Maximum latest tournaments and tables used to estimate the cost of a board."""


def mean_cpu_ms_per_board(game: str, preset: str, board_kind: str) -> float | None:
    """Return the measured mean CPU in ms of all seats for one board of a preset; None without measurements.

    ``board_kind`` is ``deal`` or ``game``. Only closed rounds are used. Three queries.
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
