"""The service process: a thread for each queue, and their heartbeats."""

from __future__ import annotations

import logging
import secrets
import socket
import threading
from collections.abc import Iterable
from typing import Protocol

from django.db import DatabaseError, connection

from arena.common.blob_storages import BlobsUnavailable
from arena.common.liveness import liveness_mark
from arena.common.outage import Outage
from arena.features.analysis.heartbeat import HEARTBEAT_S, Queue, heartbeat
from arena.features.analysis.runner.notes_worker import NotesWorker
from arena.features.analysis.runner.solve_worker import SolveWorker

log = logging.getLogger(__name__)

STOP_S = 5.0
"""Seconds for the threads to end; leases that remain expire."""


class Worker(Protocol):
    @property
    def idle_s(self) -> float:
        """Seconds until the next step after one without work."""
        ...

    def step(self) -> bool:
        """Do one piece of work; return whether there was any."""
        ...

    def close(self) -> None: ...


class Service:
    """Runs queues until ``stop``, which is thread-safe."""

    def __init__(self, queues: Iterable[Queue]) -> None:
        self.name = f"{socket.gethostname()[:40]}-{secrets.token_hex(4)}"
        self._stop = threading.Event()
        self._threads = {
            queue: threading.Thread(target=self._run, args=(queue,), name=f"analysis: {queue}")
            for queue in queues
        }

    def run(self) -> bool:
        """Run until ``stop`` or the end of a thread; return whether it was ``stop``."""
        for thread in self._threads.values():
            thread.start()
        while (are_alive := all(thread.is_alive() for thread in self._threads.values())) and (
            not self._stop.is_set()
        ):
            liveness_mark()
            for queue in self._threads:
                heartbeat(queue)
            self._stop.wait(HEARTBEAT_S)
        self.stop()
        for thread in self._threads.values():
            thread.join(STOP_S)
        return are_alive

    def stop(self) -> None:
        self._stop.set()

    def _worker(self, queue: Queue) -> Worker:
        if queue == Queue.BACKGROUND:
            return NotesWorker(self.name, self._stop)
        return SolveWorker(self._stop)

    def _run(self, queue: Queue) -> None:
        worker = self._worker(queue)
        outage = Outage(log, f"the {queue} queue of analysis")
        try:
            while not self._stop.is_set():
                has_worked = False
                try:
                    has_worked = worker.step()
                    outage.record_success()
                except (DatabaseError, BlobsUnavailable) as error:
                    outage.record_failure(error)
                    connection.close()
                if not has_worked:
                    self._stop.wait(worker.idle_s)
        finally:
            worker.close()
            connection.close()
