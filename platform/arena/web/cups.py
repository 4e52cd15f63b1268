"""Recurring cups as pages show them: what comes next, what was, whose bots are entered each time."""

from __future__ import annotations

import dataclasses

from django.core.paginator import Page, Paginator

from arena.accounts.models import User
from arena.competition.drafts import draft_planned
from arena.competition.models import Series, Tournament
from arena.competition.selectors import Viewer, editions_of
from arena.competition.series import Meeting, meetings_ahead, series_listed
from arena.competition.subscriptions import subscriptions_visible_to
from arena.roster.models import Bot
from arena.roster.selectors import bots_of
from arena.web.states import NAMES, State

CUPS_A_PAGE = 50
EDITIONS_SHOWN = 20
BOTS_SHOWN = 200
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclasses.dataclass(frozen=True)
class CupLine:
    """One cup of the list."""

    series: Series
    rhythm: str
    next: Meeting | None
    """Of an active cup."""


@dataclasses.dataclass(frozen=True)
class Edition:
    """One edition."""

    tournament: Tournament
    state_name: str


@dataclasses.dataclass(frozen=True)
class Cup:
    """One cup, whole."""

    series: Series
    rhythm: str
    meetings: list[Meeting]
    editions: list[Edition]
    bots: list[Bot]
    """Entered each time, as far as the viewer may know."""
    own: list[Bot]
    """The viewer's among them."""
    could_enter: list[Bot]
    """The viewer's others of this game."""
    mixes_partners: bool
    """Everybody partners everybody, which a bot's owner must agree to."""


def cup_list_of(viewer: Viewer, page: str = "1") -> tuple[list[CupLine], Page[Series]]:
    """What the viewer may see, active ones first. Two queries."""
    listed = Paginator(series_listed(viewer), CUPS_A_PAGE).get_page(page)
    return [CupLine(series, rhythm_of(series), next_meeting(series)) for series in listed.object_list], listed


def cup_of(series: Series, viewer: Viewer) -> Cup:
    """One cup as the viewer may see it. Four queries."""
    bots = [row.bot for row in subscriptions_visible_to(series, viewer)[:BOTS_SHOWN]]
    planned = draft_planned({**series.template, "name": series.name})
    own: list[Bot] = []
    others: list[Bot] = []
    if isinstance(viewer, User):
        own = [bot for bot in bots if bot.owner.user_id == viewer.pk]
        others = [bot for bot in bots_of(viewer, planned.game.key) if bot not in own]
    is_active = series.state == Series.State.ACTIVE
    return Cup(
        series=series,
        rhythm=rhythm_of(series),
        meetings=meetings_ahead(series) if is_active else [],
        editions=[
            Edition(edition, NAMES[State(edition.state)])
            for edition in editions_of(series, viewer)[:EDITIONS_SHOWN]
        ],
        bots=bots,
        own=own,
        could_enter=others if series.state != Series.State.ENDED else [],
        mixes_partners=any(stage.rules.mixes_partners for stage in planned.stages),
    )


def rhythm_of(series: Series) -> str:
    """``every day at 18:00 UTC`` or ``every Monday at 18:00 UTC``."""
    day = "day" if series.weekday is None else WEEKDAYS[series.weekday]
    return f"every {day} at {series.at:%H:%M} UTC"


def next_meeting(series: Series) -> Meeting | None:
    """When an active cup meets next; None for any other. No query."""
    if series.state != Series.State.ACTIVE:
        return None
    coming = meetings_ahead(series, 1)
    return coming[0] if coming else None
