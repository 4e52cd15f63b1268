"""Outages are never charged, whoever dies when, and no action counts twice."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.db import OperationalError

from arena.features.remote.models import RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.runner import seat as seats
from arena.features.remote.runner import session as sessions
from arena.features.remote.runner.connection import Link, link_state
from arena.features.remote.runner.seat import clocks_stop
from arena.features.remote.selectors import web_presence_at
from arena.tables.live.session import MAX_FAILURES, ServiceStopped
from engine.game import Seat, State
from referee.contract import Verdict
from referee.errors import PlatformFault
from tests.arena.features.remote.rows import a_bot, a_version
from tests.arena.features.remote.runner.play import (
    Client,
    Played,
    a_remote_table,
    after,
    answer,
    nothing,
    prompt,
    seat_of,
    serve,
)
from tests.factories import aya, ben

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """SIGKILL of the service: nothing more is written."""


def seconds(count: float) -> datetime.timedelta:
    return datetime.timedelta(seconds=count)


def killed(table: RemoteTable, *clients: Client, kind: type[Played] = Played) -> datetime.datetime:
    """Run the table until a client kills the service; the time of its death."""
    session = kind(table, *clients)
    with pytest.raises(Killed):
        session.serve()
    table.refresh_from_db()
    return session.at


def resumed(table: RemoteTable, died_at: datetime.datetime, after_s: float, *clients: Client) -> Played:
    """Run the table by another service, some seconds after the death of the first."""
    clocks_stop(table.pk, died_at)
    session = Played(table, *(clients or (prompt,)), claim="test/2", now=died_at + seconds(after_s))
    RemoteVersion.objects.update(attended_at=session.at, alive_at=session.at)
    session.serve()
    table.refresh_from_db()
    return session


def die_after(wait_s: float) -> Client:
    """Kill the service some seconds after the request."""

    def client(session: Played) -> None:
        if session.at - session.pending[0].asked_at >= seconds(wait_s):
            raise Killed

    return client


def charges(table: RemoteTable) -> list[int]:
    return [charged for _, _, charged in seat_of(table).answers]


def counts_once(table: RemoteTable) -> bool:
    """Whether every request has one settlement, and every action of the seat is that of one request."""
    seat = seat_of(table)
    ids = [each[0] for each in seat.answers]
    own = [action for number, action in table.actions if number == seat.seat]
    return len(ids) == len(set(ids)) == len(own)


def test_the_deadline_moves_by_the_time_without_a_service() -> None:
    table = a_remote_table()
    died_at = killed(table, after(2, die_after(3)))
    before = seat_of(table)
    done = list(table.actions)
    seen: list[RemoteSeat] = []

    def client(session: Played) -> None:
        seen.append(seat_of(table))
        prompt(session)

    resumed(table, died_at, 40, client)
    assert seen[0].request_id == before.request_id
    assert seen[0].deadline_at == before.deadline_at + seconds(40)
    assert table.actions[: len(done)] == done
    assert charges(table)[2] == 3000
    assert seat_of(table).verdict == "OK"
    assert counts_once(table)


def test_a_service_that_dies_right_after_it_took_over_loses_no_outage() -> None:
    table = a_remote_table()
    died_at = killed(table, after(2, die_after(3)))
    clocks_stop(table.pk, died_at)
    resumed(table, died_at + seconds(20), 20)
    assert charges(table)[2] == 3000
    assert counts_once(table)


def test_the_disconnect_bank_stands_without_a_service() -> None:
    table = a_remote_table()
    at = killed(table, after(2, die_after(3)))
    RemoteSeat.objects.update(disconnected_at=at - seconds(2), disconnect_left_ms=60_000)
    clocks_stop(table.pk, at)
    seat = seat_of(table)
    assert (seat.disconnected_at, seat.disconnect_left_ms) == (None, 58_000)


@pytest.mark.parametrize(("answered_s", "charged_ms"), [(1, 1000), (9, 2000)])
def test_an_answer_from_a_time_without_a_service_is_charged_until_it_came(
    answered_s: float, charged_ms: int
) -> None:
    table = a_remote_table()
    died_at = killed(table, after(1, die_after(2)))
    seat = seat_of(table)
    answer(seat, seat.asked_at + seconds(answered_s))
    resumed(table, died_at, 300)
    assert charges(table)[1] == charged_ms
    assert counts_once(table)


class DiesInStep(Played):
    """Dies after an answer was judged and before the step is stored, once."""

    died = False

    def _on_step(self, before: State, after: State, substituted: Mapping[Seat, Verdict]) -> None:
        turns = self._turns[1]
        is_settled = turns.settlement is not None or 1 in substituted
        if is_settled and len(turns._row.answers) >= 1 and not DiesInStep.died:
            DiesInStep.died = True
            raise Killed
        super()._on_step(before, after, substituted)


@pytest.mark.parametrize("client", [prompt, nothing])
def test_a_death_between_judgement_and_step_repeats_neither(client: Client) -> None:
    DiesInStep.died = False
    table = a_remote_table()
    died_at = killed(table, client, kind=DiesInStep)
    judged = seat_of(table)
    resumed(table, died_at, 20)
    first = seat_of(table).answers[0]
    if client is nothing:
        assert first == judged.answers[0]
        assert first[1] == ""
        assert [verdict for _, verdict in table.substituted] == ["OUT_OF_TIME"]
    else:
        assert judged.answers != []
    assert counts_once(table)


def test_a_disconnection_that_was_settled_before_a_death_forfeits() -> None:
    DiesInStep.died = False
    table = a_remote_table()
    RemoteVersion.objects.update(disconnected_at=seat_of(table).version.attended_at)
    died_at = killed(table, nothing, kind=DiesInStep)
    resumed(table, died_at, 20)
    assert seat_of(table).verdict == "DISCONNECTED"
    assert table.is_forfeit


@pytest.mark.parametrize("is_reconnected", [False, True])
def test_a_web_process_that_is_back_within_seconds_is_an_outage(is_reconnected: bool) -> None:
    """The answer may come before or after the next stream; only one second is the bot's."""
    table = a_remote_table()

    def client(session: Played) -> None:
        seat = session.pending[0]
        session.is_attended = session.waits == 1 or bool(seat.answers)
        if session.waits == 1:
            return
        if not seat.answers:
            session.advance(2.9)
            if is_reconnected:
                RemoteVersion.objects.update(attended_at=session.at)
        answer(seat, session.at)

    serve(table, client)
    assert charges(table)[0] == 1000


