"""When bots and players were last in a public tournament, for the order of lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db.models import Max, QuerySet

from arena.common.process_cache import CacheKey, process_cache
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import PUBLIC_STATES
from arena.roster.models import BotVersion
from arena.roster.selectors import PASSED_STATES

MAX_AGE_S = 60.0


class Activity(NamedTuple):
    """POSIX seconds of the latest upload, or change of state of a tournament, by primary key."""

    bots: Mapping[int, float]
    players: Mapping[int, float]


def latest_activity() -> Activity:
    """Return the activity in public tournaments, up to a minute old. Three queries, none if cached."""
    key = CacheKey("activity", None)
    return process_cache.get_or_build(key, _activity, max_age_s=MAX_AGE_S, size_of=_size)


def _size(built: Activity) -> int:
    return 150 * (len(built.bots) + len(built.players))


def _activity() -> Activity:
    bots: dict[int, float] = {}
    players: dict[int, float] = {}
    entries = Entry.objects.filter(
        tournament__visibility=Tournament.Visibility.PUBLIC,
        tournament__state__in=PUBLIC_STATES,
        status__in=FIELD_STATUSES,
    ).exclude(tournament__kind=Tournament.Kind.EXPERIMENT)
    uploads = BotVersion.objects.filter(state__in=PASSED_STATES)
    for moments in (
        _latest(entries, "version__bot", "version__bot__owner", "tournament__state_at"),
        _latest(
            entries.filter(partner_version__isnull=False),
            "partner_version__bot",
            "partner_version__bot__owner",
            "tournament__state_at",
        ),
        _latest(uploads, "bot", "bot__owner", "created_at"),
    ):
        for bot, owner, latest_at in moments.iterator(5000):
            seconds = latest_at.timestamp()
            bots[bot] = max(bots.get(bot, 0.0), seconds)
            players[owner] = max(players.get(owner, 0.0), seconds)
    return Activity(bots, players)


def _latest(rows: QuerySet[Any], bot: str, owner: str, time: str) -> QuerySet[Any, Any]:
    latest: QuerySet[Any, Any] = rows.order_by().values_list(bot, owner).annotate(latest=Max(time))
    return latest
