"""Page that opens a casual table: choice of game, seats and bots."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe

from arena.common.errors import ArenaError
from arena.features.play.offers import Offer, offers, public_version_named, public_versions
from arena.features.play.pages.descriptions import table_description, table_title
from arena.features.play.pages.forms import ChooseForm
from arena.features.play.pages.last_choices import DEFAULTS
from arena.features.play.pages.starts import game_starts, start_symbols
from arena.features.play.pages.titles import STRENGTHS, house_names
from arena.features.play.selectors import active_table, finished_tables, service_is_up, waits_until
from arena.features.play.services import open_table
from arena.features.play.visitors import key_store, person_of, with_key
from arena.web.base.access import add_service_error, public_form_page, submitted_data
from viewer.seat_view import is_drawn

CHOICES = (*DEFAULTS, "version", "partner_version", "practice")
"""Fields that an address may fill in."""
MAX_RECENT = 8
OPEN_TABLE_CODE = "casual_table_open"


@public_form_page
def choose(request: HttpRequest) -> HttpResponseBase:
    person = person_of(request)
    available = [offer for offer in offers() if offer.strengths and is_drawn(offer.game)]
    versions = _public_versions_by_game(available, request.GET.get("version", ""))
    form = ChooseForm(
        available,
        versions,
        submitted_data(request),
        initial=_initial(request),
        is_guest=person.user is None,
    )
    status, open_at = 200, active_table(person)
    if request.method == "POST":
        status = 400
        if form.is_valid():
            person = with_key(person)
            try:
                table = open_table(person, **_open_table_arguments(form, available))
            except ArenaError as error:
                status = error.status
                if error.code == OPEN_TABLE_CODE and "table" in error.extra:
                    # The page has a box for the open table.
                    open_at = active_table(person)
                else:
                    add_service_error(form, error)
            else:
                answer = redirect("web:play-table", public_id=table.public_id)
                key_store(answer, person)
                return answer
    context = {
        "nav": "play",
        "form": form,
        "starts": game_starts(person, available, versions),
        "symbols": mark_safe(start_symbols()),
        "is_changing": request.method == "POST" or any(name in request.GET for name in CHOICES),
        "strengths": {
            key: (*texts, "" if key == "public" else house_names(key, available))
            for key, texts in STRENGTHS.items()
        },
        "open_at": open_at,
        "open_title": table_title(open_at) if open_at else "",
        "open_kind": table_description(open_at) if open_at else [],
        "open_until": waits_until(open_at) if open_at else None,
        "is_refused": status == HTTPStatus.CONFLICT,
        "is_up": service_is_up(),
        "is_guest": person.user is None,
        "lately": [
            (table, table_title(table), table_description(table))
            for table in finished_tables(person, MAX_RECENT)
        ],
    }
    return render(request, "play/choose.html", context, status=status)


def _initial(request: HttpRequest) -> dict[str, Any]:
    known = {name: request.GET[name] for name in CHOICES if name in request.GET}
    return {**DEFAULTS, **known}


def _public_versions_by_game(available: list[Offer], named: str) -> dict[str, list[tuple[str, str]]]:
    """Return the public versions to choose from, and the one that an address names."""
    chosen = public_version_named(named)
    versions = {game: public_versions(game, "") for game in dict.fromkeys(offer.game for offer in available)}
    if chosen is not None and chosen not in (listed := versions.get(chosen.bot.game, [chosen])):
        listed.append(chosen)
    return {
        game: [(version.public_id, f"{version} · {version.bot.owner}") for version in listed]
        for game, listed in versions.items()
    }


def _open_table_arguments(form: ChooseForm, available: list[Offer]) -> dict[str, Any]:
    data = form.cleaned_data
    offer = next(offer for offer in available if offer.key == data["preset"])
    partner = data["partner_version"] if data["partner"] == "public" else data["partner"]
    return {
        "preset": offer.key,
        "seat": data["seat"] or 1,
        "opponents": data["opponents"],
        "partner": partner,
        "deals": data["deals"],
        "clock_s": data["clock_s"] or None,
        "versions": [data["version"]] if data["opponents"] == "public" and data["version"] else [],
        "seats": data["seats"] if offer.seat_counts else None,
        "practice": data["practice"],
        "same_cards_as": data["same_cards_as"] or None,
    }
