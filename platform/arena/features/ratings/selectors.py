"""Reading ratings: lists, their lines, the history of a version, differences between any two."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q, QuerySet

from arena.accounts.house import HOUSE
from arena.accounts.selectors import Viewer
from arena.common.errors import NotFound
from arena.common.ids import is_public_id
from arena.common.process_cache import Key, process_cache
from arena.features.ratings.board_scores import unpack_cached
from arena.features.ratings.models import RatedSet, Rating, RatingChange, RatingList
from arena.roster.models import Bot, BotVersion, Player
from arena.roster.selectors import versions_visible_to, with_words
from league.crosstable import Cell
from league.rating.columns import line_key
from league.rating.fixtures import SetScores
from league.rating.meetings import cells_between
from league.rating.table import Difference, Ratings, rate

__all__ = [
    "Basis",
    "Difference",
    "HistoryPoint",
    "basis_of",
    "cells_of",
    "changes_of",
    "difference",
    "history_points",
    "largest_list",
    "leaders_of",
    "line_history",
    "lines",
    "lines_by_name",
    "lines_matching",
    "lines_of_bot",
    "lines_of_list",
    "lines_of_player",
    "lines_of_version",
    "list_fit",
    "list_get",
    "list_set_scores",
    "lists",
    "lists_of_ladders",
    "lists_of_season",
    "neighbours_of",
    "rated_version_get",
    "recent_changes",
    "seasons",
    "versions_with_history",
]
RECENT_LINES = 200
"""Lines among which the latest are looked for: the versions of a bot, or of a player, in a few lists."""


class Basis(NamedTuple):
    """What the lines of a list are shown against."""

    spans: tuple[tuple[str, float, float, float], ...]
    """Of every rated line its column, estimate and ends of the interval."""
    origin: float
    """The estimate that reads 0: that of the yardstick, or else of the average."""
    reference: tuple[int, str] | None
    """Key of the version and column of the line that reads 0; None: the average does."""

    def rated_count(self, partner: str) -> int:
        """Rated lines of a column."""
        return sum(column == partner for column, *_figures in self.spans)


def lists() -> QuerySet[RatingList]:
    """All lists that were made, the newest season first."""
    return RatingList.objects.filter(revision__gt=0).order_by("-season", "game", "preset", "seats", "pk")


def list_get(public_id: str) -> RatingList:
    """The list of this public id.

    Raises:
        NotFound: there is none, or none yet.
    """
    found = lists().filter(public_id=public_id).first() if is_public_id(public_id) else None
    if found is None:
        raise NotFound(f"There is no list of ratings {public_id!r}.", "not_found")
    return found


def lines_of_list(rating_list: RatingList) -> QuerySet[Rating]:
    """The lines of a list: by column, best first, those not comparable yet last; bot and owner along."""
    return lines().filter(list=rating_list)


def lines() -> QuerySet[Rating]:
    """The lines of all lists, the newest list first, each in its order; list, bot and owner along."""
    rows = Rating.objects.select_related("list", "version__bot__owner")
    return rows.order_by("-list_id", "-lines_after")


def changes_of(version_id: str, viewer: Viewer) -> QuerySet[RatingChange]:
    """What the lines of a version came to say in all lists, the latest first; list and board set along.

    Raises:
        NotFound: there is no such version, or it was rated nowhere and the viewer may not see it.
    """
    rows = RatingChange.objects.filter(version__public_id=version_id)
    is_known = Rating.objects.filter(version__public_id=version_id).exists() or rows.exists()
    if not is_known and not versions_visible_to(viewer).filter(public_id=version_id).exists():
        raise NotFound(f"There is no version {version_id!r}.", "not_found")
    return rows.select_related("list", "board_set__round__stage__tournament").order_by("-pk")


def line_history(rating_list: RatingList, version: BotVersion) -> QuerySet[RatingChange]:
    """What the lines of a version came to say, in order, with the board sets they were made after."""
    return (
        RatingChange.objects.filter(list=rating_list, version=version)
        .select_related("board_set__round__stage__tournament")
        .order_by("pk")
    )


def rated_version_get(public_id: str, viewer: Viewer) -> BotVersion:
    """A version that was rated anywhere, or that the viewer may see; bot and owner along.

    Raises:
        NotFound: there is none.
    """
    versions = BotVersion.objects.select_related("bot__owner")
    found = versions.filter(public_id=public_id).first()
    is_known = found is not None and (
        Rating.objects.filter(version=found).exists()
        or versions_visible_to(viewer).filter(pk=found.pk).exists()
    )
    if found is None or not is_known:
        raise NotFound(f"There is no version {public_id!r}.", "not_found")
    return found


class HistoryPoint(NamedTuple):
    """What was known of a line at some moment."""

    at: datetime
    estimate: float
    low: float
    high: float


def history_points(
    rating_list: RatingList, partner: str, versions: Collection[BotVersion]
) -> dict[int, list[HistoryPoint]]:
    """The points of the histories of these versions in a column, by key, in order. One query."""
    found: dict[int, list[HistoryPoint]] = {version.pk: [] for version in versions}
    rows = RatingChange.objects.filter(
        list=rating_list, partner=partner, version__in=found, estimate__isnull=False
    ).order_by("pk")
    figures = rows.values_list("version_id", "at", "estimate", "low", "high")
    for version, at, estimate, low, high in figures.iterator(5000):
        # A line has all figures or none.
        if estimate is not None and low is not None and high is not None:
            found[version].append(HistoryPoint(at, estimate, low, high))
    return found


def versions_with_history(rating_list: RatingList, partner: str, bot: Bot, at_most: int) -> list[BotVersion]:
    """The latest versions of a bot that have a history in a column, newest first; bot along. One query."""
    rows = RatingChange.objects.filter(list=rating_list, partner=partner, version__bot=bot).order_by()
    versions = BotVersion.objects.filter(pk__in=rows.values("version")).select_related("bot__owner")
    return list(versions.order_by("-number")[:at_most])


def recent_changes(
    rating_list: RatingList, partner: str, version: BotVersion, at_most: int
) -> list[RatingChange]:
    """What a line came to say lately, the latest first. One query."""
    rows = line_history(rating_list, version).filter(partner=partner)
    return list(rows.reverse()[:at_most])


def list_set_scores(rating_list: RatingList) -> tuple[SetScores, ...]:
    """The scores of all sets the list follows from, in closing order. One query; sets are kept by content."""
    rows = RatedSet.objects.filter(list=rating_list).exclude(scores=b"").order_by("board_set__closed_seq")
    return tuple(
        one for packed in rows.values_list("scores", flat=True) for one in unpack_cached(bytes(packed))
    )


def list_fit(rating_list: RatingList) -> Ratings:
    """The fit of a list with its covariance: computed once for each of its revisions in a process."""
    is_ladder = rating_list.kind == RatingList.Kind.LADDER
    return process_cache.get_or_build(
        _cache_key("fit", rating_list),
        lambda: rate(list_set_scores(rating_list), is_ladder=is_ladder),
        size_of=lambda fit: fit.covariance.nbytes,
    )


def difference(rating_list: RatingList, a: Rating, b: Rating) -> Difference | None:
    """One line's strength less another's, in stones a board; None if one of them is not comparable."""
    found = list_fit(rating_list)
    first, second = (line_key(line.version.public_id, line.partner) for line in (a, b))
    if first not in found.entries or second not in found.entries:
        return None
    return found.difference(first, second)


def basis_of(rating_list: RatingList) -> Basis:
    """What the lines of a list are shown against: cached for each of its revisions. Two queries, or none.

    The yardstick is the latest version of the house's greedy bot, with itself as partner if it is rated so.
    """
    return process_cache.get_or_build(_cache_key("basis", rating_list), lambda: _basis(rating_list))


def _basis(rating_list: RatingList) -> Basis:
    rows = Rating.objects.filter(list=rating_list, estimate__isnull=False)
    greedy = rows.filter(version__bot__owner__user__username=HOUSE)
    yardstick = greedy.order_by("partner", "-version__number", "pk").first()
    columns = ("partner", "estimate", "low", "high")
    spans = [
        (partner, estimate, low, high)
        for partner, estimate, low, high in rows.order_by().values_list(*columns)
        # A line has all figures or none.
        if estimate is not None and low is not None and high is not None
    ]
    key = (yardstick.version_id, str(yardstick.partner)) if yardstick is not None else None
    return Basis(tuple(spans), (yardstick and yardstick.estimate) or 0.0, key)


def cells_of(rating_list: RatingList, rows: Sequence[Rating]) -> Mapping[tuple[int, int], Cell]:
    """What these lines made against each other on the boards they shared, by keys of both lines, both ways
    round. One query, or none if the same lines were asked for.
    """
    by_key = {line_key(row.version.public_id, row.partner): row.pk for row in rows}
    key = _cache_key(("cells", *by_key), rating_list)
    found = process_cache.get_or_build(key, lambda: cells_between(list_set_scores(rating_list), by_key))
    return {(by_key[mine], by_key[theirs]): cell for (mine, theirs), cell in found.items()}


def _cache_key(what: Hashable, rating_list: RatingList) -> Key:
    """What follows from the lines of a list stays the same for one revision of it."""
    return Key((what, rating_list.public_id), rating_list.revision)


def seasons() -> list[str]:
    """The quarters that lists of events were made for, the newest first. One query."""
    found = lists().filter(kind=RatingList.Kind.EVENTS).order_by("-season")
    return list(found.values_list("season", flat=True).distinct())


def lists_of_season(season: str) -> QuerySet[RatingList]:
    """The lists of events of a quarter, those with the most rated first."""
    found = lists().filter(kind=RatingList.Kind.EVENTS, season=season)
    return found.order_by("-rated", "game", "preset", "seats", "pk")


def lists_of_ladders() -> QuerySet[RatingList]:
    """The lists of ladders, the newest season first."""
    return lists().filter(kind=RatingList.Kind.LADDER)


def largest_list() -> RatingList | None:
    """Of the lists of events of the latest quarter with anybody rated, the one with the most boards."""
    found = lists().filter(kind=RatingList.Kind.EVENTS, rated__gt=0)
    return found.order_by("-season", "-boards", "pk").first()


def leaders_of(rating_lists: Collection[RatingList], ranks: int) -> dict[int, list[Rating]]:
    """The lines up to a rank of each of these lists, by its key; bot and owner along. One query."""
    found: dict[int, list[Rating]] = {rating_list.pk: [] for rating_list in rating_lists}
    for row in lines().filter(list__in=rating_lists, rank__lte=ranks):
        found[row.list_id].append(row)
    return found


def lines_matching(rows: QuerySet[Rating], text: str) -> QuerySet[Rating]:
    """Those of a bot or a player whose names have every word of a text."""
    return with_words(rows, text, "version__bot__name", "version__bot__owner__handle")


def lines_by_name(rating_list: RatingList, text: str) -> list[Rating]:
    """The lines that a text names, up to two of them: a version's id, or a bot with its number, or a bot.

    ``kita v2`` is a version, ``kita`` the best one so called; after either, ``+`` is its line with strangers.
    """
    wanted = text.replace("\0", "\ufffd").strip()
    name = wanted.removesuffix("+").strip()
    partner = Rating.Partner.STRANGERS if wanted.endswith("+") else None
    rows = (
        lines_of_list(rating_list) if partner is None else lines_of_list(rating_list).filter(partner=partner)
    )
    bot, _blank, number = name.rpartition(" ")
    ways = [Q(version__public_id=name)] if is_public_id(name) else []
    if bot and number[:1] in "vV" and number[1:].isascii() and number[1:].isdigit() and len(number) < 9:
        ways.append(Q(version__bot__name__iexact=bot.strip(), version__number=int(number[1:])))
    ways.append(Q(version__bot__name__iexact=name))
    for way in ways:
        found = list(rows.filter(way)[:2])
        if found:
            return found
    return list(lines_matching(rows, name)[:2]) if name else []


def lines_of_version(version: BotVersion, lists_at_most: int) -> list[Rating]:
    """The lines of a version in the lists of the latest seasons, each list's in its order.

    Two queries, or one if it has none.
    """
    return _recent_lines(Q(version=version), lists_at_most)


def lines_of_bot(bot: Bot, lists_at_most: int) -> list[Rating]:
    """The same of all versions of a bot."""
    return _recent_lines(Q(version__bot=bot), lists_at_most)


def lines_of_player(player: Player, lists_at_most: int) -> list[Rating]:
    """The same of all bots of a player."""
    return _recent_lines(Q(version__bot__owner=player), lists_at_most)


def _recent_lines(condition: Q, lists_at_most: int) -> list[Rating]:
    # Their keys first: many lines are looked at, and few are read.
    rows = Rating.objects.filter(condition).values_list("pk", "list_id")
    wanted: list[int] = []
    kept: set[int] = set()
    for key, rating_list in rows.order_by("-list__season", "-list__boards", "-list_id", "-lines_after")[
        :RECENT_LINES
    ]:
        if rating_list in kept or len(kept) < lists_at_most:
            kept.add(rating_list)
            wanted.append(key)
    found = lines().in_bulk(wanted) if wanted else {}
    return [found[key] for key in wanted if key in found]


def neighbours_of(rows: Collection[Rating]) -> list[Rating]:
    """These rated lines and those next to them in rank, in the order of their lists. One query, or none."""
    near = Q()
    for row in rows:
        if row.rank is not None:
            ranks = Q(rank__gte=row.rank - 1, rank__lte=row.rank + 1)
            near |= Q(list=row.list_id, partner=row.partner) & ranks
    return list(lines().filter(near)) if near else []
