"""Roles, and what each of them gets: the words of the matrix."""

from __future__ import annotations

from typing import Any

Row = tuple[str, str, dict[str, Any], tuple[int, ...]]
"""Method and name, path, body, and the status for each role."""
ROLES = ("nobody", "newcomer", "chie", "aya", "ben", "odo", "rin", "sota")
"""Anonymous; an account without a bot; a stranger with one; the bot's owner; her partner; the event's
organiser; another organiser; staff."""


def for_all(status: int) -> tuple[int, ...]:
    """The same for everybody."""
    return (status,) * len(ROLES)


def by(nobody: int, others: int, **special: int) -> tuple[int, ...]:
    """What nobody gets, what any account gets, and who gets something else."""
    return tuple(nobody if role == "nobody" else special.get(role, others) for role in ROLES)


ALL = for_all(200)
USERS = by(401, 200)
OWNER = by(401, 403, aya=200, sota=200)
ORGANISER = by(401, 403, odo=200, sota=200)
TOO_EARLY = by(401, 403, odo=409, sota=409)
"""A verb whose role is right but whose state is not."""
HIDDEN = by(404, 404, odo=200, sota=200)
"""A draft."""
SEALED = by(423, 423, sota=200)
