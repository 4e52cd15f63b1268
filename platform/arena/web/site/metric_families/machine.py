"""Families of this machine and its web processes. They need neither the database nor the queue server."""

from __future__ import annotations

import platform
from collections.abc import Iterator

import django
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from arena.common.revisions import release, revision
from arena.operations.disks import disks, storage_problem
from arena.server.process_metrics import is_one_of_several, own_gauges
from arena.web.site.metric_families.families import gauge, gauges, labelled


class MachineCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        versions = (revision(), release(), platform.python_version(), django.__version__)
        yield labelled("build_info", [(versions, 1)])
        yield gauge("storage_up", int(storage_problem() is None))
        known = list(disks())
        yield gauges("disk_free_bytes", {disk.place: disk.free_bytes for disk in known})
        yield gauges("disk_size_bytes", {disk.place: disk.size_bytes for disk in known})
        if not is_one_of_several():
            for name, values in own_gauges().items():
                if values:
                    yield gauges(name, values)
