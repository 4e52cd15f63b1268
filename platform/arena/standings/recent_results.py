"""The latest results of some entries of a stage, one per closed round. Nothing sealed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Count

from arena.competition.entries.names import ListedEntry, entries_by_key
from arena.competition.models import Round, Stage
from arena.matches.models import BoardSet, FixtureEntry, TableSeat
from arena.standings.bot_fixtures import members_with_totals
from arena.standings.models import StandingRow
from arena.standings.stages import SCORED_STATES


class RecentResult(NamedTuple):
    round: int
    fixture: str
    opponent: ListedEntry | None
    """None for a bye."""
    opponent_rank: int
    """Current rank of the opponent; 0 for a bye."""
    total: Fraction
    against: Fraction


def recent_results(stage: Stage, entries: Collection[int], rounds: int) -> dict[int, list[RecentResult]]:
    """Return the results in the last closed ``rounds`` by entry (key), in order of rounds.

    For fixtures of two entries. At most five queries.
    """
    closed = Round.objects.filter(stage=stage, state=Round.State.CLOSED).order_by("-number")
    last = list(closed.values_list("pk", flat=True)[:rounds])
    if not last or not entries:
        return {}
    own = FixtureEntry.objects.filter(
        entry__in=entries,
        fixture__board_set__round__in=last,
        fixture__board_set__state=BoardSet.State.CLOSED,
        fixture__state__in=SCORED_STATES,
    )
    columns = ("fixture_id", "entry_id", "fixture__public_id", "fixture__board_set__round__number")
    rows = list(own.order_by("fixture__board_set__round__number").values_list(*columns))
    totals: dict[int, dict[int, Fraction]] = defaultdict(dict)
    for fixture, entry, *total in members_with_totals({row[0] for row in rows}, "entry_id"):
        totals[fixture][entry] = Fraction() if None in total else Fraction(*total)
    opponents = {entry for met in totals.values() for entry in met}
    named = entries_by_key(opponents)
    ranks = dict(
        StandingRow.objects.filter(stage=stage, entry__in=opponents).order_by().values_list("entry", "rank")
    )
    results: dict[int, list[RecentResult]] = defaultdict(list)
    for fixture, entry, public_id, number in rows:
        against = {other: total for other, total in totals[fixture].items() if other != entry}
        if len(against) > 1:
            continue
        opponent = next(iter(against), None)
        results[entry].append(
            RecentResult(
                number,
                public_id,
                named[opponent] if opponent is not None else None,
                ranks.get(opponent, 0) if opponent is not None else 0,
                totals[fixture][entry],
                against[opponent] if opponent is not None else Fraction(),
            )
        )
    return dict(results)


def faulty_tables(entries: Collection[int]) -> dict[int, int]:
    """Return numbers of tables on closed boards at which entries (keys) had a fault. One query."""
    seats = TableSeat.objects.filter(
        entry__in=entries, table__fixture__board_set__state=BoardSet.State.CLOSED
    ).exclude(verdict__in=("", "OK"))
    counted = seats.order_by().values_list("entry").annotate(tables=Count("table", distinct=True))
    return dict(counted)
