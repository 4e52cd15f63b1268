"""Which lines of a bot or a player other pages show: those of a few lists, the newest seasons first."""

from __future__ import annotations

from typing import Any

import pytest

from arena.features.ratings.models import Rating, RatingList
from arena.features.ratings.selectors import lines_of_bot, lines_of_player, lines_of_version
from arena.roster.models import BotVersion
from tests import factories

pytestmark = pytest.mark.django_db

SEASONS = ("2026-Q2", "2026-Q4", "2026-Q1", "2026-Q3")


def a_line(version: BotVersion, rating_list: RatingList, lines_after: int, partner: str = "self") -> Rating:
    return Rating.objects.create(
        version=version,
        list=rating_list,
        partner=partner,
        lines_after=lines_after,
        fixtures=1,
        boards=2,
        degrees=1,
    )


@pytest.fixture
def lines() -> dict[str, Rating]:
    """Two versions of a bot and one of another bot of its owner, in a list of each season; by name."""
    bot = factories.a_bot(factories.aya())
    first, second = factories.a_version(bot), factories.a_version(bot)
    other = factories.a_version(factories.a_bot(factories.aya()))
    found = {}
    for season in SEASONS:
        rating_list = RatingList.objects.create(
            kind="tournaments", game="kakeya", preset="kakeya4", board_kind="deal", seats=4, season=season
        )
        found[f"{season} first"] = a_line(first, rating_list, 1)
        found[f"{season} second"] = a_line(second, rating_list, 3)
        found[f"{season} other"] = a_line(other, rating_list, 2)
    found["2026-Q4 with others"] = a_line(first, found["2026-Q4 first"].list, 0, "other")
    return found


def names(rows: list[Rating], lines: dict[str, Rating]) -> list[str]:
    known = {line.pk: name for name, line in lines.items()}
    return [known[row.pk] for row in rows]


def test_the_newest_seasons_first_and_each_list_in_its_order(lines: dict[str, Rating]) -> None:
    first = lines["2026-Q4 first"].version
    assert names(lines_of_bot(first.bot, 2), lines) == [
        "2026-Q4 second",
        "2026-Q4 first",
        "2026-Q4 with others",
        "2026-Q3 second",
        "2026-Q3 first",
    ]
    assert names(lines_of_version(first, 1), lines) == ["2026-Q4 first", "2026-Q4 with others"]
    assert names(lines_of_player(first.bot.owner, 1), lines) == [
        "2026-Q4 second",
        "2026-Q4 other",
        "2026-Q4 first",
        "2026-Q4 with others",
    ]


def test_list_bot_and_owner_are_at_hand(lines: dict[str, Rating], django_assert_num_queries: Any) -> None:
    bot = lines["2026-Q4 first"].version.bot
    with django_assert_num_queries(2):
        assert {(row.list.season, row.version.bot.owner.handle) for row in lines_of_bot(bot, 1)} == {
            ("2026-Q4", "aya")
        }


def test_who_is_in_no_list_has_none() -> None:
    bot = factories.a_bot(factories.aya())
    assert lines_of_bot(bot, 3) == []
