"""Who may open which page of the daily deal, and read what through the API."""

from __future__ import annotations

import datetime

from arena.features.daily.models import DailyDeal
from tests.arena.api.roles import ALL, Row, by
from tests.arena.features.daily.deals import a_deal, account, attempt, move
from tests.arena.web import roles as pages
from tests.factories import aya

ENDED = datetime.date(2026, 11, 20)

ROWS: list[Row] = [
    ("GET daily deals", "daily", {}, ALL),
    ("GET today's deal", "daily/today", {}, ALL),
    ("GET daily deal", "daily/2026-11-20", {}, ALL),
    ("GET own attempt", "daily/2026-11-20/attempt", {}, by(401, 404, aya=200)),
    ("GET weekly table", "daily/weeks/2026-W47", {}, ALL),
]
PAGES: list[pages.Page] = [
    ("GET", "/daily", pages.ALL),
    ("GET", f"/daily/{ENDED}", pages.ALL),
    ("GET", "/daily/week", pages.ALL),
    ("POST", "/daily/start", pages.by(pages.DONE, pages.DONE)),
]


def things(names: dict[str, str]) -> dict[str, str]:
    """The deal of an ended day, which Aya has begun, and today's; made once."""
    if not DailyDeal.objects.exists():
        ended = a_deal()
        attempt(account(aya()))
        move(ended, (ENDED - ended.day).days)
        a_deal()
    return {}


def page_things() -> dict[str, str]:
    """The same deals."""
    things({})
    return {"day": f"{ENDED}"}
