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

PROGRESS: dict[str, Any] = {
    "boards": Sum("boards_done"),
    "attempts": Sum("attempt"),
    # Which are held back, as far as a sum can tell: organisers are shown them.
    "held": Sum("pk", filter=Q(state=Table.State.QUARANTINED)),
    **{state: Count("pk", filter=Q(state=state)) for state in Table.State.values},
}
NO_PROGRESS: tuple[tuple[str, int], ...] = ()


class Change(NamedTuple):
    """Where a tournament stands: a text that differs whenever its page does, and whether that was all."""

    version: str
    """Sixteen hex digits. A hash, so that it shows only *that* something changed."""
    is_last: bool
    settled: str
    """As ``version``, without the progress of open tables: ``settled_version``."""
    own: str
    """As ``settled``, with the tables held back: what the parts of single visitors follow from."""


def change_of(tournament_pk: int) -> Change | None:
    """The present version, or None if the tournament was deleted. Two queries.

    Made of the revision and the progress of the open tables: states and boards done, never a result.
    """
    return changes_of((tournament_pk,)).get(tournament_pk)


def change_as_read(tournament: Tournament) -> Change:
    """The version of a tournament as its row was read, with the progress of now. One query.

    It differs from that of the row of now if that has changed since: who shows the row shows this version.
    """
    row = [tournament.public_id, tournament.revision, tournament.state, tournament.state_reason]
    return _change(row, _progress((tournament.pk,)).get(tournament.pk, NO_PROGRESS))


def settled_version(tournament: Tournament) -> str:
    """A text that differs whenever anything of a tournament does but the progress of its tables. No query."""
    row = [tournament.public_id, tournament.revision, tournament.state, tournament.state_reason]
    return _digest(row, NO_PROGRESS)


def list_version() -> str:
    """A text that differs whenever anything does that lists of tournaments show. Two queries over all."""
    revisions = Tournament.objects.aggregate(count=Count("pk"), revisions=Sum("revision"))
    open_tables = Table.objects.filter(fixture__board_set__state=BoardSet.State.OPEN)
    return hashlib.sha256(repr((revisions, open_tables.aggregate(**PROGRESS))).encode()).hexdigest()[:16]


def changes_of(tournament_pks: Collection[int]) -> dict[int, Change]:
    """The present version of each of these tournaments that there is. Two queries for all of them."""
    tournaments = Tournament.objects.filter(pk__in=tournament_pks)
    rows = {
        pk: row
        for pk, *row in tournaments.values_list("pk", "public_id", "revision", "state", "state_reason")
    }
    progress = _progress(tournament_pks)
    return {pk: _change(row, progress.get(pk, NO_PROGRESS)) for pk, row in rows.items()}


def _progress(tournament_pks: Collection[int]) -> dict[int, tuple[Any, ...]]:
    """How far the open tables are, by key of the tournament. One query."""
    # Closing a board set raises the revision, so the open ones are all that can move besides.
    open_tables = Table.objects.filter(
        tournament__in=tournament_pks, fixture__board_set__state=BoardSet.State.OPEN
    )
    names = ("tournament", *sorted(PROGRESS))
    rows = open_tables.order_by().values("tournament").annotate(**PROGRESS).values_list(*names)
    return {key: tuple(zip(names[1:], values, strict=True)) for key, *values in rows}


def _change(row: list[Any], progress: tuple[Any, ...]) -> Change:
    held = tuple((name, value) for name, value in progress if name == "held")
    return Change(
        _digest(row, progress), row[2] in OVER, settled=_digest(row, NO_PROGRESS), own=_digest(row, held)
    )


def _digest(row: list[Any], progress: tuple[Any, ...]) -> str:
    return hashlib.sha256(repr((row, progress)).encode()).hexdigest()[:16]
