"""The table of a cup's season, with the rules and places it follows from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from arena.competition.entries.names import ListedEntry
from arena.standings.seasons import Season

FRACTION = "An exact fraction: n or n/d."


class SeasonRulesOut(serializers.Serializer[Any]):
    """How places become points, and which events count."""

    points = serializers.ListField(
        child=serializers.IntegerField(), help_text="Of the first place, the second and so on."
    )
    one_dropped_of = serializers.IntegerField(
        help_text="The worst of every so many events does not count; 0: all count."
    )
    counting = serializers.IntegerField(help_text="So many events count for each now.")


class SeasonPlaceOut(serializers.Serializer[Any]):
    """Who got points in an event."""

    entry = serializers.CharField()
    player = serializers.CharField()
    bot = serializers.CharField(help_text='The bot\'s name; of a pair both, joined by " + ".')
    place = serializers.IntegerField(help_text="Of those who share it the best.")
    shared_by = serializers.IntegerField(help_text="How many share it; 1: nobody else.")
    points = serializers.CharField(help_text=FRACTION)


class SeasonEventOut(serializers.Serializer[Any]):
    """An event that is over: a tournament."""

    id = serializers.CharField()
    name = serializers.CharField()
    edition = serializers.IntegerField()
    starts_at = serializers.DateTimeField()
    placed = SeasonPlaceOut(many=True)


class SeasonResultOut(serializers.Serializer[Any]):
    """What somebody got in one event."""

    event = serializers.CharField()
    place = serializers.IntegerField()
    points = serializers.CharField(help_text=FRACTION)
    counts = serializers.BooleanField()


class SeasonRowOut(serializers.Serializer[Any]):
    """A line of the table."""

    rank = serializers.IntegerField(help_text="Equal for equals.")
    player = serializers.CharField()
    bot = serializers.CharField(help_text='The bot\'s name; of a pair both, joined by " + ".')
    points = serializers.CharField(help_text=FRACTION)
    results = SeasonResultOut(many=True)


class SeasonOut(serializers.Serializer[Any]):
    """The table of a season of a cup: it follows from the places, and these from final standings."""

    series = serializers.CharField()
    season = serializers.CharField(allow_blank=True, help_text="Empty before any event is over.")
    seasons = serializers.ListField(child=serializers.CharField(), help_text="All there are, newest first.")
    rules = SeasonRulesOut()
    events = SeasonEventOut(many=True)
    rows = SeasonRowOut(many=True)


def season_data(season: Season) -> dict[str, Any]:
    """A ``SeasonOut``."""
    rules = season.rules
    return {
        "series": season.series.public_id,
        "season": season.name,
        "seasons": season.names,
        "rules": {
            "points": rules.points,
            "one_dropped_of": rules.one_dropped_of,
            "counting": season.counting,
        },
        "events": [
            {
                "id": tournament.public_id,
                "name": tournament.name,
                "edition": tournament.edition,
                "starts_at": tournament.starts_at,
                "placed": [
                    {
                        "entry": placed.entry,
                        **_named(season.who, placed.competitor),
                        "place": placed.place,
                        "shared_by": placed.shared_by,
                        "points": str(placed.points),
                    }
                    for placed in event.placed
                ],
            }
            for tournament, event in season.events
        ],
        "rows": [
            {
                "rank": row.rank,
                **_named(season.who, row.competitor),
                "points": str(row.points),
                "results": [{**result._asdict(), "points": str(result.points)} for result in row.results],
            }
            for row in season.rows
        ],
    }


def _named(who: Mapping[str, ListedEntry], competitor: str) -> dict[str, str]:
    entry = who[competitor]
    return {"player": entry.player, "bot": " + ".join(bot.name for bot in entry.bots)}
