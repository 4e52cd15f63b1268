"""Results of a daily deal as a plot and a table, and the text to share."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.common.game_titles import preset_title
from arena.features.daily.models import DailyAttempt, DailyDeal
from arena.features.daily.selectors import DayResults, results_of
from arena.features.play.offers import ACCOUNTS
from arena.web.base.figures import format_exact
from arena.web.drawing.plots import Plot, PlotValue, dot_plots, histograms

MAX_DOTS = 60
"""Maximum results that are drawn as single marks."""
OWN, PEOPLE, BOTS = "0", "1", ""
"""Kinds of marks: two crests, and a ring."""


class ResultRow(NamedTuple):
    stones: str
    people: int
    bots: str
    is_own: bool


class ResultsPanel(NamedTuple):
    plot: Plot
    is_dots: bool
    rows: list[ResultRow]
    people: int
    has_own: bool


def deal_title(deal: DailyDeal) -> str:
    return preset_title(deal.preset, len(deal.seats) + 1)


def results_panel(deal: DailyDeal, attempt: DailyAttempt | None) -> ResultsPanel:
    """Return the results of a deal; callers check ``may_see_results`` first. One query."""
    results = results_of(deal)
    own = attempt.stones if attempt is not None else None
    total = results.people.total() + len(results.bots)
    caption = _("Stones won with these cards.")
    if total <= MAX_DOTS:
        plot = dot_plots([_dots(results, own)], [caption])[0]
    else:
        counts = results.people + Counter(stones for _label, stones in results.bots)
        plot = histograms([counts], [caption])[0]
    return ResultsPanel(plot, total <= MAX_DOTS, _rows(results, own), results.people.total(), own is not None)


def _dots(results: DayResults, own: int | None) -> list[PlotValue]:
    values = [PlotValue(own, OWN, f"{_('you')} {_signed(own)}")] if own is not None else []
    remaining = results.people - Counter([] if own is None else [own])
    values += [PlotValue(stones, PEOPLE, _signed(stones)) for stones in sorted(remaining.elements())]
    return values + [
        PlotValue(stones, BOTS, f"{_bot_name(label)} {_signed(stones)}") for label, stones in results.bots
    ]


def _rows(results: DayResults, own: int | None) -> list[ResultRow]:
    bots: dict[int, Counter[str]] = {}
    for label, stones in results.bots:
        bots.setdefault(stones, Counter())[_bot_name(label)] += 1
    return [
        ResultRow(
            _signed(stones),
            results.people[stones],
            ", ".join(
                name if count == 1 else f"{count} × {name}"
                for name, count in bots.get(stones, Counter()).items()
            ),
            stones == own,
        )
        for stones in sorted({*results.people, *bots}, reverse=True)
    ]


def _bot_name(label: str) -> str:
    owner, _separator, kind = label.partition(" ")
    return f"house:{kind}" if owner == "house" and kind in ACCOUNTS else label


def _signed(stones: int) -> str:
    return format_exact(Fraction(stones), signed=True)


def own_result(deal: DailyDeal, attempt: DailyAttempt) -> str:
    """Return the result of a finished attempt and its comparison with bots, without anything about cards."""
    assert attempt.stones is not None
    bots = [row["stones"] for row in deal.field or ()]
    won = ngettext("%(count)s stone", "%(count)s stones", abs(attempt.stones))
    values: dict[str, Any] = {
        "stones": won % {"count": _signed(attempt.stones)},
        "beaten": sum(stones < attempt.stones for stones in bots),
        "count": len(bots),
    }
    if not bots:
        return str(values["stones"])
    return _("%(stones)s, better than %(beaten)d of %(count)d bots") % values


def share_line(deal: DailyDeal, attempt: DailyAttempt, site: str) -> str:
    """Return one line without spoilers; ``site`` is the absolute URL of the home page."""
    return _("Rensho daily deal %(day)s (%(game)s): %(result)s. %(address)s") % {
        "day": deal.day.isoformat(),
        "game": deal_title(deal),
        "result": own_result(deal, attempt),
        "address": site.rstrip("/") + reverse("web:daily"),
    }
