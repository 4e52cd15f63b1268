"""iCalendar files (RFC 5545): all public events, a cup, and the events of an account at a secret address."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from icalendar import Calendar, Event

from arena.accounts.models import User
from arena.common.rates import rate_consume
from arena.competition.models import Series, Tournament
from arena.competition.series.services import UpcomingEdition, series_get
from arena.features.feeds.pages.cached import File, cached_file
from arena.features.feeds.selectors import (
    account_calendar,
    active_series,
    cup_calendar,
    numbered_editions,
    series_of_account,
    site_calendar,
)
from arena.features.feeds.services import (
    calendar_link_create,
    calendar_link_of,
    calendar_link_revoke,
    calendar_owner,
)
from arena.web.base.access import account_page
from arena.web.base.errors import handle_errors
from arena.web.base.page_limits import too_many_requests

CALENDAR = File("text/calendar; charset=utf-8")
PRODUCT = "-//Rensho//Rensho//EN"
UID_HOST = "rensho"
"""Domain of the UIDs, which stay the same at every address of the site. Public ids are unique."""
REFRESH = datetime.timedelta(hours=1)


@require_safe
@handle_errors
def site(request: HttpRequest) -> HttpResponseBase:
    def build() -> bytes:
        return _calendar(request, "Rensho", site_calendar(), active_series(None))

    return cached_file(request, CALENDAR, build)


@require_safe
@handle_errors
def cup(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the editions of a cup, past ones too: a cup that has ended keeps its calendar."""
    series = series_get(public_id, None)
    return cached_file(
        request, CALENDAR, lambda: _calendar(request, series.name, cup_calendar(series, None), [series])
    )


@require_safe
@handle_errors
def personal(request: HttpRequest, secret: str) -> HttpResponseBase:
    """Return the events of the account whose secret this is, without a session."""
    user = calendar_owner(secret)
    if wait_s := rate_consume("exports", f"calendar{user.pk}").wait_s:
        return too_many_requests(wait_s)
    body = _calendar(request, f"Rensho · {user.username}", account_calendar(user), series_of_account(user))
    response = cached_file(request, CALENDAR, lambda: body, is_private=True)
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


@account_page()
def address(request: HttpRequest, user: User) -> HttpResponseBase:
    """Create, show once and revoke the secret address."""
    new_address = ""
    if request.method == "POST":
        if request.POST.get("do") == "revoke":
            calendar_link_revoke(user)
        else:
            secret = calendar_link_create(user)
            new_address = request.build_absolute_uri(reverse("web:calendar-personal", args=[secret]))
    context = {"nav": "me-page", "link": calendar_link_of(user), "address": new_address}
    return render(request, "feeds/calendar.html", context)


def _calendar(
    request: HttpRequest, name: str, tournaments: Iterable[Tournament], cups: Iterable[Series]
) -> bytes:
    calendar = Calendar()
    calendar.add("prodid", PRODUCT)
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", name)
    calendar.add("refresh-interval", REFRESH, parameters={"VALUE": "DURATION"})
    known = set()
    for row in tournaments:
        known.add((row.series_id, row.edition))
        for event in _events(request, row):
            calendar.add_component(event)
    for series in cups:
        for number, edition in numbered_editions(series):
            if (series.pk, number) not in known:
                calendar.add_component(_planned(request, series, number, edition))
    body: bytes = calendar.to_ical()
    return body


def _events(request: HttpRequest, row: Tournament) -> Iterable[Event]:
    page = request.build_absolute_uri(reverse("web:tournament", args=[row.public_id]))
    state = "CANCELLED" if row.state == Tournament.State.CANCELLED else "CONFIRMED"
    if row.starts_at is not None:
        yield _event(_start_uid(row), row.name, row.starts_at, page, state, row.state_at, row.revision)
    if row.closes_at is not None and row.closes_at != row.starts_at:
        title = _("Entry closes: %(name)s") % {"name": row.name}
        uid = f"entry-{row.public_id}@{UID_HOST}"
        yield _event(uid, title, row.closes_at, page, state, row.state_at, row.revision)


def _start_uid(row: Tournament) -> str:
    """Return the same UID for an edition before and after it is created."""
    if row.series is not None:
        return f"cup-{row.series.public_id}-{row.edition}@{UID_HOST}"
    return f"event-{row.public_id}@{UID_HOST}"


def _planned(request: HttpRequest, series: Series, number: int, edition: UpcomingEdition) -> Event:
    page = request.build_absolute_uri(reverse("web:cup", args=[series.public_id]))
    uid = f"cup-{series.public_id}-{number}@{UID_HOST}"
    return _event(uid, series.name, edition.starts_at, page, "TENTATIVE", series.state_at, 0)


def _event(
    uid: str,
    title: str,
    starts_at: datetime.datetime,
    page: str,
    state: str,
    changed_at: datetime.datetime,
    revision: int,
) -> Event:
    event = Event()
    event.add("uid", uid)
    event.add("summary", title)
    event.add("dtstart", starts_at.astimezone(datetime.UTC))
    event.add("dtstamp", changed_at.astimezone(datetime.UTC))
    event.add("last-modified", changed_at.astimezone(datetime.UTC))
    event.add("sequence", revision)
    event.add("status", state)
    event.add("transp", "TRANSPARENT")
    event.add("url", page)
    return event
