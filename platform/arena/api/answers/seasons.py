"""Responses: the standings of a cup's season, with the rules and places that determine them."""

from __future__ import annotations

import datetime
from typing import Annotated, TypedDict

from rest_framework.request import Request

from arena.api.base.shapes import build_shape
from arena.standings.seasons import Season

Fraction = Annotated[str, "An exact fraction: n or n/d."]


class SeasonRulesOut(TypedDict):
    """How places become points, and which tournaments count."""

    points: Annotated[list[int], "Points of the first place, the second and so on."]
    drop_worst_every: Annotated[int, "The worst of every N tournaments does not count; 0: all count."]
    counting: Annotated[int, "Number of tournaments that count per competitor now."]


class Competitor(TypedDict):
    """A player with a bot or pair."""

    player: str
    bot: Annotated[str, 'The bot\'s name; for a pair both names, joined by " + ".']


class SeasonPlaceOut(Competitor):
    """The place and points of an entry in a tournament."""

    entry: str
    place: Annotated[int, "The best of the shared places."]
    shared_by: Annotated[int, "Number of competitors that share it; 1: not shared."]
    points: Fraction


class SeasonTournamentOut(TypedDict):
    """A finished tournament of the season."""

    id: str
    name: str
    edition: int
    starts_at: datetime.datetime
    placed: list[SeasonPlaceOut]


class SeasonResultOut(TypedDict):
    """The result of a competitor in one tournament."""

    tournament: str
    place: int
    points: Fraction
    counts: bool


class SeasonRowOut(Competitor):
    """A row of the season's standings."""

    rank: Annotated[int, "Equal points have equal ranks."]
    points: Fraction
    results: list[SeasonResultOut]


class SeasonOut(TypedDict):
    """The standings of a cup's season. They follow from the places in the final standings of its
    tournaments.
    """

    series: str
    season: Annotated[str, "Empty until a tournament has finished."]
    seasons: Annotated[list[str], "All seasons, newest first."]
    rules: SeasonRulesOut
    tournaments: list[SeasonTournamentOut]
    rows: list[SeasonRowOut]


def season_out(season: Season, _: Request) -> SeasonOut:
    rules = season.rules

    def competitor(key: str) -> Competitor:
        entry = season.entries_by_competitor[key]
        return {"player": entry.player, "bot": " + ".join(bot.name for bot in entry.bots)}

    return {
        "series": season.series.public_id,
        "season": season.name,
        "seasons": list(season.names),
        "rules": {
            "points": list(rules.points),
            "drop_worst_every": rules.drop_worst_every,
            "counting": season.counting,
        },
        "tournaments": [
            build_shape(
                SeasonTournamentOut,
                tournament,
                placed=[
                    build_shape(
                        SeasonPlaceOut, placed, **competitor(placed.competitor), points=str(placed.points)
                    )
                    for placed in counted.placed
                ],
            )
            for tournament, counted in season.tournaments
        ],
        "rows": [
            build_shape(
                SeasonRowOut,
                row,
                **competitor(row.competitor),
                points=str(row.points),
                results=[
                    build_shape(SeasonResultOut, result, points=str(result.points)) for result in row.results
                ],
            )
            for row in season.rows
        ],
    }
