"""Recurring cups as pages show them: what comes next, what was, whose bots are entered each time."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.competition.drafts import draft_planned
from arena.competition.models import Series, Tournament
from arena.competition.selectors import OVER, Viewer, editions_of
from arena.competition.series import Meeting, meetings_ahead, series_listed
from arena.competition.subscriptions import partner_seen_by, subscriptions_visible_to
from arena.roster.models import Bot
from arena.roster.selectors import bots_of
from arena.web.states import CUP_NAMES, NAMES, State

CUPS_A_PAGE = 50
EDITIONS_SHOWN = 20
BOTS_SHOWN = 200


@dataclasses.dataclass(frozen=True)
class CupLine:
    """One cup of the list."""

    series: Series
    state_name: str
    rhythm: str
    next: Meeting | None
    """Of an active cup."""


@dataclasses.dataclass(frozen=True)
class Edition:
    """One edition."""

    tournament: Tournament
    state_name: str


class Subscribed(NamedTuple):
    """A bot that is entered each time, alone or as a pair."""

    bot: Bot
    partner: Bot | None
    """As far as the viewer may know."""


@dataclasses.dataclass(frozen=True)
class Cup:
    """One cup, whole."""

    series: Series
    state_name: str
    rhythm: str
    meetings: list[Meeting]
    editions: list[Edition]
    entered: list[Subscribed]
    """Each time, as far as the viewer may know."""
    own: list[Bot]
    """The viewer's among them."""
    could_enter: list[Bot]
    """The viewer's others of this game."""
    could_partner: list[Bot]
    """The viewer's bots that can be a partner; none where a bot has none, or one of its own."""
    mixes_partners: bool
    """Everybody partners everybody, which a bot's owner must agree to."""

    @property
    def is_moving(self) -> bool:
        """Whether an edition that is listed goes on."""
        return any(edition.tournament.state not in OVER for edition in self.editions)


def cup_list_of(viewer: Viewer, page: str = "1") -> tuple[list[CupLine], Page[Series]]:
    """What the viewer may see, active ones first. Two queries."""
    listed = Paginator(series_listed(viewer), CUPS_A_PAGE).get_page(page)
    return [_line(series) for series in listed.object_list], listed


def _line(series: Series) -> CupLine:
    state = CUP_NAMES[Series.State(series.state)]
    return CupLine(series, state, rhythm_of(series), next_meeting(series))


def cup_of(series: Series, viewer: Viewer) -> Cup:
    """One cup as the viewer may see it. Four queries."""
    entered = [
        Subscribed(row.bot, partner_seen_by(row, viewer))
        for row in subscriptions_visible_to(series, viewer)[:BOTS_SHOWN]
    ]
    planned = draft_planned({**series.template, "name": series.name})
    own: list[Bot] = []
    mine: list[Bot] = []
    if isinstance(viewer, User):
        own = [line.bot for line in entered if line.bot.owner.user_id == viewer.pk]
        mine = list(bots_of(viewer, planned.game.key))
    others = [bot for bot in mine if bot not in own]
    mixes = any(stage.rules.mixes_partners for stage in planned.stages)
    takes_pairs = len(planned.game.sides(planned.ruleset)[0]) == 2 and not mixes
    is_active = series.state == Series.State.ACTIVE
    return Cup(
        series=series,
        state_name=CUP_NAMES[Series.State(series.state)],
        rhythm=rhythm_of(series),
        meetings=meetings_ahead(series) if is_active else [],
        editions=[
            Edition(edition, NAMES[State(edition.state)])
            for edition in editions_of(series, viewer)[:EDITIONS_SHOWN]
        ],
        entered=entered,
        own=own,
        could_enter=others if series.state != Series.State.ENDED else [],
        could_partner=mine if takes_pairs and len(mine) > 1 else [],
        mixes_partners=mixes,
    )


def rhythm_of(series: Series) -> str:
    """``every day at 18:00 UTC`` or ``every Monday at 18:00 UTC``."""
    at = f"{series.at:%H:%M}"
    if series.weekday is None:
        return _("every day at %(time)s UTC") % {"time": at}
    return _("every %(weekday)s at %(time)s UTC") % {"weekday": WEEKDAYS[series.weekday], "time": at}


def next_meeting(series: Series) -> Meeting | None:
    """When an active cup meets next; None for any other. No query."""
    if series.state != Series.State.ACTIVE:
        return None
    coming = meetings_ahead(series, 1)
    return coming[0] if coming else None
