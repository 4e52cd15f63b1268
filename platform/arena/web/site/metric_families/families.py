"""Families of declared metrics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from prometheus_client.core import GaugeMetricFamily, Metric

from arena.common.metric_declarations import METRICS


def gauge(name: str, value: float) -> Metric:
    metric = METRICS[name]
    return GaugeMetricFamily(metric.exposed, metric.help, value=value)


def gauges(name: str, values: Mapping[str, float]) -> Metric:
    """Return a family with one label."""
    return labelled(name, (([label], value) for label, value in values.items()))


def labelled(name: str, values: Iterable[tuple[Sequence[str], float]]) -> GaugeMetricFamily:
    metric = METRICS[name]
    family = GaugeMetricFamily(metric.exposed, metric.help, labels=metric.labels)
    for labels, value in values:
        family.add_metric(labels, value)
    return family
