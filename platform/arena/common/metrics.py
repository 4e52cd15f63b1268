"""Counters and histograms of all processes, kept on the queue server.

``count`` and ``observe`` add to a buffer of this process, whose size is bounded by the number of series.
``flush`` adds the buffer to a hash on the queue server; while the server is away, the buffer grows in value,
not in size. Only processes that are killed lose what they have not flushed.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import secrets
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from arena.common.metric_declarations import METRICS, Declared, Kind, Source
from arena.common.outage import Outage

log = logging.getLogger(__name__)

KEY = "rensho:metrics"
"""Hash on the queue server: the value by series, ``NAME|LABEL VALUE|...|PART``."""
MAX_SERIES = 100
"""Maximum label combinations of a metric that a process counts; further ones are counted as ``other``."""
OTHER = "other"
LABEL_VALUE = re.compile(r"[A-Za-z0-9_.:/@-]{0,60}")
FLUSH_INTERVAL_S = 5.0
RETRY_INTERVAL_S = 10.0
"""Seconds after a failed flush in which the server is not contacted."""
TIMEOUT_S = 0.5
BATCH_S = 3600
"""Seconds that the server remembers the last batch of a process, so that a repeated one counts once."""
RECENT_KEY = f"{KEY}:recent:"
"""Prefix of hashes with the counts of five minutes each, by number of the interval since 1970."""
RECENT_INTERVAL_S = 300
RECENT_INTERVALS = 13
"""Intervals of the last hour, with the current one."""
FLUSH_SCRIPT = """
if tonumber(redis.call('GET', KEYS[2]) or '0') < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[2])
  for i = 4, #ARGV, 2 do
    redis.call('HINCRBYFLOAT', KEYS[1], ARGV[i], ARGV[i + 1])
    if i < 4 + 2 * tonumber(ARGV[3]) then redis.call('HINCRBYFLOAT', KEYS[3], ARGV[i], ARGV[i + 1]) end
  end
  redis.call('EXPIRE', KEYS[3], 2 * ARGV[2])
end
"""
"""Arguments: number of the batch, seconds it is remembered, number of recent fields (the first), fields."""
SUM = "sum"

Series = tuple[str, ...]
"""Name of a metric, its label values, and for histograms the part: the bound of a bucket, or ``sum``."""


def count(name: str, amount: float = 1, /, **labels: str) -> None:
    """Add to a shared counter; 0 makes the series appear. Never raises, uses no network."""
    if (series := _counts.series(name, Kind.COUNTER, labels)) is not None:
        _counts.add({series: amount})


def observe(name: str, seconds: float, /, **labels: str) -> None:
    """Add an observation to a shared histogram. Never raises, uses no network."""
    if (series := _counts.series(name, Kind.HISTOGRAM, labels)) is not None:
        _counts.add({(*series, bucket_of(METRICS[name], seconds)): 1, (*series, SUM): max(0.0, seconds)})


def bucket_of(metric: Declared, seconds: float) -> str:
    """Return the upper bound of the bucket, as text.

    >>> bucket_of(METRICS["claim_seconds"], 0.01), bucket_of(METRICS["claim_seconds"], 99)
    ('0.01', '+Inf')
    """
    index = bisect_left(metric.buckets, seconds)
    return str(metric.buckets[index]) if index < len(metric.buckets) else "+Inf"


class Counts:
    """Counts that this process has not sent yet. Thread-safe; a forked process starts with an empty one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._values: dict[Series, float] = {}
        self._batch: dict[Series, float] = {}
        self._number = 0
        self._series: dict[str, set[Series]] = {}
        self._process = secrets.token_hex(8)
        self._client: redis.Redis | None = None
        self._retry_at = 0.0
        self._outage = Outage(log, "sending metrics to the queue server")

    def series(self, name: str, kind: Kind, labels: Mapping[str, str]) -> Series | None:
        """Return the name and label values, bounded; None, with an error in the log, if not declared so."""
        metric = METRICS.get(name)
        if metric is None or metric.kind is not kind or metric.source is not Source.SHARED:
            log.error("metric %s is not declared as a shared %s", name, kind)
            return None
        if labels.keys() != set(metric.labels):
            log.error("metric %s has the labels %s, not %s", name, metric.labels, tuple(labels))
            return None
        values = tuple(str(labels[label]) for label in metric.labels)
        known = self._series.setdefault(name, set())
        if values not in known:
            if len(known) >= MAX_SERIES or not all(map(LABEL_VALUE.fullmatch, values)):
                values = tuple(OTHER for _ in values)
            known.add(values)
        return (name, *values)

    def add(self, amounts: Mapping[Series, float]) -> None:
        with self._lock:
            for series, amount in amounts.items():
                self._values[series] = self._values.get(series, 0) + amount

    def pending(self, name: str) -> dict[Series, float]:
        """Return what is not sent yet of a metric, by label values and part."""
        with self._lock:
            return {series[1:]: value for series, value in self._values.items() if series[0] == name}

    def flush(self) -> bool:
        """Send what was counted in one round trip; return whether nothing is left. At most a second."""
        if time.monotonic() < self._retry_at or not self._sending.acquire(blocking=False):
            return False
        try:
            while self._take_batch():
                self._send()
                self._batch = {}
        except redis.RedisError as error:
            # Counted once even if the server had received it: the number stays the same.
            self._retry_at = time.monotonic() + RETRY_INTERVAL_S
            self._outage.record_failure(error)
            return False
        finally:
            self._sending.release()
        self._outage.record_success()
        return True

    def retry_now(self) -> None:
        """Contact the server at the next flush, although the last one failed."""
        self._client, self._retry_at = None, 0.0

    def _take_batch(self) -> bool:
        """Move what was counted to the batch, unless the last one has not arrived yet."""
        if not self._batch:
            with self._lock:
                self._batch, self._values = self._values, {}
            self._number += 1
        return bool(self._batch)

    def _send(self) -> None:
        fields: list[str | float] = []
        recent = [series for series in self._batch if METRICS[series[0]].has_recent]
        for series in dict.fromkeys((*recent, *self._batch)):
            fields += ["|".join(series), self._batch[series]]
        keys = (KEY, f"{KEY}:{self._process}", f"{RECENT_KEY}{_interval()}")
        self.client().eval(FLUSH_SCRIPT, 3, *keys, self._number, BATCH_S, len(recent), *fields)

    def client(self) -> redis.Redis:
        if self._client is None:
            self._client = queue_client()
        return self._client


