"""One line when a failure begins, one a minute while it lasts, one when it is over."""

from __future__ import annotations

import logging

import pytest
from django.db import OperationalError

from arena.common.outage import Outage


def test_a_failure_that_lasts_fills_no_log(caplog: pytest.LogCaptureFixture) -> None:
    now = [100.0]
    outage = Outage(logging.getLogger("test"), "the look", lambda: now[0])
    for _ in range(130):
        outage.record_failure(OperationalError("connection\nrefused"))
        now[0] += 1
    assert outage.record_success()
    assert not outage.record_success()
    lines = [record.getMessage() for record in caplog.records]
    assert lines == [
        "the look fails (1 times in 0 s): OperationalError: connection refused",
        "the look fails (61 times in 60 s): OperationalError: connection refused",
        "the look fails (121 times in 120 s): OperationalError: connection refused",
        "the look works again after 130 s and 130 failures",
    ]
    assert not any(record.exc_info for record in caplog.records)


def test_what_did_not_fail_for_a_minute_has_worked(caplog: pytest.LogCaptureFixture) -> None:
    now = [100.0]
    outage = Outage(logging.getLogger("test"), "the look", lambda: now[0])
    outage.record_failure(OperationalError("a"))
    now[0] += 4000
    outage.record_failure(ValueError("b"))
    assert caplog.records[1].getMessage() == "the look fails (1 times in 0 s): ValueError: b"
    # A mistake of ours: the traceback helps.
    assert caplog.records[1].exc_info
