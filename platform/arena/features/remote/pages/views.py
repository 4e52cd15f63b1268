"""Pages for everyone: the overview, a ladder, and a bot."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse

from arena.accounts.models import User
from arena.common.game_titles import game_name, preset_title
from arena.competition.games import presets_of
from arena.features.remote.ladders import MIN_TABLES, ladder_lines, ladders, scores_of
from arena.features.remote.models import RemoteTable
from arena.features.remote.pages.rows import ladder_axis, ladder_rows, online_rows, score_rows, table_rows
from arena.features.remote.selectors import (
    MAX_ONLINE,
    bot_get,
    bots_of,
    invitations_from,
    invitations_from_person,
    invitations_to,
    is_online,
    newest_versions_of,
    online_versions,
    owns,
    person_table,
    tables_of,
    versions_of,
    with_seats,
)
from arena.web.base.errors import personal_page
from arena.web.base.paging import page_number
from arena.web.base.polled import render_polled_page

LINES_PER_PAGE = 50
TABLES_PER_PAGE = 20
MAX_LATEST = 10
MAX_VERSIONS = 20
MAX_OWN_BOTS = 20
MAX_INVITATIONS = 20


@personal_page
def overview(request: HttpRequest) -> HttpResponseBase:
    """Render the bots that are connected, the ladders, and the latest tables."""
    online = online_rows(list(online_versions()[:MAX_ONLINE]))
    latest = table_rows(with_seats(RemoteTable.objects.all())[:MAX_LATEST])
    context = {
        "nav": "bots",
        "own_table": person_table(request.user) if isinstance(request.user, User) else None,
        "online": online,
        "ladders": [(ladder, preset_title(ladder.preset)) for ladder in ladders()],
        "latest": latest,
        "own": list(bots_of(request.user)[:MAX_OWN_BOTS]) if isinstance(request.user, User) else None,
    }
    return render_polled_page(
        request,
        "remote/overview.html",
        "remote/_overview.html",
        context,
        address=reverse("web:remote"),
        is_moving=bool(online) or any(row.is_live for row in latest),
    )


@personal_page
def ladder(request: HttpRequest, preset: str) -> HttpResponseBase:
    """Render the ladder of a preset, with ``?slow=1`` that of the slow clock."""
    is_slow = request.GET.get("slow", "") == "1"
    lines = ladder_lines(preset, is_slow=is_slow)
    page = Paginator(lines, LINES_PER_PAGE).get_page(page_number(request))
    rows = ladder_rows(page.object_list, axis := ladder_axis(lines), request.user)
    context = {
        "nav": "bots",
        "preset": preset,
        "title": preset_title(preset),
        "is_slow": is_slow,
        "page": page,
        "keep": "slow=1&" if is_slow else "",
        "axis": axis,
        "ranked": [row for row in rows if row.reach is not None],
        "unranked": [row for row in rows if row.reach is None],
        "tables": sum(line.tables for line in lines),
        "min_tables": MIN_TABLES,
    }
    return render(request, "remote/ladder.html", context)


@personal_page
def bot(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Render a bot with its versions and tables. Its owner also sees why it is paused."""
    row = bot_get(public_id)
    scores = scores_of(row)
    page = Paginator(tables_of(row), TABLES_PER_PAGE).get_page(page_number(request))
    versions = list(versions_of(row)[:MAX_VERSIONS])
    is_own = owns(request.user, row)
    may_invite = not is_own and row.retired_at is None and bool(versions)
    inviting = []
    if may_invite and isinstance(request.user, User):
        inviting = newest_versions_of(request.user, row.game)
    connected = [version for version in versions if is_online(version)]
    accepts_people = any("people" in version.accepts for version in connected)
    context = {
        "nav": "bots",
        "bot": row,
        "game": game_name(row.game),
        "is_own": is_own,
        "received": invitations_to(row)[:MAX_INVITATIONS] if is_own else [],
        "sent": invitations_from(row)[:MAX_INVITATIONS] if is_own else [],
        "inviting": inviting,
        "presets": [(key, preset_title(key)) for key in presets_of(row.game)],
        "is_online": bool(connected),
        "may_play": bool(connected) and row.retired_at is None and row.paused_at is None,
        "starts_at_once": is_own or accepts_people,
        "asked": invitations_from_person(request.user, row),
        "versions": [(each, is_online(each), score_rows(scores.get(each.pk, []))) for each in versions],
        "page": page,
        "tables": table_rows(page.object_list),
        "min_tables": MIN_TABLES,
    }
    return render(request, "remote/bot.html", context)
