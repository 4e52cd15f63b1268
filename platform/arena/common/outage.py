"""Rate-limited logging of repeated failures: at the beginning, once a minute, and on recovery."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

LOG_INTERVAL_S = 60.0
"""Minimum seconds between two log messages about an outage."""


class Outage:
    """Failures of one dependency, such as ``the database``. Thread-safe."""

    def __init__(
        self, log: logging.Logger, subject: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log = log
        self._what = subject
        self._clock = clock
        self._lock = threading.Lock()
        self._began_at: float | None = None
        self._failed_at = self._logged_at = 0.0
        self._failures = 0
        self.failures = 0
        """Failures since the start."""

    def record_failure(self, error: BaseException) -> None:
        """Record a failure, and log it if due. Other errors than the clients' are logged with a traceback."""
        is_expected = type(error).__module__.startswith(("django.db", "redis."))
        with self._lock:
            now = self._clock()
            if self._began_at is None or now - self._failed_at > LOG_INTERVAL_S:
                self._began_at, self._failures, self._logged_at = now, 0, now - LOG_INTERVAL_S
            self._failed_at = now
            self._failures += 1
            self.failures += 1
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
            exc_info=None if is_expected else error,
        )

    def record_success(self) -> bool:
        """Record a success, and log the recovery; return whether it ends an outage."""
        if self._began_at is None:
            return False
        with self._lock:
            if self._began_at is None:
                return False
            lasted_s, failures = self._clock() - self._began_at, self._failures
            self._began_at = None
        self._log.warning("%s works again after %.0f s and %d failures", self._what, lasted_s, failures)
        return True
