"""Share of worker places that one account's own work may hold: challenges, experiments, checks of bots.

At most half of the places, even while the others are free, since a table in play is never interrupted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from arena.accounts.models import User
from arena.common.backoff import retry_is_due
from arena.competition.models import Tournament
from arena.matches.models import Table
from arena.matches.workers import workers_alive
from arena.roster.models import CheckRun


def own_work_limit(capacities: Iterable[int]) -> int:
    """Return the maximum places of one account's own work, given the capacities of the workers.

    >>> own_work_limit([2]), own_work_limit([1]), own_work_limit([4, 3]), own_work_limit([])
    (1, 1, 3, 1)
    """
    return max(1, sum(capacities) // 2)


def checks_by_owner(*states: str) -> Counter[int]:
    """Count checks in these states by account, without those that cannot begin now. One query."""
    able = retry_is_due(timezone.now())
    rows = CheckRun.objects.order_by().filter(able, state__in=states, waiting_for="")
    return Counter(rows.values_list("version__bot__owner__user", flat=True))


def own_work_running(user_pk: int) -> int:
    tables = Table.objects.filter(
        state=Table.State.LEASED,
        tournament__kind__in=Tournament.OWN_WORK,
        tournament__organiser=user_pk,
    )
    checks = CheckRun.objects.filter(state=CheckRun.State.RUNNING, version__bot__owner__user=user_pk)
    return tables.count() + checks.count()


def own_work_admitted(user_pk: int) -> bool:
    """Return whether the account's own work may take another place, in the transaction that takes it.

    Other calls for the same account wait until it ends. Four queries.
    """
    assert transaction.get_connection().in_atomic_block
    User.objects.select_for_update().only("pk").get(pk=user_pk)
    capacities = workers_alive().exclude(runtimes={}).values_list("capacity", flat=True)
    return own_work_running(user_pk) < own_work_limit(capacities)


def table_admitted(table_id: int, kind: str, organiser: int) -> bool:
    """Return whether the account's share allows the table to begin; a refused table becomes due again.

    ``kind`` and ``organiser``: columns of its tournament. Call it inside a transaction. No query for a
    tournament's table, five for own work.
    """
    if kind not in Tournament.OWN_WORK or own_work_admitted(organiser):
        return True
    Table.objects.filter(pk=table_id, state=Table.State.WAITING).update(published_at=None)
    return False
