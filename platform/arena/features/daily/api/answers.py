"""API answers for daily deals, own attempts, and weekly tables."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypedDict

from django.utils import timezone
from rest_framework.request import Request

from arena.api.base.parts import Part
from arena.api.base.shapes import build_shape
from arena.features.daily.models import DailyAttempt, DailyDeal, WeekPlace
from arena.features.daily.selectors import DayResults, best_table, results_of
from arena.features.daily.weeks import DAYS_COUNTED, week_name
from arena.features.play.selectors import record_of


class DailyStatementOut(TypedDict):
    """The signed statement that fixes a day's deal."""

    published_at: datetime.datetime
    digest: str
    key: Annotated[str, "Id of the key."]
    signature: str
    body: Annotated[str, "rensho-daily/1 in canonical form: its SHA-256 is the signed digest."]


class DailyBotOut(TypedDict):
    """A bot at the table."""

    seat: int
    version: Annotated[str, "Id of the version."]


class DailyDealOut(TypedDict):
    """The deal of a day in UTC."""

    day: Annotated[str, "Such as 2026-11-30."]
    game: str
    preset: str
    seat: Annotated[int, "Seat of the person."]
    bots: list[DailyBotOut]
    state: Annotated[str, ("open", "closing", "closed"), "closing: the day is over, and deals are in play."]
    ends_at: datetime.datetime
    closed_at: datetime.datetime | None
    is_late: Annotated[bool, "Whether the statement was published after the day had begun."]
    commitment: str


class PeopleResultOut(TypedDict):
    """People with the same result."""

    stones: int
    people: int


class BotResultOut(TypedDict):
    """The result of a house bot with the same cards in the person's seat."""

    bot: Annotated[str, "Name of the house bot, such as kakeya_rules."]
    stones: int


class DailyResultsOut(TypedDict):
    """The results of a day, best first, without names."""

    people: list[PeopleResultOut]
    bots: list[BotResultOut]


class DailyDayOut(DailyDealOut):
    """The deal of a day with its statement; once it is closed, with results and proof."""

    statement: DailyStatementOut
    secret: Annotated[str | None, "64 hex digits; null until the day is closed."]
    results: Annotated[DailyResultsOut | None, "Null until the day is closed."]
    record: Annotated[
        str | None, "The best record that is stored; null until the day is closed, or if there is none."
    ]


class DailyTodayOut(DailyDayOut):
    """Today's deal, and the statement about tomorrow's."""

    tomorrow: Annotated[DailyStatementOut | None, "Null until it is published."]


class DailyAttemptOut(TypedDict):
    """Your attempt at the deal of a day."""

    day: str
    state: Annotated[str, DailyAttempt.State]
    stones: Annotated[int | None, "Null unless it is finished."]
    points: Annotated[int | None, "Points for the weekly table; null until the day is closed."]
    started_at: datetime.datetime
    ended_at: datetime.datetime | None
    table: Annotated[str | None, "Id of the table, at /play/{table}; null once it is deleted."]
    results: Annotated[DailyResultsOut | None, "Null until your attempt has ended."]


class WeekPlaceOut(TypedDict):
    """An account in a weekly table."""

    rank: int
    player: Annotated[str | None, "Handle; null without a player."]
    points: int
    days: Annotated[int, "Finished days, including those that do not count."]


class DailyWeekOut(Part):
    """A weekly table."""

    week: Annotated[str, "Such as 2026-W48."]
    begins_on: Annotated[str, "The Monday."]
    days_counted: Annotated[int, "How many days count, best first."]
    places: list[WeekPlaceOut]


class WeekPart(NamedTuple):
    monday: datetime.date
    places: Sequence[WeekPlace]
    next_first: int | None


def deal_out(deal: DailyDeal, _: Request) -> DailyDealOut:
    return build_shape(
        DailyDealOut,
        deal,
        day=deal.day.isoformat(),
        bots=[{"seat": seat["seat"], "version": seat["version"]} for seat in deal.seats],
        state=_state(deal),
    )


def _state(deal: DailyDeal) -> str:
    if deal.is_closed:
        return "closed"
    return "open" if deal.day >= timezone.now().date() else "closing"


def day_out(deal: DailyDeal, request: Request) -> DailyDayOut:
    """Answer for a deal of ``deal_of_day``; results and proof only once the day is closed."""
    best = best_table(deal)
    record = record_of(best) if best is not None else None
    return {
        **deal_out(deal, request),
        "statement": statement_out(deal),
        "secret": bytes(deal.secret).hex() if deal.is_closed else None,
        "results": results_out(results_of(deal)) if deal.is_closed else None,
        "record": record.decode() if record is not None else None,
    }


def today_out(deals: tuple[DailyDeal, DailyDeal | None], request: Request) -> DailyTodayOut:
    today, tomorrow = deals
    return {
        **day_out(today, request),
        "tomorrow": statement_out(tomorrow) if tomorrow is not None else None,
    }


def statement_out(deal: DailyDeal) -> DailyStatementOut:
    return build_shape(DailyStatementOut, deal, published_at=deal.posted_at, key=deal.key.name)


def results_out(results: DayResults) -> DailyResultsOut:
    return {
        "people": [
            {"stones": stones, "people": results.people[stones]}
            for stones in sorted(results.people, reverse=True)
        ],
        "bots": [{"bot": name, "stones": stones} for name, stones in results.bots],
    }


def attempt_out(attempt: DailyAttempt, results: DayResults | None) -> DailyAttemptOut:
    table = attempt.table
    return build_shape(
        DailyAttemptOut,
        attempt,
        day=attempt.deal.day.isoformat(),
        table=table.public_id if table is not None else None,
        results=results_out(results) if results is not None else None,
    )


def week_out(part: WeekPart, _: Request) -> DailyWeekOut:
    return {
        "week": week_name(part.monday),
        "begins_on": part.monday.isoformat(),
        "days_counted": DAYS_COUNTED,
        "places": [
            build_shape(
                WeekPlaceOut,
                row,
                rank=row.rank,  # type: ignore[attr-defined]
                player=row.handle,  # type: ignore[attr-defined]
            )
            for row in part.places
        ],
        "next_first": part.next_first,
    }
