"""How estimates went over time, as numbers of a drawing: lines with their bands. Templates only draw them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from arena.web.drawing.plots import MARGIN_PX, TICK_HEIGHT_PX, Interval, Tick, build_axis


class PlotPoint(NamedTuple):
    """What was known at some moment."""

    at: float
    """A moment as a number."""
    span: Interval


MAX_POINTS = 200


def downsample(points: Sequence[PlotPoint], at_most: int = MAX_POINTS) -> list[PlotPoint]:
    """At most so many of them, ends included, that look like all: of each stretch the one that stands out.

    Source: S. Steinarsson, Downsampling time series for visual representation (2013): largest triangle,
    three buckets.
    """
    if len(points) <= at_most:
        return list(points)
    found = [points[0]]
    size = (len(points) - 2) / (at_most - 2)
    for number in range(at_most - 2):
        start, end = 1 + int(number * size), 1 + int((number + 1) * size)
        after = points[end : max(end + 1, 1 + int((number + 2) * size))]
        x = sum(point.at for point in after) / len(after)
        y = sum(point.span.estimate for point in after) / len(after)
        last = found[-1]

        def area(
            point: PlotPoint, last: PlotPoint = last, x: float = x, y: float = y
        ) -> float:  # twice that of the triangle with the point kept last and the mean of the next stretch
            return abs(
                (last.at - x) * (point.span.estimate - last.span.estimate)
                - (last.at - point.at) * (y - last.span.estimate)
            )

        found.append(max(points[start:end], key=area))
    return [*found, points[-1]]


class Curve(NamedTuple):
    """How a strength was estimated over time: a line with its band."""

    line: str
    """``points`` of a polyline."""
    band: str
    """``points`` of a polygon."""
    last: tuple[float, float]
    """Where the line ends."""
    kind: str
    """As the caller named it."""
    words: str


class HistoryPlot(NamedTuple):
    """Courses over a common time axis, in px of its ``viewBox``."""

    width: float
    height: float
    curves: tuple[Curve, ...]
    levels: tuple[tuple[float, str], ...]
    """Height and text of the ticks of the upright axis."""
    ticks: tuple[Tick, ...]
    """Of the time axis."""
    sets: tuple[float, ...]
    """Where on the time axis a board set brought a point."""
    zero: float
    """Height of 0."""
    left: float
    """Where the time axis begins."""
    floor: float
    """Height of the time axis."""
    words: str


LEVEL_WIDTH = 44.0
"""To the left of the time axis."""


def history_plot(
    rows: Sequence[tuple[str, str, Sequence[PlotPoint]]],
    what: str,
    moment_text: Callable[[float], str],
    width: float = 860.0,
    height: float = 300.0,
) -> HistoryPlot:
    """Rows of kind, words and points in order of time, one line each; ``what`` is what the plot says.

    Lines of more than ``MAX_POINTS`` points are thinned; the first row's board sets are marked.
    """
    courses = [(kind, words, downsample(points)) for kind, words, points in rows if points]
    every = [point for _kind, _words, points in courses for point in points]
    axis = build_axis([point.span for point in every])
    first, last = min(point.at for point in every), max(point.at for point in every)
    floor, right = height - TICK_HEIGHT_PX, width - MARGIN_PX

    def x(at: float) -> float:
        if last == first:
            return round((LEVEL_WIDTH + right) / 2, 1)
        return round(LEVEL_WIDTH + (at - first) / (last - first) * (right - LEVEL_WIDTH), 1)

    def y(value: float) -> float:
        return round(floor - 6 - axis.at(value) / 100 * (floor - 12), 1)

    def course(kind: str, words: str, points: Sequence[PlotPoint]) -> Curve:
        line = " ".join(f"{x(point.at)},{y(point.span.estimate)}" for point in points)
        upper = [f"{x(point.at)},{y(point.span.high)}" for point in points]
        lower = [f"{x(point.at)},{y(point.span.low)}" for point in reversed(points)]
        end = points[-1]
        return Curve(line, " ".join(upper + lower), (x(end.at), y(end.span.estimate)), kind, words)

    parts = 4 if width > 500 else 2
    marks = [first] if last == first else [first + (last - first) * part / parts for part in range(parts + 1)]
    texts = [moment_text(at) for at in marks]
    return HistoryPlot(
        width,
        height,
        tuple(course(*row) for row in courses),
        tuple((y(axis.low + at / 100 * (axis.high - axis.low)), text) for at, text in axis.ticks),
        # Of marks so near to each other that they read the same, only the first has its text.
        tuple(
            Tick(x(at), text if text not in texts[:number] else "")
            for number, (at, text) in enumerate(zip(marks, texts, strict=True))
        ),
        tuple(x(point.at) for point in courses[0][2]),
        y(0.0),
        LEVEL_WIDTH,
        floor,
        what,
    )
