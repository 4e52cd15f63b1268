"""Seasons of cups: the standings of a quarter, computed from the final standings of its editions."""

from __future__ import annotations

import dataclasses
import datetime
from collections import defaultdict
from collections.abc import Sequence

from django.db.models import Q

from arena.common.errors import NotFound
from arena.competition.entries.names import ListedEntry, with_entries
from arena.competition.models import Entry, Series, Tournament
from arena.standings.models import StandingRow
from league.season import (
    FinalStanding,
    SeasonRow,
    SeasonRules,
    SeasonTournament,
    season_table,
    tournament_places,
)

RULES = SeasonRules()
LOT = "lot"
ENDED_STATES = (Tournament.State.FINAL, Tournament.State.ARCHIVED)
MAX_SEASONS = 40
"""Maximum seasons listed; ten years of quarters."""


@dataclasses.dataclass(frozen=True)
class Season:
    series: Series
    name: str
    """The UTC quarter in which its tournaments were to start, such as ``2026-Q4``."""
    names: tuple[str, ...]
    """All seasons of the cup with a finished tournament, newest first."""
    rules: SeasonRules
    counting: int
    """Number of tournaments that count for each competitor, of those that ended."""
    tournaments: tuple[tuple[Tournament, SeasonTournament], ...]
    rows: tuple[SeasonRow, ...]
    entries_by_competitor: dict[str, ListedEntry]


def season_name(starts_at: datetime.datetime) -> str:
    """Return the UTC quarter of a moment, such as ``2026-Q4``."""
    moment = starts_at.astimezone(datetime.UTC)
    return f"{moment.year}-Q{(moment.month + 2) // 3}"


def competitor_of(entry: ListedEntry) -> str:
    """Return the competitor that gets the entry's points: a player's bot or pair of bots, in any version."""
    return f"{entry.player}: {' + '.join(bot.name for bot in entry.bots)}"


def season_of(series: Series, name: str = "") -> Season:
    """Return a season of public tournaments, by default the latest. Raises NotFound ``season_not_found``."""
    every = Tournament.objects.filter(
        series=series, visibility=Tournament.Visibility.PUBLIC, starts_at__isnull=False
    )
    starts = every.filter(state__in=ENDED_STATES).order_by("-starts_at").values_list("starts_at", flat=True)
    names = tuple(dict.fromkeys(season_name(starts_at) for starts_at in starts if starts_at is not None))[
        :MAX_SEASONS
    ]
    chosen = name or (names[0] if names else "")
    if name and name not in names:
        known = ", ".join(names) or "none yet"
        raise NotFound(
            f"No finished tournament of {series.name} started in {name[:20]!r}; its seasons: {known}.",
            "season_not_found",
        )
    if not chosen:
        return Season(series, "", (), RULES, 0, (), (), {})
    begin, end = _quarter_bounds(chosen)
    tournaments = list(
        every.filter(state__in=ENDED_STATES, starts_at__gte=begin, starts_at__lt=end).order_by(
            "starts_at", "pk"
        )
    )
    counted, who = _counted_tournaments(tournaments)
    return Season(
        series,
        chosen,
        names,
        RULES,
        RULES.counting(len(tournaments)),
        tuple(zip(tournaments, counted, strict=True)),
        season_table(counted, RULES),
        who,
    )


def _quarter_bounds(name: str) -> tuple[datetime.datetime, datetime.datetime]:
    year, quarter = int(name[:4]), int(name[-1])
    begin = datetime.datetime(year, 3 * quarter - 2, 1, tzinfo=datetime.UTC)
    after = (year + 1, 1) if quarter == 4 else (year, 3 * quarter + 1)
    return begin, datetime.datetime(*after, 1, tzinfo=datetime.UTC)


def _counted_tournaments(
    tournaments: Sequence[Tournament],
) -> tuple[list[SeasonTournament], dict[str, ListedEntry]]:
    """Return the points of all competitors in these tournaments, and their last entries. One query."""
    rows = StandingRow.objects.filter(
        Q(rank__lte=len(RULES.points)) | Q(decided_by=LOT), stage__tournament__in=tournaments
    ).order_by("stage__tournament__starts_at", "stage__tournament", "-stage__number", "rank")
    columns = ("stage__tournament_id", "stage_id", "rank", "decided_by", "entry__status")
    stages: dict[int, dict[int, list[FinalStanding]]] = defaultdict(lambda: defaultdict(list))
    who: dict[str, ListedEntry] = {}
    for (tournament, stage, rank, decided_by, status), entry in with_entries(rows, *columns):
        competitor = competitor_of(entry)
        who[competitor] = entry
        has_left = status == Entry.Status.LEFT
        stages[tournament][stage].append(
            FinalStanding(entry.id, competitor, rank, decided_by == LOT, has_left)
        )
    counted = [
        SeasonTournament(
            tournament.public_id,
            tournament_places([_rows_before_gap(rows) for rows in stages[tournament.pk].values()], RULES),
        )
        for tournament in tournaments
    ]
    return counted, who


def _rows_before_gap(rows: Sequence[FinalStanding]) -> list[FinalStanding]:
    return [row for number, row in enumerate(rows, 1) if row.rank == number]
