"""Ladders of remote bots: means, intervals, ranks, and the version that represents a bot."""

from __future__ import annotations

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from arena.common.errors import NotFound
from arena.common.process_cache import process_cache
from arena.features.remote.ladders import MIN_TABLES, ladder_lines, ladders, scores_of
from league.intervals import anytime_interval
from tests.arena.features.remote.rows import a_bot, a_table, a_version, finished, scored
from tests.factories import aya, ben, chie

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    process_cache.clear()


def test_a_line_is_the_anytime_interval_of_the_scores() -> None:
    rng = random.Random(1)
    scores = [rng.randint(-8, 8) / 2 for _ in range(MIN_TABLES + 5)]
    version = a_version(a_bot(aya()))
    scored(version, scores)
    finished(a_table([version]), -3.5, is_forfeit=True)
    a_table([version])
    (line,) = ladder_lines("kakeya4", is_slow=False)
    expected = anytime_interval([*scores, -3.5])
    assert (line.tables, line.forfeits) == (MIN_TABLES + 6, 1)
    assert (line.mean, line.low, line.high) == pytest.approx(expected[:3])
    assert ladder_lines("kakeya4", is_slow=True) == ()


def test_thirds_never_make_a_negative_variance() -> None:
    version = a_version(a_bot(aya()))
    scored(version, [1 / 3] * MIN_TABLES)
    (line,) = ladder_lines("kakeya4", is_slow=False)
    assert line.low == pytest.approx(1 / 3)


def test_a_rank_requires_enough_tables_and_ranges_follow_from_intervals() -> None:
    strong, even, weak, new = (a_version(a_bot(who())) for who in (aya, ben, chie, aya))
    scored(strong, [6.0, 7.0] * 10)
    scored(even, [0.5, -0.5] * 10)
    scored(weak, [0.0, -1.0] * 10)
    scored(new, [9.0] * (MIN_TABLES - 1))
    lines = ladder_lines("kakeya4", is_slow=False)
    assert [line.version for line in lines] == [each.public_id for each in (strong, even, weak, new)]
    assert [(line.rank_low, line.rank_high) for line in lines] == [(1, 1), (2, 3), (2, 3), (None, None)]


def test_the_newest_version_with_enough_tables_represents_its_bot() -> None:
    bot = a_bot(aya())
    lucky, newer, newest = (a_version(bot) for _ in range(3))
    scored(lucky, [5.0, 4.0] * 10)
    scored(newest, [3.0])
    process_cache.clear()
    assert [line.number for line in ladder_lines("kakeya4", is_slow=False)] == [1]
    scored(newer, [0.0, 1.0] * 10)
    process_cache.clear()
    assert [line.number for line in ladder_lines("kakeya4", is_slow=False)] == [2]


def test_queries_do_not_depend_on_the_number_of_bots_and_lists_are_cached() -> None:
    for _ in range(4):
        scored(a_version(a_bot(aya())), [0.5, 1.0])
    with CaptureQueriesContext(
        connection,
    ) as first:
        lines = ladder_lines("kakeya4", is_slow=False)
    assert (len(first), len(lines)) == (2, 4)
    with CaptureQueriesContext(connection) as again:
        assert ladder_lines("kakeya4", is_slow=False) == lines
    assert len(again) == 0


def test_a_retired_bot_is_not_on_the_ladder_and_presets_are_known() -> None:
    version = a_version(a_bot(aya()))
    scored(version, [0.5], is_slow=True)
    version.bot.retired_at = version.created_at
    version.bot.save()
    assert ladder_lines("kakeya4", is_slow=True) == ()
    with pytest.raises(NotFound):
        ladder_lines("whist", is_slow=False)


def test_ladders_and_scores_of_a_bot_name_preset_and_clock() -> None:
    version = a_version(a_bot(aya()))
    scored(version, [0.5, 1.5], is_slow=True)
    scored(version, [-1.0])
    assert [(row.is_slow, row.bots, row.tables) for row in ladders()] == [(False, 1, 1), (True, 1, 2)]
    scores = scores_of(version.bot)[version.pk]
    assert [(row.is_slow, row.mean, row.interval) for row in scores] == [
        (False, -1.0, None),
        (True, 1.0, None),
    ]
