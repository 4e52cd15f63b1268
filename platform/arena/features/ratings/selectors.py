"""Selectors of ratings: lists, lines, histories, and differences between lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import Q, QuerySet

from arena.accounts.selectors import Viewer
from arena.common.errors import NotFound
from arena.common.ids import is_public_id
from arena.common.process_cache import CacheKey, process_cache
from arena.features.ratings.board_scores import unpack_cached
from arena.features.ratings.models import Line, RatedSet, Rating, RatingChange, RatingList
from arena.roster.models import Bot, BotVersion, Player
from arena.roster.selectors import matching_rows, versions_visible_to
from league.crosstable import Cell
from league.rating.columns import line_key
from league.rating.fixtures import SetScores
from league.rating.meetings import crosstable_cells
from league.rating.table import Difference, RatingTable, rate

__all__ = [
    "Basis",
    "Difference",
    "basis_of",
    "cells_of",
    "changes_of",
    "difference",
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
    "neighbours_of",
    "rated_changes",
    "rated_version_get",
    "recent_changes",
    "seasons",
    "versions_with_history",
]
RECENT_LINES = 200
"""Lines searched for the newest lists of a bot or player."""


class Basis(NamedTuple):
    """Common data for displaying the lines of a list."""

    spans: tuple[tuple[float, float, float], ...]
    """Values and interval ends of the rated lines, relative to the reference line, else to the average."""
    counts: Mapping[str, int]
    """Number of rated lines by column."""
    reference: tuple[int, str] | None
    """Version key and column of the line displayed as 0; None if the average is."""
    reference_name: str
    """Bot and version number of that line; empty without one."""

    def rated_count(self, partner: str) -> int:
        return self.counts.get(partner, 0)


def lists() -> QuerySet[RatingList]:
    return RatingList.objects.filter(revision__gt=0).order_by("-season", "game", "preset", "seats", "pk")


def list_get(public_id: str) -> RatingList:
    """Return a computed list by public id. Raises NotFound."""
    rating_list = lists().filter(public_id=public_id).first() if is_public_id(public_id) else None
    if rating_list is None:
        raise NotFound(f"There is no rating list {public_id!r}.", "not_found")
    return rating_list


def lines_of_list(rating_list: RatingList) -> QuerySet[Rating]:
    return lines().filter(list=rating_list)


def lines() -> QuerySet[Rating]:
    """Return the lines of all lists, newest list first, with list, bot and owner fetched."""
    rows = Rating.objects.select_related("list", "version__bot__owner")
    return rows.order_by("-list_id", "-lines_after")


def changes_of(version_id: str, viewer: Viewer) -> QuerySet[RatingChange]:
    """Return the changes of a version's lines in all lists, newest first. Raises NotFound."""
    rows = RatingChange.objects.filter(version__public_id=version_id)
    is_known = Rating.objects.filter(version__public_id=version_id).exists() or rows.exists()
    if not is_known and not versions_visible_to(viewer).filter(public_id=version_id).exists():
        raise NotFound(f"There is no version {version_id!r}.", "not_found")
    return rows.select_related("list", "reference", "board_set__round__stage__tournament").order_by("-pk")


def line_history(rating_list: RatingList, version: BotVersion) -> QuerySet[RatingChange]:
    """Return the changes of a version's lines in order, with board sets fetched."""
    return (
        RatingChange.objects.filter(list=rating_list, version=version)
        .select_related("board_set__round__stage__tournament")
        .order_by("pk")
    )


def rated_version_get(public_id: str, viewer: Viewer) -> BotVersion:
    """Return a version with a rating, or one that the viewer may see, with bot and owner. Raises NotFound."""
    versions = BotVersion.objects.select_related("bot__owner")
    version = versions.filter(public_id=public_id).first()
    is_known = version is not None and (
        Rating.objects.filter(version=version).exists()
        or versions_visible_to(viewer).filter(pk=version.pk).exists()
    )
    if version is None or not is_known:
        raise NotFound(f"There is no version {public_id!r}.", "not_found")
    return version


