"""Rankings of a course, computed like the site's rating lists from the closed board sets of its tournaments.

They are rebuilt as a whole after each change, and are never part of the public rating lists.
"""

from __future__ import annotations

import logging
import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from arena.common.features import DueTournament
from arena.competition.models import Course, Tournament
from arena.features.courses.models import CourseRanking, CourseResults, RankedLine
from arena.features.ratings.board_scores import closed_sets, has_preset_rules, seats_of, set_scores_of
from arena.matches.models import BoardSet
from arena.roster.models import BotVersion
from league.rating.columns import RatingLine, rating_lines
from league.rating.fixtures import SetScores
from league.rating.table import rate

log = logging.getLogger(__name__)

COURSES_PER_TICK = 3
BATCH_SIZE = 1000


class RankingKey(NamedTuple):
    """Columns of ``CourseRanking``."""

    game: str
    preset: str
    board_kind: str
    seats: int


def round_closed(tournament: Tournament) -> None:
    if tournament.course_id is not None and tournament.kind == Tournament.Kind.TOURNAMENT:
        _mark_stale([tournament.course_id])


def results_changed(board_sets: Collection[int]) -> None:
    """Mark the courses of rescored board sets, given by key. One query for sets without a course."""
    sets = BoardSet.objects.filter(pk__in=board_sets, round__stage__tournament__course__isnull=False)
    _mark_stale(set(sets.order_by().values_list("round__stage__tournament__course", flat=True)))


def rankings_due() -> Iterable[DueTournament]:
    """Compute the rankings of courses whose results changed; the tick calls it. Safe to run concurrently."""
    rows = CourseResults.objects.exclude(stale_mark="").select_related("course").order_by("pk")
    for row in rows[:COURSES_PER_TICK]:
        try:
            rankings_compute(row.course)
        except Exception:
            # A failing course must not block the others.
            log.exception("courses: rankings of %s", row.course.public_id)
            continue
        CourseResults.objects.filter(pk=row.pk, stale_mark=row.stale_mark).update(stale_mark="")
    return ()


def rankings_compute(course: Course) -> None:
    """Replace the rankings of a course, from all its closed board sets with a preset's rules.

    About ten queries per board set.
    """
    sets: dict[RankingKey, list[SetScores]] = defaultdict(list)
    rows = closed_sets().filter(
        round__stage__tournament__course=course, round__stage__tournament__kind=Tournament.Kind.TOURNAMENT
    )
    for board_set in rows:
        tournament = board_set.round.stage.tournament
        if has_preset_rules(tournament):
            key = RankingKey(tournament.game, tournament.preset, tournament.board_kind, seats_of(tournament))
            sets[key] += set_scores_of(board_set)
    computed = {key: rating_lines(rate(scores)) for key, scores in sets.items()}
    names = {line.version for lines in computed.values() for line in lines}
    keys = dict(BotVersion.objects.filter(public_id__in=names).order_by().values_list("public_id", "pk"))
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=course.pk)
        CourseRanking.objects.filter(course=course).delete()
        for key, lines in computed.items():
            boards = {scores.board_set: scores.boards for scores in sets[key]}
            ranking = CourseRanking.objects.create(
                course=course,
                boards=sum(boards.values()),
                computed_at=timezone.now(),
                **key._asdict(),
            )
            RankedLine.objects.bulk_create(
                (line_row(ranking, position, line, keys) for position, line in enumerate(lines)),
                batch_size=BATCH_SIZE,
            )


def line_row(ranking: CourseRanking, position: int, line: RatingLine, keys: dict[str, int]) -> RankedLine:
    figures = line.figures
    return RankedLine(
        ranking=ranking,
        version_id=keys[line.version],
        partner=line.partner,
        position=position,
        estimate=figures and figures.estimate,
        low=figures and figures.low,
        high=figures and figures.high,
        rank=figures and figures.rank,
        rank_low=figures and figures.rank_low,
        rank_high=figures and figures.rank_high,
        fixtures=line.fixtures,
        boards=line.boards,
    )


def _mark_stale(courses: Collection[int]) -> None:
    for course in courses:
        CourseResults.objects.update_or_create(
            course_id=course, defaults={"stale_mark": secrets.token_hex(8)}
        )
