"""What an account organises: drafts, events, and what to start from."""

from __future__ import annotations

import dataclasses

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from arena.accounts.form_drafts import drafts_of
from arena.accounts.models import User
from arena.common.declarations import Action
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
from arena.web.organise.drafts import KIND, OF_EVENT, name_of
from arena.web.organise.templates import TEMPLATES
from arena.web.tournaments.overview import Item, items_of
from arena.web.tournaments.verbs import offered

A_PAGE = 25
CUPS_SHOWN = 40
NEXT = ("open", "lock", "start", "resume")
"""The verbs without which an event does not go on."""
RETRY = "retry_tables"


@dataclasses.dataclass(frozen=True)
class Organised:
    """An event of the list, with what its organiser is to do next."""

    item: Item
    verb: Action | None
    """None: nothing is needed."""
    held_back: str
    """How many of its tables are, in words; empty: none."""


@dataclasses.dataclass(frozen=True)
class Events:
    """A page of events by what they need."""

    waiting: list[Organised]
    """For the organiser."""
    going: list[Organised]
    """By themselves."""
    over: list[Organised]

    @property
    def over_words(self) -> str:
        """How many are over."""
        return format_count(len(self.over), "event")


@require_safe
@organiser_page
def organise(request: HttpRequest, user: User) -> HttpResponseBase:
    """The account's events page by page, what needs something first, its cups, and templates for another."""
    page = Paginator(organised_events_by_urgency(user), A_PAGE).get_page(page_number(request))
    context = {
        "nav": "organise",
        "drafts": [(draft, name_of(draft)) for draft in drafts_of(user, KIND)],
        "typed": [(draft, name_of(draft)) for draft in drafts_of(user, OF_EVENT)],
        "page": page,
        "events": _by_need(list(page.object_list), user),
        "cups": organised_series(user)[:CUPS_SHOWN],
        "templates": TEMPLATES,
    }
    return render(request, "web/organise/index.html", context)


def _by_need(events: list[Tournament], user: User) -> Events:
    items, held_back = items_of(events), quarantined_counts(events)
    found = Events([], [], [])
    for event in events:
        count = 0 if event.state in ENDED_STATES else held_back.get(event.pk, 0)
        verb = next((verb for verb in offered(event, user) if verb.name in NEXT), None)
        if verb is None and count:
            verb = STATE_ACTIONS[RETRY]
        organised = Organised(items[event.pk], verb, format_count(count, "table") if count else "")
        if event.state in ENDED_STATES:
            found.over.append(organised)
        elif event.state in STATES_BY_URGENCY[0] or count:
            found.waiting.append(organised)
        else:
            found.going.append(organised)
    return found