def queue_client() -> redis.Redis:
    """Return a client of the queue server that fails within a second."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=TIMEOUT_S,
        socket_connect_timeout=TIMEOUT_S,
        retry=Retry(NoBackoff(), 1),
    )


_counts = Counts()


def flush() -> bool:
    """Send what this process has counted; return whether nothing is left to send.

    At most a second; at once within ``RETRY_INTERVAL_S`` after a failure.
    """
    return _counts.flush()


def flush_regularly() -> None:
    """Flush every few seconds in a thread, and at exit. For processes that never fork afterwards."""

    def run() -> None:
        while True:
            time.sleep(FLUSH_INTERVAL_S)
            try:
                flush()
            except Exception:
                log.exception("metrics are not sent")

    threading.Thread(target=run, name="metrics", daemon=True).start()
    atexit.register(flush)


def _start_empty() -> None:
    global _counts
    _counts = Counts()


os.register_at_fork(after_in_child=_start_empty)


class SharedValues(NamedTuple):
    """Values of all processes."""

    values: Mapping[Series, float]

    def series_of(self, metric: Declared) -> Iterator[tuple[Sequence[str], Mapping[str, float]]]:
        """Yield label values, and the value by part; a counter's part is empty. Known series come first."""
        parts: dict[tuple[str, ...], dict[str, float]] = {
            labels: {} for labels in metric.known or (() if metric.labels else ((),))
        }
        end = 1 + len(metric.labels)
        for series, value in self.values.items():
            if series[0] == metric.name:
                parts.setdefault(series[1:end], {})["".join(series[end:])] = value
        yield from parts.items()


def shared_values(client: redis.Redis) -> SharedValues:
    """Return all values from the queue server, without series that are not declared. Raises RedisError."""
    return _values_of(client.hgetall(KEY))


def recent_values(client: redis.Redis) -> SharedValues:
    """Return the sums of the last 60 to 65 minutes of metrics with ``has_recent``. Raises RedisError."""
    now = _interval()
    total: dict[Series, float] = {}
    with client.pipeline(transaction=False) as pipeline:
        for interval in range(now - RECENT_INTERVALS + 1, now + 1):
            pipeline.hgetall(f"{RECENT_KEY}{interval}")
        for fields in pipeline.execute():
            for series, value in _values_of(fields).values.items():
                total[series] = total.get(series, 0) + value
    return SharedValues(total)


def _interval() -> int:
    return int(time.time() // RECENT_INTERVAL_S)


def _values_of(fields: Any) -> SharedValues:
    values: dict[Series, float] = {}
    for field, value in fields.items():
        series = tuple(field.decode().split("|"))
        metric = METRICS.get(series[0])
        if metric is not None and metric.source is Source.SHARED and _is_complete(metric, series):
            values[series] = float(value)
    return SharedValues(values)


def _is_complete(metric: Declared, series: Series) -> bool:
    parts = {SUM, "+Inf", *map(str, metric.buckets)}
    if metric.kind is Kind.HISTOGRAM:
        return len(series) == len(metric.labels) + 2 and series[-1] in parts
    return len(series) == len(metric.labels) + 1
