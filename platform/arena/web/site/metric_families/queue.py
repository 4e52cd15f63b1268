"""Families from the queue server: counters and histograms of all processes, and the lengths of queues."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator, Mapping

import redis
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from arena.common.metric_declarations import DECLARED, Declared, Kind, Source
from arena.common.metrics import SUM, SharedValues, flush, queue_client, shared_values
from arena.common.outage import Outage
from arena.operations.queue_lengths import Queues, queue_lengths
from arena.web.site.metric_families.families import gauge, gauges

log = logging.getLogger(__name__)

_outage = Outage(log, "reading metrics from the queue server")


class QueueCollector(Collector):
    """``rensho_queue_up``, and its other families only if the server answers."""

    def __init__(self, queues: Queues) -> None:
        self._queues = queues

    def collect(self) -> Iterator[Metric]:
        flush()
        try:
            with queue_client() as client:
                values = shared_values(client)
                lengths = queue_lengths(client, self._queues)
        except redis.RedisError as error:
            _outage.record_failure(error)
            yield gauge("queue_up", 0)
            return
        _outage.record_success()
        yield gauge("queue_up", 1)
        yield gauges("queue_messages", lengths)
        for metric in DECLARED:
            if metric.source is Source.SHARED:
                yield _family(metric, values)


def _family(metric: Declared, values: SharedValues) -> Metric:
    if metric.kind is Kind.COUNTER:
        counter = CounterMetricFamily(metric.exposed, metric.help, labels=metric.labels)
        for labels, parts in values.series_of(metric):
            counter.add_metric(labels, parts.get("", 0))
        return counter
    histogram = HistogramMetricFamily(metric.exposed, metric.help, labels=metric.labels)
    for labels, parts in values.series_of(metric):
        histogram.add_metric(labels, _buckets(metric, parts), parts.get(SUM, 0))
    return histogram


def _buckets(metric: Declared, parts: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the cumulative numbers by upper bound."""
    bounds = [*map(str, metric.buckets), "+Inf"]
    return list(zip(bounds, itertools.accumulate(parts.get(bound, 0) for bound in bounds), strict=True))
