"""Conduct read from the tables of a closed board set: forfeits, and delays before answers.

Members are keyed by entry and version: reports count by one of them, and the two bots of a pair stay
distinct.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple, TypedDict

from django.db.models import F, Q

from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
from arena.competition.models import Entry
from arena.features.integrity.models import TableDelays
from arena.matches.models import BoardSet, Fixture, FixtureEntry, Table, TableSeat
from arena.standings.stages import SCORED_STATES
from league.rating.opponents import Encounter, SeatIdle, delayed_boards

TABLES_PER_BATCH = 25
"""Tables read between two checks of the deadline."""

CountBy = Literal["entry", "version"]
ConductKind = Literal["forfeits", "delays"]
BoardsByMember = dict[str, list[int]]
"""Sorted board numbers, from 1, by member key."""


class FixtureConduct(TypedDict):
    fixture: str
    sides: list[list[str]]
    """Member keys per side."""
    forfeits: BoardsByMember
    delays: BoardsByMember


class BoardSetConduct(NamedTuple):
    fixtures: list[FixtureConduct]
    tables: int
    missing: int
    """Tables whose timings are no longer stored."""


def member_key(entry: str, version: str) -> str:
    return f"{entry}/{version}"


def member_id(member: str, names: CountBy) -> str:
    """Return the public id of the member's entry or version."""
    entry, _, version = member.partition("/")
    return entry if names == "entry" else version


def delays_read(board_set: BoardSet, until: float) -> bool:
    """Read and store the delays of unread tables until ``until`` (time.monotonic); return whether all are
    read.

    Each call reads at least one batch.
    """
    while rows := _unread_tables(board_set)[:TABLES_PER_BATCH]:
        seats = _members_by_seat([row.pk for row in rows])
        TableDelays.objects.bulk_create(
            [_delays_of_table(table, seats[table.pk]) for table in rows],
            update_conflicts=True,
            unique_fields=["table"],
            update_fields=["timings_sha256", "is_missing", "delays"],
        )
        if time.monotonic() >= until:
            return not _unread_tables(board_set)[:1]
    return True


def conduct_of(board_set: BoardSet) -> BoardSetConduct:
    """Return the conduct in a closed set from the stored delays. Five queries."""
    fixtures = dict(
        Fixture.objects.filter(board_set=board_set, state__in=SCORED_STATES)
        .order_by("pk")
        .values_list("pk", "public_id")
    )
    sides = _sides(board_set, fixtures)
    forfeits: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    forfeited = TableSeat.objects.filter(table__fixture__board_set=board_set, forfeited=True).order_by("pk")
    columns = ("table__fixture", "table__first_board", "table__board_count")
    for fixture, first, count, entry, version in forfeited.values_list(
        *columns, "entry__public_id", "version__public_id"
    ):
        forfeits[fixture][member_key(entry, version)] |= set(range(first, first + count))
    delayed: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    tables = missing = 0
    read = TableDelays.objects.filter(
        table__fixture__board_set=board_set, table__state=Table.State.FINISHED
    ).order_by("pk")
    for fixture, is_missing, boards_delayed in read.values_list("table__fixture", "is_missing", "delays"):
        if fixture not in fixtures:
            continue
        tables += 1
        missing += is_missing
        for member, boards in boards_delayed.items():
            delayed[fixture][member] |= set(boards)
    played: list[FixtureConduct] = [
        {
            "fixture": public_id,
            "sides": sides[pk],
            "forfeits": _sorted_boards(forfeits[pk]),
            "delays": _sorted_boards(delayed[pk]),
        }
        for pk, public_id in sorted(fixtures.items(), key=lambda row: row[1])
        if len(sides[pk]) > 1
    ]
    return BoardSetConduct(played, tables, missing)


