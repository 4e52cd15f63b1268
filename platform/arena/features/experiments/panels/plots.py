"""Plot data of an experiment: the evidence between its bounds, and the distribution of board scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.web.base.figures import MINUS, format_exact
from arena.web.base.wording import join_sentences
from arena.web.drawing.plots import TICK_HEIGHT_PX, BarLabel, Plot, PlotBar, Tick, sign_kind

AXIS_EXTENTS = (100, 200, 500, 1000, 2000, 5000)
"""Possible ends of the board axis. Fixed steps keep the axis from moving with every batch."""
MAX_POINTS = 400
"""Maximum points of a path; more would be indistinguishable."""
MARGIN_SHARE = 0.12
"""Height share of each zone beyond the bounds."""
LABEL_CHARACTER_WIDTH = 6.8
BARS_PER_STONE = 2
MAX_BARS_PER_SIDE = 8


def axis_extent(boards: int) -> int:
    """Return the end of the board axis: 100 for up to 100 boards, 200 for 101."""
    return next((extent for extent in AXIS_EXTENTS if boards <= extent), boards)


def evidence_plot(
    steps: Sequence[tuple[int, float]],
    *,
    lower: float,
    upper: float,
    fewest: int,
    is_narrow: bool,
    state: str,
) -> dict[str, Any]:
    """Build the evidence plot from (boards, evidence) steps; ``state`` is the final state text, or empty."""
    width, height = (360, 280) if is_narrow else (760, 300)
    left, right = 34, width - (14 if is_narrow else 80)
    top, bottom = 8, height - 26
    extent = axis_extent(steps[-1][0] if steps else 0)
    room = (bottom - top) * MARGIN_SHARE
    per_unit = (bottom - top - 2 * room) / (upper - lower)

    def at(boards: int, evidence: float) -> tuple[float, float]:
        height_of = bottom - room - (evidence - lower) * per_unit
        clipped = min(max(height_of, top), bottom)
        return round(left + (right - left) * boards / extent, 1), round(clipped, 1)

    every = max(1, math.ceil(len(steps) / MAX_POINTS))
    sampled = [*steps[every - 1 : -1 : every], *steps[-1:]]
    points = [at(0, 0.0), *(at(boards, evidence) for boards, evidence in sampled)]
    path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points) if steps else ""
    end = points[-1]
    is_left = end[0] > (left + right) / 2
    label_x = end[0] + (-8 if is_left else 8)
    if is_left:
        label_x = max(label_x, left + len(state) * LABEL_CHARACTER_WIDTH)
    label_y = _label_y(points, label_x, len(state) * (-1 if is_left else 1), at(0, upper)[1], at(0, lower)[1])
    step = max(1, math.ceil((upper - lower) / 8))
    marks = range(math.ceil(lower / step) * step, math.floor(upper) + 1, step)
    tick_every = extent // 5
    high, low, no_verdict = at(0, upper)[1], at(0, lower)[1], at(fewest, 0)[0]
    above, below = round(high - top, 1), round(bottom - low, 1)
    return {
        "width": width,
        "height": height,
        "left": left,
        "right": right,
        "top": top,
        "bottom": bottom,
        "room": right - left,
        "upper": high,
        "above": above,
        "lower": low,
        "below": below,
        "zero": at(0, 0.0)[1],
        "lines": tuple(Tick(at(0, mark)[1], f"{MINUS}{-mark}" if mark < 0 else str(mark)) for mark in marks),
        "ticks": tuple(Tick(at(boards, 0)[0], str(boards)) for boards in range(0, extent + 1, tick_every)),
        "path": path,
        "end": end,
        "no_verdict": no_verdict,
        "note_x": no_verdict + 4,
        # Above the lower zone, because inside it would look like the zone's name.
        "note_y": low - 6,
        # Right of the first and the highest number.
        "axis_x": left + 10,
        "number_x": left - 6,
        # Zones have their names to the right, or inside on narrow screens.
        "side_x": right - 4 if is_narrow else right + 6,
        "better_y": high - (above / 2 if is_narrow else 0),
        "worse_y": low + (below / 2 if is_narrow else 0),
        "tick_y": height - 6,
        "label_x": label_x,
        "label_y": label_y,
        "is_label_left": is_left,
        "fewest": fewest,
        "is_narrow": is_narrow,
        "description": _evidence_description(steps, lower, upper, state),
    }


def _label_y(
    points: Sequence[tuple[float, float]], x: float, characters: int, upper: float, lower: float
) -> float:
    """Return the height for a label of ``characters`` characters (negative: it ends at ``x``)."""
    reach = x + characters * LABEL_CHARACTER_WIDTH
    first, last = min(x, reach), max(x, reach)
    passed = [y for offset, y in points if first <= offset <= last]
    # Heights of the baseline; capitals are 9 px high. The note on early verdicts is above the lower bound.
    free = [upper + 18.0 + offset for offset in range(0, max(1, int(lower - upper) - 44), 6)]
    clear = [y for y in free if not any(y - 16 < path < y + 10 for path in passed)]
    end = points[-1][1]
    nearest_end: float = min(clear or free, key=lambda y: abs(y - 4 - end))
    return round(nearest_end, 1)


def _evidence_description(steps: Sequence[tuple[int, float]], lower: float, upper: float, state: str) -> str:
    if not steps:
        return _("Evidence after each board: no boards have been counted yet.")
    boards, evidence = steps[-1]
    text = ngettext(
        "The evidence after %(boards)d board is %(evidence)s, between %(lower)s and %(upper)s.",
        "The evidence after %(boards)d boards is %(evidence)s, between %(lower)s and %(upper)s.",
        boards,
    ) % {
        "boards": boards,
        "evidence": signed(evidence, 1),
        "lower": signed(lower, 1),
        "upper": signed(upper, 1),
    }
    return join_sentences(text, state)


def signed(value: float, digits: int = 2) -> str:
    rounded = round(value, digits)
    sign = "+" if rounded > 0 else MINUS if rounded < 0 else ""
    return f"{sign}{abs(rounded):.{digits}f}"


def score_plot(scores: Sequence[Fraction]) -> Plot:
    """Build a histogram of board scores: a bar per half stone, or wider bars for a wider range."""
    width, height = 300.0, 130.0
    floor = height - TICK_HEIGHT_PX
    furthest = max((abs(score) for score in scores), default=Fraction(0))
    # Wider bars where half stones would be too many.
    step = next(
        Fraction(size, BARS_PER_STONE)
        for size in (1, 2, 4, 10, 20, 40, 100, 200, 400, 1000, 10**6)
        if furthest * BARS_PER_STONE / size <= MAX_BARS_PER_SIDE
    )
    counts = Counter(bar_index(score, step) for score in scores)
    reach = max([4, *(abs(index) for index in counts)])
    slot = width / (2 * reach + 1.5)
    most = max(counts.values(), default=1)
    bars, labels = [], []
    for index, count in sorted(counts.items()):
        middle = width / 2 + index * slot
        tall = max(1.0, count / most * (floor - 18))
        value = format_exact(index * step, signed=True)
        text = ngettext("%(value)s: %(count)d board", "%(value)s: %(count)d boards", count)
        named = text % {"value": value, "count": count}
        left, top = round(middle - slot * 0.42, 1), round(floor - tall, 1)
        bars.append(PlotBar(left, top, round(slot * 0.84, 1), round(tall, 1), sign_kind(index), named))
        labels.append(BarLabel(round(middle, 1), top - 4, str(count)))
    every = max(1, math.ceil(reach / 3))
    places = [index for index in range(-reach, reach + 1) if index % every == 0]
    ticks = tuple(
        Tick(round(width / 2 + index * slot, 1), format_exact(index * step, signed=True)) for index in places
    )
    return Plot(width, height, tuple(bars), ticks, width / 2, score_summary(scores), tuple(labels))


def bar_index(score: Fraction, step: Fraction) -> int:
    if not score:
        return 0
    places = max(1, math.floor(abs(score) / step + Fraction(1, 2)))
    return places if score > 0 else -places


def score_summary(scores: Sequence[Fraction]) -> str:
    wins, losses = sum(score > 0 for score in scores), sum(score < 0 for score in scores)
    return _("%(won)d won, %(even)d even, %(lost)d lost.") % {
        "won": wins,
        "even": len(scores) - wins - losses,
        "lost": losses,
    }
