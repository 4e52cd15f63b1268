"""The latest final result of bots and players in public tournaments, for rows of lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.models import Entry, Tournament
from arena.standings.selectors import last_ranks

ENDED = (Tournament.State.FINAL, Tournament.State.ARCHIVED)


class LastResult(NamedTuple):
    tournament: str
    """Public id."""
    name: str
    at: datetime
    rank: int
    field: int
    """Number of entries."""


class _Ended(NamedTuple):
    subject: int
    entry: int
    tournament: int
    public_id: str
    name: str
    at: datetime


def last_results_of_bots(bots: Collection[int]) -> dict[int, LastResult]:
    """Return the latest results of these bots, alone or as partner. Four queries."""
    entries = _ended_entries()
    alone = entries.filter(version__bot__in=bots)
    as_partner = entries.filter(partner_version__bot__in=bots)
    return _results([*_latest(alone, "version__bot"), *_latest(as_partner, "partner_version__bot")])


def last_results_of_players(players: Collection[int]) -> dict[int, LastResult]:
    """Return the latest results of the entries of these players. Three queries."""
    return _results(_latest(_ended_entries().filter(player__in=players), "player"))


def _ended_entries() -> QuerySet[Entry]:
    return Entry.objects.filter(
        tournament__kind=Tournament.Kind.TOURNAMENT,
        tournament__visibility=Tournament.Visibility.PUBLIC,
        tournament__state__in=ENDED,
        status__in=FIELD_STATUSES,
    )


def _latest(entries: QuerySet[Entry], subject: str) -> Iterable[_Ended]:
    order = [F("tournament__state_at").desc(), F("pk").desc()]
    row_number = Window(RowNumber(), partition_by=F(subject), order_by=order)
    columns = (subject, "pk", "tournament_id", "tournament__public_id", "tournament__name")
    rows = entries.annotate(row_number=row_number).filter(row_number=1).order_by()
    return [_Ended(*row) for row in rows.values_list(*columns, "tournament__state_at")]


def _results(rows: Iterable[_Ended]) -> dict[int, LastResult]:
    latest: dict[int, _Ended] = {}
    for row in rows:
        known = latest.get(row.subject)
        if known is None or known.at < row.at:
            latest[row.subject] = row
    ranks = last_ranks([row.entry for row in latest.values()])
    counted = Entry.objects.filter(
        tournament__in={row.tournament for row in latest.values()}, status__in=FIELD_STATUSES
    )
    fields = dict(counted.order_by().values_list("tournament").annotate(count=Count("pk")))
    return {
        subject: LastResult(row.public_id, row.name, row.at, ranks[row.entry], fields[row.tournament])
        for subject, row in latest.items()
        if row.entry in ranks
    }
