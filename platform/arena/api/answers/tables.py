"""Responses: tables, without what is sealed."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.competition.selectors import may_organise
from arena.matches.common_boards import blocking_table
from arena.matches.models import Table, TableSeat
from arena.matches.selectors import is_sealed_for

CONDUCT_FIELDS = ("verdict", "forfeited", "decisions", "cpu_ms", "wall_ms", "peak_bytes")
"""Fields about a bot's conduct, which would reveal something about sealed deals."""
TIME_FIELDS = ("started_at", "finished_at")
"""Fields that would reveal a forfeit, because a forfeited table ends early."""


class SeatOut(TypedDict):
    """A seat. The conduct of its bot is null while sealed."""

    seat: int
    entry: str
    player: str
    bot: str
    version: str
    verdict: str | None
    forfeited: bool | None
    decisions: int | None
    cpu_ms: int | None
    wall_ms: int | None
    peak_bytes: int | None


class ResultOut(TypedDict):
    """The result of one seat on one board, as played."""

    board: int
    seat: int
    stones: int
    verdict: str


class TableRow(TypedDict):
    """A table in a list. The seats' conduct, started_at and finished_at are null while sealed."""

    id: str
    rotation: int
    first_board: int
    board_count: int
    state: Annotated[str, Table.State]
    boards_done: int
    fixture: str
    tournament: str
    stage: int
    round: int
    board_set: str
    is_sealed: Annotated[bool, "Whether results are still hidden from you."]
    attempt: int
    reruns: int
    reason: Annotated[
        str | None,
        "Why it waits ('runtime_unavailable: ...', 'boards_in_play: ...'), for all; why the last "
        "attempt failed, for organiser and staff. Null if there is nothing to say to the reader.",
    ]
    blocked_by: Annotated[
        str | None, "Id of the table for whose end it waits ('boards_in_play'); null otherwise."
    ]
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    seats: list[SeatOut]


class TableOut(TableRow):
    """A table. ``results``, ``record_sha256``, the seats' conduct and the times are null while sealed."""

    record_sha256: str | None
    sandbox_level: str
    engine_version: str
    revision: str
    runtime_artifacts: Annotated[
        dict[str, str],
        "SHA-256 of the artefact by name of the runtime, for runtimes with artefacts.",
    ]
    results: list[ResultOut] | None


def table_row(table: Table, request: Request) -> TableRow:
    """Return a table of ``tables_listed`` with the fields that the viewer may see."""
    board_set = table.fixture.board_set
    is_sealed = is_sealed_for(board_set, request.user)
    is_lacking = table.state == Table.State.WAITING and bool(table.waiting_for)
    shows_reason = is_lacking or may_organise(request.user, table.tournament)
    return build_shape(
        TableRow,
        table,
        fixture=table.fixture.public_id,
        tournament=table.tournament.public_id,
        stage=board_set.round.stage.number,
        round=board_set.round.number,
        board_set=board_set.public_id,
        is_sealed=is_sealed,
        reason=(table.coded_reason or None) if shows_reason else None,
        blocked_by=blocking_table(table),
        seats=[_seat(seat, is_sealed=is_sealed) for seat in table.seats.all()],
        **(dict.fromkeys(TIME_FIELDS) if is_sealed else {}),
    )


def table_out(table: Table, request: Request) -> TableOut:
    """Return a table of ``table_detail`` with the fields that the viewer may see."""
    row = table_row(table, request)
    results = [build_shape(ResultOut, result) for result in table.results]
    sealed = {"record_sha256": None, "results": None} if row["is_sealed"] else {"results": results}
    return build_shape(TableOut, table, **(row | sealed))


def _seat(seat: TableSeat, *, is_sealed: bool) -> SeatOut:
    return build_shape(
        SeatOut,
        seat,
        entry=seat.entry.public_id,
        player=seat.entry.player.handle,
        bot=seat.version.bot.name,
        version=seat.version.public_id,
        **(dict.fromkeys(CONDUCT_FIELDS) if is_sealed else {}),
    )