def rated_changes(
    rating_list: RatingList, partner: str, versions: Collection[BotVersion]
) -> dict[int, list[RatingChange]]:
    """Return the rated changes of these versions in a column, by version key, in time order. One query.

    Only the figures and ``created_at`` are loaded.
    """
    changes: dict[int, list[RatingChange]] = {version.pk: [] for version in versions}
    rows = RatingChange.objects.filter(
        list=rating_list, partner=partner, version__in=changes, estimate__isnull=False
    ).order_by("pk")
    figures = ("estimate", "low", "high", *Line.DIFFERENCE)
    for row in rows.only("version_id", "created_at", "reference_id", *figures).iterator(5000):
        changes[row.version_id].append(row)
    return changes


def versions_with_history(rating_list: RatingList, partner: str, bot: Bot, at_most: int) -> list[BotVersion]:
    """Return the newest versions of a bot with a history in a column, with bot fetched. One query."""
    rows = RatingChange.objects.filter(list=rating_list, partner=partner, version__bot=bot).order_by()
    versions = BotVersion.objects.filter(pk__in=rows.values("version")).select_related("bot__owner")
    return list(versions.order_by("-number")[:at_most])


def recent_changes(
    rating_list: RatingList, partner: str, version: BotVersion, at_most: int
) -> list[RatingChange]:
    """Return the latest changes of a line, newest first. One query."""
    rows = line_history(rating_list, version).filter(partner=partner)
    return list(rows.reverse()[:at_most])


def list_set_scores(rating_list: RatingList) -> tuple[SetScores, ...]:
    """Return the scores of all sets of a list, in closing order, unpacked by a cache. One query."""
    rows = RatedSet.objects.filter(list=rating_list).exclude(scores=b"").order_by("board_set__closed_seq")
    return tuple(
        set_scores
        for packed in rows.values_list("scores", flat=True)
        for set_scores in unpack_cached(bytes(packed))
    )


def list_fit(rating_list: RatingList) -> RatingTable:
    """Return the fit of a list with its covariance, cached per revision in each process."""
    is_ladder = rating_list.kind == RatingList.Kind.LADDER
    return process_cache.get_or_build(
        _cache_key("fit", rating_list),
        lambda: rate(list_set_scores(rating_list), is_ladder=is_ladder),
        size_of=lambda fit: fit.covariance.nbytes,
    )


def difference(rating_list: RatingList, a: Rating, b: Rating) -> Difference | None:
    """Return the strength of ``a`` minus that of ``b``, in stones per board; None if one is unrated."""
    fit = list_fit(rating_list)
    first, second = (line_key(line.version.public_id, line.partner) for line in (a, b))
    if first not in fit.entries or second not in fit.entries:
        return None
    return fit.difference(first, second)


def basis_of(rating_list: RatingList) -> Basis:
    """Return the display data of a list, cached per revision. Two queries, none if cached."""
    return process_cache.get_or_build(_cache_key("basis", rating_list), lambda: _basis(rating_list))


def _basis(rating_list: RatingList) -> Basis:
    versions = BotVersion.objects.select_related("bot")
    key = rating_list.reference_id
    reference = versions.filter(pk=key).first() if key is not None else None
    rows = Rating.objects.filter(list=rating_list, estimate__isnull=False).order_by()
    figures = ("estimate", "low", "high") if reference is None else Line.DIFFERENCE[:3]
    spans, counts = [], Counter[str]()
    for partner, value, low, high in rows.values_list("partner", *figures):
        # A line has all figures or none.
        if value is not None and low is not None and high is not None:
            spans.append((value, low, high))
            counts[partner] += 1
    if reference is None:
        return Basis(tuple(spans), counts, None, "")
    name = f"{reference.bot.name} v{reference.number}"
    return Basis(tuple(spans), counts, (reference.pk, rating_list.reference_partner), name)


def cells_of(rating_list: RatingList, rows: Sequence[Rating]) -> Mapping[tuple[int, int], Cell]:
    """Return the direct results between these lines, by both line keys. One query, none if cached."""
    by_key = {line_key(row.version.public_id, row.partner): row.pk for row in rows}
    key = _cache_key(("cells", *by_key), rating_list)
    cells = process_cache.get_or_build(key, lambda: crosstable_cells(list_set_scores(rating_list), by_key))
    return {(by_key[line], by_key[other_line]): cell for (line, other_line), cell in cells.items()}


