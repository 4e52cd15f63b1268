"""Recent results of a bot: record by opponent, latest fixtures, and use of the clock."""

from __future__ import annotations

from collections.abc import Collection
from math import ceil
from statistics import median
from typing import NamedTuple

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from arena.accounts.selectors import Viewer
from arena.common.process_cache import CacheKey, process_cache
from arena.matches.conduct import OK_VERDICT, SeatConduct, latest_conduct
from arena.roster.models import Bot, BotVersion
from arena.standings.board_record import BoardRecord, bot_record, record_bytes
from arena.standings.bot_fixtures import BotFixture, bot_fixtures_of, latest_entries
from arena.web.base.figures import format_exact
from arena.web.base.labels import entry_label
from arena.web.base.live_pages import MAX_AGE_S
from arena.web.drawing.plots import ClockPlot, clock_plot
from arena.web.drawing.sides import SideName, side_names

MAX_FIXTURES = 15
MAX_LATEST = 10
"""Maximum results in the head of the page."""


class RecentFixture(NamedTuple):
    bot_fixture: BotFixture
    opponents: tuple[SideName, ...]
    version: int
    total: str
    result: str


class RecentResults(NamedTuple):
    health: str
    """Faults in its last tables; empty without tables."""
    html: SafeString
    """Latest fixtures, and use of the clock."""
    record: BoardRecord
    latest: tuple[str, ...]
    """``win``, ``draw`` or ``loss`` in the latest fixtures, latest first."""


def recent_results(subject: Bot | BotVersion, version: BotVersion | None, viewer: Viewer) -> RecentResults:
    """Return the results of a bot or version; health and clock belong to ``version``.

    One query if no tournament has changed since the last call, else seven, or five without a version.
    """
    entries = latest_entries(subject, viewer)
    bot = subject if isinstance(subject, Bot) else subject.bot

    def build() -> RecentResults:
        return _build([entry.key for entry in entries], bot, version, viewer)

    path = ("form", type(subject).__name__, subject.pk, version and version.pk)
    key = CacheKey(path, tuple(entries), language=get_language())
    return process_cache.get_or_build(key, build, max_age_s=MAX_AGE_S, size_of=_bytes)


def _bytes(results: RecentResults) -> int:
    return len(results.html) + record_bytes(results.record)


def _build(entries: Collection[int], bot: Bot, version: BotVersion | None, viewer: Viewer) -> RecentResults:
    conduct = latest_conduct(version, viewer) if version is not None else []
    bot_fixtures = bot_fixtures_of(entries)
    lines = _lines(bot_fixtures[:MAX_FIXTURES])
    form = {"clock": clock_usage(conduct), "version": version, "fixtures": lines}
    return RecentResults(
        health_sentence(conduct),
        render_to_string("web/_form.html", {"form": form}),
        bot_record(bot_fixtures, bot.pk),
        tuple(line.result for line in lines[:MAX_LATEST]),
    )


def health_sentence(conduct: list[SeatConduct]) -> str:
    """Return how often the bot was at fault recently; empty without tables.

    >>> health_sentence([SeatConduct(table, "OK", False, 5, 900) for table in (7, 7, 8, 9)])
    'No faults in its last 3 tables.'
    """
    if not conduct:
        return ""
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
