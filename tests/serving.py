"""A web server and its queue as processes of their own, for tests that talk to a real one."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from arena.operations.broker import broker_argv, broker_binary_find, broker_wait

START_S = 120.0


class Server(NamedTuple):
    """A running server."""

    port: int
    process: subprocess.Popen[bytes]


@contextlib.contextmanager
def server_running(
    argv: Callable[[int], list[str]], env: Mapping[str, str], data: Path, log: Path, cwd: Path | None = None
) -> Iterator[Server]:
    """A server on a free port, with a queue in the folder ``data``; both end with the context.

    ``argv`` gives its command for a port; ``env`` names the queue as ``REDIS_URL``.

    Raises:
        RuntimeError: it does not start; with the end of its log.
    """
    queue = subprocess.Popen(
        broker_argv(broker_binary_find(), data), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process: subprocess.Popen[bytes] | None = None
    try:
        broker_wait(env["REDIS_URL"], START_S)
        with log.open("wb") as words:
            process = subprocess.Popen(argv(port), env=env, cwd=cwd, stdout=words, stderr=subprocess.STDOUT)
        _await(port, process, log)
        yield Server(port, process)
    finally:
        for child in (process, queue):
            if child is not None:
                child.terminate()
                try:
                    child.wait(10)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended:\n{log.read_text(errors='replace')[-2000:]}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise RuntimeError("the server does not listen")
