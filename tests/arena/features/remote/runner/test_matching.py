"""Rated tables are opened for connected versions, and run by the service of live tables."""

from __future__ import annotations

import datetime
import threading
import time

import pytest
import pytest_django
from django.db import connection
from django.utils import timezone

from arena.common.errors import Invalid
from arena.features.play.models import PlayService
from arena.features.remote import matching
from arena.features.remote.matching import rated_tables_open, table_open
from arena.features.remote.models import REMOTE_SHA256, RemoteBot, RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.runner.kind import REMOTE
from arena.settings.play import PlayLimits
from arena.tables.live import service as services
from arena.tables.live.service import Service
from tests import factories
from tests.arena.features.play.casual_tables import in_process
from tests.arena.features.play.tables import house
from tests.arena.features.remote.rows import a_bot, a_version, connected
from tests.arena.features.remote.runner.play import answer

pytestmark = pytest.mark.django_db
LONGEST_S = 60.0


def wanting(**columns: object) -> RemoteVersion:
    house()
    PlayService.objects.get_or_create(name="s", defaults={"seen_at": timezone.now(), "capacity": 10})
    return connected(a_version(a_bot(factories.aya())), **{"ladder": "kakeya4", "max_tables": 1, **columns})


def test_a_version_gets_as_many_tables_as_it_accepts() -> None:
    one, two = wanting(), wanting(max_tables=2, is_slow=True)
    assert rated_tables_open() == 2
    assert rated_tables_open() == 1
    assert rated_tables_open() == 0
    assert [one.seats.count(), two.seats.count()] == [1, 2]
    for table in RemoteTable.objects.all():
        seat = table.remote_seats.get()
        assert (table.preset, table.is_rated, table.rated_version) == ("kakeya4", True, seat.version)
        assert table.is_slow == seat.version.is_slow
        assert [each["strength"] for each in table.seats if each["seat"] != seat.seat] == ["rules"] * 3
        assert table.seats[seat.seat - 1]["version"] is None
        assert table.bundles.count(REMOTE_SHA256) == 1
        assert seat.bank_ms == (1_200_000 if table.is_slow else 120_000)
        assert seat.disconnect_left_ms == 60_000


@pytest.mark.parametrize("column", ["paused_at", "retired_at"])
def test_a_paused_or_retired_bot_gets_none(column: str) -> None:
    version = wanting()
    RemoteBot.objects.filter(pk=version.bot_id).update(**{column: timezone.now()})
    assert rated_tables_open() == 0


@pytest.mark.parametrize(
    "columns",
    [
        {"ladder": ""},
        {"disconnected_at": timezone.now()},
        {"alive_at": timezone.now() - datetime.timedelta(seconds=26)},
        {"attended_at": timezone.now() - datetime.timedelta(seconds=600)},
    ],
)
def test_who_is_away_or_asks_for_nothing_gets_none(columns: dict[str, object]) -> None:
    wanting(**columns)
    assert rated_tables_open() == 0


def test_an_account_without_quota_gets_none(settings: pytest_django.Settings) -> None:
    version = wanting(max_tables=2)
    settings.PLAY = PlayLimits(cpu_s=1)
    assert rated_tables_open() == 1
    RemoteTable.objects.update(cpu_ms=1000)
    assert rated_tables_open() == 0
    RemoteTable.objects.update(
        state=RemoteTable.State.FINISHED, created_at=timezone.now() - datetime.timedelta(hours=1)
    )
    assert rated_tables_open() == 1
    assert matching.has_quota(version.bot.owner)


def test_people_keep_half_of_the_places() -> None:
    for _ in range(3):
        wanting(max_tables=2)
    PlayService.objects.update(capacity=4)
    assert rated_tables_open() == 2
    assert rated_tables_open() == 0
    RemoteTable.objects.update(state=RemoteTable.State.PLAYED)
    assert rated_tables_open() == 0, "their fields wait for a core"
    RemoteTable.objects.update(state=RemoteTable.State.FINISHED)
    assert rated_tables_open() == 2


@pytest.mark.parametrize(
    ("seats", "preset", "is_rated", "code"),
    [
        ((1, 2), "kakeya4", True, "wrong_choice"),
        ((5,), "kakeya4", True, "wrong_seats"),
        ((), "kakeya4", False, "wrong_seats"),
        ((1,), "kakkuri", True, "wrong_choice"),
        ((1,), "whist", True, "unknown_preset"),
    ],
)
def test_a_table_that_cannot_be(seats: tuple[int, ...], preset: str, is_rated: bool, code: str) -> None:
    versions = {seat: wanting() for seat in seats}
    with pytest.raises(Invalid) as caught:
        table_open(versions, preset, is_rated=is_rated, is_slow=False)
    assert caught.value.code == code


@pytest.mark.django_db(transaction=True)
def test_the_service_opens_runs_and_resumes_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Polling alone, without hints; the first service dies with a request pending."""
    monkeypatch.setattr(services, "SWEEP_INTERVAL_S", 0.02)
    version = wanting()

    def attended() -> None:
        now = timezone.now()
        RemoteVersion.objects.update(attended_at=now, alive_at=now)

    def pending() -> RemoteSeat:
        deadline = time.monotonic() + LONGEST_S
        while time.monotonic() < deadline:
            attended()
            if seat := RemoteSeat.objects.filter(answer="").exclude(request_id="").first():
                return seat
            time.sleep(0.01)
        raise AssertionError("no request")

    first = Service([REMOTE], in_process)
    first.sweep()
    seat = pending()
    assert seat.version == version
    RemoteVersion.objects.update(ladder="")
    # It dies 30 seconds ago, as by SIGKILL, just after its request.
    death = timezone.now() - datetime.timedelta(seconds=30)
    for session in first.sessions:
        session.claim = "dead/1"
    RemoteTable.objects.update(
        claimed_by="another/1", claimed_until=death + datetime.timedelta(seconds=services.LEASE_S)
    )
    first._end()
    asked_at, deadline_at = seat.asked_at, seat.deadline_at
    assert asked_at is not None
    assert deadline_at is not None
    moved = death - datetime.timedelta(seconds=1) - asked_at
    RemoteSeat.objects.update(asked_at=asked_at + moved, deadline_at=deadline_at + moved)
    second = Service([REMOTE], in_process)
    thread = threading.Thread(target=second.run)
    thread.start()
    try:
        table = RemoteTable.objects.get()
        is_first = True
        while table.state != RemoteTable.State.FINISHED:
            attended()
            for each in RemoteSeat.objects.filter(answer="", table=table).exclude(request_id=""):
                if is_first:
                    while RemoteSeat.objects.get().deadline_at == deadline_at + moved:
                        time.sleep(0.01)
                    is_first = False
                answer(each, timezone.now())
                for session in second.sessions:
                    session.deliver()
            time.sleep(0.01)
            table.refresh_from_db()
    finally:
        second.stop()
        thread.join()
        connection.close()
    seat = RemoteSeat.objects.get()
    assert seat.verdict == "OK"
    assert seat.answers[0][2] < 20_000, "the outage is not charged"
    assert table.score is not None
