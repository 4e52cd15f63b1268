"""Coordinates and text alternatives of plots; templates draw them.

Coordinates are px of the drawing's ``viewBox`` from the upper left corner. Bars that stretch with their cell
use percent.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.web.base.figures import format_exact, format_milliseconds, format_rounded
from arena.web.base.wording import join_sentences

MARK_PX = 14.0
"""Width and height of a mark, in px."""
MARGIN_PX = 14.0
TICK_HEIGHT_PX = 20.0
MAX_STACKED_MARKS = 8
DIGIT_WIDTH_PX = 6.5


class Tick(NamedTuple):
    x: float
    text: str


class PlotMark(NamedTuple):
    """A value; ``x`` and ``y`` are the upper left corner of its mark."""

    x: float
    y: float
    kind: str
    """Kind of the mark, set by the caller."""
    text: str
    """Tooltip, set by the caller."""


class PlotBar(NamedTuple):
    """A bar from the axis, in the unit of its plot."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    """``plus``, ``minus`` or ``zero``."""
    text: str


class BarLabel(NamedTuple):
    """A number above a bar; ``x`` and ``y`` are the middle of its base line."""

    x: float
    y: float
    text: str


class Plot(NamedTuple):
    width: float
    height: float
    marks: tuple[PlotMark | PlotBar, ...]
    ticks: tuple[Tick, ...]
    zero: float
    description: str
    """Text alternative."""
    labels: tuple[BarLabel, ...] = ()

    @property
    def axis(self) -> float:
        """y of the axis."""
        return self.height - TICK_HEIGHT_PX

    @property
    def middle(self) -> float:
        return self.width / 2


class PlotValue(NamedTuple):
    value: Fraction | int
    kind: str = ""
    text: str = ""


def tick_step(extent: float, at_most: int = 9) -> int:
    """Return the stones between ticks on an axis from ``-extent`` to ``extent`` with ``at_most`` ticks.

    >>> tick_step(4), tick_step(12), tick_step(100)
    (1, 5, 50)
    """
    for power in range(12):
        for digit in (1, 2, 5):
            step: int = digit * 10**power
            if 2 * math.floor(extent / step) + 1 <= at_most:
                return step
    raise ValueError(f"an axis to {extent} is too long")


class StoneScale(NamedTuple):
    """Maps stones to px, with 0 in the middle."""

    width: float
    extent: float
    """Largest absolute value of the scale."""

    def at(self, value: Fraction | float) -> float:
        """Return the x of a value, to a tenth of a px."""
        return round(self.width / 2 + float(value) / self.extent * (self.width / 2 - MARGIN_PX), 1)

    def ticks(self) -> tuple[Tick, ...]:
        """Return ticks at whole stones, including 0."""
        step = tick_step(self.extent)
        most = math.floor(self.extent / step)
        return tuple(
            Tick(self.at(number * step), format_exact(Fraction(number * step), signed=True))
            for number in range(-most, most + 1)
        )


def build_scale(values: Sequence[Fraction | int], width: float, least: int = 2) -> StoneScale:
    """Return a scale that covers all values, and at least ``least`` stones on both sides."""
    extent: int = max([least, *(math.ceil(abs(Fraction(value))) for value in values)])
    # Half a step more, so that the outermost marks are not on the edge.
    return StoneScale(width, extent + tick_step(extent) * 0.5)


def dot_plots(
    rows: Sequence[Sequence[PlotValue]], captions: Sequence[str], width: float = 320.0
) -> list[Plot]:
    """Return a dot plot per row; equal values are stacked in their order.

    All plots have the same scale and height. ``captions`` are the first sentences of the text alternatives.
    """
    scale = build_scale([value.value for row in rows for value in row], width)
    piled = [_piles(row) for row in rows]
    highest = max((len(pile) for piles in piled for pile in piles.values()), default=0)
    pitch = MARK_PX if highest <= MAX_STACKED_MARKS else MARK_PX * MAX_STACKED_MARKS / highest
    height = MARK_PX * (min(max(highest, 3), MAX_STACKED_MARKS) + 1) + TICK_HEIGHT_PX
    floor = height - TICK_HEIGHT_PX - MARK_PX - 3
    plots = []
    for piles, sentence in zip(piled, captions, strict=True):
        marks = tuple(
            PlotMark(
                round(scale.at(stones) - MARK_PX / 2, 1),
                round(floor - number * pitch, 1),
                value.kind,
                value.text,
            )
            for stones, pile in sorted(piles.items())
            for number, value in enumerate(pile)
        )
        description = _description({value: len(pile) for value, pile in piles.items()}, sentence)
        plots.append(Plot(width, height, marks, scale.ticks(), scale.at(0), description))
    return plots


def _piles(values: Sequence[PlotValue]) -> dict[Fraction | int, list[PlotValue]]:
    piles: dict[Fraction | int, list[PlotValue]] = defaultdict(list)
    for value in values:
        piles[value.value].append(value)
    return piles


def histograms(
    rows: Sequence[Mapping[int, int]], captions: Sequence[str], width: float = 320.0, height: float = 140.0
) -> list[Plot]:
    """Return a histogram per row, for more values than a dot plot can display.

    All plots have the same scale; ``captions`` as in ``dot_plots``. Bars are labelled where there is room.
    """
    scale = build_scale([value for counts in rows for value in counts], width)
    floor = height - TICK_HEIGHT_PX
    most = max((count for counts in rows for count in counts.values()), default=1)
    thick = max(1.0, min(18.0, (scale.at(1) - scale.at(0)) * 0.7))
    plots = []
    for counts, sentence in zip(rows, captions, strict=True):
        bars, labels = [], []
        for value, count in sorted(counts.items()):
            tall = max(1.0, count / most * (floor - 12))
            text = ngettext("%(value)s: %(count)d table", "%(value)s: %(count)d tables", count)
            named = text % {"value": format_exact(Fraction(value), signed=True), "count": count}
            x, y = round(scale.at(value) - thick / 2, 1), round(floor - tall, 1)
            bars.append(PlotBar(x, y, round(thick, 1), round(tall, 1), sign_kind(value), named))
            labels.append(BarLabel(scale.at(value), round(y - 3, 1), str(count)))
        description = _description(counts, sentence)
        plots.append(
            Plot(
                width,
                height,
                tuple(bars),
                scale.ticks(),
                scale.at(0),
                description,
                _separate_labels(labels, thick),
            )
        )
    return plots


def _separate_labels(labels: Sequence[BarLabel], thick: float) -> tuple[BarLabel, ...]:
    """Return labels that overlap neither another label nor a taller bar; higher ones take precedence."""
    visible: list[BarLabel] = []
    for label in sorted(labels, key=lambda label: label.y):
        half = len(label.text) * DIGIT_WIDTH_PX / 2
        near = [
            other for other in visible if abs(label.x - other.x) < half + len(other.text) * DIGIT_WIDTH_PX / 2
        ]
        taller = [bar for bar in labels if bar.y < label.y and abs(label.x - bar.x) < half + thick / 2]
        if not near and not taller:
            visible.append(label)
    return tuple(sorted(visible))


def _description(counts: Mapping[Fraction | int, int] | Mapping[int, int], caption: str) -> str:
    """Return the text alternative: caption, number of tables, range and average."""
    tables = sum(counts.values())
    if not tables:
        return caption
    mean = sum((Fraction(value) * count for value, count in counts.items()), Fraction()) / tables
    rounded = Fraction(round(mean * 100), 100)
    if min(counts) == max(counts):
        text = ngettext("%(count)d table, %(low)s.", "%(count)d tables, all %(low)s.", tables)
    else:
        text = _("%(count)d tables, from %(low)s to %(high)s, average %(mean)s.")
    sentence = text % {
        "count": tables,
        "low": format_exact(Fraction(min(counts)), signed=True),
        "high": format_exact(Fraction(max(counts)), signed=True),
        "mean": format_exact(rounded, signed=True),
    }
    return join_sentences(caption, sentence)


def sign_kind(value: Fraction | int) -> str:
    """Return ``plus``, ``minus`` or ``zero``."""
    return "plus" if value > 0 else "minus" if value < 0 else "zero"


def bar_strip(values: Sequence[Fraction], texts: Sequence[str] | None = None) -> tuple[PlotBar, ...]:
    """Return a bar per value, upwards or downwards from the middle of its cell, in percent of the cell.

    All cells have the same scale: the largest absolute value fills half a cell.
    """
    most = max([Fraction(1), *map(abs, values)])
    bars = []
    for number, value in enumerate(values):
        tall = round(float(abs(value) / most) * 46, 1)
        top = 50 - tall if value > 0 else 50.0
        text = texts[number] if texts is not None else format_exact(value, signed=True)
        bars.append(PlotBar(20.0, round(top, 1), 60.0, tall, sign_kind(value), text))
    return tuple(bars)


class ClockPlot(NamedTuple):
    """CPU times in percent of the limit, which is the full width."""

    median: float
    high: float
    most: float
    is_over: bool
    description: str


def clock_plot(median_ms: float, high_ms: float, most_ms: float, limit_ms: float) -> ClockPlot:
    """Return the positions of the median, the 99th percentile and the maximum of CPU times."""

    def at(value: float) -> float:
        return round(min(100.0, 100 * value / limit_ms), 1) if limit_ms > 0 else 100.0

    description = _(
        "Median %(median)s; 99%% of the tables within %(high)s; largest %(most)s of %(limit)s."
    ) % {
        "median": format_milliseconds(round(median_ms)),
        "high": format_milliseconds(round(high_ms)),
        "most": format_milliseconds(round(most_ms)),
        "limit": format_milliseconds(round(limit_ms)),
    }
    return ClockPlot(at(median_ms), at(high_ms), at(most_ms), most_ms > limit_ms, description)


class Interval(NamedTuple):
    """An estimate with its interval, in the unit of its axis."""

    estimate: float
    low: float
    high: float


class DrawnInterval(NamedTuple):
    """Position of an interval, in percent of the row's width."""

    x: float
    left: float
    right: float
    is_cut: bool
    description: str


