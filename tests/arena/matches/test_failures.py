"""After a fault of the platform: how long a table waits, what spends attempts, who is told, what frees it."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.utils import timezone

from arena.accounts.models import AuditEvent, Notice
from arena.common.causes import MACHINE_CAUSES, Cause
from arena.common.errors import Conflict, Forbidden
from arena.competition.models import Tournament
from arena.matches.dispatch import table_in_turn, tables_due
from arena.matches.leases import (
    leases_extend,
    table_claim,
    table_fail,
    table_retry,
    tables_retry,
    tables_sweep,
)
from arena.matches.models import Fixture, Table
from arena.matches.results import fixture_void, table_finish
from arena.matches.stalls import stalls_update
from arena.matches.totals import totals_update
from arena.matches.waits import delayed_tables_release, tables_mark_unpublished
from arena.matches.workers import worker_heartbeat
from tests import factories
from tests.arena.play import begun, played, waiting
from tests.refusals import refusal

State = Table.State
HERE, ELSEWHERE = "here:1:1", "elsewhere:1:1"
WAITS = ((2.0, 5.0), (15.0, 30.0), (60.0, 120.0))


@pytest.fixture
def running(shared_running: Tournament) -> Tournament:
    """The same for all tests here."""
    return shared_running


def fail(table: Table, cause: Cause, worker: str = HERE) -> Table:
    """The table after one more attempt that failed by this."""
    Table.objects.filter(pk=table.pk).update(retry_at=None)
    lease = table_claim(table.pk, worker)
    assert lease is not None
    assert table_fail(table.pk, lease.fence, f"a fault: {cause.label}", cause=cause)
    table.refresh_from_db()
    return table


def finish(table: Table, worker: str = HERE) -> None:
    lease = table_claim(table.pk, worker)
    assert lease is not None
    assert table_finish(table.pk, lease.fence, played(lease.order))
    totals_update(table.tournament)


@pytest.mark.parametrize("cause", sorted(MACHINE_CAUSES))
def test_a_fault_of_the_machine_never_spends_an_attempt(running: Tournament, cause: Cause) -> None:
    table = waiting(running)[0]
    for failures in range(1, 6):
        fail(table, cause)
        assert (table.state, table.attempt, table.failures) == (State.WAITING, 0, failures)
        assert (table.cause, table.fence) == (cause, "")
    assert not table.seats.filter(forfeited=True).exists()


def test_a_table_that_fails_by_itself_is_quarantined_after_three_attempts(db: None) -> None:
    tournament = begun(4, boards_per_round=1)
    poison, *others = waiting(tournament)
    for attempt, other in zip((1, 2, 3), others, strict=False):
        finish(other)
        assert fail(poison, Cause.INTERNAL).attempt == attempt
    assert poison.state == State.QUARANTINED


def test_what_several_tables_of_a_host_have_in_common_counts_against_none(db: None) -> None:
    tables = waiting(begun(4, boards_per_round=1))[:4]
    for table in tables:
        fail(table, Cause.INTERNAL)
    for _ in range(3):
        for table in tables:
            fail(table, Cause.INTERNAL)
    for table in tables:
        table.refresh_from_db()
        assert (table.state, table.attempt) == (State.WAITING, 0), "what was spent before is restored"


@pytest.mark.parametrize("where", [HERE, ELSEWHERE])
def test_what_a_host_finishes_meanwhile_shows_that_it_is_sound(db: None, where: str) -> None:
    first, second, third, sound, *_ = waiting(begun(4, boards_per_round=1))
    fail(first, Cause.INTERNAL)
    fail(second, Cause.INTERNAL)
    finish(sound, where)
    fail(third, Cause.INTERNAL)
    assert third.attempt == (1 if where == HERE else 0)


def test_failures_of_several_hosts_have_nothing_in_common(db: None) -> None:
    tables = waiting(begun(4, boards_per_round=1))[:3]
    for number, table in enumerate(tables):
        assert fail(table, Cause.INTERNAL, f"host{number}:1:1").attempt == 1


def test_failures_of_long_ago_have_nothing_in_common_with_those_of_now(db: None) -> None:
    first, second, third, *_ = waiting(begun(4, boards_per_round=1))
    fail(first, Cause.INTERNAL)
    fail(second, Cause.INTERNAL)
    Table.objects.update(failed_at=timezone.now() - datetime.timedelta(minutes=5))
    assert fail(third, Cause.INTERNAL).attempt == 1


def test_faults_that_follow_from_one_bot_are_never_the_hosts(db: None) -> None:
    tables = waiting(begun(4, boards_per_round=1))[:4]
    assert [fail(table, Cause.BUNDLE).attempt for table in tables] == [1, 1, 1, 1]


def test_a_worker_that_is_killed_with_all_its_tables_spends_none(db: None) -> None:
    first, second, *_ = waiting(begun(4, boards_per_round=1))
    assert table_claim(first.pk, HERE)
    assert table_claim(second.pk, HERE)
    Table.objects.filter(state=State.LEASED).update(lease_until=timezone.now())
    tables_sweep()
    for table in (first, second):
        table.refresh_from_db()
        assert (table.state, table.attempt, table.cause) == (State.WAITING, 0, Cause.HEARTBEAT_LOST)


def test_every_failure_is_followed_by_a_longer_wait(running: Tournament, settings) -> None:
    settings.TABLE_BACKOFF_S = WAITS
    table = waiting(running)[0]
    for least, most in (*WAITS, WAITS[-1]):
        fail(table, Cause.DISK)
        assert table.retry_at is not None
        assert table.failed_at is not None
        assert least <= (table.retry_at - table.failed_at).total_seconds() <= most


def test_while_it_waits_it_is_neither_claimed_nor_offered(running: Tournament, settings) -> None:
    settings.TABLE_BACKOFF_S = ((60.0, 60.0),)
    table, other = waiting(running)
    fail(table, Cause.DISK)
    Table.objects.update(published_at=None)
    assert table_claim(table.pk, HERE) is None
    assert tables_due() == [other.pk]
    assert table_in_turn(other.pk) == other.pk
    Table.objects.filter(pk=table.pk).update(retry_at=timezone.now())
    assert tables_due() == [table.pk]
    assert table_claim(table.pk, HERE) is not None


def test_a_repair_ends_the_waiting_of_what_machines_sent_back(running: Tournament, settings) -> None:
    settings.TABLE_BACKOFF_S = ((60.0, 60.0),)
    table, poison = waiting(running)
    fail(table, Cause.DISK)
    fail(poison, Cause.INTERNAL)
    assert delayed_tables_release() == 1
    assert tables_due() == [table.pk]


def test_failing_for_a_day_is_waiting_for_a_day(running: Tournament) -> None:
    table = fail(waiting(running)[0], Cause.DISK)
    long_ago = timezone.now() - datetime.timedelta(hours=25)
    Table.objects.filter(pk=table.pk).update(failing_since=long_ago)
    Tournament.objects.update(state_at=long_ago)
    tables_sweep()
    table.refresh_from_db()
    assert table.state == State.QUARANTINED
    assert table.note == {"code": "faults_too_long", "hours": 24}
    assert table.cause == Cause.DISK


def test_a_message_that_was_not_sent_leaves_its_table_due(running: Tournament) -> None:
    sent, unsent = waiting(running)
    at = timezone.now()
    Table.objects.filter(pk=sent.pk).update(published_at=at + datetime.timedelta(seconds=1))
    Table.objects.filter(pk=unsent.pk).update(published_at=at)
    assert tables_mark_unpublished([sent.pk, unsent.pk], at) == 1
    assert tables_due() == [unsent.pk]


def test_leases_nobody_could_renew_are_extended_for_a_heartbeat(running: Tournament) -> None:
    table = waiting(running)[0]
    assert table_claim(table.pk, HERE)
    Table.objects.update(lease_until=timezone.now() - datetime.timedelta(minutes=1))
    assert leases_extend() == 1
    tables_sweep()
    table.refresh_from_db()
    assert table.state == State.LEASED


def notes(tournament: Tournament) -> list[dict[str, Any]]:
    """Notes of the organiser's notices, the oldest first."""
    notices = Notice.objects.filter(user=tournament.organiser)
    return list(notices.order_by("pk").values_list("note", flat=True))


