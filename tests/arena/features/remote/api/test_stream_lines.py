"""Lines of a stream: the state first, then each change once, read with few queries for all streams."""

from __future__ import annotations

import asyncio
import datetime
import json
from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone

from arena.features.remote import stream as stream_module
from arena.features.remote.models import RemoteBot, RemoteSeat, RemoteTable, RemoteVersion
from arena.features.remote.stream import VersionListener, VersionSource
from arena.streams.slots import Caller
from arena.streams.woken import WokenHub
from tests.arena.features.remote.rows import a_bot, a_table, a_version, connected, finished
from tests.factories import aya, ben

pytestmark = pytest.mark.django_db
CALLER = Caller(None, "192.0.2.7")
HELLO = {"type": "hello", "protocol": 1}


@pytest.fixture
def always_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each poll reads the versions and records their presence."""
    monkeypatch.setattr(stream_module, "ATTEND_S", 0.0)


def a_stream(source: VersionSource, version: RemoteVersion) -> VersionListener:
    return VersionListener(source, CALLER, version, token=0)


def look(source: VersionSource, *listeners: VersionListener) -> list[VersionListener]:
    """Poll as the hub does; return the listeners that it would notify."""
    poll = source.look(listeners)
    assert poll is not None
    notified, has_more = source.take(poll(), listeners)
    assert not has_more
    return list(notified)


def sent(listener: VersionListener) -> list[dict[str, Any]]:
    lines = asyncio.run(listener.pending(WokenHub()))
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
    return [json.loads(line) for line in lines]


def news(source: VersionSource, listener: VersionListener) -> list[dict[str, Any]]:
    look(source, listener)
    return sent(listener)


def ask(seat: RemoteSeat, request_id: str, settled: Sequence[Any] = (), **columns: Any) -> None:
    """Write what the runner does: settle the pending request, and ask the next one."""
    seat.refresh_from_db()
    values = {
        "hello": HELLO,
        "request_id": request_id,
        "request": {"type": "request", "id": request_id} if request_id else None,
        "events": [{"type": "event", "e": "play"}],
        "answers": [*seat.answers, *([list(settled)] if settled else [])],
        "deadline_at": timezone.now() + datetime.timedelta(seconds=100) if request_id else None,
        "disconnect_left_ms": 60_000,
        **columns,
    }
    RemoteSeat.objects.filter(pk=seat.pk).update(**values)


def test_a_table_from_its_hello_to_its_score() -> None:
    version = connected(a_version(a_bot(aya())))
    source = VersionSource()
    stream = a_stream(source, version)
    (state,) = news(source, stream)
    assert state == {
        "type": "state",
        "version": version.public_id,
        "generation": 0,
        "heartbeat_s": 10,
        "tables": [],
    }
    table = a_table([version])
    seat = table.remote_seats.get()
    assert news(source, stream) == []  # it has no hello yet
    ask(seat, "")
    RemoteTable.objects.update(state="starting")
    (line,) = news(source, stream)
    assert {name: line[name] for name in ("type", "table", "seat", "rated", "commitment", "hello")} == {
        "type": "table",
        "table": table.public_id,
        "seat": 1,
        "rated": True,
        "commitment": table.commitment,
        "hello": HELLO,
    }
    assert (line["message"], line["events"], line["deadline"], line["left_ms"]) == (None, [], None, None)
    assert line["clock"] == {
        "bank_ms": 120_000,
        "increment_ms": 5000,
        "grace_ms": 300,
        "disconnect_ms": 60_000,
    }
    RemoteTable.objects.update(state="playing")
    ask(seat, "a")
    (line,) = news(source, stream)
    assert (line["type"], line["message"]["id"], line["clock"]["bank_ms"]) == ("request", "a", 125_000)
    assert len(line["events"]) == 1
    assert 90_000 < line["left_ms"] <= 100_000
    assert line["deadline"].endswith("Z")
    assert news(source, stream) == []
    ask(seat, "b", ("a", "0" * 16, 10))
    settled, line = news(source, stream)
    assert settled == {
        "type": "settled",
        "table": table.public_id,
        "id": "a",
        "by": "answer",
        "verdict": None,
    }
    assert line["message"]["id"] == "b"
    ask(seat, "c", ("b", "", 10))
    settled, _ = news(source, stream)
    assert (settled["by"], settled["verdict"]) == ("referee", "OUT_OF_TIME")
    actions = [[2, "7C"], [1, "AS"], [3, "7D"], [1, "KS"], [1, "QS"]]
    RemoteTable.objects.update(
        state="played",
        actions=actions,
        substituted=[[0, "CRASHED"], [3, "OUT_OF_TIME"], [4, "ILLEGAL_ACTION"]],
    )
    ask(seat, "", ("c", "0" * 16, 10), is_active=False, verdict="OK")
    settled, over = news(source, stream)
    assert (settled["by"], settled["verdict"]) == ("referee", "ILLEGAL_ACTION")
    assert (over["state"], over["verdict"], over["stones"], over["score"]) == ("played", "OK", None, None)
    finished(table, 1.5)
    (over,) = news(source, stream)
    assert (over["state"], over["stones"], over["score"]) == ("finished", 2, 1.5)
    assert news(source, stream) == []
    assert stream.open_seats == []


def test_the_first_line_of_a_new_stream_has_the_pending_request() -> None:
    version = connected(a_version(a_bot(aya())))
    table = a_table([version])
    ask(table.remote_seats.get(), "a")
    finished(a_table([version]), 0.5)
    source = VersionSource()
    (state,) = news(source, a_stream(source, version))
    (line,) = state["tables"]
    assert (line["table"], line["message"]["id"], len(line["events"])) == (table.public_id, "a", 1)
    assert line["left_ms"] > 0


def test_a_moved_deadline_is_a_line_of_its_own() -> None:
    version = connected(a_version(a_bot(aya())))
    seat = a_table([version]).remote_seats.get()
    ask(seat, "a")
    source = VersionSource()
    stream = a_stream(source, version)
    news(source, stream)
    RemoteSeat.objects.update(deadline_at=None, left_ms=7000, disconnect_left_ms=50_000)
    (line,) = news(source, stream)
    assert (line["type"], line["id"], line["deadline"], line["left_ms"]) == ("clock", "a", None, 7000)
    assert line["clock"]["disconnect_ms"] == 50_000


def test_a_slow_reader_gets_the_newest_state_and_holds_nothing_back() -> None:
    version = connected(a_version(a_bot(aya())))
    seat = a_table([version]).remote_seats.get()
    ask(seat, "a")
    source = VersionSource()
    quick, slow = a_stream(source, version), a_stream(source, version)
    for stream in (quick, slow):
        look(source, stream)
        sent(stream)
    for number, request_id in enumerate("bcdef"):
        ask(seat, request_id, ("abcde"[number], "0" * 16, 10))
        look(source, quick, slow)
        assert [line["type"] for line in sent(quick)] == ["settled", "request"]
    settled, line = sent(slow)
    assert (settled["id"], line["message"]["id"]) == ("a", "f")
    assert len(source.known) == 1


def test_one_poll_reads_all_streams(django_assert_num_queries: Any) -> None:
    source = VersionSource()
    versions = [connected(a_version(a_bot(owner))) for owner in (aya(), ben())]
    seats = [a_table([version]).remote_seats.get() for version in versions]
    for seat in seats:
        ask(seat, "a")
    streams = [a_stream(source, version) for version in versions]
    RemoteVersion.objects.update(attended_at=None)
    with django_assert_num_queries(4):  # presence, versions, marks, changed seats
        assert look(source, *streams) == streams
    assert RemoteVersion.objects.filter(attended_at=None).count() == 0
    for stream in streams:
        sent(stream)
    with django_assert_num_queries(1):
        assert look(source, *streams) == []
    ask(seats[1], "b", ("a", "0" * 16, 10))
    with django_assert_num_queries(2):
        assert look(source, *streams) == [streams[1]]


def test_a_newer_stream_replaces_an_older_one() -> None:
    version = connected(a_version(a_bot(aya())))
    source = VersionSource()
    older = a_stream(source, version)
    news(source, older)
    RemoteVersion.objects.update(generation=1)
    version.refresh_from_db()
    newer = a_stream(source, version)
    assert sent(newer) == []  # the last poll does not know it yet
    assert look(source, older, newer) == [older, newer]
    assert [line["type"] for line in sent(older)] == ["replaced"]
    assert [line["type"] for line in sent(newer)] == ["state"]
    assert (older.is_over, older.is_valid, newer.is_over) == (True, False, False)


@pytest.mark.usefixtures("always_due")
@pytest.mark.parametrize("code", ["remote_disconnects", "remote_retired"])
def test_a_paused_bot_finishes_its_tables(code: str) -> None:
    version = connected(a_version(a_bot(aya())))
    table = a_table([version])
    ask(table.remote_seats.get(), "a")
    source = VersionSource()
    stream = a_stream(source, version)
    news(source, stream)
    if code == "remote_retired":
        RemoteBot.objects.update(retired_at=timezone.now())
    else:
        note = {"code": code, "disconnects": 3, "tables": 10}
        RemoteBot.objects.update(paused_at=timezone.now(), pause_note=note)
    (line,) = news(source, stream)
    assert (line["type"], line["reason"]["code"]) == ("paused", code)
    assert line["reason"]["text"]
    assert not stream.is_over
    ask(table.remote_seats.get(), "b", ("a", "0" * 16, 10))
    assert [line["type"] for line in news(source, stream)] == ["settled", "request"]
    assert not stream.is_over
    finished(table, 0.5)
    assert news(source, stream)[-1]["type"] == "over"
    assert stream.is_over


@pytest.mark.usefixtures("always_due")
def test_a_deleted_version_ends_its_stream() -> None:
    version = connected(a_version(a_bot(aya())))
    source = VersionSource()
    stream = a_stream(source, version)
    news(source, stream)
    RemoteVersion.objects.all().delete()
    assert [line["type"] for line in news(source, stream)] == ["bye"]
    assert stream.is_over
