"""How many places of the workers one account's own work may hold: challenges, experiments, checks of bots.

A bot may use up its whole clock without playing, and play is not interrupted for others. So an account's
own work holds half of the places at most, however long the others stay free: whoever comes next finds one.
Tournaments are not own work; ``matches.dispatch`` shares the workers among them.
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
    """Places that one account's own work may hold, of workers that play so many tables at once.

    >>> own_work_limit([2]), own_work_limit([1]), own_work_limit([4, 3]), own_work_limit([])
    (1, 1, 3, 1)
    """
    return max(1, sum(capacities) // 2)


def checks_by_owner(*states: str) -> Counter[int]:
    """Checks in these states by the account that owns the bot; those that cannot begin now are left out.

    One query.
    """
    able = retry_is_due(timezone.now())
    rows = CheckRun.objects.order_by().filter(able, state__in=states, waiting_for="")
    return Counter(rows.values_list("version__bot__owner__user", flat=True))


def own_work_running(user_pk: int) -> int:
    """Places that an account's own work holds now. Two queries."""
    tables = Table.objects.filter(
        state=Table.State.LEASED,
        tournament__kind__in=Tournament.OWN_WORK,
        tournament__organiser=user_pk,
    )
    checks = CheckRun.objects.filter(state=CheckRun.State.RUNNING, version__bot__owner__user=user_pk)
    return tables.count() + checks.count()


def own_work_admitted(user_pk: int) -> bool:
    """Whether one more place may be taken for an account's own work.

    Inside a transaction, which is to take the place: until it ends, others that ask for the same account
    wait. Four queries.
    """
    assert transaction.get_connection().in_atomic_block
    User.objects.select_for_update().only("pk").get(pk=user_pk)
    capacities = workers_alive().exclude(runtimes={}).values_list("capacity", flat=True)
    return own_work_running(user_pk) < own_work_limit(capacities)


def table_admitted(table_id: int) -> bool:
    """Whether a table may be begun as far as shares go: one query for a tournament's, five for own work's.

    One of own work that may not is due again, and offered once its owner has a place. Inside a transaction.
    """
    own_work = Table.objects.filter(pk=table_id, tournament__kind__in=Tournament.OWN_WORK)
    owner = own_work.values_list("tournament__organiser", flat=True).first()
    if owner is None or own_work_admitted(owner):
        return True
    Table.objects.filter(pk=table_id, state=Table.State.WAITING).update(published_at=None)
    return False
