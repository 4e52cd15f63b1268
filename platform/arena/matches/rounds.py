"""Opening and closing rounds: board sets, fixtures, tables and seats come and go together."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from arena.common.errors import Conflict
from arena.common.states import move
from arena.competition.deals import Pairing, board_chunks, seatings
from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.rules import rules_of
from arena.competition.services import stage_digest_set, tournament_touch
from arena.matches.faults import faults_gather
from arena.matches.models import BoardSet, Fixture, FixtureEntry, Table, TableSeat
from arena.matches.orders import wall_limit_s
from arena.matches.results import fixture_settle, fixture_void
from arena.matches.suspension import forfeiters_suspend
from arena.roster.models import BotVersion
from referee.contract import Clock


def chunks_of(tournament: Tournament) -> list[tuple[int, int]]:
    """First board and number of boards of each table of a rotation, by the tournament's clock."""
    rules = rules_of(tournament)
    clock = Clock(**tournament.clock)
    cpu_ms = clock.bank_cpu_ms([rules.kind]) + clock.increment_cpu_ms * rules.decisions_bound
    return board_chunks(tournament, cpu_ms)


@transaction.atomic
def round_open(stage: Stage, number: int, pairings: Sequence[Pairing]) -> Round:
    """A round with its board set, fixtures and tables, all waiting.

    Raises:
        Conflict: ``round_exists``: another worker opened it.
    """
    tournament = stage.tournament
    now = timezone.now()
    if move(stage, "state", Stage.State.PLANNED, Stage.State.RUNNING) and not stage.field_digest:
        stage_digest_set(stage)
    try:
        with transaction.atomic():
            opened = Round.objects.create(stage=stage, number=number, state=Round.State.OPEN, opened_at=now)
    except IntegrityError:
        raise Conflict(f"Round {number} is open already.", "round_exists") from None
    board_set = BoardSet.objects.create(
        round=opened, kind=tournament.board_kind, boards=tournament.boards_per_round
    )
    entries = {
        entry.public_id: entry for entry in tournament.entries.select_related("version", "partner_version")
    }
    for place, pairing in enumerate(pairings, 1):
        _fixture_open(board_set, place, [entries[name] for name in pairing])
    return opened


def _fixture_open(board_set: BoardSet, number: int, sides: list[Entry]) -> None:
    """One fixture: for every rotation and chunk a table, for every seat the version that plays it."""
    tournament = board_set.round.stage.tournament
    is_bye = len(sides) == 1
    fixture = Fixture.objects.create(
        tournament=tournament,
        board_set=board_set,
        number=number,
        state=Fixture.State.SETTLED if is_bye else Fixture.State.OPEN,
        done_at=timezone.now() if is_bye else None,
    )
    FixtureEntry.objects.bulk_create(
        FixtureEntry(fixture=fixture, entry=entry, position=position, side=position)
        for position, entry in enumerate(sides)
    )
    if is_bye:
        return
    versions = {version.public_id: version for entry in sides for version in entry.versions()}
    entries = {entry.public_id: entry for entry in sides}
    tables: list[Table] = []
    seats: list[TableSeat] = []
    for rotation, places in enumerate(seatings(tournament, sides)):
        for first_board, board_count in chunks_of(tournament):
            table = Table(
                tournament=tournament,
                fixture=fixture,
                rotation=rotation,
                first_board=first_board,
                board_count=board_count,
                wall_limit_s=wall_limit_s(tournament, board_count),
            )
            tables.append(table)
            seats += [
                TableSeat(
                    table=table, seat=place.seat, entry=entries[place.entry], version=versions[place.version]
                )
                for place in places
            ]
    Table.objects.bulk_create(tables)
    TableSeat.objects.bulk_create(seats)


def quarantined_void(tournament: Tournament) -> None:
    """Void the fixtures whose quarantined tables nobody sent back in time; settle those fully played."""
    limit = timezone.now() - datetime.timedelta(hours=tournament.quarantine_hours)
    open_fixtures = Fixture.objects.filter(
        state=Fixture.State.OPEN, board_set__round__stage__tournament=tournament
    ).select_related("board_set__round__stage__tournament")
    for fixture in open_fixtures.filter(
        tables__state=Table.State.QUARANTINED, tables__state_at__lte=limit
    ).distinct():
        lost = fixture.tables.filter(state=Table.State.QUARANTINED).first()
        fixture_void(fixture, f"a table could not be played: {lost.reason if lost else ''}")
    for fixture in open_fixtures:
        fixture_settle(fixture)


@transaction.atomic
def round_close(opened: Round) -> bool:
    """Close a round and unseal its boards if every fixture is done; False while one is not."""
    fixtures = Fixture.objects.filter(board_set__round=opened)
    if fixtures.exclude(state__in=Fixture.DONE).exists():
        return False
    now = timezone.now()
    if not move(opened, "state", Round.State.OPEN, Round.State.CLOSED, closed_at=now):
        return False
    board_set_close(opened.board_set)
    return True


def board_set_close(board_set: BoardSet) -> None:
    """Unseal a board set and give it its place in the closing order. Inside a transaction.

    With it the faults at its tables become known: they are grouped, and who forfeits too often is suspended.
    """
    last = BoardSet.objects.aggregate(last=Max("closed_seq"))["last"] or 0
    if not move(
        board_set,
        "state",
        BoardSet.State.OPEN,
        BoardSet.State.CLOSED,
        closed_at=timezone.now(),
        closed_seq=last + 1,
    ):
        return
    # All of them at once and in one order, so that two sets which close at the same time cannot hold each
    # other up.
    played = BotVersion.objects.filter(seats__table__fixture__board_set=board_set).values("pk")
    locked = BotVersion.objects.select_for_update(no_key=True).filter(pk__in=played).order_by("pk")
    list(locked.values_list("pk"))
    faults_gather(board_set)
    forfeiters_suspend(board_set)


def stage_finish(stage: Stage) -> None:
    """Mark a stage whose last round is closed."""
    move(stage, "state", (Stage.State.PLANNED, Stage.State.RUNNING), Stage.State.DONE)


def tables_cancel(tournament: Tournament, reason: str) -> None:
    """Void everything open of a cancelled tournament, close its rounds and unseal its boards."""
    for fixture in Fixture.objects.filter(
        state__in=(Fixture.State.PLANNED, Fixture.State.OPEN), board_set__round__stage__tournament=tournament
    ).select_related("board_set__round__stage__tournament"):
        fixture_void(fixture, reason)
    for opened in Round.objects.filter(stage__tournament=tournament, state=Round.State.OPEN):
        round_close(opened)
    tournament_touch(tournament)
