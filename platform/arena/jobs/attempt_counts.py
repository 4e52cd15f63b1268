"""Counts of a worker's attempts to play tables. Released tables are counted by ``matches.failures``."""

from __future__ import annotations

from collections import Counter

from arena.common.metrics import count, observe
from referee.contract import FaultCause, TableOrder, TableReport, Verdict

KILLS = {
    Verdict.OUT_OF_TIME: "time",
    Verdict.OVER_MEMORY: "memory",
    Verdict.OVER_OUTPUT: "output",
    Verdict.SANDBOX_VIOLATION: "violation",
}
"""Reasons of ``rensho_sandbox_kills_total`` by verdict."""


def sandboxes_count(order: TableOrder, report: TableReport) -> None:
    """Count the bots that were started for a table, and those that were killed."""
    for runtime, bots in Counter(seat.runtime for seat in order.seats).items():
        count("sandbox_starts", bots, runtime=runtime)
    if report.platform_cause is FaultCause.KILLED:
        count("sandbox_kills", reason="outside")
    elif report.platform_fault is None:
        for seat in report.seats:
            if reason := KILLS.get(seat.verdict):
                count("sandbox_kills", reason=reason)


def finished_attempt_count(report: TableReport, seconds: float) -> None:
    """Count an accepted report; ``seconds`` since the claim."""
    count("table_attempts", outcome="finished", cause="")
    observe("play_seconds", seconds)
    for verdict, seats in Counter(seat.verdict for seat in report.seats).items():
        if verdict is not Verdict.OK:
            count("verdicts", seats, verdict=verdict)


def stale_attempt_count() -> None:
    """Count an attempt whose lease was lost, and which its worker ended later."""
    count("table_attempts", outcome="stale", cause="")
