"""Hints and take-backs, which only practice tables have."""

from __future__ import annotations

from django.db.models import F
from django.utils import timezone

from arena.common.errors import Conflict, Forbidden
from arena.common.features import SeatQuestion
from arena.features.play.limits import require_quota
from arena.features.play.models import CasualTable
from arena.features.play.position import SeatedTable, SeatPosition, last_decision, seat_position
from arena.features.play.services import not_your_turn, resume_columns
from arena.tables.live.wakeups import PAGES_CHANNEL, SERVICE_CHANNEL, wake


def hint_question(table: CasualTable, n: int) -> SeatQuestion:
    """Return the person's decision after ``n`` actions, for a hint. No query.

    Raises Forbidden (``not_practice``), Conflict (``casual_table_finished``, ``not_your_turn``, ``no_hint``).
    """
    position = _own_turn(table, n)
    if not has_hint(position):
        raise Conflict("There is no hint for this decision.", "no_hint", n=n)
    return SeatQuestion(table.game, table.preset, table.ruleset, position.observation)


def has_hint(position: SeatPosition) -> bool:
    """Return whether a hint is possible: a choice of the person's, who has seen the hand."""
    return position.is_mine and len(position.legal) > 1 and bool(position.observation["hand"])


def hint_count(table: CasualTable, n: int) -> None:
    """Record a hint, once for each decision."""
    CasualTable.objects.filter(pk=table.pk, length=n).exclude(hinted_at=n).update(
        hints=F("hints") + 1, hinted_at=n, last_action_at=timezone.now()
    )


def take_back(table: CasualTable, n: int) -> None:
    """Take back the person's last decision of this deal, with all actions after it.

    The person must be to act, after ``n`` actions. The bots are started again with the history up to there.
    Raises Forbidden (``not_practice``), Conflict (``casual_table_finished``, ``not_your_turn``,
    ``nothing_to_take_back``, ``play_quota_exceeded``).
    """
    _own_turn(table, n)
    back_to = decision_to_take_back(table)
    if back_to is None:
        raise Conflict(
            "There is nothing to take back: only your last decision of this deal can be, and only once.",
            "nothing_to_take_back",
            n=n,
        )
    require_quota(table.quota_key)
    # The row is unchanged since it was read. Otherwise a second request would take back another decision.
    changed = CasualTable.objects.filter(
        pk=table.pk, state__in=CasualTable.ACTIVE, length=n, pending__isnull=True
    ).update(
        **resume_columns(table),
        actions=table.actions[:back_to],
        length=back_to,
        substituted=[[number, verdict] for number, verdict in table.substituted if number < back_to],
        taken_back=[*table.taken_back, back_to],
        hinted_at=back_to if table.hinted_at == back_to else None,
        claimed_by="",
        claimed_until=None,
        deadline_at=None,
        clock_left_ms=None,
        last_action_at=timezone.now(),
        failures=0,
    )
    if not changed:
        table.refresh_from_db()
        raise not_your_turn(table)
    wake(SERVICE_CHANNEL, table.public_id)
    wake(PAGES_CHANNEL, table.public_id)


def decision_to_take_back(table: SeatedTable) -> int | None:
    """Return the number of actions before it; None if there is none. No query.

    A decision can be taken back once, and none before the last one: after a take-back the person plays first.
    """
    last = last_decision(table)
    return last if last is not None and all(number < last for number in table.taken_back) else None


def _own_turn(table: CasualTable, n: int) -> SeatPosition:
    if not table.practice:
        raise Forbidden("Only practice tables have hints and take-backs.", "not_practice")
    if not table.is_active:
        raise Conflict("This table is over.", "casual_table_finished", state=table.state)
    position = seat_position(table)
    if not position.is_mine or position.n != n:
        raise not_your_turn(table)
    return position
