"""Worker processes: orders out, messages in. A worker exits with its parent process."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

from bots.kit.errors import EnvironmentFailure

END_TIMEOUT_S = 5.0
"""Maximum seconds for a worker to stop before it is killed."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class Done(NamedTuple, Generic[Result]):
    result: Result


class Again(NamedTuple):
    order: Any
    """Order that the worker gets for the same task."""


OnMessage = Callable[[Task, Any], Done[Result] | Again | None]
"""Callback with a task and a message of its worker; None while the task continues."""


def core_count() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_tasks(
    tasks: Iterable[Task],
    *,
    jobs: int,
    main: Callable[..., None],
    arguments: tuple[Any, ...],
    order_of: Callable[[Task], Any],
    on_message: OnMessage[Task, Result],
) -> Generator[Result, None, None]:
    """Run tasks on ``jobs`` processes and yield the result of each when it ends, in no fixed order.

    A worker calls ``main(connection, *arguments)``, receives orders, and ends at the order None. Tasks are
    taken as workers become free. Closing the generator stops all workers: SIGTERM for those with a task.
    Raise ``EnvironmentFailure`` if a worker died.
    """
    workers: dict[Connection, _Worker[Task]] = {}
    waiting = iter(tasks)
    try:
        while True:
            while len(workers) < jobs and (task := next(waiting, None)) is not None:
                worker: _Worker[Task] = _Worker(main, arguments)
                workers[worker.connection] = worker
                worker.assign(task, order_of(task))
            busy = [connection for connection, worker in workers.items() if worker.task is not None]
            if not busy:
                return
            heard = wait(busy)
            for worker in [workers[connection] for connection in busy if connection in heard]:
                task = worker.task
                assert task is not None, "only busy workers were waited for"
                reply = on_message(task, worker.receive())
                if isinstance(reply, Again):
                    worker.assign(task, reply.order)
                elif reply is not None:
                    worker.task = None
                    yield reply.result
                    if (task := next(waiting, None)) is not None:
                        worker.assign(task, order_of(task))
    finally:
        for worker in workers.values():
            worker.request_stop()
        for worker in workers.values():
            worker.join()


class _Worker(Generic[Task]):
    def __init__(self, main: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        # A fresh interpreter: forking one that has threads, as a progress bar does, may hang.
        context = multiprocessing.get_context("spawn")
        self.connection, child_connection = context.Pipe()
        self._process = context.Process(target=main, args=(child_connection, *arguments), daemon=True)
        with _sigint_ignored(), _plain_main():
            self._process.start()
        child_connection.close()
        self.task: Task | None = None

    def assign(self, task: Task, order: Any) -> None:
        self.task = task
        with contextlib.suppress(OSError):  # a dead worker is noticed by receive
            self.connection.send(order)

    def receive(self) -> Any:
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self._process.join(END_TIMEOUT_S)
            raise EnvironmentFailure(
                f"a worker process ended unexpectedly (exit code {self._process.exitcode}); if "
                "memory is short, use --jobs 1"
            ) from None

    def request_stop(self) -> None:
        if self.task is None:
            with contextlib.suppress(OSError):
                self.connection.send(None)
        else:
            self._process.terminate()

    def join(self) -> None:
        self._process.join(END_TIMEOUT_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self.connection.close()


@contextlib.contextmanager
def _plain_main() -> Iterator[None]:
    """Start child processes that do not import the main program, which may be a script without a main guard.

    Workers need only modules of the kit.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextlib.contextmanager
def _sigint_ignored() -> Iterator[None]:
    """Start child processes that ignore Ctrl-C; their parent stops them."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # only the first thread may
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
