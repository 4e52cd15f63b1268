"""Ladders of remote bots: the mean score per table of each bot, with an interval valid whenever it stops.

Scores compare a bot with house bots in its seat on the same cards, so tables of different bots need no common
cards. docs/remote.md explains the bias of stopping at a good moment.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet, Sum

from arena.common.errors import NotFound, quoted
from arena.common.process_cache import CacheKey, process_cache
from arena.competition.games import preset_keys
from arena.features.remote.models import RemoteBot, RemoteTable, RemoteVersion
from league.intervals import Interval, Moments

MIN_TABLES = 20
"""Tables of a version before it has a rank. With fewer than 15, the interval is infinite."""
MAX_AGE_S = 30.0
"""Maximum age of a list."""


class LadderLine(NamedTuple):
    """A bot on a ladder, with one of its versions."""

    version: str
    """Public id."""
    number: int
    label: str
    bot: str
    """Public id."""
    name: str
    owner: str
    """Handle."""
    owner_user: int | None
    tables: int
    forfeits: int
    mean: float
    """Stones per table above the house bots."""
    low: float | None
    """Lower end of the 95% interval; None below ``MIN_TABLES``, like the upper end and the ranks."""
    high: float | None
    rank_low: int | None = None
    """1 plus the number of bots whose interval lies above."""
    rank_high: int | None = None


class Ladder(NamedTuple):
    preset: str
    is_slow: bool
    bots: int
    tables: int


class VersionScore(NamedTuple):
    """The tables of a version on one ladder."""

    preset: str
    is_slow: bool
    tables: int
    forfeits: int
    interval: Interval | None
    """None below ``MIN_TABLES``."""
    mean: float


def ladder_lines(preset: str, *, is_slow: bool) -> tuple[LadderLine, ...]:
    """Return the bots of a ladder, best first, then those with too few tables for a rank, most tables first.

    A bot is represented by its newest version with ``MIN_TABLES`` tables, or by its newest version on the
    ladder if it has none: authors cannot choose the luckiest version. Two queries, none if cached.
    Raises NotFound (``unknown_preset``).
    """
    if preset not in preset_keys():
        raise NotFound(f"There is no preset {quoted(preset)}.", "unknown_preset")
    key = CacheKey(("remote ladder", preset, is_slow), None)
    return process_cache.get_or_build(key, lambda: _lines(preset, is_slow=is_slow), max_age_s=MAX_AGE_S)


def ladders() -> tuple[Ladder, ...]:
    """Return the ladders with rated tables, in the order of the rules, the normal clock first.

    One query, none if cached.
    """
    return process_cache.get_or_build(CacheKey("remote ladders", None), _ladders, max_age_s=MAX_AGE_S)


def scores_of(bot: RemoteBot) -> dict[int, list[VersionScore]]:
    """Return the scores of a bot's versions on all ladders, by primary key. One query."""
    rows = _counted(_scored().filter(rated_version__bot=bot), "rated_version", "preset", "is_slow")
    scores: dict[int, list[VersionScore]] = {}
    for row in sorted(rows, key=lambda row: (row["preset"], row["is_slow"])):
        interval = interval_of(row)
        has_interval = row["tables"] >= MIN_TABLES
        score = VersionScore(
            row["preset"],
            row["is_slow"],
            row["tables"],
            row["forfeits"],
            interval if has_interval else None,
            interval.mean,
        )
        scores.setdefault(row["rated_version"], []).append(score)
    return scores


def interval_of(row: Mapping[str, Any]) -> Interval:
    """Return the anytime-valid interval of a sum of scores and of their squares."""
    tables, total = row["tables"], Fraction(row["total"])
    # Rounding must not make the variance negative.
    squares = max(Fraction(row["squares"]), total * total / tables)
    return Moments(tables, total, squares).anytime_interval()


def ranked(lines: Iterable[LadderLine]) -> list[LadderLine]:
    """Return the lines with their ranges of ranks: bots whose intervals overlap are not told apart."""
    every = list(lines)
    spans = [(line.low, line.high) for line in every if line.low is not None and line.high is not None]
    return [
        line
        if line.low is None or line.high is None
        else line._replace(
            rank_low=1 + sum(low > line.high for low, _ in spans),
            rank_high=len(spans) - sum(high < line.low for _, high in spans),
        )
        for line in every
    ]


def _scored() -> QuerySet[RemoteTable]:
    return RemoteTable.objects.filter(score__isnull=False)


def _counted(tables: QuerySet[RemoteTable], *columns: str) -> list[dict[str, Any]]:
    rows = tables.order_by().values(*columns)
    return list(
        rows.annotate(
            tables=Count("pk"),
            forfeits=Count("pk", filter=Q(is_forfeit=True)),
            total=Sum("score"),
            squares=Sum(F("score") * F("score")),
        )
    )


def _lines(preset: str, *, is_slow: bool) -> tuple[LadderLine, ...]:
    sums = {
        row["rated_version"]: row
        for row in _counted(_scored().filter(preset=preset, is_slow=is_slow), "rated_version")
    }
    rows = RemoteVersion.objects.filter(pk__in=sums, bot__retired_at=None).select_related("bot__owner")
    by_bot: dict[int, RemoteVersion] = {}
    for version in rows.order_by("bot_id", "number"):
        chosen = by_bot.get(version.bot_id)
        if chosen is None or not _is_ranked(sums[chosen.pk]) or _is_ranked(sums[version.pk]):
            by_bot[version.bot_id] = version
    lines = ranked(_line(version, sums[version.pk]) for version in by_bot.values())
    lines.sort(key=lambda line: (line.low is None, -line.mean if line.low is not None else -line.tables))
    return tuple(lines)


def _is_ranked(row: Mapping[str, Any]) -> bool:
    return bool(row["tables"] >= MIN_TABLES)


def _line(version: RemoteVersion, row: Mapping[str, Any]) -> LadderLine:
    interval = interval_of(row)
    has_interval = _is_ranked(row) and math.isfinite(interval.low)
    owner = version.bot.owner
    return LadderLine(
        version.public_id,
        version.number,
        version.label,
        version.bot.public_id,
        version.bot.name,
        owner.handle,
        owner.user_id,
        row["tables"],
        row["forfeits"],
        interval.mean,
        interval.low if has_interval else None,
        interval.high if has_interval else None,
    )


def _ladders() -> tuple[Ladder, ...]:
    rows = (
        _scored()
        .order_by()
        .values("preset", "is_slow")
        .annotate(bots=Count("rated_version__bot", distinct=True), tables=Count("pk"))
    )
    by_key = {
        (row["preset"], row["is_slow"]): Ladder(row["preset"], row["is_slow"], row["bots"], row["tables"])
        for row in rows
    }
    keys = [(preset, is_slow) for preset in preset_keys() for is_slow in (False, True)]
    return tuple(by_key[key] for key in keys if key in by_key)
