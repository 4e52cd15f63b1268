"""Daily deals of the site that the browser visits: one that has ended, and today's, which Ben has played."""

from __future__ import annotations

from arena.features.daily.days import days_advance
from arena.features.daily.selectors import deal_today
from tests import factories
from tests.arena.features.daily.deals import a_deal, account, attempt, fields, guest, move
from tests.arena.features.play.casual_tables import serve

BOTS = (1, 0, -1, 2, 1, -2)


def ended_and_today() -> str:
    """Return the day of the deal that has ended."""
    ended = a_deal()
    fields(ended, BOTS)
    _play()
    for number, stones in enumerate((3, 1, -2)):
        attempt(guest("x" * (number + 1)), stones)
    move(ended, -2)
    days_advance()
    today = deal_today() or a_deal()
    fields(today, BOTS)
    _play()
    return ended.day.isoformat()


def _play() -> None:
    person = account(factories.ben())
    table = attempt(person).table
    assert table is not None
    serve(table, person=person)
    days_advance()
