"""A real queue server for tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.operations.broker import broker_argv, broker_binary_find, broker_wait
from arena.operations.child_process import Child, ChildSpec
from arena.settings.broker import broker_socket_of


class QueueServer:
    """A server on a socket in a folder, which can be stopped and started again with its contents."""

    def __init__(self, folder: Path) -> None:
        self.url = f"unix://{broker_socket_of(folder)}?db=0"
        argv = tuple(broker_argv(broker_binary_find(), folder))
        self._child = Child(ChildSpec("broker", argv, dict(os.environ), folder, folder / "log"))

    def start(self) -> None:
        self._child.start()
        broker_wait(self.url, 20.0)

    def stop(self) -> None:
        self._child.stop()


@contextmanager
def queue_server(folder: Path) -> Iterator[QueueServer]:
    server = QueueServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
