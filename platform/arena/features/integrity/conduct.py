"""What the tables of a closed board set say of conduct: who forfeited, and who waited before answers.

Whoever is counted is named by entry and version: reports of an event go by entries, those of a list by
versions, and both bots of a pair may be told apart.
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
from arena.features.integrity.models import TableWaits
from arena.matches.models import BoardSet, Fixture, FixtureEntry, Table, TableSeat
from arena.standings.stages import SCORED_STATES
from league.rating.opponents import Encounter, SeatIdle, waits

TABLES_PER_BATCH = 25
"""Tables whose times are read before the clock is looked at."""

CountBy = Literal["entry", "version"]
ConductKind = Literal["forfeits", "waits"]
BoardsByMember = dict[str, list[int]]
"""By who did it, boards from 1, sorted."""


class FixtureConduct(TypedDict):
    """A fixture that counts, in closed boards; a bye is none."""

    fixture: str
    sides: list[list[str]]
    """``member_key`` sits on each."""
    forfeits: BoardsByMember
    waits: BoardsByMember


class BoardSetConduct(NamedTuple):
    """What was read of a set."""

    fixtures: list[FixtureConduct]
    """By public id of the fixture."""
    tables: int
    missing: int
    """Tables whose times are not stored any more."""


def member_key(entry: str, version: str) -> str:
    """A version that plays for an entry.

    >>> member_key("k3x", "p9w")
    'k3x/p9w'
    """
    return f"{entry}/{version}"


def member_id(member: str, names: CountBy) -> str:
    """The public id by which a report counts it.

    >>> member_id("k3x/p9w", "entry"), member_id("k3x/p9w", "version")
    ('k3x', 'p9w')
    """
    entry, _, version = member.partition("/")
    return entry if names == "entry" else version


def waits_read(board_set: BoardSet, until: float) -> bool:
    """Read the times of tables that were not read yet; whether all are. ``until`` is of time.monotonic.

    Some tables are read each time, however late it is. What is missing or damaged is noted as such.
    """
    while rows := _unread_tables(board_set)[:TABLES_PER_BATCH]:
        seats = _members_by_seat([row.pk for row in rows])
        TableWaits.objects.bulk_create(
            [_waits_of_table(table, seats[table.pk]) for table in rows],
            update_conflicts=True,
            unique_fields=["table"],
            update_fields=["timings_sha256", "is_missing", "waits"],
        )
        if time.monotonic() >= until:
            return not _unread_tables(board_set)[:1]
    return True


def conduct_of(board_set: BoardSet) -> BoardSetConduct:
    """What the tables of a closed set say, from what was read of their times. Five queries."""
    fixtures = dict(
        Fixture.objects.filter(board_set=board_set, state__in=SCORED_STATES)
        .order_by("pk")
        .values_list("pk", "public_id")
    )
    sides = _sides(board_set, fixtures)
    forfeits: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    gone = TableSeat.objects.filter(table__fixture__board_set=board_set, forfeited=True).order_by("pk")
    columns = ("table__fixture", "table__first_board", "table__board_count")
    for fixture, first, count, entry, version in gone.values_list(
        *columns, "entry__public_id", "version__public_id"
    ):
        forfeits[fixture][member_key(entry, version)] |= set(range(first, first + count))
    waited: dict[int, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    tables = missing = 0
    read = TableWaits.objects.filter(
        table__fixture__board_set=board_set, table__state=Table.State.FINISHED
    ).order_by("pk")
    for fixture, is_missing, found in read.values_list("table__fixture", "is_missing", "waits"):
        if fixture not in fixtures:
            continue
        tables += 1
        missing += is_missing
        for member, boards in found.items():
            waited[fixture][member] |= set(boards)
    played: list[FixtureConduct] = [
        {
            "fixture": public_id,
            "sides": sides[pk],
            "forfeits": _sorted_boards(forfeits[pk]),
            "waits": _sorted_boards(waited[pk]),
        }
        for pk, public_id in sorted(fixtures.items(), key=lambda row: row[1])
        if len(sides[pk]) > 1
    ]
    return BoardSetConduct(played, tables, missing)


def encounters_of(
    board_set: str, played: Iterable[FixtureConduct], what: ConductKind, names: CountBy
) -> list[Encounter]:
    """The fixtures of a set (public id) as tests take them, by entries or by versions."""
    found = []
    for one in played:
        boards: dict[str, set[int]] = defaultdict(set)
        for member, those in one[what].items():
            boards[member_id(member, names)] |= set(those)
        found.append(
            Encounter(
                one["fixture"],
                board_set,
                tuple(tuple(sorted({member_id(member, names) for member in side})) for side in one["sides"]),
                {name: tuple(sorted(those)) for name, those in boards.items()},
            )
        )
    return found


def _sorted_boards(found: Mapping[str, set[int]]) -> BoardsByMember:
    return {member: sorted(boards) for member, boards in sorted(found.items())}


def _sides(board_set: BoardSet, fixtures: Collection[int]) -> dict[int, list[list[str]]]:
    """By key of the fixture, its sides in order. Two queries."""
    members: dict[int, list[str]] = {}
    rows = Entry.objects.filter(tournament=board_set.round.stage.tournament_id).order_by()
    columns = ("pk", "public_id", "version__public_id", "partner_version__public_id")
    for pk, entry, version, partner in rows.values_list(*columns):
        versions = [version] if partner is None else [version, partner]
        members[pk] = [member_key(entry, name) for name in versions]
    found: dict[int, dict[int, list[str]]] = defaultdict(dict)
    placed = FixtureEntry.objects.filter(fixture__board_set=board_set).order_by("fixture", "position")
    for fixture, entry, side in placed.values_list("fixture_id", "entry_id", "side"):
        if fixture in fixtures:
            found[fixture].setdefault(side, []).extend(members[entry])
    return defaultdict(list, {pk: [by[side] for side in sorted(by)] for pk, by in found.items()})


def _unread_tables(board_set: BoardSet) -> list[Table]:
    """Finished tables whose times were not read, or were others when they were."""
    finished = Table.objects.filter(fixture__board_set=board_set, state=Table.State.FINISHED)
    read = Q(waits__isnull=False)
    rows = finished.exclude(read & Q(waits__timings_sha256=F("timings_sha256")))
    return list(rows.only("pk", "timings_sha256").order_by("pk")[:TABLES_PER_BATCH])


def _members_by_seat(tables: Collection[int]) -> dict[int, dict[int, str]]:
    """By key of the table, who sits where. One query."""
    found: dict[int, dict[int, str]] = defaultdict(dict)
    rows = TableSeat.objects.filter(table__in=tables).order_by("pk")
    for table, seat, entry, version in rows.values_list(
        "table_id", "seat", "entry__public_id", "version__public_id"
    ):
        found[table][seat] = member_key(entry, version)
    return found


def _waits_of_table(table: Table, seats: Mapping[int, str]) -> TableWaits:
    row = TableWaits(table=table, timings_sha256=table.timings_sha256)
    try:
        # Damaged lines are as good as none: a report must not fail for one table.
        idle = idle_by_seat(blob_get(table.timings_sha256)) if table.timings_sha256 else None
    except (BlobMissing, BlobDamaged, ValueError, KeyError, TypeError):
        idle = None
    if idle is None:
        row.is_missing = True
        return row
    given = [SeatIdle(seats[seat], answers) for seat, answers in sorted(idle.items()) if seat in seats]
    row.waits = {member: list(boards) for member, boards in waits(given).items()}
    return row


def idle_by_seat(timings: bytes) -> dict[int, list[tuple[int, float]]]:
    """By seat, board and idle ms of each answer: wall time less CPU time, and less what was held up.

    Raises:
        ValueError, KeyError, TypeError: these are no ``rensho-timings/1``.
    """
    found: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for line in timings.splitlines()[1:]:
        answer = json.loads(line)
        idle_us = answer["wall_us"] - answer["cpu_us"] - answer.get("held_up_us", 0)
        found[answer["seat"]].append((answer["board"], idle_us / 1000))
    return found