def encounters_of(
    board_set: str, played: Iterable[FixtureConduct], kind: ConductKind, names: CountBy
) -> list[Encounter]:
    """Convert the fixtures of a set (public id) to the input of the tests, by entries or by versions."""
    encounters = []
    for fixture in played:
        boards: dict[str, set[int]] = defaultdict(set)
        for member, member_boards in fixture[kind].items():
            boards[member_id(member, names)] |= set(member_boards)
        encounters.append(
            Encounter(
                fixture["fixture"],
                board_set,
                tuple(
                    tuple(sorted({member_id(member, names) for member in side})) for side in fixture["sides"]
                ),
                {name: tuple(sorted(member_boards)) for name, member_boards in boards.items()},
            )
        )
    return encounters


def _sorted_boards(boards_by_member: Mapping[str, set[int]]) -> BoardsByMember:
    return {member: sorted(boards) for member, boards in sorted(boards_by_member.items())}


def _sides(board_set: BoardSet, fixtures: Collection[int]) -> dict[int, list[list[str]]]:
    """Return the sides of each fixture, in order, by fixture key. Two queries."""
    members: dict[int, list[str]] = {}
    rows = Entry.objects.filter(tournament=board_set.round.stage.tournament_id).order_by()
    columns = ("pk", "public_id", "version__public_id", "partner_version__public_id")
    for pk, entry, version, partner in rows.values_list(*columns):
        versions = [version] if partner is None else [version, partner]
        members[pk] = [member_key(entry, name) for name in versions]
    sides: dict[int, dict[int, list[str]]] = defaultdict(dict)
    placed = FixtureEntry.objects.filter(fixture__board_set=board_set).order_by("fixture", "position")
    for fixture, entry, side in placed.values_list("fixture_id", "entry_id", "side"):
        if fixture in fixtures:
            sides[fixture].setdefault(side, []).extend(members[entry])
    return defaultdict(list, {pk: [by[side] for side in sorted(by)] for pk, by in sides.items()})


def _unread_tables(board_set: BoardSet) -> list[Table]:
    finished = Table.objects.filter(fixture__board_set=board_set, state=Table.State.FINISHED)
    read = Q(delays__isnull=False)
    rows = finished.exclude(read & Q(delays__timings_sha256=F("timings_sha256")))
    return list(rows.only("pk", "timings_sha256").order_by("pk")[:TABLES_PER_BATCH])


def _members_by_seat(tables: Collection[int]) -> dict[int, dict[int, str]]:
    by_table: dict[int, dict[int, str]] = defaultdict(dict)
    rows = TableSeat.objects.filter(table__in=tables).order_by("pk")
    for table, seat, entry, version in rows.values_list(
        "table_id", "seat", "entry__public_id", "version__public_id"
    ):
        by_table[table][seat] = member_key(entry, version)
    return by_table


def _delays_of_table(table: Table, seats: Mapping[int, str]) -> TableDelays:
    row = TableDelays(table=table, timings_sha256=table.timings_sha256)
    try:
        # Treat damaged timings as missing: one table must not break a report.
        idle = idle_by_seat(blob_get(table.timings_sha256)) if table.timings_sha256 else None
    except (BlobMissing, BlobDamaged, ValueError, KeyError, TypeError):
        idle = None
    if idle is None:
        row.is_missing = True
        return row
    given = [SeatIdle(seats[seat], answers) for seat, answers in sorted(idle.items()) if seat in seats]
    row.delays = {member: list(boards) for member, boards in delayed_boards(given).items()}
    return row


def idle_by_seat(timings: bytes) -> dict[int, list[tuple[int, float]]]:
    """Return (board, idle ms) of each answer, by seat: wall time minus CPU time minus hold-ups.

    Raises ValueError, KeyError or TypeError if ``timings`` is not in the format ``rensho-timings/1``.
    """
    idle: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for line in timings.splitlines()[1:]:
        answer = json.loads(line)
        idle_us = answer["wall_us"] - answer["cpu_us"] - answer.get("machine_delay_us", 0)
        idle[answer["seat"]].append((answer["board"], idle_us / 1000))
    return idle
