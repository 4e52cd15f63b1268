"""Plots as numbers: marks stand where their values are, on the page and in one scale."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.drawing.plots import (
    MARK_PX,
    Interval,
    PlotBar,
    PlotMark,
    PlotValue,
    bar_strip,
    build_axis,
    build_scale,
    clock_plot,
    dot_plots,
    histograms,
)


def values(*numbers: int) -> list[PlotValue]:
    return [PlotValue(number, str(at), f"bot {at}") for at, number in enumerate(numbers)]


@given(st.lists(st.lists(st.integers(-500, 500), max_size=60), min_size=1, max_size=8))
def test_every_value_has_one_mark_on_the_drawing(rows: list[list[int]]) -> None:
    plots = dot_plots([values(*row) for row in rows], ["Stones."] * len(rows))
    assert len({(plot.width, plot.height, plot.ticks) for plot in plots}) == 1, "one scale, one height"
    for row, plot in zip(rows, plots, strict=True):
        assert len(plot.marks) == len(row)
        assert sorted(mark.kind for mark in plot.marks if isinstance(mark, PlotMark)) == sorted(
            str(at) for at in range(len(row))
        )
        for mark in plot.marks:
            assert 0 <= mark.x <= plot.width - MARK_PX
            assert 0 <= mark.y <= plot.axis - MARK_PX


def test_marks_stand_left_of_zero_for_losses_and_pile_up_for_equals() -> None:
    (plot,) = dot_plots([values(-2, 1, 1, 0)], ["Stones to seat 1."])
    at = {mark.text: mark for mark in plot.marks if isinstance(mark, PlotMark)}
    assert (
        at["bot 0"].x + MARK_PX / 2 < plot.zero == at["bot 3"].x + MARK_PX / 2 < at["bot 1"].x + MARK_PX / 2
    )
    assert at["bot 1"].x == at["bot 2"].x
    assert at["bot 2"].y == at["bot 1"].y - MARK_PX
    assert "0" in [tick.text for tick in plot.ticks]


@pytest.mark.parametrize("extent", [1, 3, 12, 99, 1000])
def test_an_axis_has_few_ticks_and_one_at_zero(extent: int) -> None:
    scale = build_scale([extent, -1], 320)
    ticks = scale.ticks()
    assert 3 <= len(ticks) <= 9
    assert ticks[len(ticks) // 2].text == "0"
    assert all(0 <= tick.x <= 320 for tick in ticks)


def test_bars_say_how_many_tables_they_are() -> None:
    (plot,) = histograms([{-1: 30, 2: 10}], ["Stones."])
    low, high = plot.marks
    assert [re.findall(r"[−+]?\d+", mark.text) for mark in (low, high)] == [["−1", "30"], ["+2", "10"]]
    assert (low.kind, high.kind) == ("minus", "plus")
    assert "−0.25" in plot.description


def test_counts_stand_above_their_bars() -> None:
    (plot,) = histograms([{-1: 30, 2: 10}], ["Stones."])
    assert [label.text for label in plot.labels] == ["30", "10"]
    for label, bar in zip(plot.labels, plot.marks, strict=True):
        assert isinstance(bar, PlotBar)
        assert abs(bar.x + bar.width / 2 - label.x) <= 0.1
        assert 8 <= label.y < bar.y


def test_a_strip_goes_up_for_what_was_won_and_down_for_what_was_lost() -> None:
    up, none, down = bar_strip([Fraction(3, 2), Fraction(0), Fraction(-3)])
    assert (up.y + up.height, up.kind) == (50, "plus")
    assert (none.height, none.kind) == (0, "zero")
    assert (down.y, down.height, down.kind) == (50, 46, "minus")
    assert up.height == 23
    assert up.text == "+1.5"


def test_clock_use_is_shown_against_its_limit() -> None:
    plot = clock_plot(20, 300, 1200, 1000)
    assert (plot.median, plot.high, plot.most, plot.is_over) == (2.0, 30.0, 100.0, True)


numbers = st.floats(-40, 40)


@st.composite
def spans(draw: st.DrawFn) -> Interval:
    estimate, half = draw(numbers), draw(st.floats(0, 30))
    return Interval(estimate, estimate - half, estimate + half)


@given(st.lists(spans(), min_size=1, max_size=30))
def test_every_estimate_of_a_forest_has_its_place_and_zero_too(given_spans: list[Interval]) -> None:
    axis = build_axis(given_spans)
    assert axis.low < 0 < axis.high
    assert 1 <= len(axis.ticks) <= 8
    assert "0" in {tick.text.rstrip("0.") or "0" for tick in axis.ticks}
    for span in given_spans:
        reach = axis.reach(span)
        assert 0 <= reach.left <= reach.x <= reach.right <= 100
        assert axis.low <= span.estimate <= axis.high
        assert reach.is_cut == (span.low < axis.low or span.high > axis.high)


def test_one_interval_far_longer_than_the_others_is_cut() -> None:
    usual = [Interval(at / 10, at / 10 - 0.1, at / 10 + 0.1) for at in range(-5, 6)]
    axis = build_axis([*usual, Interval(0.3, -9.0, 9.6)])
    assert axis.high - axis.low < 2.5
    assert axis.reach(Interval(0.3, -9.0, 9.6)).is_cut
    assert not any(axis.reach(span).is_cut for span in usual)
    assert axis.reach(Interval(0.0, 0.0, 0.0)).x == axis.zero
