"""Counters of all processes on the queue server: nothing counts twice, nothing is lost, nothing waits."""

from __future__ import annotations

import ast
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from pytest_django import Settings

from arena.common import metrics
from arena.common.metric_declarations import METRICS, Kind, Source
from arena.common.metrics import (
    MAX_SERIES,
    Counts,
    count,
    flush,
    observe,
    queue_client,
    recent_values,
    shared_values,
)
from tests.arena.queue_server import QueueServer, queue_server

PLATFORM = Path(metrics.__file__).parents[2]
FAULTS = METRICS["platform_faults"]
CLAIMS = METRICS["claim_seconds"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueServer]:
    with queue_server(tmp_path_factory.mktemp("queue")) as started:
        yield started


@pytest.fixture(autouse=True)
def counts(server: QueueServer, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Counts:
    """Nothing counted yet, neither here nor on the server."""
    settings.REDIS_URL = server.url
    with queue_client() as client:
        client.flushdb()
    fresh = Counts()
    monkeypatch.setattr(metrics, "_counts", fresh)
    return fresh


def value(name: str, *series: str) -> float:
    """The value on the server; -1 without a series."""
    with queue_client() as client:
        return shared_values(client).values.get((name, *series), -1)


def test_counts_of_several_processes_add_up() -> None:
    count("platform_faults", cause="disk")
    child = os.fork()
    if child == 0:
        # It inherits the first count and must not send it too.
        count("platform_faults", 2, cause="disk")
        os._exit(0 if flush() else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert value("platform_faults", "disk") == 2
    assert flush()
    assert value("platform_faults", "disk") == 3


def test_observations_fall_into_buckets() -> None:
    for seconds in (0.004, 0.02, 0.02, 99.0):
        observe("claim_seconds", seconds)
    flush()
    with queue_client() as client:
        ((labels, parts),) = shared_values(client).series_of(CLAIMS)
    assert (labels, parts["0.005"], parts["0.025"], parts["+Inf"]) == ((), 1, 2, 1)
    assert parts["sum"] == pytest.approx(99.044)


def test_nothing_is_lost_while_the_server_is_away(
    settings: Settings, server: QueueServer, counts: Counts
) -> None:
    settings.REDIS_URL = "unix:///nowhere/valkey.sock?db=0"
    for _ in range(1000):
        count("platform_faults", cause="store")
    assert not flush()
    settings.REDIS_URL = server.url
    assert not flush()  # the server is not tried again at once
    count("platform_faults", cause="store")
    counts.retry_now()
    assert flush()
    assert value("platform_faults", "store") == 1001


def test_a_batch_whose_answer_was_lost_counts_once(counts: Counts, monkeypatch: pytest.MonkeyPatch) -> None:
    send = counts._send

    def send_without_answer() -> None:
        send()
        raise redis.TimeoutError("no answer")

    count("platform_faults", cause="disk")
    with monkeypatch.context() as patch:
        patch.setattr(counts, "_send", send_without_answer)
        assert not flush()
    count("platform_faults", cause="disk")
    counts.retry_now()
    assert flush()
    assert value("platform_faults", "disk") == 2


def test_two_threads_that_flush_send_everything_once() -> None:
    def work() -> None:
        for _ in range(50):
            count("leases_expired")
            flush()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    flush()
    assert value("leases_expired") == 100


def test_label_values_are_bounded() -> None:
    for number in range(2 * MAX_SERIES):
        count("sandbox_starts", runtime=f"r{number}")
    count("platform_faults", cause="a|b\n")
    flush()
    with queue_client() as client:
        values = shared_values(client).values
    assert len([series for series in values if series[0] == "sandbox_starts"]) == MAX_SERIES + 1
    assert values["sandbox_starts", "other"] == MAX_SERIES
    assert values["platform_faults", "other"] == 1


def test_what_is_not_declared_is_refused_without_an_error(caplog: pytest.LogCaptureFixture) -> None:
    count("no_such_metric")
    count("claim_seconds")
    count("platform_faults", reason="disk")
    assert len(caplog.records) == 3
    assert flush()
    with queue_client() as client:
        assert not client.exists(metrics.KEY)
        # Fields of another release.
        client.hset(metrics.KEY, mapping={"gone": 1, "claim_seconds|0.3": 1, "platform_faults": 1})
        assert not shared_values(client).values


def test_known_series_are_zero_from_the_beginning() -> None:
    with queue_client() as client:
        series = dict(shared_values(client).series_of(FAULTS))
    assert series["database",] == {}
    count("tick_failures", 0, chore="tables_sweep")
    flush()
    assert value("tick_failures", "tables_sweep") == 0


def test_calls_name_declared_metrics_and_labels() -> None:
    """Every call in the code, since a wrong one is only logged."""
    kinds = {"count": Kind.COUNTER, "observe": Kind.HISTOGRAM}
    used = set()
    for path in PLATFORM.rglob("*.py"):
        text = path.read_text()
        if "arena.common.metrics import" not in text:
            continue
        for call in ast.walk(ast.parse(text)):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)) or not call.args:
                continue
            first = call.args[0]
            if call.func.id in kinds and isinstance(first, ast.Constant) and isinstance(first.value, str):
                metric = METRICS[first.value]
                assert (metric.kind, metric.source) == (kinds[call.func.id], Source.SHARED), first.value
                assert {keyword.arg for keyword in call.keywords} == set(metric.labels), first.value
                used.add(first.value)
    assert used <= METRICS.keys()


def recent(name: str) -> dict[tuple[str, ...], float]:
    """The sums of the last hour."""
    with queue_client() as client:
        return {
            series[1:]: value for series, value in recent_values(client).values.items() if series[0] == name
        }


def test_the_last_hour_has_its_own_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_800_000_000.0
    for seconds_ago, faults in ((3 * 3600, 8), (3500, 4), (10, 1)):
        monkeypatch.setattr(time, "time", lambda ago=seconds_ago: now - ago)
        count("platform_faults", faults, cause="disk")
        observe("claim_seconds", 0.1)
        assert flush()
    monkeypatch.setattr(time, "time", lambda: now)
    assert recent("platform_faults") == {("disk",): 5}
    assert recent("claim_seconds") == {}, "only metrics that say so"
    assert value("platform_faults", "disk") == 13
    with queue_client() as client:
        keys = list(client.scan_iter(f"{metrics.RECENT_KEY}*"))
        assert len(keys) == 3
        assert all(client.ttl(key) > 3900 for key in keys), "as long as they are read"
