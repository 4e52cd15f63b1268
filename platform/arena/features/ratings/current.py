"""Current lines: the newest list of each kind of play, and each bot's line with most boards in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import Coalesce, RowNumber

from arena.common.process_cache import CacheKey, process_cache
from arena.features.ratings.models import Rating, RatingChange, RatingList
from arena.features.ratings.selectors import lines, lists

SPARKLINE_POINTS = 24
"""Approximate maximum number of points of a season's curve."""


class CurrentLine(NamedTuple):
    line: int
    """Primary key of the ``Rating``."""
    list: int
    value: float
    """Stones per board, relative to the zero of the list's page."""
    boards: int
    owner: int


class CurrentLines(NamedTuple):
    by_bot: Mapping[int, CurrentLine]
    best_of_owner: Mapping[int, CurrentLine]
    """The highest line of each player's bots in the largest of their lists, by key of the player."""
    rated: Mapping[tuple[int, str], int]
    """Number of rated lines by list key and column."""
    revision: tuple[tuple[int, int], ...]
    """Keys and revisions of the lists."""

    @property
    def lists(self) -> list[int]:
        return [key for key, _revision in self.revision]

    def positions(self, lines: Mapping[int, CurrentLine]) -> dict[int, float]:
        """Return values that order lines by list, the one with most bots first, and by strength within it."""
        bots = Counter(line.list for line in self.by_bot.values())
        ordered = sorted(lines, key=lambda key: (-bots[lines[key].list], lines[key].list, -lines[key].value))
        return {key: float(-position) for position, key in enumerate(ordered)}


def current_lists(game: str = "", preset: str = "", season: str = "") -> list[RatingList]:
    """Return the newest list of each preset, kind of board and seats, and of each ladder. One query.

    With ``season``, those of a quarter.
    """
    rows = lists()
    if game:
        rows = rows.filter(game=game)
    if preset:
        rows = rows.filter(preset=preset)
    if season:
        rows = rows.filter(season=season)
    newest: dict[tuple[str, str, str, int], RatingList] = {}
    for row in rows.order_by("-season", "-pk"):
        newest.setdefault((row.kind, row.preset, row.board_kind, row.seats), row)
    return list(newest.values())


def current_lines(game: str = "", preset: str = "") -> CurrentLines:
    """Return the current line of each rated bot. One query; two if a list was computed since."""
    rating_lists = current_lists(game, preset)
    revision = tuple((row.pk, row.revision) for row in rating_lists)
    return process_cache.get_or_build(
        CacheKey(("current lines", game, preset), revision),
        lambda: _current_lines(revision),
        size_of=lambda built: 400 * len(built.by_bot),
    )


def _current_lines(revision: tuple[tuple[int, int], ...]) -> CurrentLines:
    rows = Rating.objects.filter(
        list__in=[key for key, _revision in revision], estimate__isnull=False
    ).order_by()
    by_bot: dict[int, CurrentLine] = {}
    best: dict[int, CurrentLine] = {}
    rated: dict[tuple[int, str], int] = {}
    # Relative to the reference line, or to the average in a list without one.
    value_shown = Coalesce("difference", "estimate")
    columns = ("version__bot", "pk", "list", "partner", value_shown, "boards", "version__bot__owner")
    for bot, line, rating_list, partner, value, boards, owner in rows.values_list(*columns).iterator(5000):
        rated[rating_list, partner] = rated.get((rating_list, partner), 0) + 1
        known = by_bot.get(bot)
        if known is None or (known.boards, known.line) < (boards, line):
            by_bot[bot] = CurrentLine(line, rating_list, value, boards, owner)
    bots = Counter(line.list for line in by_bot.values())
    for line_of_bot in by_bot.values():
        known = best.get(line_of_bot.owner)
        if known is None or _priority(known, bots) < _priority(line_of_bot, bots):
            best[line_of_bot.owner] = line_of_bot
    return CurrentLines(by_bot, best, rated, revision)


def _priority(line: CurrentLine, bots: Mapping[int, int]) -> tuple[int, int, float]:
    return bots[line.list], -line.list, line.value


def lines_by_key(keys: Collection[int]) -> dict[int, Rating]:
    """Return lines with list, bot and owner. One query, none without keys."""
    return lines().in_bulk(keys) if keys else {}


