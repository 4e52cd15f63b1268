"""Numbers of rows by state, at a cost that does not grow with the number of ended rows.

Rows in final states are counted by the tick, which spends at most a thousandth of its time on it. Rows in
other states are counted at each call. Ended fixtures of open board sets are counted separately, since their
states are sealed.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db import models
from django.db.models import Count, Q
from django.utils import timezone

from arena.competition.models import Tournament
from arena.matches.fixture_selectors import ENDED_STATE, ended_while_sealed
from arena.matches.models import BoardSet, Fixture, Table, TickState
from arena.roster.models import BotVersion, CheckRun

MIN_INTERVAL_S = 60.0
COST_SHARE = 1000
"""The rows are counted again after this many times the seconds that it took."""


class Counted(NamedTuple):
    """A kind of rows whose states are counted."""

    model: type[models.Model]
    final: tuple[str, ...]
    """States in which rows accumulate, from which they rarely return."""
    visible: Q = Q()
    """Rows in final states whose state is public."""

    @property
    def states(self) -> list[str]:
        field: Any = self.model._meta.get_field("state")
        return [str(state) for state, _ in field.choices or ()]


KINDS: Mapping[str, Counted] = {
    "tournaments": Counted(Tournament, (Tournament.State.FINAL, Tournament.State.CANCELLED)),
    "fixtures": Counted(Fixture, Fixture.DONE, Q(board_set__state=BoardSet.State.CLOSED)),
    "tables": Counted(Table, (Table.State.FINISHED, Table.State.VOID)),
    "versions": Counted(
        BotVersion, (BotVersion.State.READY, BotVersion.State.REJECTED, BotVersion.State.RETIRED)
    ),
    "checks": Counted(CheckRun, (CheckRun.State.DONE, CheckRun.State.FAILED)),
}


class RowCounts(NamedTuple):
    by_kind: Mapping[str, Mapping[str, int]]
    """Numbers by kind and state, with zeros."""
    age_s: float | None
    """Seconds since the rows in final states were counted; None before the first count."""


def row_counts() -> RowCounts:
    """Return the numbers of rows by kind and state. Seven queries."""
    stored = TickState.objects.filter(pk=1).values_list("ended_counts", "ended_counted_at").first()
    ended, counted_at = stored or ({}, None)
    by_kind = {}
    for kind, counted in KINDS.items():
        live = [state for state in counted.states if state not in counted.final]
        counts = ended.get(kind, {}) | _counts(counted.model, Q(state__in=live))
        by_kind[kind] = {state: counts.get(state, 0) for state in counted.states}
    by_kind["fixtures"][ENDED_STATE] = sum(ended_while_sealed().values())
    age_s = None if counted_at is None else max(0.0, (timezone.now() - counted_at).total_seconds())
    return RowCounts(by_kind, age_s)


def ended_rows_count() -> bool:
    """Count the rows in final states again if it is due; return whether it was. One query if not."""
    last = TickState.objects.filter(pk=1).values_list("ended_counted_at", "ended_count_s").first()
    counted_at, took_s = last or (None, 0.0)
    if counted_at is not None and not _is_due(counted_at, took_s):
        return False
    started = time.monotonic()
    counts = {
        kind: _counts(counted.model, Q(state__in=counted.final) & counted.visible)
        for kind, counted in KINDS.items()
        if counted.final
    }
    TickState.objects.update_or_create(
        pk=1,
        defaults={
            "ended_counts": counts,
            "ended_counted_at": timezone.now(),
            "ended_count_s": time.monotonic() - started,
        },
    )
    return True


def tick_ended_at() -> datetime.datetime | None:
    """Return when the last tick ended. One query."""
    return TickState.objects.filter(pk=1).values_list("ended_at", flat=True).first()


def _is_due(counted_at: datetime.datetime, took_s: float) -> bool:
    interval_s = max(MIN_INTERVAL_S, COST_SHARE * took_s)
    return timezone.now() - counted_at >= datetime.timedelta(seconds=interval_s)


def _counts(model: type[models.Model], rows: Q) -> dict[str, int]:
    by_state = model._default_manager.filter(rows).order_by().values_list("state")
    return dict(by_state.annotate(count=Count("pk")))
