"""Whether anything a spectator may see of a tournament has changed: an opaque version, nothing more.

Pages and the API follow a tournament by it (``arena.streams``).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet, Sum

from arena.competition.models import Tournament
from arena.competition.selectors import ENDED_STATES
from arena.matches.models import BoardSet, Table


class OpenTableProgress(NamedTuple):
    """How far the tables of open board sets are."""

    by_state: tuple[tuple[str, int, int, int], ...]
    """State, how many tables are in it, boards they have done, their attempts; in the order of states."""
    held: int
    """Which are held back, as far as a sum of keys can tell: organisers are shown them."""


NO_PROGRESS = OpenTableProgress((), 0)


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
    row = [tournament.public_id, tournament.revision, tournament.state, sorted(tournament.state_note.items())]
    return _change(row, _progress((tournament.pk,)).get(tournament.pk, NO_PROGRESS))


def settled_version(tournament: Tournament) -> str:
    """A text that differs whenever anything of a tournament does but the progress of its tables. No query."""
    row = [tournament.public_id, tournament.revision, tournament.state, sorted(tournament.state_note.items())]
    return _digest(row)


def list_version() -> str:
    """A text that differs whenever anything does that lists of tournaments show. Two queries over all."""
    revisions = Tournament.objects.aggregate(count=Count("pk"), revisions=Sum("revision"))
    return _digest([revisions], _progress_from(_by_state(_open_tables())))


def changes_of(tournament_pks: Collection[int]) -> dict[int, Change]:
    """The present version of each of these tournaments that there is. Two queries for all of them."""
    tournaments = Tournament.objects.filter(pk__in=tournament_pks)
    rows = {
        pk: [*row, sorted(note.items())]
        for pk, *row, note in tournaments.values_list("pk", "public_id", "revision", "state", "state_note")
    }
    progress = _progress(tournament_pks)
    return {pk: _change(row, progress.get(pk, NO_PROGRESS)) for pk, row in rows.items()}


def _open_tables() -> QuerySet[Table]:
    # Closing a board set raises the revision, so these are all that can move besides.
    return Table.objects.filter(fixture__board_set__state=BoardSet.State.OPEN)


def _by_state(tables: QuerySet[Table], *columns: str) -> Iterable[tuple[Any, ...]]:
    """These columns, the state, and what ``_progress_from`` asks for. One query."""
    sums = {
        "tables": Count("pk"),
        "boards": Sum("boards_done"),
        "attempts": Sum("attempt"),
        "keys": Sum("pk"),
    }
    return tables.order_by().values_list(*columns, "state").annotate(**sums)


def _progress_from(rows: Iterable[tuple[Any, ...]]) -> OpenTableProgress:
    ordered = sorted(rows)
    quarantined = sum(keys for state, *_, keys in ordered if state == Table.State.QUARANTINED)
    return OpenTableProgress(tuple((state, *counts) for state, *counts, _ in ordered), quarantined)


def _progress(tournament_pks: Collection[int]) -> dict[int, OpenTableProgress]:
    """How far the open tables are, by key of the tournament. One query."""
    rows_by_tournament: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for key, *row in _by_state(_open_tables().filter(tournament__in=tournament_pks), "tournament"):
        rows_by_tournament[key].append(tuple(row))
    return {key: _progress_from(rows) for key, rows in rows_by_tournament.items()}


def _change(row: list[Any], progress: OpenTableProgress) -> Change:
    return Change(
        _digest(row, progress),
        row[2] in ENDED_STATES,
        settled=_digest(row),
        own=_digest(row, progress.held),
    )


def _digest(row: list[Any], *more: Any) -> str:
    return hashlib.sha256(repr((row, *more)).encode()).hexdigest()[:16]
