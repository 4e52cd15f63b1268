"""Who may read feeds, calendars and CSV files."""

from __future__ import annotations

from tests.arena.web import roles as pages

PAGES: list[pages.Page] = [
    ("GET", "/feed.atom", pages.ALL),
    ("GET", "/tournaments/{event}/feed.atom", pages.ALL),
    ("GET", "/tournaments/{draft}/feed.atom", pages.NONE),
    ("GET", "/cups/{series}/feed.atom", pages.ALL),
    ("GET", "/players/aya/feed.atom", pages.ALL),
    ("GET", "/bots/{bot}/feed.atom", pages.ALL),
    ("GET", "/bots/{private}/feed.atom", pages.NONE),
    ("GET", "/calendar.ics", pages.ALL),
    ("GET", "/cups/{series}/calendar.ics", pages.ALL),
    ("GET", f"/calendars/{pages.ONCE}.ics", pages.NONE),
    ("GET", "/me/calendar", pages.ACCOUNTS),
    ("POST", "/me/calendar", pages.by(pages.SIGN_IN, 200)),
    ("GET", "/tournaments/{event}/standings.csv", pages.ALL),
    ("GET", "/tournaments/{event}/crosstable.csv", pages.ALL),
    ("GET", "/tournaments/{event}/rounds.csv", pages.ALL),
    ("GET", "/tournaments/{event}/board-scores.csv?round=1", pages.ALL),
    ("GET", "/tournaments/{event}/board-scores.csv?round=2", pages.by(423, 423)),
    ("GET", "/tournaments/{draft}/standings.csv", pages.HIDDEN),
]
