"""Crosstables of a stage, in which each entry meets each other entry, computed incrementally.

The greatest key of a fixture's totals, which are replaced together with its board scores, is a version of
the fixture, so cache entries never become stale. Do not read it in a transaction that will be rolled back:
SQLite reuses keys.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple

from django.db.models import BigIntegerField, Count, ExpressionWrapper, F, Max, QuerySet

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.models import Round, Stage
from arena.matches.models import FixtureEntry
from arena.standings.board_values import parse_values
from arena.standings.bot_fixtures import members_with_totals
from arena.standings.models import FixtureScore
from arena.standings.stages import SCORED_STATES
from league.crosstable import Cell, Crosstable, Pair, PairResult, crosstable_cell, pair_results
from league.scoring import FixtureOutcome, Scores

MAX_CACHED_FIXTURES = 20_000
ROWS_AT_ONCE = 5000


class FixtureVersion(NamedTuple):
    fixture: int
    public_id: str
    total: int


Meetings = Mapping[Pair, PairResult]

MEETINGS, CELL = "meetings", "cell"
CELL_BYTES = 300
MEETINGS_BYTES = 1000


def fixture_versions(
    stage: int, only: QuerySet[FixtureEntry, Any] | None = None
) -> tuple[FixtureVersion, ...]:
    """Return the fixtures with scores in closed rounds of a stage (key), in a fixed order. One query."""
    rows = FixtureScore.objects.filter(
        fixture__board_set__round__stage=stage,
        fixture__board_set__round__state=Round.State.CLOSED,
        fixture__state__in=SCORED_STATES,
    )
    if only is not None:
        rows = rows.filter(fixture__in=only)
    versions = rows.order_by().values_list("fixture", "fixture__public_id").annotate(total=Max("pk"))
    return tuple(FixtureVersion(*row) for row in versions.order_by("fixture"))


def crosstable_window(stage: Stage, rows: Collection[int], columns: Collection[int]) -> Mapping[Pair, Cell]:
    """Return the cells of the ``rows`` entries against the ``columns`` entries (keys), by public ids.

    The cost depends on the fixtures of these entries. At most four queries.
    """
    # Reads only the index of these entries. If grouped by the plain column, SQLite would scan all fixtures
    # in the order of that column.
    in_no_order = ExpressionWrapper(F("fixture") + 0, output_field=BigIntegerField())
    entries = FixtureEntry.objects.filter(entry__in={*rows, *columns}).order_by()
    shared = entries.values(shared=in_no_order).annotate(of_them=Count("pk")).filter(of_them__gte=2)
    fixtures = shared.values("shared")
    versions = fixture_versions(stage.pk, fixtures)
    if set(rows) != set(columns):
        across: dict[int, list[int]] = defaultdict(list)
        sides = FixtureEntry.objects.filter(fixture__in=[version.fixture for version in versions])
        for fixture, entry in sides.order_by().values_list("fixture_id", "entry_id"):
            across[fixture].append(entry)
        versions = tuple(
            version
            for version in versions
            if any(
                row_entry in rows and column_entry in columns
                for row_entry, column_entry in permutations(across[version.fixture], 2)
            )
        )
    return crosstable_from((), versions).cells


def crosstable_from(order: Sequence[str], versions: Sequence[FixtureVersion]) -> Crosstable:
    """Return the crosstable of these fixtures, entries in this order. At most two queries."""
    met: dict[Pair, list[FixtureVersion]] = defaultdict(list)
    meetings = _meetings(versions)
    for version in versions:
        for pair in meetings[version]:
            met[pair].append(version)
    is_cached = len(versions) <= MAX_CACHED_FIXTURES
    cells = {}
    for pair in sorted(met):
        key = CacheKey((CELL, pair), tuple(met[pair]))
        cell: Cell | None = process_cache.get(key)
        if cell is None:
            cell = crosstable_cell([meetings[version][pair] for version in met[pair]])
            if cell is not None and is_cached:
                process_cache.put(key, cell, CELL_BYTES)
        if cell is not None:
            cells[pair] = cell
    return Crosstable(tuple(order), cells)


def _meetings(versions: Sequence[FixtureVersion]) -> dict[FixtureVersion, Meetings]:
    cached = {version: process_cache.get(CacheKey(MEETINGS, version)) for version in versions}
    meetings_by_version: dict[FixtureVersion, Meetings] = {
        version: meetings for version, meetings in cached.items() if meetings is not None
    }
    unknown = [version for version in versions if version not in meetings_by_version]
    if unknown:
        keys = [version.fixture for version in unknown]
        outcomes, scores = _outcomes(keys), _scores(keys)
        for version in unknown:
            meetings_by_version[version] = pair_results(
                outcomes[version.fixture], scores.get(version.fixture, {})
            )
            if len(versions) <= MAX_CACHED_FIXTURES:
                process_cache.put(CacheKey(MEETINGS, version), meetings_by_version[version], MEETINGS_BYTES)
    return meetings_by_version


def _outcomes(fixtures: Collection[int]) -> dict[int, FixtureOutcome]:
    sides: dict[int, list[tuple[str, int]]] = defaultdict(list)
    totals: dict[int, dict[str, Fraction]] = defaultdict(dict)
    for fixture, entry, side, *total in members_with_totals(fixtures, "entry__public_id", "side"):
        sides[fixture].append((entry, side))
        if None not in total:
            totals[fixture][entry] = Fraction(*total)
    return {
        fixture: FixtureOutcome(
            tuple(entry for entry, _ in members),
            totals[fixture],
            per_side=max(1, sum(side == 0 for _, side in members)),
        )
        for fixture, members in sides.items()
    }


def _scores(fixtures: Collection[int]) -> dict[int, Scores]:
    scores: dict[int, Scores] = {}
    columns = ("fixture_id", "entry__public_id", "board_values")
    rows = FixtureScore.objects.filter(fixture__in=fixtures).order_by().values_list(*columns)
    for fixture, entry, text in rows.iterator(ROWS_AT_ONCE):
        of_fixture = scores.setdefault(fixture, {})
        for board, value in parse_values(text).items():
            of_fixture.setdefault(board, {})[entry] = value
    return scores
