"""The service: threads, claims, what it hears, pauses, takeovers; with real commits."""

from __future__ import annotations

import datetime
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.utils import timezone

from arena.features.analysis.models import CasualAnalysis
from arena.features.play.models import CasualTable, PlayService
from arena.features.play.position import seat_position
from arena.features.play.runner import session
from arena.features.play.runner.kind import CASUAL
from arena.features.play.selectors import ABANDONED_S, service_is_up
from arena.features.play.services import finish, leave
from arena.tables.live import service as services
from arena.tables.live import session as live_session
from arena.tables.live.service import Service
from tests.arena.features.play.casual_tables import chosen, in_process
from tests.arena.features.play.tables import GUEST, a_table, act, aya

pytestmark = pytest.mark.django_db(transaction=True)
State = CasualTable.State
LONGEST_S = 60.0


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Service]]:
    """Starts services, and stops them after the test. Their sweeps come quickly, as there is no Valkey."""
    monkeypatch.setattr(services, "SWEEP_INTERVAL_S", 0.02)
    started: list[tuple[Service, threading.Thread]] = []

    def start(**options: int) -> Service:
        made = Service([CASUAL], in_process, **options)
        thread = threading.Thread(target=made.run)
        thread.start()
        started.append((made, thread))
        return made

    yield start
    for made, thread in started:
        made.stop()
        thread.join()
    connection.close()


def until(table: CasualTable, reached: Callable[[CasualTable], bool]) -> CasualTable:
    """The row as soon as it is so."""
    deadline = time.monotonic() + LONGEST_S
    while time.monotonic() < deadline:
        table.refresh_from_db()
        if reached(table):
            return table
        time.sleep(0.01)
    raise AssertionError(f"{table} stays {table.state} at {table.length}")


def due(table: CasualTable) -> bool:
    """Whether the person is asked."""
    return table.state == State.PLAYING and seat_position(table).is_mine


def test_a_guest_plays_a_deal_to_its_end(running: Callable[..., Service]) -> None:
    running()
    table = a_table(GUEST, preset="kakeya6", seat=4)
    while not until(table, lambda row: due(row) or row.is_over).is_over:
        at = seat_position(table)
        act(GUEST, table.public_id, at.n, chosen(at.n, at.legal))
        until(table, lambda row, n=at.n: row.length > n)
    until(table, lambda row: row.field is not None and row.claimed_by == "")
    assert table.view_sha256
    assert CasualAnalysis.objects.get().table_id == table.pk
    assert service_is_up()
    assert PlayService.objects.get().detail == ""


def test_who_is_away_is_paused_and_who_stays_away_has_its_deal_finished(
    running: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "PAUSE_S", 0.05)
    made = running()
    table = until(a_table(), lambda row: row.state == State.PAUSED)
    assert table.claimed_by == ""
    assert table.length >= 0
    # A late choice wakes it up.
    at = seat_position(table)
    assert at.is_mine
    act(aya(), table.public_id, at.n, at.legal[0])
    until(table, lambda row: row.length > at.n)
    until(table, lambda row: row.state == State.PAUSED)
    gone = timezone.now() - datetime.timedelta(seconds=ABANDONED_S + 1)
    CasualTable.objects.filter(pk=table.pk).update(last_action_at=gone)
    until(table, lambda row: row.state == State.ABANDONED and row.is_over and row.field is not None)
    assert not CasualAnalysis.objects.exists(), "its page requests notes"
    assert made.detail == ""


def test_the_tables_of_a_dead_service_are_taken_over_where_they_were(
    running: Callable[..., Service],
) -> None:
    first = running()
    table = until(a_table(), due)
    at = seat_position(table)
    act(aya(), table.public_id, at.n, at.legal[0])
    until(table, lambda row: row.length > at.n and due(row))
    # It dies as by SIGKILL: its threads write nothing more and its claim is not renewed.
    first._renew = lambda: None  # type: ignore[method-assign]
    CasualTable.objects.filter(pk=table.pk).update(
        claimed_by="dead/1", claimed_until=timezone.now() - datetime.timedelta(seconds=1)
    )
    first.stop()
    before = list(table.actions)
    running()
    until(table, lambda row: row.claimed_by not in ("", "dead/1"))
    assert table.failures == 1
    assert table.actions == before
    at = until(table, due) and seat_position(table)
    act(aya(), table.public_id, at.n, at.legal[0])
    until(table, lambda row: row.length > at.n)
    assert table.failures == 0
    assert table.actions[: len(before)] == before


def test_a_table_that_kills_whoever_runs_it_is_given_up(running: Callable[..., Service]) -> None:
    table = a_table()
    dead = timezone.now() - datetime.timedelta(seconds=1)
    CasualTable.objects.filter(pk=table.pk).update(claimed_by="dead/1", claimed_until=dead, failures=2)
    running()
    until(table, lambda row: row.state == State.FAILED)


def test_a_service_has_so_many_places_and_gives_them_back(running: Callable[..., Service]) -> None:
    made = running(capacity=1)
    first = until(a_table(), due)
    second = a_table(GUEST)
    time.sleep(0.2)
    second.refresh_from_db()
    assert (second.state, second.claimed_by, made.running) == (State.SEATING, "", 1)
    leave(aya(), first.public_id)
    until(second, due)
    made.stop()
    until(second, lambda row: row.claimed_by == "" and row.claimed_until is None)
    assert second.state == State.PLAYING


def test_tables_that_wait_for_their_field_are_threads_and_no_more_than_places() -> None:
    made = Service([CASUAL], in_process, capacity=2)
    for key in "123":
        guest = GUEST._replace(guest_key=key)
        finish(guest, a_table(guest).public_id)
    with live_session._field_turn:
        try:
            for _ in range(3):
                made.sweep()
                sessions = made.sessions
                deadline = time.monotonic() + LONGEST_S
                while not all(sitting.is_played for sitting in sessions) and time.monotonic() < deadline:
                    time.sleep(0.01)
            assert [sitting.is_played for sitting in sessions] == [True, True]
        finally:
            made._end()


def test_without_a_sandbox_it_says_so_and_claims_nothing() -> None:
    table = a_table()
    made = Service([CASUAL], in_process)
    made.detail = "bwrap is missing. Install it."
    made.sweep()
    table.refresh_from_db()
    assert table.claimed_by == ""
    assert not service_is_up()
    assert PlayService.objects.get().detail == made.detail
