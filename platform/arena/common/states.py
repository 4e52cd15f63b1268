"""State changes that are safe against concurrent workers: a conditional UPDATE whose row count is checked.

PostgreSQL evaluates the condition again after waiting, but only the part in the UPDATE itself. If a condition
joins another table, Django moves all into a subquery: use ``still_matching`` then.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db import models
from django.db.models import Count, Q, QuerySet

from arena.common.errors import Conflict

Row = TypeVar("Row", bound=models.Model)


def state_change(row: models.Model, field: str, from_: str | Iterable[str], to: str, **changes: Any) -> bool:
    """Change the state of a row, with other changes; False if it is not one of ``from_``. One query."""
    sources = [from_] if isinstance(from_, str) else list(from_)
    changed = (
        type(row)
        ._default_manager.filter(pk=row.pk, **{f"{field}__in": sources})
        .update(**{field: to}, **changes)
    )
    if changed:
        setattr(row, field, to)
        for name, value in changes.items():
            if not hasattr(value, "resolve_expression"):
                setattr(row, name, value)
    return bool(changed)


def still_matching(rows: QuerySet[Row], *conditions: Q, **state: Any) -> QuerySet[Row]:
    """Return these rows for an UPDATE that evaluates the named conditions again after a lock."""
    return rows.model._default_manager.filter(*conditions, pk__in=rows.order_by().values("pk"), **state)


def counts_by_state(model: type[models.Model]) -> dict[str, int]:
    """Return the number of rows by state, without zeros. One query."""
    return dict(model._default_manager.order_by().values_list("state").annotate(count=Count("pk")))


def state_change_or_conflict(
    row: models.Model, from_: str | Iterable[str], to: str, *, verb: str, **changes: Any
) -> None:
    """Call ``state_change`` on the field ``state``, or raise Conflict (``wrong_state``) with the states."""
    sources = [from_] if isinstance(from_, str) else list(from_)
    if not state_change(row, "state", sources, to, **changes):
        row.refresh_from_db()
        raise wrong_state(row, verb, sources)


def states_in_order(row: models.Model, states: Iterable[str]) -> list[str]:
    """Return these states in the order of the field's choices."""
    names = {str(state) for state in states}
    field: Any = row._meta.get_field("state")
    life = [str(state) for state, _ in field.choices or ()]
    return [state for state in life if state in names]


def wrong_state(row: Any, verb: str, allowed: Iterable[str]) -> Conflict:
    names = states_in_order(row, allowed)
    kind = row._meta.verbose_name
    which = " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    return Conflict(
        f"Cannot {verb} this {kind}: it is {row.state}, and must be {which}.",
        "wrong_state",
        state=row.state,
        allowed_states=names,
    )
