"""Open and close rounds, with their board sets, fixtures, tables and seats."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Sequence

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone

from arena.accounts.events import event_add
from arena.common.errors import Conflict
from arena.common.notes import Note
from arena.common.states import state_change, still_matching, wrong_state
from arena.competition.deals import Pairing, board_chunks, seatings, sides_by_entry
from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.services import tournament_touch
from arena.competition.stage_entries import stage_entries_of
from arena.matches.faults import faults_group
from arena.matches.models import BoardSet, Fixture, FixtureEntry, RuntimeSet, Table, TableSeat
from arena.matches.orders import wall_limit_s
from arena.matches.results import fixture_void
from arena.matches.suspension import frequent_forfeiters_suspend
from arena.matches.workers import runtime_set
from arena.roster.models import BotVersion

BATCH_SIZE = 1000


@transaction.atomic
def round_open(stage: Stage, number: int, pairings: Sequence[Pairing]) -> Round:
    """Create a round with its board set, fixtures and waiting tables, in few statements.

    Raises Conflict ``round_exists``, ``wrong_state``, or ``entry_left`` since the pairings were drawn.
    """
    tournament = stage.tournament
    now = timezone.now()
    # Lock until the round exists, so that a pause, cancellation or withdrawal comes before or after it.
    if not state_change(tournament, "state", Tournament.State.RUNNING, Tournament.State.RUNNING):
        tournament.refresh_from_db()
        raise wrong_state(tournament, "open a round of", [Tournament.State.RUNNING])
    state_change(stage, "state", Stage.State.PLANNED, Stage.State.RUNNING)
    try:
        with transaction.atomic():
            opened = Round.objects.create(stage=stage, number=number, state=Round.State.OPEN, opened_at=now)
    except IntegrityError:
        raise Conflict(f"Round {number} is open already.", "round_exists") from None
    board_set = BoardSet.objects.create(round=opened, kind=tournament.board_kind, boards=stage.boards)
    _fixtures_open(board_set, pairings)
    event_add("round.opened", opened, tournament=tournament.public_id, stage=stage.number, number=number)
    return opened


def _fixtures_open(board_set: BoardSet, pairings: Sequence[Pairing]) -> None:
    stage = board_set.round.stage
    tournament = stage.tournament
    entries = {row.entry.public_id: row.entry for row in stage_entries_of(stage)}
    versions = {version.public_id: version for entry in entries.values() for version in entry.versions()}
    chunks = board_chunks(stage)
    limits = {count: wall_limit_s(tournament, count) for count in {count for _, count in chunks}}
    fixtures: list[Fixture] = []
    sides: list[FixtureEntry] = []
    tables: list[Table] = []
    seats: list[TableSeat] = []
    needs: dict[frozenset[str], RuntimeSet] = {}
    for number, pairing in enumerate(pairings, 1):
        met = [entries[name] for name in pairing]
        left = next((entry for entry in met if entry.status == Entry.Status.LEFT), None)
        if left is not None:
            raise Conflict(f"{left} left in the meantime; the round is drawn again.", "entry_left")
        is_bye = len(met) == 1
        fixture = Fixture(
            tournament=tournament,
            board_set=board_set,
            number=number,
            state=Fixture.State.SETTLED if is_bye else Fixture.State.OPEN,
            done_at=board_set.round.opened_at if is_bye else None,
            same_owner=have_same_owner(met),
        )
        fixtures.append(fixture)
        sides += [
            FixtureEntry(fixture=fixture, entry=entry, position=position, side=side)
            for position, (entry, side) in enumerate(zip(met, sides_by_entry(stage, len(met)), strict=True))
        ]
        if is_bye:
            continue
        names = frozenset(version.runtime for entry in met for version in entry.versions())
        if names not in needs:
            needs[names] = runtime_set(names)
        for rotation, places in enumerate(seatings(stage, met)):
            for first_board, board_count in chunks:
                table = Table(
                    tournament=tournament,
                    fixture=fixture,
                    rotation=rotation,
                    first_board=first_board,
                    board_count=board_count,
                    wall_limit_s=limits[board_count],
                    runtimes=needs[names],
                )
                tables.append(table)
                seats += [
                    TableSeat(
                        table=table,
                        seat=seating.seat,
                        entry=entries[seating.entry],
                        version=versions[seating.version],
                    )
                    for seating in places
                ]
    # In this order: each refers to the previous rows by primary key, which their insert assigns.
    Fixture.objects.bulk_create(fixtures, batch_size=BATCH_SIZE)
    FixtureEntry.objects.bulk_create(sides, batch_size=BATCH_SIZE)
    Table.objects.bulk_create(tables, batch_size=BATCH_SIZE)
    TableSeat.objects.bulk_create(seats, batch_size=BATCH_SIZE)


def have_same_owner(entries: Iterable[Entry]) -> bool:
    owners = Counter(player.pk for entry in entries for player in set(entry.owners()))
    return any(count > 1 for count in owners.values())


def quarantined_fixtures_void(tournament: Tournament) -> None:
    """Void fixtures with a table quarantined for ``quarantine_hours``. One query if none."""
    limit = timezone.now() - datetime.timedelta(hours=tournament.quarantine_hours)
    overdue = Table.objects.filter(
        tournament=tournament,
        state=Table.State.QUARANTINED,
        state_at__lte=limit,
        fixture__state=Fixture.State.OPEN,
    ).select_related("fixture__tournament")
    for table in overdue.order_by("pk"):
        # For a second table of the same fixture this does nothing.
        fixture_void(table.fixture, {"code": "table_not_played", "why": table.note})


@transaction.atomic
def round_close(opened: Round) -> bool:
    """Close a round and unseal its boards if every fixture is done. Return whether it was closed."""
    fixtures = Fixture.objects.filter(board_set__round=opened)
    if fixtures.filter(state__in=(Fixture.State.PLANNED, Fixture.State.OPEN)).exists():
        return False
    now = timezone.now()
    if not state_change(opened, "state", Round.State.OPEN, Round.State.CLOSED, closed_at=now):
        return False
    board_set_close(opened.board_set)
    stage = opened.stage
    event_add(
        "round.closed",
        opened,
        tournament=stage.tournament.public_id,
        stage=stage.number,
        number=opened.number,
    )
    return True


def board_set_close(board_set: BoardSet) -> None:
    """Unseal a board set and assign its position in the closing order, inside a transaction.

    Faults are grouped, and versions that forfeit too often are suspended.
    """
    last = BoardSet.objects.aggregate(last=Max("closed_seq"))["last"] or 0
    is_event = board_set.round.stage.tournament.kind == Tournament.Kind.TOURNAMENT
    if not state_change(
        board_set,
        "state",
        BoardSet.State.OPEN,
        BoardSet.State.CLOSED,
        closed_at=timezone.now(),
        closed_seq=last + 1,
        event_seq=last + 1 if is_event else None,
    ):
        return
    # Lock all versions in one order, so that two sets that close concurrently cannot deadlock.
    played = BotVersion.objects.filter(seats__table__fixture__board_set=board_set).values("pk")
    locked = BotVersion.objects.select_for_update(no_key=True).filter(pk__in=played).order_by("pk")
    list(locked.values_list("pk"))
    faults_group(board_set)
    frequent_forfeiters_suspend(board_set)


def stage_finish(stage: Stage) -> bool:
    """Mark a stage as done once its last round is closed. Return whether it changed."""
    return state_change(stage, "state", (Stage.State.PLANNED, Stage.State.RUNNING), Stage.State.DONE)


def tables_cancel(tournament: Tournament, note: Note) -> None:
    now = timezone.now()
    unfinished = (Fixture.State.PLANNED, Fixture.State.OPEN)
    fixtures = Fixture.objects.filter(tournament=tournament, state__in=unfinished).order_by("pk")
    # Reports lock their fixture, then their table.
    list(fixtures.select_for_update(of=("self",), no_key=True).values_list("pk"))
    tables = Table.objects.filter(tournament=tournament, fixture__state__in=unfinished)
    still_matching(tables, ~Q(state=Table.State.FINISHED)).update(
        state=Table.State.VOID, state_at=now, fence="", lease_until=None
    )
    Fixture.objects.filter(tournament=tournament, state__in=unfinished).update(
        state=Fixture.State.VOID, note=note or {"code": "event_cancelled"}, done_at=now
    )
    for opened in Round.objects.filter(stage__tournament=tournament, state=Round.State.OPEN):
        round_close(opened)
    tournament_touch(tournament)
