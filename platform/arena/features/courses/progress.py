"""Progress of a course's members: their bots, tournaments and ratings, for its owners."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db.models import Count, F, Max, Q, QuerySet

from arena.accounts.house import house_account_filter
from arena.common.csv_text import Cell, csv_bytes
from arena.competition.entries.counts import FIELD_STATUSES
from arena.competition.models import Course, CourseMember, Entry, Tournament
from arena.features.courses.models import CourseRanking, RankedLine
from arena.roster.models import Bot, BotVersion

GRADES_HEAD = (
    *("name", "joined", "last_activity", "bots", "versions", "tournaments_entered"),
    *("tournaments_played", "game_and_rules", "seats", "board_kind", "best_bot", "version", "rank"),
    *("rating", "rating_low", "rating_high", "boards"),
)
"""Columns of the file for grading. New ones are added at the end."""
PLAYED_STATES = (Tournament.State.PROVISIONAL, Tournament.State.FINAL, Tournament.State.ARCHIVED)


class Progress(NamedTuple):
    bots: int = 0
    versions: int = 0
    entered: int = 0
    played: int = 0
    """Tournaments of the course, with an entry, that were played to the end."""
    active_at: datetime.datetime | None = None
    """Latest of sign-in and upload."""


def rankings_of(course: Course) -> list[CourseRanking]:
    """Return the course's rankings, those with most boards first. One query."""
    return list(course.rankings.order_by("-boards", "pk"))


def lines_of(ranking: CourseRanking) -> QuerySet[RankedLine]:
    """Return the lines of present members and house bots, with bot and owner, in order.

    Ranks include the lines of former members.
    """
    return lines_of_course(ranking.course).filter(ranking=ranking).order_by("position")


def lines_of_course(course: Course) -> QuerySet[RankedLine]:
    """Return the lines of all rankings, as ``lines_of``, in order of ranking and position."""
    members = CourseMember.objects.filter(course=course).values("user")
    owner = "version__bot__owner__user"
    is_shown = Q(**{f"{owner}__in": members}) | house_account_filter(f"{owner}__")
    rows = RankedLine.objects.filter(is_shown, ranking__course=course)
    return rows.select_related("ranking", "version__bot__owner__user").order_by("id")


def progress_of(course: Course, members: Sequence[CourseMember]) -> Mapping[int, Progress]:
    """Return the progress of members by account key. Three queries."""
    users = [member.user_id for member in members]
    owned = Bot.objects.filter(owner__user__in=users).order_by().values("owner__user")
    bots = dict(owned.annotate(count=Count("pk")).values_list("owner__user", "count"))
    uploads = BotVersion.objects.filter(bot__owner__user__in=users).order_by().values("bot__owner__user")
    versions = {
        user: (count, latest)
        for user, count, latest in uploads.annotate(count=Count("pk"), latest=Max("created_at")).values_list(
            "bot__owner__user", "count", "latest"
        )
    }
    entries = Entry.objects.filter(
        tournament__course=course, status__in=FIELD_STATUSES, player__user__in=users
    ).order_by()
    counts = {
        user: (entered, played)
        for user, entered, played in entries.values("player__user")
        .annotate(
            entered=Count("tournament", distinct=True),
            played=Count("tournament", distinct=True, filter=Q(tournament__state__in=PLAYED_STATES)),
        )
        .values_list("player__user", "entered", "played")
    }
    by_account = {}
    for member in members:
        uploaded, latest = versions.get(member.user_id, (0, None))
        entered, played = counts.get(member.user_id, (0, 0))
        moments = [moment for moment in (latest, member.user.last_login) if moment is not None]
        by_account[member.user_id] = Progress(
            bots.get(member.user_id, 0), uploaded, entered, played, max(moments, default=None)
        )
    return by_account


def best_lines(course: Course) -> Mapping[int, list[RankedLine]]:
    """Return each owner's best line of each ranking, by account key. One query."""
    rows = RankedLine.objects.filter(ranking__course=course).select_related("ranking", "version__bot__owner")
    best: dict[tuple[int, int], RankedLine] = {}
    for line in rows.order_by(F("estimate").desc(nulls_last=True), "position"):
        best.setdefault((line.version.bot.owner.user_id, line.ranking_id), line)
    by_owner: dict[int, list[RankedLine]] = {}
    for (owner, _ranking), line in sorted(best.items()):
        by_owner.setdefault(owner, []).append(line)
    return by_owner


def grades_csv(course: Course) -> bytes:
    """Return a file for grading: a row per member and ranking, one without figures for an unranked member.

    Seven queries. No cell is a formula.
    """
    members = list(course.members.select_related("user").order_by("user__username"))
    progress, best = progress_of(course, members), best_lines(course)
    rows: list[tuple[Cell, ...]] = []
    for member in members:
        known = progress[member.user_id]
        facts = (
            member.user.username,
            _moment(member.joined_at),
            _moment(known.active_at),
            known.bots,
            known.versions,
            known.entered,
            known.played,
        )
        rows += [(*facts, *_figures(line)) for line in best.get(member.user_id, [])] or [
            (*facts, *[None] * (len(GRADES_HEAD) - len(facts)))
        ]
    return csv_bytes(GRADES_HEAD, rows)


def _figures(line: RankedLine) -> tuple[Cell, ...]:
    ranking = line.ranking
    return (
        ranking.preset,
        ranking.seats,
        ranking.board_kind,
        line.version.bot.name,
        line.version.number,
        line.rank,
        line.estimate,
        line.low,
        line.high,
        line.boards,
    )


def _moment(moment: datetime.datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else ""
