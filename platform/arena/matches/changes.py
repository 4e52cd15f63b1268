"""Whether anything a spectator may see of a tournament has changed: an opaque version, nothing more.

Pages and the API follow a tournament by it (``arena.matches.feed``).
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from django.db.models import Count, Q, Sum

from arena.competition.models import Tournament
from arena.competition.selectors import OVER
from arena.matches.models import BoardSet, Table


class Change(NamedTuple):
    """Where a tournament stands: a text that differs whenever its page does, and whether that was all."""

    version: str
    """Sixteen hex digits. A hash, so that it tells only *that* something changed."""
    is_last: bool


def change_of(tournament_pk: int) -> Change | None:
    """The present version, or None if the tournament is gone. Two queries.

    Made of the revision and the progress of the open tables: states and boards done, never a result.
    """
    row = (
        Tournament.objects.filter(pk=tournament_pk)
        .values_list("public_id", "revision", "state", "state_reason")
        .first()
    )
    if row is None:
        return None
    # Closing a board set raises the revision, so the open ones are all that can move besides.
    progress = Table.objects.filter(
        fixture__board_set__state=BoardSet.State.OPEN,
        fixture__board_set__round__stage__tournament=tournament_pk,
    ).aggregate(
        boards=Sum("boards_done"),
        attempts=Sum("attempt"),
        **{state: Count("pk", filter=Q(state=state)) for state in Table.State.values},
    )
    text = repr((row, sorted(progress.items())))
    return Change(hashlib.sha256(text.encode()).hexdigest()[:16], row[2] in OVER)