def _cache_key(kind: Hashable, rating_list: RatingList) -> CacheKey:
    return CacheKey((kind, rating_list.public_id), rating_list.revision)


def seasons() -> list[str]:
    rows = lists().filter(kind=RatingList.Kind.TOURNAMENTS).order_by("-season")
    return list(rows.values_list("season", flat=True).distinct())


def largest_list() -> RatingList | None:
    """Return the list with most boards among the rated lists of the latest quarter."""
    rows = lists().filter(kind=RatingList.Kind.TOURNAMENTS, rated__gt=0)
    return rows.order_by("-season", "-boards", "pk").first()


def leaders_of(rating_lists: Collection[RatingList], ranks: int) -> dict[int, list[Rating]]:
    """Return the lines up to rank ``ranks``, by list key, with bot and owner fetched. One query."""
    leaders: dict[int, list[Rating]] = {rating_list.pk: [] for rating_list in rating_lists}
    for row in lines().filter(list__in=rating_lists, rank__lte=ranks):
        leaders[row.list_id].append(row)
    return leaders


def lines_matching(rows: QuerySet[Rating], text: str) -> QuerySet[Rating]:
    """Filter to lines whose bot or player names contain every word of a text."""
    return matching_rows(rows, text, "version__bot__name", "version__bot__owner__handle")


def lines_by_name(rating_list: RatingList, text: str) -> list[Rating]:
    """Return up to two lines that match a text: a version's id, a bot with number (``kita v2``), or a bot.

    A trailing ``+`` selects the column of changing partners.
    """
    query = text.replace("\0", "\ufffd").strip()
    name = query.removesuffix("+").strip()
    partner = Rating.Partner.OTHER if query.endswith("+") else None
    rows = (
        lines_of_list(rating_list) if partner is None else lines_of_list(rating_list).filter(partner=partner)
    )
    bot, _blank, number = name.rpartition(" ")
    ways = [Q(version__public_id=name)] if is_public_id(name) else []
    if bot and number[:1] in "vV" and number[1:].isascii() and number[1:].isdigit() and len(number) < 9:
        ways.append(Q(version__bot__name__iexact=bot.strip(), version__number=int(number[1:])))
    ways.append(Q(version__bot__name__iexact=name))
    for way in ways:
        matches = list(rows.filter(way)[:2])
        if matches:
            return matches
    return list(lines_matching(rows, name)[:2]) if name else []


def lines_of_version(version: BotVersion, lists_at_most: int) -> list[Rating]:
    """Return the lines of a version in its newest lists, in list order. Two queries, or one without lines."""
    return _recent_lines(Q(version=version), lists_at_most)


def lines_of_bot(bot: Bot, lists_at_most: int) -> list[Rating]:
    """Return the lines of all versions of a bot in their newest lists."""
    return _recent_lines(Q(version__bot=bot), lists_at_most)


def lines_of_player(player: Player, lists_at_most: int) -> list[Rating]:
    """Return the lines of all bots of a player in their newest lists."""
    return _recent_lines(Q(version__bot__owner=player), lists_at_most)


def _recent_lines(condition: Q, lists_at_most: int) -> list[Rating]:
    # Select keys first: many lines are examined, few are loaded.
    rows = Rating.objects.filter(condition).values_list("pk", "list_id")
    line_keys: list[int] = []
    list_keys: set[int] = set()
    for key, rating_list in rows.order_by("-list__season", "-list__boards", "-list_id", "-lines_after")[
        :RECENT_LINES
    ]:
        if rating_list in list_keys or len(list_keys) < lists_at_most:
            list_keys.add(rating_list)
            line_keys.append(key)
    by_key = lines().in_bulk(line_keys) if line_keys else {}
    return [by_key[key] for key in line_keys if key in by_key]


def neighbours_of(rows: Collection[Rating]) -> list[Rating]:
    """Return these lines and those next to them in rank, in list order. At most one query."""
    near = Q()
    for row in rows:
        if row.rank is not None:
            ranks = Q(rank__gte=row.rank - 1, rank__lte=row.rank + 1)
            near |= Q(list=row.list_id, partner=row.partner) & ranks
    return list(lines().filter(near)) if near else []
