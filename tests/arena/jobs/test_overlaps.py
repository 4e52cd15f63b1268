"""What is decided while another transaction changes the same row: the second finds what the first made."""

from __future__ import annotations

import threading
from collections import Counter
from functools import partial

import pytest
from django.db import connection, transaction
from django.db.models import Sum

from arena.accounts.models import PendingEvent, User
from arena.common.errors import ArenaError
from arena.competition.models import Round, Tournament
from arena.competition.services import tournament_lock, tournament_start
from arena.jobs.flow import table_done, tournament_advance, tournament_cancel
from arena.matches.adjudication import fixture_adjudicate
from arena.matches.leases import Lease, table_claim, table_fail, table_retry
from arena.matches.models import Adjudication, Fixture, Table, TableSeat
from arena.matches.results import table_finish
from arena.matches.rounds import round_open
from arena.roster.models import Bot, BotVersion
from arena.roster.services import version_activate, version_retire
from tests.arena.overlaps import overlapping, queued
from tests.arena.play import played, waiting
from tests.factories import a_bot, a_version, an_entry, an_open_tournament, aya, ben, sota

pytestmark = pytest.mark.django_db(transaction=True)
needs_row_locks = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="about PostgreSQL: SQLite lets one transaction at a time write"
)


@pytest.fixture
def event() -> Tournament:
    """Aya's and Ben's, its first round open."""
    tournament = an_open_tournament()
    for owner in (aya(), ben()):
        an_entry(tournament, owner)
    tournament_lock(tournament, tournament.organiser)
    tournament_start(tournament, tournament.organiser)
    tournament_advance(tournament)
    return tournament


def code_of(call: object) -> str:
    return call.code if isinstance(call, ArenaError) else repr(call)


def test_a_table_is_leased_to_one_worker(event: Tournament) -> None:
    table = waiting(event)[0]
    runtimes = ["python/1"]
    lease, other = overlapping(
        lambda: table_claim(table.pk, "first", runtimes), lambda: table_claim(table.pk, "second", runtimes)
    )
    assert lease is not None
    assert other is None
    table.refresh_from_db()
    assert (table.worker, table.attempt, table.fence) == ("first", 1, lease.fence)


def test_a_table_that_is_played_again_is_not_taken_from_its_worker(event: Tournament) -> None:
    table = waiting(event)[0]
    Table.objects.filter(pk=table.pk).update(state=Table.State.QUARANTINED, attempt=3)
    organiser = User.objects.get(pk=event.organiser_id)

    def retry_and_claim() -> object:
        table_retry(Table.objects.get(pk=table.pk), organiser)
        return table_claim(table.pk, "first")

    lease, other = overlapping(
        retry_and_claim, lambda: table_retry(Table.objects.get(pk=table.pk), organiser)
    )
    assert lease is not None
    assert code_of(other) == "wrong_state"
    table.refresh_from_db()
    assert (table.state, table.worker, table.attempt) == (Table.State.LEASED, "first", 1)


@needs_row_locks
@pytest.mark.parametrize("is_finished_first", [False, True])
def test_a_table_that_is_finished_while_its_tournament_is_cancelled_ends_without_an_error(
    event: Tournament, is_finished_first: bool
) -> None:
    lease = table_claim(waiting(event)[0].pk, "first")
    assert lease is not None
    report = played(lease.order)
    calls = [
        lambda: tournament_cancel(Tournament.objects.get(pk=event.pk), sota(), "rain"),
        lambda: table_finish(lease.table_id, lease.fence, report),
    ]
    if is_finished_first:
        assert queued(Fixture.objects.get(), *reversed(calls)) == [True, None]
    else:
        assert queued(Fixture.objects.get(), *calls) == [None, False]
    state = Table.State.FINISHED if is_finished_first else Table.State.VOID
    assert Table.objects.get(pk=lease.table_id).state == state


@needs_row_locks
def test_a_report_does_not_wait_for_the_row_of_its_tournament(event: Tournament) -> None:
    lease = table_claim(waiting(event)[0].pk, "first")
    assert lease is not None
    report, given = played(lease.order), []

    def finish() -> None:
        given.append(table_finish(lease.table_id, lease.fence, report))
        connection.close()

    with transaction.atomic():
        Tournament.objects.select_for_update().get(pk=event.pk)
        thread = threading.Thread(target=finish, daemon=True)
        thread.start()
        thread.join(10.0)
        assert given == [True]


@needs_row_locks
def test_the_last_two_reports_of_a_round_at_once_close_it_once_and_count_once(event: Tournament) -> None:
    leases = [table_claim(table.pk, "first") for table in waiting(event)]
    assert len(leases) == 2

    def handed_in(lease: Lease | None) -> bool:
        assert lease is not None
        accepted = table_finish(lease.table_id, lease.fence, played(lease.order))
        table_done(event.public_id)
        return accepted

    given = queued(Fixture.objects.get(), *(partial(handed_in, lease) for lease in leases))
    assert given == [True, True]
    event.refresh_from_db()
    assert event.state == Tournament.State.FINAL
    assert event.cpu_ms_spent == TableSeat.objects.aggregate(sum=Sum("cpu_ms"))["sum"]
    kinds = Counter(PendingEvent.objects.values_list("kind", flat=True))
    assert (kinds["fixture.done"], kinds["round.closed"], kinds["tournament.final"]) == (1, 1, 1)


@needs_row_locks
def test_a_round_that_is_closed_while_another_worker_opens_it_again_ends_without_an_error(
    event: Tournament,
) -> None:
    opened = Round.objects.get(stage__tournament=event)
    for table in waiting(event):
        lease = table_claim(table.pk, "first")
        assert lease is not None
        assert table_finish(lease.table_id, lease.fence, played(lease.order))
    again, advanced = queued(
        event,
        lambda: round_open(opened.stage, opened.number, []),
        lambda: tournament_advance(Tournament.objects.get(pk=event.pk)),
    )
    assert code_of(again) == "round_exists"
    assert advanced is None
    opened.refresh_from_db()
    assert opened.state == Round.State.CLOSED


@needs_row_locks
def test_a_table_that_fails_while_its_fixture_is_ruled_on_ends_without_an_error(event: Tournament) -> None:
    lease = table_claim(waiting(event)[0].pk, "first")
    assert lease is not None
    fixture = Table.objects.get(pk=lease.table_id).fixture
    ruling, failed = queued(
        event,
        lambda: fixture_adjudicate(fixture, sota(), "void", reason="both agreed"),
        lambda: table_fail(lease.table_id, lease.fence, "the disk is full", cpu_ms=5),
    )
    assert isinstance(ruling, Adjudication)
    assert failed is False
    assert Table.objects.get(pk=lease.table_id).state == Table.State.VOID


def test_a_version_retired_meanwhile_is_not_made_active() -> None:
    version = a_version(a_bot(aya()))
    owner = aya()
    Bot.objects.filter(pk=version.bot_id).update(active_version=None)

    def mine() -> BotVersion:
        return BotVersion.objects.select_related("bot__owner__user").get(pk=version.pk)

    _, other = overlapping(lambda: version_retire(mine(), owner), lambda: version_activate(mine(), owner))
    assert code_of(other) == "wrong_state"
    assert Bot.objects.get(pk=version.bot_id).active_version is None
