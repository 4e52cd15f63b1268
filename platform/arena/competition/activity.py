"""When bots and players were last in a public tournament, for the order of lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from django.db.models import Max, OuterRef, QuerySet, Subquery

from arena.common.process_cache import CacheKey, clock, process_cache
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.models import Entry, Tournament
from arena.competition.selectors import PUBLIC_STATES
from arena.roster.models import BotVersion, Player
from arena.roster.selectors import PASSED_STATES

MAX_AGE_S = 60.0


class Activity(NamedTuple):
    """POSIX seconds of the latest upload, or change of state of a tournament, by primary key."""

    bots: Mapping[int, float]
    players: Mapping[int, float]
    read_at: float
    """Time of the process's clock."""


def latest_activity() -> Activity:
    """Return the activity in public tournaments, up to a minute old. Three queries, none if cached."""
    key = CacheKey("activity", None)
    return process_cache.get_or_build(key, _activity, max_age_s=MAX_AGE_S, size_of=_size)


def activity_of_bots(bots: Collection[int]) -> dict[int, float]:
    """Return the activity of these bots by their passed uploads and the newest entry of each version.

    One query, which does not read older entries.
    """
    versions = BotVersion.objects.filter(bot__in=bots, state__in=PASSED_STATES).order_by()
    columns = ("bot", "created_at", _newest("version"), _newest("partner_version"))
    return _by_subject(versions.values_list(*columns))


def activity_of_players(players: Collection[int]) -> dict[int, float]:
    """Return the activity of these players by the newest upload of their bots and their newest entry.

    One query, which does not read older entries.
    """
    uploads = BotVersion.objects.filter(bot__owner=OuterRef("pk"), state__in=PASSED_STATES)
    newest = Subquery(uploads.order_by("-pk").values("created_at")[:1])
    rows = Player.objects.filter(pk__in=players).order_by()
    return _by_subject(rows.values_list("pk", newest, _newest("player")))


def _newest(column: str) -> Subquery:
    entries = _entries().filter(**{column: OuterRef("pk")}).order_by("-pk")
    return Subquery(entries.values("tournament__state_at")[:1])


def _by_subject(rows: Iterable[tuple[Any, ...]]) -> dict[int, float]:
    latest: dict[int, float] = {}
    for subject, *moments in rows:
        for moment in moments:
            if moment is not None:
                latest[subject] = max(latest.get(subject, 0.0), moment.timestamp())
    return latest


def _size(built: Activity) -> int:
    return 150 * (len(built.bots) + len(built.players))


def _activity() -> Activity:
    bots: dict[int, float] = {}
    players: dict[int, float] = {}
    entries = _entries()
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
    return Activity(bots, players, clock())


def _entries() -> QuerySet[Entry]:
    return Entry.objects.filter(
        tournament__visibility=Tournament.Visibility.PUBLIC,
        tournament__state__in=PUBLIC_STATES,
        status__in=FIELD_STATUSES,
    ).exclude(tournament__kind=Tournament.Kind.EXPERIMENT)


def _latest(rows: QuerySet[Any], bot: str, owner: str, time: str) -> QuerySet[Any, Any]:
    latest: QuerySet[Any, Any] = rows.order_by().values_list(bot, owner).annotate(latest=Max(time))
    return latest
