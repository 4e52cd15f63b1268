"""Snapshots of remote versions and their seats. One poll reads them for all streams."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Q

from arena.common.notes import note_in_english
from arena.features.remote.models import RemoteSeat, RemoteTable, RemoteVersion

DISCONNECTED, OUT_OF_TIME = "DISCONNECTED", "OUT_OF_TIME"
"""Verdicts of the referee (docs/contracts.md#clocks-faults-verdicts)."""
FINAL_STATES = (RemoteTable.State.FINISHED, RemoteTable.State.FAILED)

SNAPSHOT_COLUMNS = (
    "seat",
    "is_active",
    "hello",
    "events",
    "request",
    "request_id",
    "answers",
    "bank_ms",
    "deadline_at",
    "left_ms",
    "disconnect_left_ms",
    "verdict",
    "table__public_id",
    "table__state",
    "table__is_rated",
    "table__is_slow",
    "table__score",
    "table__commitment",
    "table__actions",
    "table__substituted",
    "table__result",
)
"""Columns that ``seat_snapshot`` reads."""


class SeatMark(NamedTuple):
    """Columns of a seat and its table whose change causes a line."""

    request_id: str
    is_active: bool
    verdict: str
    deadline_at: datetime.datetime | None
    left_ms: int | None
    disconnect_left_ms: int
    state: str
    score: float | None

    @property
    def is_final(self) -> bool:
        return not self.is_active and self.state in FINAL_STATES


class SeatSnapshot(NamedTuple):
    mark: SeatMark
    seat: int
    table: str
    """Public id."""
    is_rated: bool
    is_slow: bool
    commitment: str
    hello: Mapping[str, Any]
    events: Sequence[Any]
    request: Mapping[str, Any] | None
    bank_ms: int
    settled: Mapping[str, str]
    """Verdict of the referee's action by id of the settled request; empty if the answer was played."""
    stones: int | None


class VersionSnapshot(NamedTuple):
    generation: int
    pause: tuple[str, str] | None
    """Code and text of the reason why its bot gets no tables; None if it may play."""
    seats: Mapping[int, SeatSnapshot]
    """By primary key: active ones, and others until their last line was sent."""


class PollRequest(NamedTuple):
    versions: frozenset[int]
    open_seats: frozenset[int]
    """Seats, by primary key, whose last line was not sent yet."""
    unread: frozenset[int]
    """Versions to read; snapshots of the others are known. All their seats are read."""
    known: Mapping[int, VersionSnapshot | None]
    attended: frozenset[int]
    """Versions whose presence is to be recorded."""
    tokens: frozenset[int] = frozenset()
    """Tokens to check, by primary key."""


def snapshots_read(needs: PollRequest) -> dict[int, VersionSnapshot | None]:
    """Read snapshots by primary key of the version; None if it was deleted. At most three queries."""
    known = {pk: seat for each in needs.known.values() if each for pk, seat in each.seats.items()}
    rows = RemoteSeat.objects.filter(version__in=needs.versions).order_by()
    marks = {
        pk: (version, SeatMark(*columns))
        for pk, version, *columns in rows.filter(Q(is_active=True) | Q(pk__in=needs.open_seats)).values_list(
            "pk", "version_id", *SeatMark._fields[:6], "table__state", "table__score"
        )
    }
    changed = [pk for pk, (_, mark) in marks.items() if pk not in known or known[pk].mark != mark]
    read = {seat.pk: seat for seat in _with_tables(changed)} if changed else {}
    seats: dict[int, dict[int, SeatSnapshot]] = {}
    for pk, (version, _) in marks.items():
        if pk in read:
            seats.setdefault(version, {})[pk] = seat_snapshot(read[pk])
        elif pk in known:
            seats.setdefault(version, {})[pk] = known[pk]
    return {
        pk: None if version is None else version._replace(seats=seats.get(pk, {}))
        for pk, version in _versions(needs).items()
    }


def _versions(needs: PollRequest) -> dict[int, VersionSnapshot | None]:
    """Return snapshots of all versions, whose seats are not read."""
    snapshots = {pk: needs.known.get(pk) for pk in needs.versions - needs.unread}
    snapshots.update(dict.fromkeys(needs.unread))
    rows = RemoteVersion.objects.filter(pk__in=needs.unread).order_by()
    for pk, generation, paused_at, note, retired_at in rows.values_list(
        "pk", "generation", "bot__paused_at", "bot__pause_note", "bot__retired_at"
    ):
        pause = None
        if retired_at is not None:
            pause = ("remote_retired", note_in_english({"code": "remote_retired"}))
        elif paused_at is not None:
            pause = (str(note.get("code", "")), note_in_english(note))
        snapshots[pk] = VersionSnapshot(generation, pause, {})
    return snapshots


def _with_tables(pks: Collection[int]) -> Iterator[RemoteSeat]:
    rows = RemoteSeat.objects.filter(pk__in=pks).order_by().select_related("table")
    return rows.only(*SNAPSHOT_COLUMNS).iterator()


def seat_snapshot(row: RemoteSeat) -> SeatSnapshot:
    """Return the snapshot of a seat, read together with its table."""
    table = row.table
    mark = SeatMark(
        row.request_id,
        row.is_active,
        row.verdict,
        row.deadline_at,
        row.left_ms,
        row.disconnect_left_ms,
        table.state,
        table.score,
    )
    stones = None
    if table.result is not None:
        stones = sum(board["stones"].get(str(row.seat), 0) for board in table.result["boards"])
    return SeatSnapshot(
        mark,
        row.seat,
        table.public_id,
        table.is_rated,
        table.is_slow,
        table.commitment,
        row.hello,
        row.events if row.request_id else (),
        row.request if row.request_id else None,
        row.bank_ms,
        _settled(row),
        stones,
    )


def _settled(row: RemoteSeat) -> dict[str, str]:
    """Each settled request led to one action of the seat, in order."""
    substituted = dict(row.table.substituted)
    own = [n for n, (seat, _) in enumerate(row.table.actions) if seat == row.seat]
    settled = {}
    for index, (request_id, digest, _) in enumerate(row.answers):
        verdict = str(substituted.get(own[index], "")) if index < len(own) else ""
        if not digest and not verdict:  # stored before its action
            verdict = DISCONNECTED if row.verdict == DISCONNECTED else OUT_OF_TIME
        settled[request_id] = verdict
    return settled
