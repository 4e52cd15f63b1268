"""Seasons: names, ends, transitions and final tables."""

from __future__ import annotations

import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from arena.common.states import state_change
from arena.features.ladders.models import Ladder, LadderRound, LadderSeason
from arena.features.ratings.models import RatedSet, Rating, RatingList
from arena.features.ratings.services import ladder_list

State = LadderSeason.State
MONTHS_OF_A_YEAR = 12
SEASON_LETTERS = {6: "H", 3: "Q"}
FINAL_FIELDS = ("partner", *Rating.FIGURES, *Rating.DIFFERENCE, *Rating.COUNTS, "reasons")
"""Fields of a rating line in a final table, besides its version."""


def season_name(instant: datetime.datetime, months: int) -> str:
    """Return the name of the season that contains an instant, in UTC.

    >>> moment = datetime.datetime(2026, 11, 24, tzinfo=datetime.UTC)
    >>> [season_name(moment, months) for months in (1, 3, 6, 12)]
    ['2026-11', '2026-Q4', '2026-H2', '2026']
    """
    moment = instant.astimezone(datetime.UTC)
    if months == MONTHS_OF_A_YEAR:
        return str(moment.year)
    if months == 1:
        return f"{moment.year}-{moment.month:02}"
    return f"{moment.year}-{SEASON_LETTERS[months]}{(moment.month - 1) // months + 1}"


def season_end(instant: datetime.datetime, months: int) -> datetime.datetime:
    """Return the end of the season that contains an instant, in UTC.

    >>> moment = datetime.datetime(2026, 11, 24, tzinfo=datetime.UTC)
    >>> season_end(moment, 3).isoformat(), season_end(moment, 1).isoformat()
    ('2027-01-01T00:00:00+00:00', '2026-12-01T00:00:00+00:00')
    """
    moment = instant.astimezone(datetime.UTC)
    following = ((moment.month - 1) // months + 1) * months
    years, month = divmod(following, MONTHS_OF_A_YEAR)
    return datetime.datetime(moment.year + years, month + 1, 1, tzinfo=datetime.UTC)


def season_list(season: LadderSeason) -> RatingList:
    ladder = season.ladder
    return ladder_list(
        season.public_id,
        season=season.name,
        game=ladder.game,
        preset=ladder.preset,
        board_kind=ladder.board_kind,
        seats=ladder.seats,
    )


def season_current(ladder: Ladder, now: datetime.datetime) -> LadderSeason | None:
    """Return the season in which a round may be drawn now, or create it. Two queries.

    None if the previous season has the same name, as after a change of the season's length.
    """
    running = ladder.seasons.filter(state=State.RUNNING).first()
    if running is not None:
        running.ladder = ladder
        return running if running.ends_at > now else None
    months = settings.LADDERS.season_months
    try:
        with transaction.atomic():
            season, _ = LadderSeason.objects.get_or_create(
                ladder=ladder,
                name=season_name(now, months),
                defaults={"begins_at": now, "ends_at": season_end(now, months)},
            )
    except IntegrityError:  # a concurrent call has begun it
        return None
    season.ladder = ladder
    return season if season.state == State.RUNNING else None


def seasons_advance(now: datetime.datetime) -> None:
    """End expired seasons, and archive ended ones whose rounds are all rated. Safe to run concurrently."""
    over = Q(state=State.RUNNING, ends_at__lte=now) | Q(state=State.ENDING)
    for season in LadderSeason.objects.filter(over).select_related("ladder"):
        if season.state == State.RUNNING:
            state_change(season, "state", State.RUNNING, State.ENDING)
        if season.state == State.ENDING and _is_rated(season):
            _archive(season)


def _is_rated(season: LadderSeason) -> bool:
    """Return whether no round is open and all counted rounds are rated."""
    if season.rounds.filter(state=LadderRound.State.OPEN).exists():
        return False
    return not RatedSet.objects.filter(list__ladder_season=season.public_id).exclude(stale_mark="").exists()


@transaction.atomic
def _archive(season: LadderSeason) -> None:
    rows = Rating.objects.filter(list__ladder_season=season.public_id).select_related("version")
    final: list[dict[str, Any]] = [
        {"version": row.version.public_id, **{name: getattr(row, name) for name in FINAL_FIELDS}}
        for row in rows.order_by("-lines_after")
    ]
    state_change(season, "state", State.ENDING, State.ARCHIVED, archived_at=timezone.now(), final=final)
