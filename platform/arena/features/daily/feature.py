"""Feature descriptor of the daily deal."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from django.utils import timezone

from arena.accounts.models import User
from arena.common.features import AccountDeletion, Feature, HealthResult
from arena.common.plain_rows import plain_row
from arena.features.daily.attempts import attempts_forget
from arena.features.daily.days import OVERTIME_S, PRESETS, STRENGTH, days_advance
from arena.features.daily.models import DailyAttempt, DailyDeal
from arena.features.play.offers import house_versions, preset_chosen

CLOSE_GRACE_S = 600


def _own_data(user: User) -> dict[str, Any]:
    rows = DailyAttempt.objects.filter(owner=user).select_related("deal", "table").order_by("id")
    return {"daily_attempts": [_attempt_data(row) for row in rows]}


def _attempt_data(row: DailyAttempt) -> dict[str, Any]:
    return {
        "day": row.deal.day.isoformat(),
        **plain_row(row, "state stones points started_at ended_at"),
        "table": row.table.public_id if row.table is not None else None,
    }


def _delete_account(closing: AccountDeletion) -> tuple[()]:
    attempts_forget(closing.user)
    return ()


def _health(is_supervised: bool) -> Iterator[HealthResult]:
    part, now = "daily", timezone.now()
    overdue = now - datetime.timedelta(days=1, seconds=OVERTIME_S + CLOSE_GRACE_S)
    days = set(DailyDeal.objects.filter(day__gte=now.date()).values_list("day", flat=True))
    unclosed = DailyDeal.objects.filter(closed_at=None, day__lte=overdue.date()).count()
    if unclosed:
        yield HealthResult(
            part,
            False,
            f"{unclosed} ended days are not closed",
            "Is the tick running? See the line of the tick.",
        )
    game, _ = preset_chosen(PRESETS[now.weekday()], None)
    if now.date() in days:
        yield HealthResult(part, True, "today's deal is open")
    elif STRENGTH in house_versions(game.key):
        yield HealthResult(part, not is_supervised, "no deal today", "The tick creates it: is it running?")
    else:
        yield HealthResult(part, True, "no deal today: the house bots are not ready")


DAILY = Feature(
    name="daily",
    urls="arena.features.daily.urls",
    api_urls="arena.features.daily.api_urls",
    tick=[days_advance],
    own_data=_own_data,
    delete_account=_delete_account,
    health=_health,
)
