"""Whether anything a spectator may see of a tournament has changed: an opaque version, nothing more.

Pages and the API follow a tournament by it (``arena.streams``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import Count, Q, Sum

from arena.competition.models import Tournament
from arena.competition.selectors import OVER
from arena.matches.models import BoardSet, Table

TOURNAMENT = "fixture__board_set__round__stage__tournament"
PROGRESS: dict[str, Any] = {
    "boards": Sum("boards_done"),
    "attempts": Sum("attempt"),
    **{state: Count("pk", filter=Q(state=state)) for state in Table.State.values},
}
NO_PROGRESS: tuple[tuple[str, int], ...] = ()


class Change(NamedTuple):
    """Where a tournament stands: a text that differs whenever its page does, and whether that was all."""

    version: str
    """Sixteen hex digits. A hash, so that it shows only *that* something changed."""
    is_last: bool


def change_of(tournament_pk: int) -> Change | None:
    """The present version, or None if the tournament was deleted. Two queries.

    Made of the revision and the progress of the open tables: states and boards done, never a result.
    """
    return changes_of((tournament_pk,)).get(tournament_pk)


def changes_of(tournament_pks: Collection[int]) -> dict[int, Change]:
    """The present version of each of these tournaments that there is. Two queries for all of them."""
    tournaments = Tournament.objects.filter(pk__in=tournament_pks)
    rows = {
        pk: row
        for pk, *row in tournaments.values_list("pk", "public_id", "revision", "state", "state_reason")
    }
    # Closing a board set raises the revision, so the open ones are all that can move besides.
    progress = dict.fromkeys(rows, NO_PROGRESS)
    open_tables = Table.objects.filter(
        fixture__board_set__state=BoardSet.State.OPEN,
        **{f"{TOURNAMENT}__in": tournament_pks},
    )
    for line in open_tables.order_by().values(TOURNAMENT).annotate(**PROGRESS):
        progress[line.pop(TOURNAMENT)] = tuple(sorted(line.items()))
    return {
        pk: Change(hashlib.sha256(repr((row, progress[pk])).encode()).hexdigest()[:16], row[2] in OVER)
        for pk, row in rows.items()
    }
