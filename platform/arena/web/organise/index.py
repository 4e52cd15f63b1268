"""Overview of an organiser: drafts, tournaments, cups, templates."""

from __future__ import annotations

import dataclasses

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from arena.accounts.form_drafts import drafts_of
from arena.accounts.models import User
from arena.common.declarations import ActionSpec
from arena.competition.account_overview import (
    STATES_BY_URGENCY,
    organised_events_by_urgency,
    organised_series,
)
from arena.competition.models import Tournament
from arena.competition.selectors import ENDED_STATES
from arena.competition.tournament_actions import STATE_ACTIONS, format_count
from arena.matches.fixture_selectors import quarantined_counts
from arena.web.base.paging import page_number
from arena.web.organise.access import organiser_page
from arena.web.organise.drafts import EVENT_CHANGE_KIND, NEW_EVENT_KIND, draft_name
from arena.web.organise.templates import TEMPLATES
from arena.web.tournaments.overview import TournamentItem, tournament_items
from arena.web.tournaments.verbs import offered_actions

EVENTS_PER_PAGE = 25
MAX_CUPS = 40
NEXT_ACTIONS = ("open", "lock", "start", "resume")
RETRY_VERB = "retry_tables"


@dataclasses.dataclass(frozen=True)
class OrganisedEvent:
    item: TournamentItem
    verb: ActionSpec | None
    """None if no action is needed."""
    held_back: str
    """Number of quarantined tables as text; empty if none."""


@dataclasses.dataclass(frozen=True)
class EventsByNeed:
    waiting: list[OrganisedEvent]
    """Need an action of the organiser."""
    going: list[OrganisedEvent]
    """Continue by themselves."""
    over: list[OrganisedEvent]

    @property
    def ended_text(self) -> str:
        return format_count(len(self.over), "event")


@require_safe
@organiser_page
def organise(request: HttpRequest, user: User) -> HttpResponseBase:
    page = Paginator(organised_events_by_urgency(user), EVENTS_PER_PAGE).get_page(page_number(request))
    context = {
        "nav": "organise",
        "drafts": [(draft, draft_name(draft)) for draft in drafts_of(user, NEW_EVENT_KIND)],
        "typed": [(draft, draft_name(draft)) for draft in drafts_of(user, EVENT_CHANGE_KIND)],
        "page": page,
        "events": _by_need(list(page.object_list), user),
        "cups": organised_series(user)[:MAX_CUPS],
        "templates": TEMPLATES,
    }
    return render(request, "web/organise/index.html", context)


def _by_need(events: list[Tournament], user: User) -> EventsByNeed:
    items, held_back = tournament_items(events), quarantined_counts(events)
    grouped = EventsByNeed([], [], [])
    for event in events:
        count = 0 if event.state in ENDED_STATES else held_back.get(event.pk, 0)
        verb = next((verb for verb in offered_actions(event, user) if verb.name in NEXT_ACTIONS), None)
        if verb is None and count:
            verb = STATE_ACTIONS[RETRY_VERB]
        organised = OrganisedEvent(items[event.pk], verb, format_count(count, "table") if count else "")
        if event.state in ENDED_STATES:
            grouped.over.append(organised)
        elif event.state in STATES_BY_URGENCY[0] or count:
            grouped.waiting.append(organised)
        else:
            grouped.going.append(organised)
    return grouped
