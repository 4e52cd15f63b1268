"""Plot data of rating histories: curves with interval bands, in px. Templates only draw them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from arena.web.drawing.plots import MARGIN_PX, TICK_HEIGHT_PX, Interval, Tick, build_axis


class PlotPoint(NamedTuple):
    at: float
    """Timestamp in seconds."""
    span: Interval


MAX_POINTS = 200


def downsample(points: Sequence[PlotPoint], at_most: int = MAX_POINTS) -> list[PlotPoint]:
    """Reduce points to at most ``at_most``, keeping both ends and the most prominent point of each interval.

    Source: S. Steinarsson, Downsampling time series for visual representation (2013).
    """
    if len(points) <= at_most:
        return list(points)
    sample = [points[0]]
    size = (len(points) - 2) / (at_most - 2)
    for number in range(at_most - 2):
        start, end = 1 + int(number * size), 1 + int((number + 1) * size)
        after = points[end : max(end + 1, 1 + int((number + 2) * size))]
        x = sum(point.at for point in after) / len(after)
        y = sum(point.span.estimate for point in after) / len(after)
        last = sample[-1]

        def area(
            point: PlotPoint, last: PlotPoint = last, x: float = x, y: float = y
        ) -> (
            float
        ):  # twice the area of the triangle with the previous sample and the mean of the next interval
            return abs(
                (last.at - x) * (point.span.estimate - last.span.estimate)
                - (last.at - point.at) * (y - last.span.estimate)
            )

        sample.append(max(points[start:end], key=area))
    return [*sample, points[-1]]


class Curve(NamedTuple):
    """An estimate over time, with its interval band."""

    line: str
    band: str
    last: tuple[float, float]
    kind: str
    name: str


class HistoryPlot(NamedTuple):
    """Curves over a common time axis, in px of the ``viewBox``."""

    width: float
    height: float
    curves: tuple[Curve, ...]
    levels: tuple[tuple[float, str], ...]
    ticks: tuple[Tick, ...]
    sets: tuple[float, ...]
    zero: float
    left: float
    floor: float
    description: str


LEVEL_WIDTH = 44.0
"""Width left of the time axis, in px."""


def history_plot(
    rows: Sequence[tuple[str, str, Sequence[PlotPoint]]],
    description: str,
    moment_text: Callable[[float], str],
    width: float = 860.0,
    height: float = 300.0,
) -> HistoryPlot:
    """Build a plot from rows of kind, label and points in time order; ``description`` is its text."""
    curves = [(kind, label, downsample(points)) for kind, label, points in rows if points]
    every = [point for _kind, _name, points in curves for point in points]
    axis = build_axis([point.span for point in every])
    first, last = min(point.at for point in every), max(point.at for point in every)
    floor, right = height - TICK_HEIGHT_PX, width - MARGIN_PX

    def x(moment: float) -> float:
        if last == first:
            return round((LEVEL_WIDTH + right) / 2, 1)
        return round(LEVEL_WIDTH + (moment - first) / (last - first) * (right - LEVEL_WIDTH), 1)

    def y(value: float) -> float:
        return round(floor - 6 - axis.at(value) / 100 * (floor - 12), 1)

    def curve(kind: str, label: str, points: Sequence[PlotPoint]) -> Curve:
        line = " ".join(f"{x(point.at)},{y(point.span.estimate)}" for point in points)
        upper = [f"{x(point.at)},{y(point.span.high)}" for point in points]
        lower = [f"{x(point.at)},{y(point.span.low)}" for point in reversed(points)]
        end = points[-1]
        return Curve(line, " ".join(upper + lower), (x(end.at), y(end.span.estimate)), kind, label)

    parts = 4 if width > 500 else 2
    marks = [first] if last == first else [first + (last - first) * part / parts for part in range(parts + 1)]
    texts = [moment_text(tick) for tick in marks]
    return HistoryPlot(
        width,
        height,
        tuple(curve(*row) for row in curves),
        tuple((y(axis.low + tick / 100 * (axis.high - axis.low)), text) for tick, text in axis.ticks),
        # Of marks with equal text, only the first is labelled.
        tuple(
            Tick(x(tick), text if text not in texts[:number] else "")
            for number, (tick, text) in enumerate(zip(marks, texts, strict=True))
        ),
        tuple(x(point.at) for point in curves[0][2]),
        y(0.0),
        LEVEL_WIDTH,
        floor,
        description,
    )
