"""Responses: series, their next editions and the subscribed bots."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, TypedDict

from rest_framework.request import Request

from arena.api.answers.plans import PlanOut, plan_out
from arena.api.base.shapes import build_shape, with_columns
from arena.competition.cost import CostEstimate
from arena.competition.models import Series, Subscription
from arena.competition.series.declarations import FIELDS, WEEKDAYS
from arena.competition.series.services import allowed_series_actions, may_manage_series, upcoming_editions
from arena.competition.series.subscriptions import partner_visible_to
from arena.roster.models import Bot


class EditionOut(TypedDict):
    """A future edition of a series."""

    tournament: Annotated[
        str | None, "Id of the edition's tournament if it is open for entry; null if it does not exist yet."
    ]
    opens_at: Annotated[datetime.datetime, "Entry opens."]
    starts_at: Annotated[datetime.datetime, "Entry closes and play begins."]


@with_columns(Series, FIELDS)
class SeriesOut(TypedDict):
    """A series: a tournament that repeats."""

    id: str
    organiser: str
    template: Annotated[dict[str, Any], "Fields of a tournament."]
    weekday: Annotated[str | None, WEEKDAYS]
    start_time: Annotated[str, "Local time in timezone, such as 20:00."]
    state: Annotated[str, Series.State]
    state_reason: Annotated[str, "Why it is in its state; may be empty."]
    next_at: Annotated[
        datetime.datetime | None,
        "When the next edition starts, including one open for entry; null once ended.",
    ]
    last_edition: int
    ahead: Annotated[
        list[EditionOut],
        "The next editions: those open for entry, then planned ones if the series is active.",
    ]
    allowed_actions: Annotated[list[str], "Actions that you may take on it now."]
    created_at: datetime.datetime


class SeriesPlanOut(TypedDict):
    """The series that a request would create, and its cost."""

    series: SeriesOut
    plan: Annotated[PlanOut, "Cost of one edition with the maximum number of entries."]


class SubscribedBotOut(TypedDict):
    """A bot that is entered in every edition."""

    id: str
    name: str


class SubscriptionOut(TypedDict):
    """A subscription: the bot's active version is entered in every edition."""

    player: str
    bot: SubscribedBotOut
    partner_bot: Annotated[
        SubscribedBotOut | None,
        "Null without a partner; a private bot is visible to owner, organiser and staff only.",
    ]
    created_at: datetime.datetime


def series_out(series: Series, request: Request) -> SeriesOut:
    """Return a series of ``series_visible_to`` with the fields that the viewer may see."""
    ahead = upcoming_editions(series)
    return build_shape(
        SeriesOut,
        series,
        organiser=series.organiser.username,
        weekday=None if series.weekday is None else WEEKDAYS[series.weekday],
        start_time=series.start_time.isoformat("minutes"),
        next_at=ahead[0].starts_at if ahead else series.next_at,
        ahead=[
            build_shape(
                EditionOut,
                meeting,
                tournament=meeting.tournament.public_id if meeting.tournament else None,
            )
            for meeting in ahead
        ],
        allowed_actions=allowed_series_actions(series) if may_manage_series(request.user, series) else [],
    )


def series_plan_out(planned: tuple[Series, CostEstimate], request: Request) -> SeriesPlanOut:
    series, plan = planned
    return {"series": series_out(series, request), "plan": plan_out(plan, request)}


def subscription_out(subscription: Subscription, request: Request) -> SubscriptionOut:
    """Return a subscription with the fields that the viewer may see."""
    return build_shape(
        SubscriptionOut,
        subscription,
        player=subscription.bot.owner.handle,
        bot=_bot(subscription.bot),
        partner_bot=_bot(partner_visible_to(subscription, request.user)),
    )


def _bot(bot: Bot | None) -> SubscribedBotOut | None:
    return None if bot is None else build_shape(SubscribedBotOut, bot)