def kinds(tournament: Tournament) -> list[str]:
    """What watchers were told of stalls, in order."""
    events = factories.logged_events().filter(tournament=tournament.public_id)
    wanted = ("tournament.stalled", "tournament.recovered")
    return list(events.filter(kind__in=wanted).order_by("pk").values_list("kind", flat=True))


def test_the_organiser_is_told_once_that_an_event_stands_still_and_once_that_it_goes_on(db: None) -> None:
    tournament = begun(4, boards_per_round=1)
    tables = waiting(tournament)[:3]
    before = len(notes(tournament))
    for table in tables:
        fail(table, Cause.DISK)
    assert kinds(tournament) == ["tournament.stalled"]
    (note,) = notes(tournament)[before:]
    assert (note["code"], note["part"]) == ("stalled", {"code": "cause_disk"})

    finish(tables[0])
    finish(tables[1])
    assert kinds(tournament) == ["tournament.stalled", "tournament.recovered"]
    assert len(notes(tournament)) == before + 2
    fail(tables[2], Cause.DATABASE)
    assert kinds(tournament)[2:] == ["tournament.stalled"], "another outbreak"


def test_an_event_that_is_played_elsewhere_does_not_stand_still(db: None) -> None:
    tournament = begun(4, boards_per_round=1)
    first, second, *_ = waiting(tournament)
    assert table_claim(second.pk, ELSEWHERE)
    fail(first, Cause.DISK)
    assert kinds(tournament) == []


