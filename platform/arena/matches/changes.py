"""Opaque versions that change with everything that a spectator may see of a tournament."""

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
    by_state: tuple[tuple[str, int, int, int], ...]
    """State, number of tables, boards done and attempts; ordered by state."""
    held: int
    """Sum of the keys of quarantined tables, which changes with the set of tables; organisers see them."""


NO_PROGRESS = OpenTableProgress((), 0)


class Change(NamedTuple):
    """A version of a tournament that changes whenever its page does."""

    version: str
    """Sixteen hex digits. A hash, so that it reveals only *that* something changed."""
    is_last: bool
    settled: str
    """``version`` without the progress of open tables; see ``settled_version``."""
    own: str
    """``settled`` with the quarantined tables; the version of the parts for single visitors."""


def change_of(tournament_pk: int) -> Change | None:
    """Return the current version, or None if the tournament was deleted. Two queries.

    It depends on the revision and the progress of open tables: states and boards done, never results.
    """
    return changes_of((tournament_pk,)).get(tournament_pk)


def change_as_read(tournament: Tournament) -> Change:
    """Return the version of a loaded tournament with the current progress. One query."""
    row = [tournament.public_id, tournament.revision, tournament.state, sorted(tournament.state_note.items())]
    return _change(row, _progress((tournament.pk,)).get(tournament.pk, NO_PROGRESS))


def settled_version(tournament: Tournament) -> str:
    """Return a version that ignores only the progress of tables. No query."""
    row = [tournament.public_id, tournament.revision, tournament.state, sorted(tournament.state_note.items())]
    return _digest(row)


def list_version() -> str:
    """Return a version of everything that lists of tournaments show. Two queries over all tournaments."""
    revisions = Tournament.objects.aggregate(count=Count("pk"), revisions=Sum("revision"))
    return _digest([revisions], _progress_from(_by_state(_open_tables())))


def changes_of(tournament_pks: Collection[int]) -> dict[int, Change]:
    """Return the current versions of existing tournaments by key. Two queries in total."""
    tournaments = Tournament.objects.filter(pk__in=tournament_pks)
    rows = {
        pk: [*row, sorted(note.items())]
        for pk, *row, note in tournaments.values_list("pk", "public_id", "revision", "state", "state_note")
    }
    progress = _progress(tournament_pks)
    return {pk: _change(row, progress.get(pk, NO_PROGRESS)) for pk, row in rows.items()}


def _open_tables() -> QuerySet[Table]:
    # Closing a board set raises the revision, so only these tables change without it.
    return Table.objects.filter(fixture__board_set__state=BoardSet.State.OPEN)


def _by_state(tables: QuerySet[Table], *columns: str) -> Iterable[tuple[Any, ...]]:
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
