"""A cup with editions that are over, for tests of its season."""

from __future__ import annotations

import datetime

from arena.competition.models import Series, Tournament
from arena.competition.series.services import series_create
from arena.roster.models import BotVersion
from tests import factories
from tests.arena.play import play_out, started


def a_cup() -> Series:
    return series_create(
        factories.odo(),
        name="Evening cup",
        template={"preset": "kakeya4", "boards_per_round": 1},
        frequency="daily",
        start_time=datetime.time(18, 0),
    )


def editions(series: Series, count: int, entries: int = 3) -> list[Tournament]:
    """Editions of a cup on the first days of the season, over, with the same bots in each."""
    versions: list[BotVersion] = [
        factories.a_version(factories.a_bot(owner, f"bot of {owner.username}"))
        for owner in factories.players(entries)
    ]
    found = []
    for number in range(1, count + 1):
        tournament = factories.an_open_tournament(boards_per_round=1)
        for version in versions:
            factories.entry_create(tournament, version, version.bot.owner.user)
        play_out(started(tournament))
        at = datetime.datetime(2026, 7, number, 18, tzinfo=datetime.UTC)
        Tournament.objects.filter(pk=tournament.pk).update(series=series, edition=number, starts_at=at)
        found.append(Tournament.objects.get(pk=tournament.pk))
    return found
