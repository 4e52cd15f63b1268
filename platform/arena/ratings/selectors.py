"""Reading ratings: lists, their lines, the history of a version, differences between any two."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from django.db.models import QuerySet

from arena.accounts.selectors import Viewer
from arena.common.errors import NotFound
from arena.common.ids import is_public_id
from arena.ratings.models import RatedSet, Rating, RatingChange, RatingList
from arena.ratings.reading import unpacked
from arena.roster.models import BotVersion
from arena.roster.selectors import versions_visible_to
from league.rating.columns import line_key
from league.rating.fixtures import SetScores
from league.rating.table import Difference, Ratings, rate

__all__ = [
    "Difference",
    "changes_of",
    "difference",
    "history",
    "lines",
    "list_named",
    "list_rows",
    "lists",
    "rating_of",
    "ratings_of",
    "sets_of",
]
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
