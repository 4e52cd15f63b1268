"""Playing a finished table again."""

from __future__ import annotations

from arena.accounts.models import User
from arena.matches.models import Table


def table_rerun(table: Table, actor: User, reason: str) -> None:
    """Have a finished table played again from the start; its results go, the audit keeps the record's hash.

    Raises:
        Forbidden: neither the organiser nor staff.
        Conflict: ``wrong_state``, ``later_rounds_drawn`` naming adjudication as the way, ``adjudicated``,
            ``entry_left``.
        Invalid: no reason.
    """
    raise NotImplementedError
