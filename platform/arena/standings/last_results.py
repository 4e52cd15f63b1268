"""The result of the newest final entry of bots and players in public tournaments, for rows of lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, OuterRef, QuerySet, Subquery

from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.models import Entry, Tournament
from arena.roster.models import BotVersion, Player
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
    entry: int
    tournament: int
    public_id: str
    name: str
    at: datetime


def last_results_of_bots(bots: Collection[int]) -> dict[int, LastResult]:
    """Return the results of the newest entries of these bots, alone or as partner. Four queries."""
    versions = BotVersion.objects.filter(bot__in=bots)
    alone, partner = _newest("version"), _newest("partner_version")
    return _results(
        (bot, entry)
        for bot, *entries in versions.order_by().values_list("bot", alone, partner)
        for entry in entries
        if entry is not None
    )


def last_results_of_players(players: Collection[int]) -> dict[int, LastResult]:
    """Return the results of the newest entries of these players. Four queries."""
    rows = Player.objects.filter(pk__in=players).order_by().values_list("pk", _newest("player"))
    return _results((player, entry) for player, entry in rows if entry is not None)


def _ended_entries() -> QuerySet[Entry]:
    return Entry.objects.filter(
        tournament__kind=Tournament.Kind.TOURNAMENT,
        tournament__visibility=Tournament.Visibility.PUBLIC,
        tournament__state__in=ENDED,
        status__in=FIELD_STATUSES,
    )


def _newest(column: str) -> Subquery:
    """Return the newest entry of a final tournament; an index finds it without reading the others."""
    entries = _ended_entries().filter(**{column: OuterRef("pk")})
    return Subquery(entries.order_by("-pk").values("pk")[:1])


def _results(newest: Iterable[tuple[int, int]]) -> dict[int, LastResult]:
    """Return the latest of the results of these entries, given with their subjects, by subject."""
    subjects = list(newest)
    columns = ("tournament_id", "tournament__public_id", "tournament__name", "tournament__state_at")
    rows = Entry.objects.filter(pk__in={entry for _subject, entry in subjects}).order_by()
    ended = {entry: _Ended(entry, *values) for entry, *values in rows.values_list("pk", *columns)}
    latest: dict[int, _Ended] = {}
    for subject, entry in subjects:
        known = latest.get(subject)
        if known is None or (known.at, known.entry) < (ended[entry].at, entry):
            latest[subject] = ended[entry]
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
