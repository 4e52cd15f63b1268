"""Health checks of what the site does: quarantined tables, faults of the last hour, backups."""

from __future__ import annotations

from collections.abc import Iterator

import redis
from django.utils import timezone

from arena.common.features import HealthResult
from arena.common.metric_declarations import METRICS
from arena.common.metrics import SharedValues, queue_client, recent_values
from arena.matches.fixture_selectors import quarantines
from arena.operations.backup import last_backup_at

FAULT_SHARE, FAULTS_SPARE = 0.1, 3
"""Maximum failed attempts of an hour: a share of the finished ones, and a number. As in the alert rules."""
BACKUP_AGE_MAX_S = 26 * 3600.0
"""Maximum age of the last backup, as in the alert rules."""
MAX_LISTED = 3
NOT_KNOWN = "not known while the queue server does not respond"


def check_quarantine(part: str) -> Iterator[HealthResult]:
    """Check that no table waits for its organiser's decision."""
    rows = quarantines()
    if not rows:
        yield HealthResult(part, True, "no table is quarantined")
        return
    tables = sum(row.tables for row in rows)
    names = [f"{row.tournament} ({row.public_id})" for row in rows[:MAX_LISTED]]
    more = f" and {len(rows) - MAX_LISTED} more" if len(rows) > MAX_LISTED else ""
    yield HealthResult(
        part,
        False,
        f"{tables} quarantined: {', '.join(names)}{more}",
        "Repair the cause, then retry the tables on the tournament's page, or with rensho tournaments "
        "retry-tables.",
    )


def check_recent(part: str) -> Iterator[HealthResult]:
    """Check the attempts and the ticks of the last hour, as counted on the queue server."""
    try:
        with queue_client() as client:
            values = recent_values(client)
    except redis.RedisError:
        yield HealthResult(part, True, NOT_KNOWN)
        return
    outcomes = recent_by(values, "table_attempts", 0)
    faults = recent_by(values, "platform_faults")
    failed, finished = outcomes.get("failed", 0) + outcomes.get("lost", 0), outcomes.get("finished", 0)
    causes = ", ".join(f"{number} {cause}" for cause, number in faults.items()) or "none"
    yield HealthResult.with_remedy(
        part,
        failed <= FAULT_SHARE * finished + FAULTS_SPARE,
        f"in the last hour: {causes}; {finished} tables finished",
        "The causes name the part to repair; the workers' logs have the reasons.",
    )
    chores = recent_by(values, "tick_failures")
    if chores:
        detail = ", ".join(f"{chore} ({number} times)" for chore, number in chores.items())
        yield HealthResult(
            "tick parts",
            False,
            f"failed in the last hour: {detail}",
            "Read the log of the housekeeping process: it has the tracebacks.",
        )


def recent_by(values: SharedValues, name: str, label: int = -1) -> dict[str, int]:
    """Return a counter's sums of the last hour by one label, without zeros, largest first."""
    sums: dict[str, int] = {}
    for labels, parts in values.series_of(METRICS[name]):
        sums[labels[label]] = sums.get(labels[label], 0) + round(parts.get("", 0))
    ranked = sorted(sums.items(), key=lambda item: (-item[1], item[0]))
    return {label_value: number for label_value, number in ranked if number}


def check_backup(part: str) -> Iterator[HealthResult]:
    """Check the age of the last complete backup; before the first one this is not required."""
    completed_at = last_backup_at()
    if completed_at is None:
        yield HealthResult(part, True, "none yet", "Make backups every day (deploy/README.md).")
        return
    age = timezone.now() - completed_at
    yield HealthResult.with_remedy(
        part,
        age.total_seconds() <= BACKUP_AGE_MAX_S,
        f"the last one is of {completed_at:%Y-%m-%d %H:%M} UTC",
        "Read the log of the backup job, and make a backup by hand (deploy/README.md).",
    )