def test_a_service_that_stops_hands_the_turn_over_with_the_time_left() -> None:
    table = a_remote_table()

    def stop(session: Played) -> None:
        if session.waits == 5:
            session.stop(ServiceStopped("the service ends"))

    first = serve(table, nothing, stop)
    seat = seat_of(table)
    assert table.claimed_by == ""
    assert seat.deadline_at is None
    assert seat.left_ms is not None
    assert 120_000 <= seat.left_ms <= 121_300
    second = Played(table, prompt, claim="test/2", now=first.at + seconds(500))
    RemoteVersion.objects.update(attended_at=second.at, alive_at=second.at)
    second.serve()
    assert charges(table)[0] <= 6000
    assert seat_of(table).verdict == "OK"


def outage(monkeypatch: pytest.MonkeyPatch, waits: range) -> Client:
    """A database that cannot be read during these waits."""
    manager = RemoteSeat.objects
    real = manager.values_list

    class Connection:
        def close(self) -> None: ...

    monkeypatch.setattr(seats, "connection", Connection())

    def client(session: Played) -> None:
        def values_list(*names: str) -> Any:
            if session.waits in waits:
                raise OperationalError("the database is away")
            return real(*names)

        monkeypatch.setattr(manager, "values_list", values_list)
        session.is_attended = session.waits not in waits

    return client


def test_a_database_that_cannot_be_read_is_not_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    table = a_remote_table()

    def late(session: Played) -> None:
        if session.waits >= 300:
            prompt(session)

    serve(table, outage(monkeypatch, range(3, 290)), late)
    seat = seat_of(table)
    assert seat.verdict == "OK"
    assert seat.disconnects == 0
    assert 10_000 <= seat.answers[0][2] <= 16_000


def test_a_database_that_blocks_is_not_charged() -> None:
    table = a_remote_table()

    def blocked(session: Played) -> None:
        session.step_s = 400.0 if session.waits == 3 else 1.0
        if session.waits >= 10:
            prompt(session)

    serve(table, blocked)
    assert charges(table)[0] <= 10_000
    assert seat_of(table).verdict == "OK"


def test_a_dead_web_process_is_not_charged_and_then_the_client_may_reconnect() -> None:
    table = a_remote_table()
    states: list[tuple[datetime.datetime | None, int | None, datetime.datetime | None, int]] = []

    def client(session: Played) -> None:
        seat = seat_of(table)
        states.append((seat.deadline_at, seat.left_ms, seat.disconnected_at, seat.disconnect_left_ms))
        if session.waits == 5:
            session.is_attended, session.web_at = False, session.at
        elif session.waits == 205:
            session.web_at = None  # another web process has started
        elif session.waits == 235 or session.waits == 240:
            session.is_attended = True
        if session.waits > 240:
            prompt(session)

    serve(table, client)
    seat = seat_of(table)
    assert seat.verdict == "OK"
    # The clock stands as of the last sign of the web process.
    assert states[100][0] is None
    assert states[100][1] is not None
    assert 120_300 <= states[100][1] <= 122_300
    assert states[100][2] is None
    # The disconnect bank runs from the start of the next web process.
    assert states[204][3] == 60_000
    assert states[220][2] is not None
    assert 25_000 <= seat.disconnect_left_ms <= 35_000
    assert seat.answers[0][2] <= 12_000


