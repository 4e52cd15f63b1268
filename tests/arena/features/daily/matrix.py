"""Who may open which page of the daily deal."""

from __future__ import annotations

import datetime

from tests.arena.features.daily.deals import a_deal, move
from tests.arena.web import roles as pages

ENDED = datetime.date(2026, 11, 20)

PAGES: list[pages.Page] = [
    ("GET", "/daily", pages.ALL),
    ("GET", f"/daily/{ENDED}", pages.ALL),
    ("GET", "/daily/week", pages.ALL),
    ("POST", "/daily/start", pages.by(pages.DONE, pages.DONE)),
]


def page_things() -> dict[str, str]:
    """The deals of an ended day and of today."""
    ended = a_deal()
    move(ended, (ENDED - ended.day).days)
    a_deal()
    return {"day": f"{ENDED}"}