class RatedOpponent(NamedTuple):
    version: str
    """Public id."""
    difference: float
    """Estimated strength of the subject less that of the opponent, in stones per board."""


def rated_opponents(line: Rating, bots: Collection[int]) -> dict[int, RatedOpponent]:
    """Compare a rated line with the line with most boards of each bot (by key) in the same list and column.

    One query; bots without such a line are missing.
    """
    rows = Rating.objects.filter(
        list=line.list_id, partner=line.partner, version__bot__in=bots, estimate__isnull=False
    )
    columns = rows.order_by("boards", "pk").values_list("version__bot", "version__public_id", "estimate")
    return {
        bot: RatedOpponent(version, (line.estimate or 0.0) - (estimate or 0.0))
        for bot, version, estimate in columns
    }


def unrated_lines_of(bots: Collection[int], rating_lists: Collection[int]) -> dict[int, Rating]:
    """Return the line with most boards of each bot without a rating in these lists, by key of the bot.

    One query, none without bots.
    """
    if not bots:
        return {}
    rows = Rating.objects.filter(version__bot__in=bots, list__in=rating_lists, estimate__isnull=True)
    ordered = rows.select_related("version", "list").order_by("boards", "pk")
    return {row.version.bot_id: row for row in ordered}


def season_curves(rows: Collection[Rating]) -> dict[int, tuple[float, ...]]:
    """Return values over the season by line key, at most about 24 per line. One query, none if cached.

    Relative to the reference line of the list, or to the average in a list without one. If changes were
    stored without a difference from this reference, the curve has the line's estimates, shifted to
    end at the current value.
    """
    keys = {
        row.pk: CacheKey(("curve", row.list_id, row.version_id, row.partner), row.list.revision)
        for row in rows
    }
    curves = {line: known for line, key in keys.items() if (known := process_cache.get(key)) is not None}
    missing = [row for row in rows if row.pk not in curves]
    if missing:
        read = _season_changes(missing)
        for row in missing:
            curves[row.pk] = _curve(row, read.get((row.list_id, row.version_id, row.partner), ()))
            process_cache.put(keys[row.pk], curves[row.pk], 40 * (SPARKLINE_POINTS + 1))
    return curves


class _Change(NamedTuple):
    estimate: float
    difference: float | None
    reference: int | None


def _curve(row: Rating, changes: Collection[_Change]) -> tuple[float, ...]:
    if row.difference is None or row.estimate is None:
        return tuple(change.estimate for change in changes)
    differences = tuple(
        change.difference
        for change in changes
        if change.difference is not None and change.reference == row.list.reference_id
    )
    if len(differences) == len(changes):
        return differences
    return tuple(change.estimate + row.difference - row.estimate for change in changes)


def _season_changes(rows: Collection[Rating]) -> dict[tuple[int, int, str], list[_Change]]:
    points: dict[tuple[int, int, str], list[_Change]] = {}
    columns = ("list_id", "version_id", "partner", "estimate", "difference", "reference_id")
    for rating_list, version, partner, estimate, *relative in _thinned(rows).values_list(*columns):
        points.setdefault((rating_list, version, partner), []).append(_Change(estimate or 0.0, *relative))
    return points


def _thinned(rows: Collection[Rating]) -> QuerySet[RatingChange]:
    """Return every n-th change of these lines and the last, in time order."""
    of_lines = Q()
    for rating_list in {row.list_id for row in rows}:
        of_lines |= Q(
            list=rating_list, version__in=[row.version_id for row in rows if row.list_id == rating_list]
        )
    of_line = [F("list"), F("version"), F("partner")]
    changes = RatingChange.objects.filter(of_lines, estimate__isnull=False).annotate(
        place=Window(RowNumber(), partition_by=of_line, order_by=F("pk").asc()),
        places=Window(Count("pk"), partition_by=of_line),
    )
    is_kept = Q(place=F("places")) | Q(place=1) | Q(places__lte=SPARKLINE_POINTS)
    nth = (F("places") + SPARKLINE_POINTS - 1) / SPARKLINE_POINTS
    return changes.annotate(step=F("place") % nth).filter(is_kept | Q(step=0)).order_by("pk")
