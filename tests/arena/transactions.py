"""Transactions side by side: actions done in connections of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection, transaction

PATIENCE_S = 60.0
"""A guard against hanging, not a measure."""


@contextmanager
def in_thread(work: Callable[[], object]) -> Iterator[threading.Thread]:
    """Something done in a connection of its own, at its end by the end of the block."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield thread
    finally:
        thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert not failures, failures


@contextmanager
def held(action: Callable[[], object], *, is_kept: bool = True) -> Iterator[Callable[[], None]]:
    """An action done in a transaction that another connection keeps open, until what this gives is called."""
    done, end = threading.Event(), threading.Event()

    def run() -> None:
        with transaction.atomic():
            action()
            done.set()
            assert end.wait(PATIENCE_S)
            if not is_kept:
                transaction.set_rollback(True)

    with in_thread(run) as thread:

        def release() -> None:
            end.set()
            thread.join(PATIENCE_S)

        try:
            assert done.wait(PATIENCE_S)
            yield release
        finally:
            end.set()
