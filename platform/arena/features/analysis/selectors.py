"""Selectors of analyses: notes, costly plays, accuracy of versions, and figures for staff."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db.models import Q, QuerySet

from analysis.accuracy import Accuracy, BoardCosts, accuracy_of
from arena.common.blobs import BlobDamaged, BlobMissing, blob_get
from arena.common.errors import NotFound
from arena.common.process_cache import CacheKey, process_cache
from arena.competition.selectors import Viewer, tournament_get
from arena.features.analysis.access import analysed_table, open_analyses
from arena.features.analysis.models import CostlyPlay, SeatAnalysis, TableAnalysis
from arena.matches.models import Table
from arena.roster.models import BotVersion
from arena.roster.selectors import version_get

MAX_TABLES = 200
"""Tables of which the accuracy of a version is computed, the latest."""
MAX_LOSSY = 100
"""Tables whose lost stones a version's author can download at once, the latest."""
MAX_SEATS = 8
MAX_COSTLY = 100
"""Costly plays of a tournament in one answer."""


def notes_of_tables(tables: Collection[Table]) -> dict[int, str]:
    """Return the hashes of the latest notes that may be seen, by primary key of the table. One query."""
    rows = TableAnalysis.objects.filter(open_analyses(), table__in=tables, state=TableAnalysis.State.READY)
    return dict(rows.order_by("id").values_list("table", "notes_sha256"))


def notes_get(table_id: str, user: Viewer) -> str:
    """Return the hash of a table's notes.

    Raises NotFound (``table_not_found``, ``notes_not_found``), or Sealed while its boards are in play.
    """
    table = analysed_table(table_id, user)
    sha256 = notes_of_tables([table]).get(table.pk)
    if sha256:
        return sha256
    row = TableAnalysis.objects.filter(open_analyses(), table=table).order_by("-id").first()
    state = "is not analysed yet" if row is None or row.state != row.State.FAILED else "could not be analysed"
    raise NotFound(f"This table {state}.", "notes_not_found")


def notes_bytes_of(sha256: str) -> bytes:
    """Return notes by hash. Raises NotFound ``notes_not_found`` if they are lost."""
    try:
        return blob_get(sha256)
    except (BlobMissing, BlobDamaged):
        raise NotFound("The notes on this table are lost.", "notes_not_found") from None


def costly_plays(tournament_id: str, user: Viewer) -> QuerySet[CostlyPlay]:
    """Return the costliest plays of a tournament. Raises NotFound ``tournament_not_found``."""
    tournament = tournament_get(tournament_id, user)
    rows = CostlyPlay.objects.filter(open_analyses("analysis__"), tournament=tournament)
    return rows.select_related("analysis__table", "version__bot")[:MAX_COSTLY]


def costliest_of_versions(versions: Collection[int], at_most: int) -> list[CostlyPlay]:
    """Return the costliest plays of visible versions (by primary key), costliest first. One query."""
    rows = CostlyPlay.objects.filter(open_analyses("analysis__"), version__in=versions)
    return list(rows.select_related("analysis__table", "tournament", "version__bot")[:at_most])


class LossyTable(NamedTuple):
    """An analysed table at which seats of a version lost stones."""

    table: Table
    notes_sha256: str
    seats: frozenset[int]


def lossy_tables(version: BotVersion) -> list[LossyTable]:
    """Return the latest tables with a double-dummy cost of the version, at most ``MAX_LOSSY``. One query."""
    seats = SeatAnalysis.objects.filter(open_analyses("analysis__"), version=version, stones__gt=0)
    rows = seats.order_by("-analysis_id", "seat").select_related("analysis__table__tournament")
    tables: dict[int, LossyTable] = {}
    for row in rows[: MAX_LOSSY * MAX_SEATS]:
        analysis = row.analysis
        if analysis.pk not in tables and len(tables) == MAX_LOSSY:
            break
        before = tables.get(analysis.pk, LossyTable(analysis.table, analysis.notes_sha256, frozenset()))
        tables[analysis.pk] = before._replace(seats=before.seats | {row.seat})
    return list(tables.values())


class VersionAccuracy(NamedTuple):
    version: BotVersion
    tables: int
    accuracy: Accuracy | None
    """None without a decision."""


def version_accuracy(version_id: str, user: Viewer) -> VersionAccuracy:
    """Return the accuracy of a version at its latest analysed tables, cached while they are the same.

    Raises NotFound ``version_not_found``. Two queries, one more if the tables have changed.
    """
    version = version_get(version_id, user)
    return _accuracy_at(version, tuple(_latest_analyses(version)))


def accuracy_by_version(versions: Sequence[BotVersion]) -> list[VersionAccuracy]:
    """Return the accuracy of each of these visible versions, as ``version_accuracy``; those without are
    missing.

    One query, and one for each version whose tables have changed.
    """
    condition = Q(pk__in=[])
    for version in versions:
        condition |= Q(version=version, analysis__in=_latest_analyses(version))
    analyses = defaultdict[int, list[int]](list)
    rows = SeatAnalysis.objects.filter(condition).order_by("-analysis_id")
    for version_key, analysis in rows.values_list("version", "analysis").distinct():
        analyses[version_key].append(analysis)
    accuracies = [_accuracy_at(version, tuple(analyses[version.pk])) for version in versions]
    return [each for each in accuracies if each.accuracy is not None]


def _latest_analyses(version: BotVersion) -> QuerySet[SeatAnalysis, int]:
    seats = SeatAnalysis.objects.filter(open_analyses("analysis__"), version=version)
    return seats.order_by("-analysis_id").values_list("analysis", flat=True).distinct()[:MAX_TABLES]


def _accuracy_at(version: BotVersion, analyses: tuple[int, ...]) -> VersionAccuracy:
    key = CacheKey(("accuracy", version.pk), analyses)
    return VersionAccuracy(
        version, len(analyses), process_cache.get_or_build(key, lambda: _accuracy(version, analyses))
    )


def _accuracy(version: BotVersion, analyses: Collection[int]) -> Accuracy | None:
    rows = SeatAnalysis.objects.filter(version=version, analysis__in=analyses)
    costs = [
        BoardCosts(f"{board_set}:{board}", *figures)
        for board_set, boards in rows.values_list("analysis__table__fixture__board_set", "boards")
        for board, *figures in boards
    ]
    return accuracy_of(costs, version.public_id)


def failed_analyses() -> QuerySet[TableAnalysis]:
    """Return failed analyses of tables that are still open, latest first."""
    rows = TableAnalysis.objects.filter(open_analyses(), state=TableAnalysis.State.FAILED)
    return rows.select_related("table").order_by("-state_at")