class Axis(NamedTuple):
    """The common axis of a forest plot; positions are percent of the row's width."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def at(self, value: float) -> float:
        """Return the position of a value, to a hundredth of a percent, clamped to the axis."""
        inside = min(max(value, self.low), self.high)
        return round(100 * (inside - self.low) / (self.high - self.low), 2)

    @property
    def zero(self) -> float:
        return self.at(0.0)

    def reach(self, span: Interval) -> DrawnInterval:
        is_cut = span.low < self.low or span.high > self.high
        return DrawnInterval(
            self.at(span.estimate), self.at(span.low), self.at(span.high), is_cut, interval_text(span)
        )


def interval_text(span: Interval) -> str:
    """Format an interval.

    >>> interval_text(Interval(0.204, -0.1, 0.5))
    '+0.20, 95% interval −0.10 to +0.50'
    """
    return _("%(estimate)s, 95%% interval %(low)s to %(high)s") % {
        "estimate": format_rounded(span.estimate),
        "low": format_rounded(span.low),
        "high": format_rounded(span.high),
    }


MIN_AXIS_STONES = 0.2
"""Minimum length of an axis, in stones."""


def build_axis(spans: Sequence[Interval], at_most: int = 6) -> Axis:
    """Return an axis that covers 0, all estimates, and all intervals of usual length.

    The few intervals that are much longer are cut, since the others would shrink to points. ``at_most`` is
    the approximate number of ticks.
    """
    estimates = [0.0, *(span.estimate for span in spans)]
    halves = sorted((span.high - span.low) / 2 for span in spans)
    usual = halves[len(halves) // 2] if halves else 0.0
    room = max(3 * usual, (max(estimates) - min(estimates)) / 2)
    low = max(min([0.0, *(span.low for span in spans)]), min(estimates) - room)
    high = min(max([0.0, *(span.high for span in spans)]), max(estimates) + room)
    short = max(0.0, MIN_AXIS_STONES - (high - low)) / 2
    margin = 0.03 * (high - low) + short
    low, high = low - margin, high + margin
    return Axis(low, high, tuple(Tick(x, text) for x, text in _decimal_ticks(low, high, at_most, 100.0)))


def decimal_step(extent: float, at_most: int) -> float:
    """Return the distance of ticks on an axis of this length: 1, 2 or 5 times a power of ten, at least 0.01.

    >>> decimal_step(1.7, 6), decimal_step(0.09, 6), decimal_step(30.0, 6)
    (0.5, 0.02, 5.0)
    """
    for power in range(-2, 9):
        for digit in (1, 2, 5):
            step = digit * 10.0**power
            if extent / step <= at_most:
                return step
    raise ValueError(f"an axis of {extent} is too long")


def _decimal_ticks(low: float, high: float, at_most: int, length: float) -> list[tuple[float, str]]:
    """Return positions between 0 and ``length`` with their labels."""
    step = decimal_step(high - low, at_most)
    digits = 0 if step >= 1 else 1 if step >= 0.1 else 2
    return [
        (
            round(length * (number * step - low) / (high - low), 2),
            format_rounded(number * step, digits) if number else "0",
        )
        for number in range(math.ceil(low / step), math.floor(high / step) + 1)
    ]
