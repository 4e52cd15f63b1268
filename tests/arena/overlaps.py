"""Two transactions that overlap: the second has to wait for what the first has changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import connection, transaction

PATIENCE_S = 60.0
"""A guard against hanging, not a measure."""
IS_WAITED_FOR = """
    SELECT EXISTS (
        SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
    )
"""
First = TypeVar("First")
Second = TypeVar("Second")


def overlapping(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second | Exception]:
    """What each gave: ``second`` begins in the middle of the transaction of ``first``, which then commits.

    An error of ``second`` is given back, not raised. On SQLite, where one transaction at a time may write,
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


def _await_wait(other: threading.Thread) -> None:
    """Until the other one waits for this transaction, or has ended without."""
    deadline = time.monotonic() + PATIENCE_S
    while connection.vendor == "postgresql" and other.is_alive():
        with connection.cursor() as cursor:
            cursor.execute(IS_WAITED_FOR)
            if cursor.fetchone()[0]:
                return
        assert time.monotonic() < deadline
        time.sleep(0.01)
