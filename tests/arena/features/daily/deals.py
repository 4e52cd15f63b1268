"""Daily deals for tests: published with a bot of Ben's, played, and moved to other days."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from django.utils import timezone

from arena.accounts.models import User
from arena.features.daily.attempts import attempt_start
from arena.features.daily.days import SEAT, deal_publish
from arena.features.daily.models import DailyAttempt, DailyDeal
from arena.features.play.models import CasualTable
from arena.features.play.offers import preset_chosen
from arena.features.play.person import Person
from tests import factories

NOBODY = Person(None, "", "192.0.2.9")


def guest(key: str) -> Person:
    return Person(None, f"guest-{key}", f"192.0.2.{len(key)}")


def account(user: User) -> Person:
    return Person(user, "", "192.0.2.8")


def a_deal(days: int = 0) -> DailyDeal:
    """The deal of a day from today on."""
    version = factories.a_version(factories.a_bot(factories.ben()))
    game, ruleset = preset_chosen("kakeya4", None)
    placed = {seat: (version, "rules") for seat in range(1, 5) if seat != SEAT}
    day = timezone.now().date() + datetime.timedelta(days=days)
    deal = deal_publish(day, game, ruleset, placed)
    assert deal is not None
    return deal


def move(deal: DailyDeal, days: int) -> DailyDeal:
    """Move a deal by days, as if these had passed."""
    deal.day += datetime.timedelta(days=days)
    DailyDeal.objects.filter(pk=deal.pk).update(day=deal.day)
    return deal


def attempt(person: Person, stones: int | None = None) -> DailyAttempt:
    """An attempt at today's deal, just begun, or with this result."""
    row = attempt_start(person, NOBODY)
    if stones is not None:
        won = {"boards": [{"number": 1, "stones": {str(SEAT): stones}}], "substituted": []}
        CasualTable.objects.filter(pk=row.table_id).update(
            state="finished", ended_at=timezone.now(), result=won, field=[]
        )
    return row


def fields(deal: DailyDeal, stones: Sequence[int]) -> None:
    """Store results of bots."""
    DailyDeal.objects.filter(pk=deal.pk).update(
        field=[{"label": "house rules", "stones": each} for each in stones]
    )
    deal.refresh_from_db()
