"""Costliest plays of versions, and the accuracy of each version."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext_lazy

from analysis.accuracy import Accuracy
from arena.features.analysis.models import CostlyPlay
from arena.features.analysis.positions import GAME
from arena.features.analysis.selectors import VersionAccuracy, accuracy_by_version, costliest_of_versions
from arena.roster.models import BotVersion
from arena.web.drawing.plots import Axis, DrawnInterval, Interval, build_axis

MAX_COSTLY = 8
MAX_VERSIONS = 8
"""Versions whose accuracy is drawn, the latest."""
CARD = re.compile(r"[2-9TJQKA][SHDC]")
GROUP = re.compile(r"t(\d+)")
"""Trick or turn in the key of a position."""
Kind = CostlyPlay.Kind
KIND_NAMES = {
    Kind.COSTLY: pgettext_lazy("costly play", "costly"),
    Kind.MISTAKE: pgettext_lazy("costly play", "mistake"),
    Kind.UNLUCKY: pgettext_lazy("costly play", "unlucky"),
    Kind.AVERAGE: pgettext_lazy("costly play", "on average"),
    Kind.DECLARATION: pgettext_lazy("costly play", "declaration"),
}


class CostlyLine(NamedTuple):
    play: CostlyPlay
    place: str
    is_card: bool
    cost: str
    kind_name: str


class AccuracyLine(NamedTuple):
    version: BotVersion
    is_active: bool
    tables: int
    decisions: int
    cost: str
    interval: str
    """Ends of the 95% interval; empty without one."""
    agreement: str
    reach: DrawnInterval


class AccuracyPlot(NamedTuple):
    axis: Axis
    lines: list[AccuracyLine]


def costly_lines(versions: Collection[int], at_most: int = MAX_COSTLY) -> list[CostlyLine]:
    """Return the costliest plays of visible versions (by primary key). One query, none without versions."""
    plays = costliest_of_versions(versions, at_most) if versions else []
    return [costly_line(play) for play in plays]


def costly_line(play: CostlyPlay) -> CostlyLine:
    return CostlyLine(
        play,
        _place(play),
        CARD.fullmatch(play.action) is not None,
        cost_text(play.cost),
        str(KIND_NAMES[Kind(play.kind)]),
    )


def _place(play: CostlyPlay) -> str:
    """Return board and trick (in Kakkuri: turn) in words."""
    match = GROUP.search(play.position)
    if match is None:
        return _("board %(board)d, before the first card") % {"board": play.board}
    values = {"board": play.board, "number": int(match[1])}
    if play.version.bot.game == GAME:
        return _("board %(board)d, trick %(number)d") % values
    return _("board %(board)d, turn %(number)d") % values


def cost_text(cost: float) -> str:
    if cost == int(cost):
        return ngettext("%(count)d stone", "%(count)d stones", int(cost)) % {"count": int(cost)}
    return _("%(cost)s stones") % {"cost": f"{cost:.2f}"}


def accuracy_plot(versions: Sequence[BotVersion], active: int | None) -> AccuracyPlot | None:
    """Return the accuracy of the latest of these visible versions; None without analysed tables."""
    accuracies = accuracy_by_version(versions[:MAX_VERSIONS])
    if not accuracies:
        return None
    spans = [_span(each.accuracy) for each in accuracies if each.accuracy is not None]
    drawn = build_axis(spans)
    # Costs have no sign.
    axis = drawn._replace(ticks=tuple(tick._replace(text=tick.text.lstrip("+")) for tick in drawn.ticks))
    return AccuracyPlot(axis, [_line(each, axis, active) for each in accuracies])


def _line(each: VersionAccuracy, axis: Axis, active: int | None) -> AccuracyLine:
    accuracy = each.accuracy
    assert accuracy is not None, "versions without a decision are left out"
    return AccuracyLine(
        version=each.version,
        is_active=each.version.pk == active,
        tables=each.tables,
        decisions=accuracy.decisions,
        cost=f"{accuracy.cost:.3f}",
        interval="–".join(f"{end:.3f}" for end in accuracy.interval or ()),
        agreement=f"{100 * accuracy.agreement:.1f}%",
        reach=axis.reach(_span(accuracy))._replace(description=_interval_text(accuracy)),
    )


def _span(accuracy: Accuracy) -> Interval:
    low, high = accuracy.interval or (accuracy.cost, accuracy.cost)
    return Interval(accuracy.cost, low, high)


def _interval_text(accuracy: Accuracy) -> str:
    if accuracy.interval is None:
        return _("%(cost)s stones, no interval yet") % {"cost": f"{accuracy.cost:.3f}"}
    low, high = accuracy.interval
    return _("%(cost)s stones, 95%% interval %(low)s to %(high)s") % {
        "cost": f"{accuracy.cost:.3f}",
        "low": f"{low:.3f}",
        "high": f"{high:.3f}",
    }
