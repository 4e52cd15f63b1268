"""The course of a rating over time: thinned, and on the drawing with its band."""

from __future__ import annotations

import random

import pytest

from arena.features.ratings.pages.history_plot import PlotPoint, downsample, history_plot
from arena.web.drawing.plots import Interval


def points(count: int) -> list[PlotPoint]:
    draw = random.Random(count)
    found = []
    for at in range(count):
        estimate = draw.gauss(0, 0.1) + (5.0 if at == count // 2 else 0.0)
        found.append(PlotPoint(float(at), Interval(estimate, estimate - 0.1, estimate + 0.1)))
    return found


def test_a_long_course_is_thinned_and_keeps_what_stands_out() -> None:
    every = points(5000)
    kept = downsample(every)
    assert len(kept) == 200
    assert (kept[0], kept[-1]) == (every[0], every[-1])
    assert every[2500] in kept
    assert [point.at for point in kept] == sorted(point.at for point in kept)
    assert downsample(every[:200]) == every[:200]


@pytest.mark.parametrize("count", [1, 2, 300])
def test_courses_stand_on_the_drawing_with_their_band_around_them(count: int) -> None:
    rows = [("", "v2", points(count)), ("other", "v1", points(3)), ("other", "none yet", [])]
    plot = history_plot(rows, "It rose.", lambda at: f"day {at:.0f}")
    assert [(curve.kind, curve.name) for curve in plot.curves] == [("", "v2"), ("other", "v1")]
    assert len(plot.sets) == min(count, 200)
    assert plot.ticks[0].text == "day 0"
    for curve in plot.curves:
        line = [tuple(map(float, pair.split(","))) for pair in curve.line.split()]
        band = [tuple(map(float, pair.split(","))) for pair in curve.band.split()]
        assert line[-1] == curve.last
        assert len(band) == 2 * len(line)
        for (x, y), (_, above), (_, below) in zip(line, band, reversed(band), strict=False):
            assert above <= y <= below
            assert plot.left <= x <= plot.width
            assert above >= 0
            assert below <= plot.floor
