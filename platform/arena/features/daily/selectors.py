"""Selectors of daily deals: before a day has closed, results are only for those whose attempt has ended."""

from __future__ import annotations

import datetime
from collections import Counter
from typing import NamedTuple

from django.db.models import Count, QuerySet
from django.utils import timezone

from arena.common.errors import NotFound, quoted
from arena.features.daily.models import DailyAttempt, DailyDeal
from arena.features.play.models import CasualTable
from arena.features.play.offers import KINDS, Strength, house_versions
from arena.features.play.person import Person
from arena.roster.models import Bot, BotVersion

State = DailyAttempt.State
MAX_STREAK_DAYS = 400


class DayResults(NamedTuple):
    people: Counter[int]
    """Finished attempts by stones."""
    bots: list[tuple[str, int]]
    """Name and stones of house bots in the same seat, best first."""


def person_digest(person: Person) -> str:
    """Return the digest that identifies a person's attempts; empty for a guest without a key."""
    return person.quota_key if person.user is not None else person.guest


def deal_today() -> DailyDeal | None:
    rows = DailyDeal.objects.select_related("key").defer("key__private")
    return rows.filter(day=timezone.now().date()).first()


def parse_day(text: str) -> datetime.date:
    """Return a day such as ``2026-11-30``. Raises NotFound (``daily_deal_not_found``)."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise NotFound(f"{quoted(text)} is not a day of the calendar.", "daily_deal_not_found") from None


def deal_of_day(day: datetime.date) -> DailyDeal:
    """Return a day's deal that has begun. Raises NotFound (``daily_deal_not_found``)."""
    deal = None
    if day <= timezone.now().date():
        deal = DailyDeal.objects.select_related("key").defer("key__private").filter(day=day).first()
    if deal is None:
        raise NotFound(f"There is no daily deal of {day.isoformat()}.", "daily_deal_not_found")
    return deal


def deal_tomorrow() -> DailyDeal | None:
    """Return the statement about tomorrow's deal, without its secret."""
    tomorrow = timezone.now().date() + datetime.timedelta(days=1)
    rows = DailyDeal.objects.filter(day=tomorrow).select_related("key")
    return rows.defer("secret", "key__private").first()


def deals_before(day: datetime.date, most: int) -> list[DailyDeal]:
    """Return earlier deals, newest first."""
    return list(DailyDeal.objects.filter(day__lt=day).defer("secret", "body")[:most])


def deals_of_week(monday: datetime.date) -> list[DailyDeal]:
    """Return the deals of a week that have begun, earliest first."""
    end = min(monday + datetime.timedelta(days=6), timezone.now().date())
    return list(deals_begun().filter(day__range=(monday, end)).order_by("day"))


def deals_begun() -> QuerySet[DailyDeal]:
    """Return the deals of all days that have begun, without their secrets and statements."""
    rows = DailyDeal.objects.filter(day__lte=timezone.now().date())
    return rows.defer("secret", "body", "field", "signature")


def _attempts_by(person: Person) -> QuerySet[DailyAttempt]:
    """Return the attempts of an account or browser."""
    if person.user is not None:
        return DailyAttempt.objects.filter(owner=person.user)
    return DailyAttempt.objects.filter(person__in=person.guests)


def attempt_of(person: Person, deal: DailyDeal) -> DailyAttempt | None:
    """Return the person's attempt, with its table. At most one query."""
    rows = _attempts_by(person).filter(deal=deal)
    return rows.select_related("table", "deal").first()


def finished_days(person: Person) -> dict[datetime.date, DailyAttempt]:
    """Return the finished attempts of the last ``MAX_STREAK_DAYS`` days by day. At most one query."""
    first = timezone.now().date() - datetime.timedelta(days=MAX_STREAK_DAYS)
    rows = _attempts_by(person).filter(state=State.FINISHED, deal__day__gte=first)
    days = rows.select_related("deal").only("stones", "points", "deal__day")
    return {attempt.deal.day: attempt for attempt in days}


def may_see_results(deal: DailyDeal, attempt: DailyAttempt | None) -> bool:
    """Return whether results are visible: after the day, or once the person has seen all hands."""
    if deal.is_closed:
        return True
    return attempt is not None and attempt.state != State.PLAYING and _is_table_over(attempt.table)


def _is_table_over(table: CasualTable | None) -> bool:
    return table is not None and table.is_over


def results_of(deal: DailyDeal) -> DayResults:
    """Return all results of a day. Check ``may_see_results`` first. One query."""
    rows = DailyAttempt.objects.filter(deal=deal, state=State.FINISHED, stones__isnull=False).order_by()
    people = Counter(dict(rows.values_list("stones").annotate(count=Count("pk"))))
    bots = [(_house_bot_name(deal.game, row["label"]), int(row["stones"])) for row in deal.field or ()]
    return DayResults(people, sorted(bots, key=lambda row: (-row[1], row[0])))


def _house_bot_name(game: str, label: str) -> str:
    """Return the name of a bot, such as ``kakeya_rules`` for ``house rules``."""
    owner, _separator, strength = label.partition(" ")
    return f"{game}_{KINDS[Strength(strength)][0]}" if owner == "house" and strength in KINDS else label


def deal_bots(deal: DailyDeal) -> list[Bot]:
    """Return the bots at the table, in the order of their first seats. One query."""
    versions = [seat["version"] for seat in deal.seats]
    rows = BotVersion.objects.filter(public_id__in=versions).select_related("bot")
    bots = {version.public_id: version.bot for version in rows}
    return list(dict.fromkeys(bots[version] for version in versions if version in bots))


def house_bots(deal: DailyDeal) -> dict[str, Bot]:
    """Return the ready house bots of the deal's game by name. One query."""
    return {version.bot.name: version.bot for version in house_versions(deal.game).values()}


def best_table(deal: DailyDeal) -> CasualTable | None:
    """Return the table with the best result of a closed day whose record is still stored. One query."""
    if not deal.is_closed:
        return None
    rows = DailyAttempt.objects.filter(deal=deal, state=State.FINISHED, table__isnull=False)
    best = rows.exclude(table__view_sha256="").select_related("table").order_by("-stones", "ended_at", "pk")
    attempt = best.first()
    return attempt.table if attempt is not None else None
