"""Plots as numbers: where marks and ticks stand, and what the plot says in words. Templates only draw them.

Coordinates are px of the drawing (its ``viewBox``), from the upper left corner; those of bars that stretch
with their cell are percent, which no ``viewBox`` distorts.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.web.figures import exact, milliseconds

MARK = 14.0
"""Width and height of a mark."""
MARGIN = 14.0
TICK_ROOM = 20.0
"""Below the axis."""
STACK_AT_MOST = 8
"""More marks of one value overlap."""


class Tick(NamedTuple):
    """A place on the axis."""

    x: float
    text: str


class Mark(NamedTuple):
    """One value: the upper left corner of its mark."""

    x: float
    y: float
    kind: str
    """What the mark stands for, as the caller named it."""
    text: str
    """What a pointer is shown; the caller's."""


class Bar(NamedTuple):
    """A bar from the axis, in the unit of its plot."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    """``plus``, ``minus`` or ``zero``."""
    text: str


class Plot(NamedTuple):
    """A drawing."""

    width: float
    height: float
    marks: tuple[Mark | Bar, ...]
    ticks: tuple[Tick, ...]
    zero: float
    """Where 0 stands."""
    words: str
    """What the drawing says, for those who do not see it."""

    @property
    def axis(self) -> float:
        """Height of the axis."""
        return self.height - TICK_ROOM

    @property
    def middle(self) -> float:
        """The middle of its width."""
        return self.width / 2


class Value(NamedTuple):
    """What is to be marked."""

    value: Fraction | int
    kind: str = ""
    text: str = ""


def step_of(extent: float, at_most: int = 9) -> int:
    """Stones between two ticks, so that an axis to both sides of 0 has about so many.

    >>> step_of(4), step_of(12), step_of(100)
    (1, 5, 50)
    """
    for power in range(12):
        for digit in (1, 2, 5):
            step: int = digit * 10**power
            if 2 * math.floor(extent / step) + 1 <= at_most:
                return step
    raise ValueError(f"an axis to {extent} is too long")


class Scale(NamedTuple):
    """Stones to px, 0 in the middle."""

    width: float
    extent: float
    """The greatest value that has a place, and the least."""

    def at(self, value: Fraction | float) -> float:
        """Where a value stands, to a tenth of a px."""
        return round(self.width / 2 + float(value) / self.extent * (self.width / 2 - MARGIN), 1)

    def ticks(self) -> tuple[Tick, ...]:
        """Whole stones, 0 among them."""
        step = step_of(self.extent)
        most = math.floor(self.extent / step)
        return tuple(
            Tick(self.at(number * step), exact(Fraction(number * step), signed=True))
            for number in range(-most, most + 1)
        )


def scale_of(values: Sequence[Fraction | int], width: float, least: int = 2) -> Scale:
    """A scale on which all of these have a place; at least to ``least`` stones on both sides."""
    extent: int = max([least, *(math.ceil(abs(Fraction(value))) for value in values)])
    # Half a step more, so that the outermost marks do not stand on the edge.
    return Scale(width, extent + step_of(extent) * 0.5)


def dot_plots(rows: Sequence[Sequence[Value]], what: Sequence[str], width: float = 320.0) -> list[Plot]:
    """A plot for each row, with a mark for each value, equal ones piled up in their order.

    All have one scale and one height. ``what`` is the first sentence of the words of each.
    """
    scale = scale_of([value.value for row in rows for value in row], width)
    piled = [_piles(row) for row in rows]
    highest = max((len(pile) for piles in piled for pile in piles.values()), default=0)
    pitch = MARK if highest <= STACK_AT_MOST else MARK * STACK_AT_MOST / highest
    height = MARK * (min(max(highest, 3), STACK_AT_MOST) + 1) + TICK_ROOM
    floor = height - TICK_ROOM - MARK - 3
    plots = []
    for piles, sentence in zip(piled, what, strict=True):
        marks = tuple(
            Mark(
                round(scale.at(place) - MARK / 2, 1), round(floor - number * pitch, 1), value.kind, value.text
            )
            for place, pile in sorted(piles.items())
            for number, value in enumerate(pile)
        )
        words = _words({value: len(pile) for value, pile in piles.items()}, sentence)
        plots.append(Plot(width, height, marks, scale.ticks(), scale.at(0), words))
    return plots


def _piles(values: Sequence[Value]) -> dict[Fraction | int, list[Value]]:
    piles: dict[Fraction | int, list[Value]] = defaultdict(list)
    for value in values:
        piles[value.value].append(value)
    return piles


def histograms(
    rows: Sequence[Mapping[int, int]], what: Sequence[str], width: float = 320.0, height: float = 140.0
) -> list[Plot]:
    """A plot for each row of how often each value came: for more values than can be told apart as marks.

    All have one scale; ``what`` as in ``dot_plots``.
    """
    scale = scale_of([value for counts in rows for value in counts], width)
    floor = height - TICK_ROOM
    most = max((count for counts in rows for count in counts.values()), default=1)
    thick = max(1.0, min(18.0, (scale.at(1) - scale.at(0)) * 0.7))
    plots = []
    for counts, sentence in zip(rows, what, strict=True):
        bars = []
        for value, count in sorted(counts.items()):
            tall = max(1.0, count / most * (floor - 12))
            text = ngettext("%(value)s: %(count)d table", "%(value)s: %(count)d tables", count)
            named = text % {"value": exact(Fraction(value), signed=True), "count": count}
            x, y = round(scale.at(value) - thick / 2, 1), round(floor - tall, 1)
            bars.append(Bar(x, y, round(thick, 1), round(tall, 1), kind_of(value), named))
        words = _words(counts, sentence)
        plots.append(Plot(width, height, tuple(bars), scale.ticks(), scale.at(0), words))
    return plots


def _words(counts: Mapping[Fraction | int, int] | Mapping[int, int], what: str) -> str:
    """``what``, how many tables, from where to where, and the mean."""
    tables = sum(counts.values())
    if not tables:
        return what
    mean = sum((Fraction(value) * count for value, count in counts.items()), Fraction()) / tables
    rounded = Fraction(round(mean * 100), 100)
    sentence = ngettext(
        "%(count)d table, %(low)s.",
        "%(count)d tables, from %(low)s to %(high)s, on average %(mean)s.",
        tables,
    ) % {
        "count": tables,
        "low": exact(Fraction(min(counts)), signed=True),
        "high": exact(Fraction(max(counts)), signed=True),
        "mean": exact(rounded, signed=True),
    }
    return f"{what} {sentence}".strip()


def kind_of(value: Fraction | int) -> str:
    """``plus``, ``minus`` or ``zero``."""
    return "plus" if value > 0 else "minus" if value < 0 else "zero"


def strip(values: Sequence[Fraction], texts: Sequence[str] | None = None) -> tuple[Bar, ...]:
    """A bar for each value in a cell of its own, up from the middle or down, in percent of the cell.

    All cells have one scale: the value furthest from 0 fills its half.
    """
    most = max([Fraction(1), *map(abs, values)])
    bars = []
    for number, value in enumerate(values):
        tall = round(float(abs(value) / most) * 46, 1)
        top = 50 - tall if value > 0 else 50.0
        text = texts[number] if texts is not None else exact(value, signed=True)
        bars.append(Bar(20.0, round(top, 1), 60.0, tall, kind_of(value), text))
    return tuple(bars)


class ClockPlot(NamedTuple):
    """How much of its limit a bot used, in percent of the width: 100 is the limit."""

    median: float
    high: float
    most: float
    is_over: bool
    words: str


def clock_plot(median_ms: float, high_ms: float, most_ms: float, limit_ms: float) -> ClockPlot:
    """Where the median, the 99th percentile and the maximum of CPU times stand below the limit."""

    def at(value: float) -> float:
        return round(min(100.0, 100 * value / limit_ms), 1) if limit_ms > 0 else 100.0

    words = _("Median %(median)s, 99 %% within %(high)s, at most %(most)s of %(limit)s.") % {
        "median": milliseconds(round(median_ms)),
        "high": milliseconds(round(high_ms)),
        "most": milliseconds(round(most_ms)),
        "limit": milliseconds(round(limit_ms)),
    }
    return ClockPlot(at(median_ms), at(high_ms), at(most_ms), most_ms > limit_ms, words)
