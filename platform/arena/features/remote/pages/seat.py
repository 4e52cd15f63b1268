"""Page of a table for the person at it: the position, its choices, and live updates."""

from __future__ import annotations

import functools

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.errors import ArenaError, problem_body
from arena.common.game_titles import preset_title
from arena.features.play.live import FollowingListener, FollowingSource, follow_table
from arena.features.play.pages.table_fragment import court_of, table_html
from arena.features.play.pages.tables import (
    PART_FIELD,
    how_to_play,
    no_store,
    parse_position,
    required_position,
)
from arena.features.play.selectors import service_is_up
from arena.features.remote.seated import SeatedPerson, SeatedPersons, person_act, seated_person_get
from arena.streams import live as streams_live
from arena.streams.woken import WokenHub
from arena.web.base.access import account_form
from arena.web.base.errors import personal_page
from viewer.games import deck_of_game
from viewer.seat_view import table_symbols


class PersonListener(FollowingListener):
    kind = "remote_tables"


persons = FollowingSource(SeatedPersons(), PersonListener)
hub = WokenHub((persons,), places=streams_live.hub.places)


def seat_page(request: HttpRequest, seated: SeatedPerson, status: int = 200) -> HttpResponse:
    """Render the table for its person, with ``?part=table`` the position alone."""
    if request.method == "GET" and request.GET.get(PART_FIELD) == "table":
        return no_store(HttpResponse(table_html(seated, parse_position(request.GET.get("n", "")))))
    part = table_html(seated)
    context = {
        "nav": "bots",
        "table": seated,
        "title": preset_title(seated.preset, len(seated.seats)),
        "kind": [_("with a remote bot")],
        "part": mark_safe(part),
        **how_to_play(seated),
        "deck": deck_of_game(seated.game),
        "symbols": mark_safe(table_symbols(seated.game, court_of(seated))),
        "is_up": service_is_up(),
        "waits": "data-mine" not in part,
    }
    return no_store(render(request, "remote/seat.html", context, status=status))


@account_form()
def act(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    seated = seated_person_get(user, public_id)
    is_script = bool(request.POST.get(PART_FIELD))
    try:
        person_act(seated, required_position(request), request.POST.get("action", ""))
    except ArenaError as error:
        if is_script:
            return JsonResponse(problem_body(error.status, error.code, error.message), status=error.status)
        messages.error(request, error.message)
        return redirect("web:remote-table", public_id=public_id)
    return HttpResponse(status=204) if is_script else redirect("web:remote-table", public_id=public_id)


@personal_page
def events(request: HttpRequest, public_id: str) -> HttpResponseBase:
    seated = seated_person_get(request.user, public_id)
    after = parse_position(request.headers.get("Last-Event-ID") or request.GET.get("from", "")) or 0
    part = functools.partial(_table_html_in, get_language() or settings.LANGUAGE_CODE)
    return follow_table(request, hub, persons, seated, after, part)


def _table_html_in(language: str, seated: SeatedPerson, n: int) -> str:
    with override(language):
        return table_html(seated, n)
