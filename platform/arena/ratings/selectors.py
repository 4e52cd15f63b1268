"""Reading ratings: lists, their lines, the history of a version, differences between any two."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from threading import Lock

from django.db.models import Q, QuerySet

from arena.accounts.house import HOUSE
from arena.accounts.selectors import Viewer
from arena.common.errors import NotFound
from arena.common.ids import is_public_id
from arena.ratings.models import RatedSet, Rating, RatingChange, RatingList
from arena.ratings.reading import unpacked
from arena.roster.models import BotVersion
from arena.roster.selectors import versions_visible_to, with_words
from league.rating.columns import line_key
from league.rating.fixtures import SetScores
from league.rating.table import Difference, Ratings, rate

__all__ = [
    "Difference",
    "changes_of",
    "difference",
    "history",
    "leaders_of",
    "lines",
    "lines_like",
    "lines_named",
    "list_named",
    "list_rows",
    "lists",
    "neighbours_of",
    "newest_lines",
    "rating_of",
    "ratings_of",
    "seasons",
    "sets_of",
    "spans_of",
    "yardstick_of",
]
NEWEST_LOOKED_AT = 200
"""Lines among which ``newest_lines`` looks: the versions of a bot, or of a player, in a few lists."""
FITS_KEPT = 4
"""Fits of lists that a process keeps: a covariance of 1,000 entries takes 8 MB."""
_fits: OrderedDict[tuple[int, int], Ratings] = OrderedDict()
_fits_lock = Lock()


def lists() -> QuerySet[RatingList]:
    """All lists that were made, the newest season first."""
    return RatingList.objects.filter(revision__gt=0).order_by("-season", "game", "preset", "seats", "pk")


def list_named(public_id: str) -> RatingList:
    """The list of this public id.

    Raises:
        NotFound: there is none, or none yet.
    """
    found = lists().filter(public_id=public_id).first() if is_public_id(public_id) else None
    if found is None:
        raise NotFound(f"There is no list of ratings {public_id!r}.", "not_found")
    return found


def list_rows(rating_list: RatingList) -> QuerySet[Rating]:
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


def rating_of(rating_list: RatingList, version: BotVersion) -> list[Rating]:
    """The lines of a version in a list: none, one, or one a column."""
    return list(Rating.objects.filter(list=rating_list, version=version).order_by("partner"))


def history(rating_list: RatingList, version: BotVersion) -> QuerySet[RatingChange]:
    """What the lines of a version came to say, in order, with the board sets they were made after."""
    return (
        RatingChange.objects.filter(list=rating_list, version=version)
        .select_related("board_set__round__stage__tournament")
        .order_by("pk")
    )


def sets_of(rating_list: RatingList) -> tuple[SetScores, ...]:
    """The scores of all sets the list follows from, in closing order. One query; sets are kept by content."""
    rows = RatedSet.objects.filter(list=rating_list).exclude(scores=b"").order_by("board_set__closed_seq")
    return tuple(one for packed in rows.values_list("scores", flat=True) for one in unpacked(bytes(packed)))


def ratings_of(rating_list: RatingList) -> Ratings:
    """The fit of a list with its covariance: computed once for each of its revisions in a process."""
    key = (rating_list.pk, rating_list.revision)
    with _fits_lock:
        if key in _fits:
            _fits.move_to_end(key)
            return _fits[key]
    found = rate(sets_of(rating_list), is_ladder=rating_list.kind == RatingList.Kind.LADDER)
    with _fits_lock:
        _fits[key] = found
        while len(_fits) > FITS_KEPT:
            _fits.popitem(last=False)
    return found


def difference(rating_list: RatingList, a: Rating, b: Rating) -> Difference | None:
    """One line's strength less another's, in stones a board; None if one of them is not comparable."""
    found = ratings_of(rating_list)
    first, second = (line_key(line.version.public_id, line.partner) for line in (a, b))
    if first not in found.entries or second not in found.entries:
        return None
    return found.difference(first, second)


def yardstick_of(rating_list: RatingList) -> Rating | None:
    """The line that reads 0 where a list is shown: the latest version of the house's greedy bot, with itself
    as partner if it has such a line. None: it is not rated here, and the average reads 0. One query.
    """
    rows = Rating.objects.filter(
        list=rating_list, estimate__isnull=False, version__bot__owner__user__username=HOUSE
    )
    return rows.order_by("partner", "-version__number", "pk").first()


def spans_of(rating_list: RatingList) -> list[tuple[float, float, float]]:
    """Estimate and ends of the interval of every rated line. One query."""
    rows = Rating.objects.filter(list=rating_list, estimate__isnull=False).order_by()
    # A line has all figures or none.
    return [
        (estimate, low, high)
        for estimate, low, high in rows.values_list("estimate", "low", "high")
        if estimate is not None and low is not None and high is not None
    ]


def seasons() -> list[str]:
    """The quarters that lists of events were made for, the newest first. One query."""
    found = lists().filter(kind=RatingList.Kind.EVENTS).order_by("-season")
    return list(found.values_list("season", flat=True).distinct())


def leaders_of(rating_lists: Collection[RatingList], ranks: int) -> dict[int, list[Rating]]:
    """The lines up to a rank of each of these lists, by its key; bot and owner along. One query."""
    found: dict[int, list[Rating]] = {rating_list.pk: [] for rating_list in rating_lists}
    for row in lines().filter(list__in=rating_lists, rank__lte=ranks):
        found[row.list_id].append(row)
    return found


def lines_like(rows: QuerySet[Rating], text: str) -> QuerySet[Rating]:
    """Those of a bot or a player whose names have every word of a text."""
    return with_words(rows, text, "version__bot__name", "version__bot__owner__handle")


def lines_named(rating_list: RatingList, text: str) -> list[Rating]:
    """The lines that a text names, up to two of them: a version's id, or a bot with its number, or a bot.

    ``kita v2`` is a version, ``kita`` the best one so called; after either, ``+`` is its line with strangers.
    """
    wanted = text.replace("\0", "\ufffd").strip()
    name = wanted.removesuffix("+").strip()
    partner = Rating.Partner.STRANGERS if wanted.endswith("+") else None
    rows = list_rows(rating_list) if partner is None else list_rows(rating_list).filter(partner=partner)
    bot, _blank, number = name.rpartition(" ")
    ways = [Q(version__public_id=name)] if is_public_id(name) else []
    if bot and number[:1] in "vV" and number[1:].isascii() and number[1:].isdigit() and len(number) < 9:
        ways.append(Q(version__bot__name__iexact=bot.strip(), version__number=int(number[1:])))
    ways.append(Q(version__bot__name__iexact=name))
    for way in ways:
        found = list(rows.filter(way)[:2])
        if found:
            return found
    return list(lines_like(rows, name)[:2]) if name else []


def newest_lines(condition: Q, lists_at_most: int) -> list[Rating]:
    """The lines that a condition on ratings chooses, of the lists made for the latest seasons: each list's in
    its order. One query.
    """
    rows = lines().filter(condition).order_by("-list__season", "-list__boards", "-list_id", "-lines_after")
    found: list[Rating] = []
    kept: set[int] = set()
    for row in rows[:NEWEST_LOOKED_AT]:
        if row.list_id in kept or len(kept) < lists_at_most:
            kept.add(row.list_id)
            found.append(row)
    return found


def neighbours_of(rows: Collection[Rating]) -> list[Rating]:
    """These rated lines and those next to them in rank, in the order of their lists. One query, or none."""
    near = Q()
    for row in rows:
        if row.rank is not None:
            ranks = Q(rank__gte=row.rank - 1, rank__lte=row.rank + 1)
            near |= Q(list=row.list_id, partner=row.partner) & ranks
    return list(lines().filter(near)) if near else []
