"""Pages of bots, versions, faults and notices."""

from __future__ import annotations

import re
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from arena.accounts.models import Notice, User
from arena.accounts.selectors import notices_for, unread_notices_for
from arena.accounts.services import notice_read
from arena.common.errors import Conflict, Forbidden
from arena.jobs.publish import checks_publish
from arena.matches.selectors import fault_group_get
from arena.roster.models import BotVersion
from arena.roster.selectors import bot_get, may_read_private, version_get
from arena.roster.services import version_reinstate
from arena.web.base.access import SIGNED_OUT
from arena.web.base.errors import form_page, personal_page
from arena.web.base.list_parameters import list_request
from arena.web.base.paging import page_number, page_url
from arena.web.base.polled import render_part, render_polled_page
from arena.web.bots.bot import STATE_NAMES, bot_context, fault_lines, version_context
from arena.web.bots.bot_list import bot_list_context
from arena.web.bots.fault_report import fault_report_context
from arena.web.bots.next_steps import next_steps

NOTICES_PER_PAGE = 50
PUBLIC_ID = re.compile(r"[0-9a-z]{1,32}")


@personal_page
def bots(request: HttpRequest) -> HttpResponseBase:
    listed = bot_list_context(request.user, list_request(request, "bots"), page_number(request))
    return render(request, "web/bots.html", {"listed": listed, "nav": "bots"})


@personal_page
def bot(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render a bot. The owner and staff also see the checks of its versions."""
    bot_row = bot_get(public_id, request.user)
    page, events_page = page_number(request), page_number(request, "events")
    bot_page = bot_context(bot_row, request.user, page, events_page)
    numbers = {name: number for name, number in (("page", page), ("events", events_page)) if number > 1}
    address = reverse("web:bot", args=[public_id])
    return render_polled_page(
        request,
        "web/bot.html",
        "web/_bot.html",
        {"bot_page": bot_page, "nav": "bot"},
        address=f"{address}?{urlencode(numbers)}" if numbers else address,
        is_moving=bot_page["is_moving"],
    )


@personal_page
def version(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render a version. The owner and staff also see check, notes and faults.

    htmx gets only the check, or 204 if ``?have=`` names its current version.
    """
    version_page = version_context(version_get(public_id, request.user), request.user)
    line = version_page["line"]
    is_own = version_page["is_own"]
    steps = next_steps(line.version, request.user) if is_own and isinstance(request.user, User) else None
    context = {"line": line, "is_own": is_own, "steps": steps}
    check = render_part(request, "web/_version_part.html", context)
    if request.headers.get("HX-Request") != "true":
        answer = render(
            request, "web/version.html", {"version_page": version_page, "check": check, "nav": "bot"}
        )
    elif request.GET.get("have") == check.version:
        answer = HttpResponse(status=204)
    else:
        answer = render(request, "web/_version_check.html", {"line": line, "part": check})
    answer["Vary"] = "HX-Request, Cookie"
    return answer


@personal_page
def faults(request: HttpRequest, public_id: str) -> HttpResponseBase:
    own_version = _own_version(request, public_id)
    context = {"version": own_version, "lines": fault_lines(own_version, request.user), "nav": "bot"}
    return render(request, "web/faults.html", context)


@personal_page
def fault(request: HttpRequest, public_id: str, fingerprint: str) -> HttpResponseBase:
    own_version = _own_version(request, public_id)
    report = fault_report_context(fault_group_get(own_version, fingerprint, request.user))
    return render(request, "web/fault.html", {"version": own_version, "report": report, "nav": "bot"})


@form_page
def reinstate(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """End a suspension, possibly by a new check; the bot's page displays the outcome."""
    own_version = _own_version(request, public_id)
    assert isinstance(request.user, User), "only an owner or staff reaches this"
    try:
        check = version_reinstate(own_version, request.user)
    except Conflict as error:
        messages.error(request, error.message)
    else:
        if check is None:
            messages.success(
                request, f"{own_version} is {STATE_NAMES[BotVersion.State(own_version.state)]} again."
            )
        else:
            checks_publish([check.pk])
            messages.success(
                request, f"{own_version} is being checked again. It can enter again if it passes."
            )
    return redirect(_version_url(own_version))


@personal_page
def notices(request: HttpRequest) -> HttpResponseBase:
    if not isinstance(request.user, User):
        return _sign_in_first(request)
    listed = Paginator(notices_for(request.user), NOTICES_PER_PAGE).get_page(page_number(request))
    lines = _notice_lines(list(listed.object_list))
    context = {
        "page": listed,
        "lines": lines,
        "has_unread": any(line.notice.read_at is None for line in lines),
        "nav": "notices",
    }
    return render(request, "web/notices.html", context)


class NoticeLine(NamedTuple):
    notice: Notice
    next_id: str
    """Id of the notice to focus after this one is read: the next unread one, else this one."""


def _notice_lines(listed: list[Notice]) -> list[NoticeLine]:
    lines: list[NoticeLine] = []
    unread = ""
    for notice in reversed(listed):
        lines.append(NoticeLine(notice, unread or notice.public_id))
        unread = notice.public_id if notice.read_at is None else unread
    return lines[::-1]


@form_page
def notice_mark(request: HttpRequest, public_id: str) -> HttpResponseBase:
    if not isinstance(request.user, User):
        return _sign_in_first(request)
    notice_read(public_id, request.user)
    next_id = request.POST.get("then", "")
    anchor = next_id if PUBLIC_ID.fullmatch(next_id) else public_id
    return redirect(f"{page_url(reverse('web:notices'), page_number(request))}#n-{anchor}")


@form_page
def notices_mark(request: HttpRequest) -> HttpResponseBase:
    """Mark the latest notices as read, up to one page."""
    if not isinstance(request.user, User):
        return _sign_in_first(request)
    for notice in unread_notices_for(request.user)[:NOTICES_PER_PAGE]:
        notice_read(notice.public_id, request.user)
    return redirect("web:desk" if request.POST.get("next") == "desk" else "web:notices")


def _own_version(request: HttpRequest, public_id: str) -> BotVersion:
    """Return a version whose details the viewer may see.

    Raises:
        NotFound: no such version for this viewer.
        Forbidden: the version belongs to another player.
    """
    bot_version = version_get(public_id, request.user)
    if not may_read_private(request.user, bot_version.bot):
        raise Forbidden("The faults of a bot are shown to its owner and staff only.", "not_owner")
    return bot_version


def _version_url(bot_version: BotVersion) -> str:
    return f"{reverse('web:bot', args=[bot_version.bot.public_id])}#v{bot_version.number}"


def _sign_in_first(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        messages.info(request, SIGNED_OUT)
    return redirect_to_login(reverse("web:notices"), reverse("web:sign-in"))
