"""Metrics of the web processes that share a port: sums, whichever of them answers the scrape.

Several processes write to files of one folder (prometheus_client's multiprocess mode), which the parent
creates. A single process keeps its values in memory.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from arena.common.database import pool_stats
from arena.common.metric_declarations import METRICS
from arena.server.request_metrics import process_registry
from arena.streams import live

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Read by prometheus_client when it is imported."""
PUBLISH_S = 5.0
GAUGES = ("live_streams", "database_pool")
EARLIEST = "process_start_time_seconds"


def own_gauges() -> dict[str, Mapping[str, float]]:
    """Return the values of ``GAUGES`` in this process, by label."""
    pool = pool_stats()
    return {"live_streams": live.hub.counts(), "database_pool": {} if pool is None else pool._asdict()}


def is_one_of_several() -> bool:
    return FOLDER_VARIABLE in os.environ


def scraped_registry() -> CollectorRegistry:
    """Return the registry with the metrics of this process, or with the sums over all processes."""
    if not is_one_of_several():
        return process_registry
    registry = CollectorRegistry()
    folder = os.environ[FOLDER_VARIABLE]
    MultiProcessCollector(registry, folder)
    registry.register(ProcessesCollector(Path(folder)))
    return registry


class ProcessesCollector(Collector):
    """The ``process_...`` families, summed over the processes that publish gauges."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        families: dict[str, Metric] = {}
        for pid in sorted(path.stem.rpartition("_")[2] for path in self._folder.glob("gauge_livesum_*.db")):
            for metric in ProcessCollector(pid=partial(str, pid), registry=None).collect():
                if metric.name not in families:
                    families[metric.name] = metric
                    continue
                merge = min if metric.name == EARLIEST else sum
                family = families[metric.name]
                family.samples = [
                    known._replace(value=merge((known.value, other.value)))
                    for known, other in zip(family.samples, metric.samples, strict=True)
                ]
        yield from families.values()


def gauges_publish_regularly() -> None:
    """Publish this process's gauges in a thread, if it is one of several."""
    if is_one_of_several():
        threading.Thread(target=_publish, name="process-metrics", daemon=True).start()


def _publish() -> None:
    gauges = {
        name: Gauge(
            METRICS[name].exposed,
            METRICS[name].help,
            METRICS[name].labels,
            multiprocess_mode="livesum",
            registry=None,
        )
        for name in GAUGES
    }
    while True:
        for name, values in own_gauges().items():
            for label, value in values.items():
                gauges[name].labels(label).set(value)
        time.sleep(PUBLISH_S)