def test_an_event_all_whose_workers_are_out_of_order_stands_still(running: Tournament) -> None:
    worker_heartbeat("tables@here", "FULL1", {"python/1": "d" * 64}, 2)
    stalls_update()
    assert kinds(running) == []
    worker_heartbeat("tables@here", "FULL1", {"python/1": "d" * 64}, 2, "0 MiB", Cause.DISK)
    Table.objects.update(published_at=None)
    assert tables_due() == [], "nobody would take them"
    stalls_update()
    stalls_update()
    assert kinds(running) == ["tournament.stalled"]
    assert "0 MiB" in notes(running)[-1]["why"]

    Tournament.objects.update(state=Tournament.State.CANCELLED)
    stalls_update()
    running.refresh_from_db()
    assert (running.stalled_at, running.stalled_cause) == (None, "")


def test_so_does_one_whose_last_tables_are_still_in_play(running: Tournament) -> None:
    for table in waiting(running):
        assert table_claim(table.pk, HERE)
    worker_heartbeat("tables@here", "FULL1", {"python/1": "d" * 64}, 2, "0 MiB", Cause.DISK)
    stalls_update()
    assert kinds(running) == ["tournament.stalled"]


def quarantined(table: Table) -> Table:
    for _ in range(3):
        fail(table, Cause.BUNDLE)
    assert table.state == State.QUARANTINED
    return table


def test_the_organiser_is_told_of_the_first_table_put_aside_and_how_to_free_all(db: None) -> None:
    tournament = begun(4, boards_per_round=1)
    before = len(notes(tournament))
    for table in waiting(tournament)[:2]:
        quarantined(table)
    (note,) = notes(tournament)[before:]
    assert note["code"] == "table_held_back"


def test_one_action_frees_every_table_that_faults_hold_up(db: None, settings) -> None:
    tournament = begun(6)
    first, second, delayed, void, *_ = waiting(tournament)
    other = next(table for table in waiting(tournament) if table.fixture_id != void.fixture_id)
    for table in {first, second, void, other} - {delayed}:
        quarantined(table)
    settings.TABLE_BACKOFF_S = ((60.0, 60.0),)
    fail(delayed, Cause.DISK)
    assert fixture_void(void.fixture, {"code": "typed", "text": "power cut"})
    machine_delay = Table.objects.filter(tournament=tournament, fixture__state=Fixture.State.OPEN).exclude(
        cause=""
    )
    expected = machine_delay.count()
    assert expected

    refusal(Forbidden, tables_retry, tournament, factories.chie())
    assert tables_retry(tournament, tournament.organiser) == expected
    assert tables_retry(tournament, tournament.organiser) == 0, "repeating it is harmless"
    assert not Table.objects.filter(state=State.QUARANTINED).exists()
    void.refresh_from_db()
    assert void.state == State.VOID
    freed = Table.objects.filter(tournament=tournament, state=State.WAITING)
    assert set(freed.values_list("attempt", "cause", "failures", "retry_at")) == {(0, "", 0, None)}
    (line,) = AuditEvent.objects.filter(action="retry_tables")
    assert line.after == {"tables": expected}

    Tournament.objects.update(state=Tournament.State.FINAL)
    assert refusal(Conflict, tables_retry, tournament, tournament.organiser).code == "wrong_state"


def test_a_table_sent_back_starts_from_nothing(running: Tournament) -> None:
    table = quarantined(waiting(running)[0])
    table_retry(table, running.organiser)
    table.refresh_from_db()
    assert (table.attempt, table.failures, table.retry_at, table.failing_since) == (0, 0, None, None)
