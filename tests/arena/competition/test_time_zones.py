"""Cups by the clocks of their place: over ten years, changes of the clocks, and months of every length."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise, takewhile
from zoneinfo import ZoneInfo

import pytest

from arena.common.moments import local_to_utc, time_zones
from arena.competition.models import Series
from arena.competition.series.services import occurrences

START, END = datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2036, 1, 1, 12, tzinfo=UTC)
ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo")
"""Gaps of an hour in both halves of the year's clocks, of half an hour, and none."""


def in_ten_years(**rhythm) -> list[datetime]:
    series = Series(**rhythm)
    return list(takewhile(lambda moment: moment < END, occurrences(series, START)))


@pytest.mark.parametrize("zone", ZONES)
def test_friday_evening_stays_friday_evening(zone: str) -> None:
    found = in_ten_years(frequency="weekly", weekday=4, start_time=time(20), timezone=zone)
    walls = [moment.astimezone(ZoneInfo(zone)) for moment in found]
    assert {(wall.weekday(), wall.time()) for wall in walls} == {(4, time(20))}
    assert [late.date() - early.date() for early, late in pairwise(walls)] == [timedelta(7)] * (
        len(walls) - 1
    )
    assert all(moment.tzinfo is UTC for moment in found)


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("at", [time(1, 30), time(2, 15), time(2, 30), time(3)])
def test_every_day_has_one_edition_also_when_the_clocks_change(zone: str, at: time) -> None:
    found = in_ten_years(frequency="daily", start_time=at, timezone=zone)
    assert found == sorted(set(found))
    walls = [moment.astimezone(ZoneInfo(zone)) for moment in found]
    first, last = walls[0].date(), walls[-1].date()
    assert [wall.date() for wall in walls] == [
        first + timedelta(day) for day in range((last - first).days + 1)
    ]
    others = [wall for wall in walls if wall.time() != at]
    assert all(wall.fold == 0 for wall in walls), "of a time that comes twice the first"
    # In a gap: the clocks had changed at this very moment.
    for wall in others:
        assert (wall.astimezone(UTC) - timedelta(seconds=1)).astimezone(
            ZoneInfo(zone)
        ).utcoffset() != wall.utcoffset()
    assert len(others) <= 10


@pytest.mark.parametrize(
    ("zone", "day", "at", "moment"),
    [
        ("Europe/Berlin", date(2027, 3, 28), time(2, 30), "2027-03-28T01:00:00+00:00"),
        ("Europe/Berlin", date(2027, 3, 28), time(2, 0), "2027-03-28T01:00:00+00:00"),
        ("Europe/Berlin", date(2027, 3, 28), time(3, 0), "2027-03-28T01:00:00+00:00"),
        ("Europe/Berlin", date(2027, 10, 31), time(2, 30), "2027-10-31T00:30:00+00:00"),
        ("America/New_York", date(2027, 3, 14), time(2, 59), "2027-03-14T07:00:00+00:00"),
        ("America/New_York", date(2027, 11, 7), time(1, 30), "2027-11-07T05:30:00+00:00"),
        ("Australia/Lord_Howe", date(2027, 10, 3), time(2, 15), "2027-10-02T15:30:00+00:00"),
        ("Asia/Tokyo", date(2027, 3, 28), time(2, 30), "2027-03-27T17:30:00+00:00"),
        ("Pacific/Apia", date(2011, 12, 30), time(12), "2011-12-30T10:00:00+00:00"),
        ("UTC", date(2027, 3, 28), time(2, 30), "2027-03-28T02:30:00+00:00"),
    ],
)
def test_a_time_that_clocks_pass_over_or_show_twice(zone: str, day: date, at: time, moment: str) -> None:
    assert local_to_utc(ZoneInfo(zone), day, at).isoformat() == moment


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("month_day", [1, 28, 29, 30, 31])
def test_every_month_has_one_edition(zone: str, month_day: int) -> None:
    found = in_ten_years(frequency="monthly", month_day=month_day, start_time=time(20), timezone=zone)
    days = [moment.astimezone(ZoneInfo(zone)).date() for moment in found]
    assert set(Counter((day.year, day.month) for day in days).values()) == {1}
    assert len(days) == 120
    assert all(day.day == min(month_day, monthrange(day.year, day.month)[1]) for day in days)


def test_zones_are_places_of_the_database() -> None:
    assert {"UTC", *ZONES} <= time_zones()
    assert not {"Factory", "localtime", "", "Berlin"} & time_zones()
