"""One offer for a batch of finished tables: the number of tables until the next one, in the shared cache.

Without the cache, an offer is due after each table. The tick offers every ten seconds in any case.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.core.cache import cache

KEY = "turns:until-offer"
TTL_S = 60
NOTHING_DUE = 1 << 30


def offer_is_due() -> bool:
    """Count a finished table; return whether enough have finished since the last offer for another one."""
    try:
        return cache.decr(KEY) <= 0
    except ValueError:
        return True


def offer_request() -> None:
    """Make the next finished table cause an offer, because a table became due."""
    cache.delete(KEY)


def next_offer_set(waiting: Iterable[int] | None, *, is_urgent: bool) -> None:
    """Set after how many finished tables the next offer is due, so that no queue is empty until then.

    ``waiting`` has the number of messages in each queue; None if no other table is due. If it ``is_urgent``,
    the next finished table causes an offer.
    """
    if is_urgent:
        tables = 1
    elif waiting is None:
        tables = NOTHING_DUE
    else:
        tables = max(1, min(waiting, default=0) // 2)
    cache.set(KEY, tables, TTL_S)
