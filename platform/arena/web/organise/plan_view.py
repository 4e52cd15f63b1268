"""Cost estimate of a tournament next to its form: numbers, CPU time, calendar."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from arena.competition.cost import CostEstimate, cost_estimate
from arena.competition.models import Tournament
from arena.competition.tournament_fields import DEFAULTS
from arena.matches.clock_use import mean_cpu_for
from arena.matches.workers import capacity_alive

UNNAMED = "–"
"""Name used for estimates of a tournament without a name."""


@dataclasses.dataclass(frozen=True)
class CalendarStep:
    at: datetime | None
    time_text: str
    text: str
    is_estimate: bool = False


def plan_view(event: Tournament | Mapping[str, Any], *, entries: int | None = None) -> dict[str, Any]:
    """Return the estimate for a tournament, or for the fields of a draft.

    Raises:
        Invalid: the draft has an impossible field.
        Conflict: code ``field_unfit``.
    """
    if not isinstance(event, Tournament):
        event = {**event, "name": event.get("name") or UNNAMED}
    plan = cost_estimate(event, entries=entries, mean_cpu_ms=mean_cpu_for(event), capacity=capacity_alive())
    cpu_s = {"expected": plan.cpu_s_expected, "most": plan.cpu_s_max, "budget": plan.budget_cpu_s}
    labels = {"expected": "expected", "most": "if every bot uses its whole clock", "budget": "your budget"}
    known = {kind: float(value) for kind, value in cpu_s.items() if value is not None}
    longest = max(known.values(), default=1) or 1
    least = duration_text(plan.cpu_s_expected if plan.cpu_s_expected is not None else plan.cpu_s_max)
    return {
        "plan": plan,
        "entries": plan.entries,
        "figures": [
            ("Rounds", "depend on results" if plan.rounds is None else f"{plan.rounds:,}"),
            ("Fixtures", f"{plan.fixtures:,}"),
            ("Tables", f"{plan.tables:,}"),
            ("Boards at tables", f"{plan.boards:,}"),
            ("Decisions", f"{plan.decisions:,}"),
        ],
        "cpu": [
            (kind, labels[kind], duration_text(known[kind]) if kind in known else "not measured yet")
            for kind in ("expected", "most", "budget")
            if kind in known or kind == "expected"
        ],
        "bar": sorted(
            ((kind, value / longest * 100) for kind, value in known.items()), key=lambda part: -part[1]
        ),
        "calendar": _calendar(
            _moment(event, "closes_at"), _moment(event, "starts_at"), _review_hours(event), plan
        ),
        "line": f"{plan.entries} entries: {plan.tables:,} tables, {least} of CPU time",
    }


def _moment(event: Tournament | Mapping[str, Any], name: str) -> datetime | None:
    value = getattr(event, name) if isinstance(event, Tournament) else event.get(name)
    return value if isinstance(value, datetime) else None


def _review_hours(event: Tournament | Mapping[str, Any]) -> int:
    if isinstance(event, Tournament):
        return event.review_hours
    return int(event.get("review_hours", DEFAULTS["review_hours"]))


def _calendar(
    closes_at: datetime | None, starts_at: datetime | None, review_hours: int, plan: CostEstimate
) -> list[CalendarStep]:
    hours = plan.hours_max if plan.hours_expected is None else plan.hours_expected
    begins = starts_at or closes_at
    ends = begins + timedelta(hours=hours) if begins and hours is not None else None
    lasting = "" if hours is None else f"about {duration_text(hours * 3600)} later"
    return [
        CalendarStep(None, "when you open it", "entry opens; the commitment to all deals is published"),
        CalendarStep(closes_at, "when you lock it", "entry closes; the field and its digest are published"),
        CalendarStep(starts_at, "when you start it", "play begins"),
        CalendarStep(
            ends, lasting or "when all tables are played", _provisional_text(review_hours), is_estimate=True
        ),
        CalendarStep(
            ends + timedelta(hours=review_hours) if ends and review_hours else None,
            "after the audit",
            "final; the secret is revealed",
            is_estimate=True,
        ),
    ]


def _provisional_text(review_hours: int) -> str:
    if not review_hours:
        return "provisional, then the audit"
    hours = "1 hour" if review_hours == 1 else f"{review_hours} hours"
    return f"provisional for {hours}, when rulings are possible; audits before and after"


def duration_text(seconds: float) -> str:
    """Format a duration in one suitable unit.

    >>> [duration_text(seconds) for seconds in (0.2, 45, 4140, 90000, 900000)]
    ['under 1 s', '45 s', '69 min', '25 h', '10 days']
    """
    if seconds < 1:
        return "under 1 s"
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "min"), (48 * 3600, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"
