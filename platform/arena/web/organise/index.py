"""What an account organises: drafts, events, and what to start from."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from arena.accounts.form_drafts import drafts_of
from arena.accounts.models import User
from arena.competition.concerns import organised_by_need, series_organised_by
from arena.competition.models import Tournament
from arena.web.organise.access import organiser_page
from arena.web.organise.drafts import KIND, OF_EVENT, name_of
from arena.web.organise.templates import TEMPLATES
from arena.web.overview import items_of
from arena.web.paging import page_number

A_PAGE = 25
CUPS_SHOWN = 40


@require_safe
@organiser_page
def organise(request: HttpRequest, user: User) -> HttpResponseBase:
    """The account's events page by page, what needs something first, its cups, and templates for another."""
    page = Paginator(organised_by_need(user), A_PAGE).get_page(page_number(request))
    events: list[Tournament] = list(page.object_list)
    items = items_of(events)
    context = {
        "nav": "organise",
        "drafts": [(draft, name_of(draft)) for draft in drafts_of(user, KIND)],
        "typed": [(draft, name_of(draft)) for draft in drafts_of(user, OF_EVENT)],
        "page": page,
        "items": [items[event.pk] for event in events],
        "cups": series_organised_by(user)[:CUPS_SHOWN],
        "templates": TEMPLATES,
    }
    return render(request, "web/organise/index.html", context)
