"""Recent results of a bot: by opponent, by fixture, and use of the clock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from fractions import Fraction
from math import ceil
from statistics import median
from typing import Any, NamedTuple

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from arena.accounts.selectors import Viewer
from arena.common.process_cache import CacheKey, process_cache
from arena.matches.conduct import OK_VERDICT, SeatConduct, latest_conduct
from arena.roster.models import Bot, BotVersion
from arena.standings.bot_fixtures import BotFixture, bot_fixtures_of, latest_entries
from arena.web.base.figures import format_exact
from arena.web.base.labels import entry_label
from arena.web.base.live_pages import MAX_AGE_S
from arena.web.drawing.plots import ClockPlot, clock_plot
from arena.web.drawing.sides import SideName, side_names

MAX_OPPONENTS = 40
MAX_FIXTURES = 15


class OpponentResult(NamedTuple):
    names: tuple[tuple[str, str], ...]
    """Name and page of each bot; the page is empty for a private bot."""
    player: str
    fixtures: int
    won: int
    drawn: int
    lost: int
    mean: str
    """Stones per board, rounded to hundredths."""
    result: str
    """``win``, ``draw`` or ``loss``, by the larger number."""


class RecentFixture(NamedTuple):
    bot_fixture: BotFixture
    opponents: tuple[SideName, ...]
    version: int
    total: str
    result: str


class RenderedResults(NamedTuple):
    health: str
    html: SafeString


def render_recent_results(
    subject: Bot | BotVersion, version: BotVersion | None, viewer: Viewer
) -> RenderedResults:
    """Render the results of a bot or version; health and clock belong to ``version``.

    One query if no tournament has changed since the last rendering, else six, or four without a version.
    """
    entries = latest_entries(subject, viewer)

    def rendered() -> RenderedResults:
        form = recent_results([entry.key for entry in entries], version, viewer)
        return RenderedResults(form["health"], render_to_string("web/_form.html", {"form": form}))

    path = ("form", type(subject).__name__, subject.pk, version and version.pk)
    key = CacheKey(path, tuple(entries), language=get_language())
    return process_cache.get_or_build(key, rendered, max_age_s=MAX_AGE_S)


def recent_results(entries: Collection[int], version: BotVersion | None, viewer: Viewer) -> dict[str, Any]:
    """Return the results in the fixtures of these entries; health and clock belong to ``version``."""
    conduct = latest_conduct(version, viewer) if version is not None else []
    bot_fixtures = bot_fixtures_of(entries)
    opponents = results_by_opponent(bot_fixtures)
    return {
        "health": health_sentence(conduct),
        "clock": clock_usage(conduct),
        "version": version,
        "opponents": opponents[:MAX_OPPONENTS],
        "more_opponents": max(0, len(opponents) - MAX_OPPONENTS),
        "fixtures": _lines(bot_fixtures[:MAX_FIXTURES]),
        "counted": len(bot_fixtures),
    }


def health_sentence(conduct: list[SeatConduct]) -> str:
    """Return how often the bot was at fault recently.

    >>> health_sentence([SeatConduct(table, "OK", False, 5, 900) for table in (7, 7, 8, 9)])
    'No faults in its last 3 tables.'
    """
    if not conduct:
        return _("None of its tables can be shown yet.")
    tables = len({seat.table for seat in conduct})
    faulty = len({seat.table for seat in conduct if seat.verdict != OK_VERDICT})
    forfeited = len({seat.table for seat in conduct if seat.forfeited})
    last = ngettext("its last table", "its last %(count)d tables", tables) % {"count": tables}
    if not faulty:
        return _("No faults in %(last)s.") % {"last": last}
    text = _("Faults in %(faulty)d of %(last)s") % {"faulty": faulty, "last": last}
    if forfeited:
        text = _("%(faults)s, %(count)d of them forfeited") % {"faults": text, "count": forfeited}
    return text + pgettext("after a meaning", ".")


def clock_usage(conduct: list[SeatConduct]) -> ClockPlot | None:
    """Return the CPU time per table against the granted time, all scaled to the median grant."""
    shares = sorted(seat.cpu_ms / seat.granted_ms for seat in conduct if seat.granted_ms > 0)
    if not shares:
        return None
    usual = median(seat.granted_ms for seat in conduct if seat.granted_ms > 0)
    high = shares[ceil(len(shares) * 0.99) - 1]
    return clock_plot(median(shares) * usual, high * usual, shares[-1] * usual, usual)


def results_by_opponent(bot_fixtures: list[BotFixture]) -> list[OpponentResult]:
    met: dict[tuple[int, ...], list[tuple[BotFixture, int]]] = defaultdict(list)
    for bot_fixture in bot_fixtures:
        for position, entry in enumerate(bot_fixture.opponents):
            met[tuple(version.bot for version in entry.bots)].append((bot_fixture, position))
    results = []
    for played in met.values():
        latest, position = played[0]
        label = entry_label(latest.opponents[position])
        wins = sum(bot_fixture.total > bot_fixture.against[index] for bot_fixture, index in played)
        losses = sum(bot_fixture.total < bot_fixture.against[index] for bot_fixture, index in played)
        boards = sum(bot_fixture.fixture.boards for bot_fixture, _ in played)
        stones = sum((bot_fixture.total for bot_fixture, _ in played), Fraction())
        results.append(
            OpponentResult(
                names=tuple((bot.name, bot.page) for bot in label.bots),
                player=label.player,
                fixtures=len(played),
                won=wins,
                drawn=len(played) - wins - losses,
                lost=losses,
                mean=format_exact(Fraction(round(stones / boards * 100), 100), signed=True, decimals=2),
                result=_result(wins, losses),
            )
        )
    return sorted(results, key=lambda opponent: (-opponent.fixtures, opponent.names))


def _lines(bot_fixtures: list[BotFixture]) -> list[RecentFixture]:
    names = side_names(
        [[entry_label(entry) for entry in bot_fixture.opponents] for bot_fixture in bot_fixtures]
    )
    return [
        RecentFixture(
            bot_fixture=bot_fixture,
            opponents=opponents,
            version=bot_fixture.own.bots[0].number,
            total=format_exact(bot_fixture.total, signed=True),
            result=_result(bot_fixture.won, bot_fixture.lost),
        )
        for bot_fixture, opponents in zip(bot_fixtures, names, strict=True)
    ]


def _result(wins: int, losses: int) -> str:
    return "win" if wins > losses else "loss" if wins < losses else "draw"
