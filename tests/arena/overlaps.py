"""Transactions that overlap: one has to wait for what another has changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import connection, transaction
from django.db.models import Model

PATIENCE_S = 60.0
"""A guard against hanging, not a measure."""
WAITING = """
    WITH RECURSIVE behind AS (
        SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
        UNION
        SELECT lock.pid FROM pg_locks lock
        JOIN behind ON NOT lock.granted AND behind.pid = ANY (pg_blocking_pids(lock.pid))
    ) SELECT count(*) FROM behind
"""
First = TypeVar("First")
Second = TypeVar("Second")


def overlapping(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second | Exception]:
    """What each gave: ``second`` begins in the middle of the transaction of ``first``, which then commits.

    An error of ``second`` is returned, not raised. On SQLite, where one transaction at a time may write,
    ``second`` waits before it has read anything.
    """
    given: list[Second | Exception] = []

    def run() -> None:
        try:
            given.append(second())
        except Exception as error:  # whatever it is, the test looks at it
            given.append(error)
        finally:
            connection.close()

    other = threading.Thread(target=run, daemon=True)
    with transaction.atomic():
        done = first()
        other.start()
        _await_wait(other)
    other.join(PATIENCE_S)
    assert given, "the second is still waiting"
    return done, given[0]


def queued(held: Model, *calls: Callable[[], object]) -> list[object]:
    """What each gave, or its error: they begin one after the other while the row of ``held`` is locked.

    Those that want the row get it in this order, having done by then what they do before. Of PostgreSQL.
    """
    given: list[object] = [None] * len(calls)

    def run(number: int, call: Callable[[], object]) -> None:
        try:
            given[number] = call()
        except Exception as error:  # whatever it is, the test looks at it
            given[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each, daemon=True) for each in enumerate(calls)]
    with transaction.atomic():
        type(held)._default_manager.select_for_update().get(pk=held.pk)
        for number, thread in enumerate(threads):
            thread.start()
            _await_wait(thread, number + 1)
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    return given


def _await_wait(other: threading.Thread, waiting: int = 1) -> None:
    """Until so many wait for this transaction or each other, or the other one has ended without."""
    deadline = time.monotonic() + PATIENCE_S
    while connection.vendor == "postgresql" and other.is_alive():
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone()[0] >= waiting:
                return
        assert time.monotonic() < deadline
        time.sleep(0.01)
