"""Results of a daily deal as a plot and a table, and the text to share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.common.game_titles import preset_title
from arena.features.daily.models import DailyAttempt, DailyDeal
from arena.features.daily.selectors import DayResults, house_bots, results_of
from arena.roster.models import Bot
from arena.web.base.figures import format_exact
from arena.web.drawing.plots import Plot, PlotValue, dot_plots, histograms

MAX_DOTS = 60
"""Maximum results that are drawn as single marks."""
OWN, PEOPLE, BOTS = "0", "1", ""
"""Kinds of marks: two crests, and a ring."""


class ResultBot(NamedTuple):
    name: str
    times: int
    page: str


class ResultRow(NamedTuple):
    stones: str
    people: int
    bots: list[ResultBot]
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
    """Return the results of a deal; callers check ``may_see_results`` first. Two queries."""
    results = results_of(deal)
    own = attempt.stones if attempt is not None else None
    total = results.people.total() + len(results.bots)
    caption = _("Stones won with these cards.")
    if total <= MAX_DOTS:
        plot = dot_plots([_dots(results, own)], [caption])[0]
    else:
        counts = results.people + Counter(stones for _name, stones in results.bots)
        plot = histograms([counts], [caption])[0]
    return ResultsPanel(
        plot,
        total <= MAX_DOTS,
        _rows(results, house_bots(deal), own),
        results.people.total(),
        own is not None,
    )


def _dots(results: DayResults, own: int | None) -> list[PlotValue]:
    values = [PlotValue(own, OWN, f"{_('you')} {signed_stones(own)}")] if own is not None else []
    remaining = results.people - Counter([] if own is None else [own])
    values += [PlotValue(stones, PEOPLE, signed_stones(stones)) for stones in sorted(remaining.elements())]
    return values + [
        PlotValue(stones, BOTS, f"{name} {signed_stones(stones)}") for name, stones in results.bots
    ]


def _rows(results: DayResults, known: Mapping[str, Bot], own: int | None) -> list[ResultRow]:
    bots: dict[int, Counter[str]] = {}
    for name, stones in results.bots:
        bots.setdefault(stones, Counter())[name] += 1
    return [
        ResultRow(
            signed_stones(stones),
            results.people[stones],
            [
                ResultBot(name, times, _bot_page(known.get(name)))
                for name, times in bots.get(stones, Counter()).items()
            ],
            stones == own,
        )
        for stones in sorted({*results.people, *bots}, reverse=True)
    ]


def _bot_page(bot: Bot | None) -> str:
    """Return the page of a house bot, or the document about all of them while it is not ready."""
    if bot is None:
        return reverse("web:docs-page", args=["house-bots"])
    return reverse("web:bot", args=[bot.public_id])


def signed_stones(stones: int) -> str:
    return format_exact(Fraction(stones), signed=True)


def own_result(deal: DailyDeal, attempt: DailyAttempt) -> str:
    """Return the result of a finished attempt and its comparison with bots, without anything about cards."""
    assert attempt.stones is not None
    bots = [row["stones"] for row in deal.field or ()]
    won = ngettext("%(count)s stone", "%(count)s stones", abs(attempt.stones))
    values: dict[str, Any] = {
        "stones": won % {"count": signed_stones(attempt.stones)},
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