def test_a_deadline_while_the_web_process_is_down_is_not_missed() -> None:
    table = a_remote_table()

    def client(session: Played) -> None:
        seat = seat_of(table)
        is_due = seat.deadline_at is not None and session.at > seat.deadline_at - seconds(2)
        if is_due and not seat.answers:
            session.is_attended, session.web_at = False, session.at
        if session.waits > 200:
            session.is_attended, session.web_at = True, None
            prompt(session)

    serve(table, client)
    assert seat_of(table).verdict == "OK"
    assert charges(table)[0] < 125_300


def test_a_gap_that_a_client_made_is_charged() -> None:
    """It closed its stream, and opened another later."""
    table = a_remote_table()

    def client(session: Played) -> None:
        seat = session.pending[0]
        if seat.answers:
            prompt(session)
        elif session.waits == 2:
            RemoteVersion.objects.update(disconnected_at=session.at)
        elif session.waits == 7:
            RemoteVersion.objects.update(disconnected_at=None)
        elif session.waits == 9:
            answer(seat, session.at)

    serve(table, client)
    # The disconnect bank paid for it, not the site.
    assert charges(table)[0] == 2000
    assert 53_000 <= seat_of(table).disconnect_left_ms <= 57_000


def test_a_request_is_asked_when_it_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A database that fails while the request is written is not charged."""
    table = a_remote_table()

    class Slow(Played):
        failures = 3

        def _store(self, asking: seats.SeatTurns, columns: Callable[[], dict[str, Any]]) -> None:
            def delayed() -> dict[str, Any]:
                if self.failures:
                    self.failures -= 1
                    self.at += seconds(4)
                    raise OperationalError("the database is away")
                return columns()

            super()._store(asking, delayed)

    def persistent(work: Callable[[], int], within_s: float, name: str) -> int:
        while True:
            try:
                return work()
            except OperationalError:
                continue

    # The real one does not retry within the transaction of a test.
    monkeypatch.setattr(sessions, "retry", persistent)
    session = Slow(table, prompt)
    session.serve()
    table.refresh_from_db()
    assert session.failures == 0
    assert charges(table)[0] == 0


def test_only_the_holder_of_the_claim_writes() -> None:
    table = a_remote_table()

    def client(session: Played) -> None:
        if session.waits == 2:
            RemoteTable.objects.filter(pk=table.pk).update(claimed_by="another/1")
        prompt(session)

    serve(table, client)
    assert table.claimed_by == "another/1"
    assert table.ended_at is None
    assert len(seat_of(table).answers) < 4


def test_three_failures_of_the_platform_void_the_table_and_ask_no_more() -> None:
    table = a_remote_table()

    def failing(order: object, seat: object) -> None:
        raise PlatformFault("the disk is full")

    for _ in range(MAX_FAILURES):
        serve(table, make_driver=failing)
    assert table.state == RemoteTable.State.FAILED
    assert table.score is None
    seat = seat_of(table)
    assert (seat.is_active, seat.request_id, seat.verdict) == (False, "", "")


NOW = datetime.datetime(2026, 12, 1, 12, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    ("attended_s", "alive_s", "closed_s", "observed_s", "web_s", "link"),
    [
        (1, 9, None, 100, 1, Link.CONNECTED),
        (1, 26, None, 100, 1, Link.LEFT),
        (1, 26, None, 20, 1, Link.CONNECTED),
        (9, 9, 3, 100, 1, Link.LEFT),
        (9, 9, 3, 100, 9, Link.SITE_DOWN),
        (9, 9, 3, 100, None, Link.SITE_DOWN),
        (9, 9, None, 3, 1, Link.UNKNOWN),
        (9, 9, None, 100, 1, Link.LEFT),
        (9, 9, None, 100, 6, Link.SITE_DOWN),
        (60, 60, None, 100, None, Link.SITE_DOWN),
        (None, None, None, 100, 1, Link.LEFT),
    ],
)
def test_the_state_of_a_connection(
    attended_s: float | None,
    alive_s: float | None,
    closed_s: float | None,
    observed_s: float,
    web_s: float | None,
    link: Link,
) -> None:
    def ago(age_s: float | None) -> datetime.datetime | None:
        return None if age_s is None else NOW - seconds(age_s)

    version = RemoteVersion(attended_at=ago(attended_s), alive_at=ago(alive_s), disconnected_at=ago(closed_s))
    web: Callable[[], datetime.datetime | None] = lambda: ago(web_s)  # noqa: E731
    assert link_state(version, NOW, NOW - seconds(observed_s), web).link is link


def test_without_the_queue_server_streams_show_that_the_site_is_served(settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    gone = a_version(a_bot(aya()), attended_at=NOW - seconds(9), disconnected_at=NOW - seconds(8))
    other = a_version(a_bot(ben()), attended_at=NOW - seconds(30))
    for attended_s, link in ((30, Link.SITE_DOWN), (1, Link.LEFT)):
        RemoteVersion.objects.filter(pk=other.pk).update(attended_at=NOW - seconds(attended_s))
        assert link_state(gone, NOW, NOW - seconds(100), web_presence_at).link is link
