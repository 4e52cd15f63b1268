"""Log lines of a failure that lasts: one when it begins, one a minute meanwhile, one when it is over.

What did not fail for a minute has worked: it need not be told so.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

LOG_INTERVAL_S = 60.0


class Outage:
    """One thing that may fail over and over, such as ``the database``. Safe to use from several threads."""

    def __init__(self, log: logging.Logger, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._what = what
        self._clock = clock
        self._lock = threading.Lock()
        self._began_at: float | None = None
        self._failed_at = self._logged_at = 0.0
        self._failures = 0

    def record_failure(self, error: BaseException) -> None:
        """It failed (again). An unforeseen error is logged with its traceback."""
        from_django = type(error).__module__.startswith("django.db")
        with self._lock:
            now = self._clock()
            if self._began_at is None or now - self._failed_at > LOG_INTERVAL_S:
                self._began_at, self._failures, self._logged_at = now, 0, now - LOG_INTERVAL_S
            self._failed_at = now
            self._failures += 1
            if now - self._logged_at < LOG_INTERVAL_S:
                return
            self._logged_at = now
            lasted_s = now - self._began_at
            failures = self._failures
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        self._log.warning(
            "%s fails (%d times in %.0f s): %s",
            self._what,
            failures,
            lasted_s,
            reason,
            exc_info=None if from_django else error,
        )

    def record_success(self) -> bool:
        """It worked; whether that ends an outage."""
        if self._began_at is None:
            return False
        with self._lock:
            if self._began_at is None:
                return False
            lasted_s, failures = self._clock() - self._began_at, self._failures
            self._began_at = None
        self._log.warning("%s works again after %.0f s and %d failures", self._what, lasted_s, failures)
        return True
