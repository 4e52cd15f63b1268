"""Lists in an order that is computed outside of the database: keys of all rows, then one page of rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import Max, Model, QuerySet

from arena.accounts.models import User
from arena.accounts.selectors import Viewer, is_staff
from arena.common.process_cache import CacheKey, process_cache
from arena.roster.models import Bot
from arena.roster.selectors import bots_visible_to

Row = TypeVar("Row", bound=Model)
MAX_AGE_S = 60.0
"""Maximum age of a cached order: of names, and of two bots of which one became private and one public."""
MAX_SORTED_NAMES = 10_000


def bots_listed(viewer: Viewer, game: str = "", *, by_name: bool = False) -> QuerySet[Bot]:
    """Return the visible bots, newest first or by name, with owner and active version."""
    bots = bots_visible_to(viewer).order_by(*(("name_key", "id") if by_name else ("-id",)))
    return bots.filter(game=game) if game else bots


def bots_revision() -> tuple[int, int | None]:
    """Return values that change when a bot is added, and when one becomes private or public. Two queries."""
    private = Bot.objects.filter(visibility=Bot.Visibility.PRIVATE).count()
    return private, Bot.objects.aggregate(last=Max("pk"))["last"]


def sees_only_public_bots(viewer: Viewer) -> bool:
    """Whether the viewer sees the same bots as visitors without an account. At most one query."""
    if not isinstance(viewer, User):
        return True
    own = Bot.objects.filter(owner__user=viewer, visibility=Bot.Visibility.PRIVATE)
    return not is_staff(viewer) and not own.exists()


def cached_keys(
    kind: Hashable, revision: Hashable, audience: Hashable, build: Callable[[], Collection[int]]
) -> Sequence[int]:
    """Return primary keys in order, from a cache of ``MAX_AGE_S`` seconds. Rows are filtered when read."""
    return process_cache.get_or_build(
        CacheKey(("keys", kind), revision, audience),
        lambda: tuple(build()),
        max_age_s=MAX_AGE_S,
        size_of=lambda keys: 40 * len(keys),
    )


def primary_keys(rows: QuerySet[Any]) -> list[int]:
    """Return the primary keys of all rows, in their order. One query."""
    return list(rows.values_list("pk", flat=True))


def keys_by_name(rows: QuerySet[Any], field: str) -> list[int]:
    """Return the primary keys of all rows by name, numbers in names by value (``bot 9`` before ``bot 10``).

    More than 10,000 rows keep their own order. One query.
    """
    named = list(rows.values_list("pk", field))
    if len(named) <= MAX_SORTED_NAMES:
        named.sort(key=lambda row: natural_key(row[1]))
    return [key for key, _name in named]


def natural_key(name: str) -> list[tuple[bool, int, str]]:
    """Return a sort key that compares numbers within a name by value.

    >>> sorted(["bot 10", "Bot 9", "bot"], key=natural_key)
    ['bot', 'Bot 9', 'bot 10']
    """
    parts = re.split(r"([0-9]{1,18})", name.casefold())
    return [(False, int(part), "") if number % 2 else (True, 0, part) for number, part in enumerate(parts)]


def keys_by_value(keys: Sequence[int], values: Mapping[int, float]) -> list[int]:
    """Order keys by value, highest first; those without a value follow in the given order."""
    known = sorted((key for key in keys if key in values), key=lambda key: -values[key])
    return known + [key for key in keys if key not in values]


def rows_in_order(rows: QuerySet[Row], keys: Sequence[int]) -> list[Row]:
    """Return the rows with these primary keys, in the order of the keys. One query, none without keys."""
    by_key = rows.order_by().in_bulk(list(keys)) if keys else {}
    return [by_key[key] for key in keys if key in by_key]
