"""Further pages of an event: its standings as they stood, one of its rounds, verbs of one's entries."""

from __future__ import annotations

import datetime

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime

from arena.accounts.models import User
from arena.common.errors import ArenaError, Invalid, NotFound
from arena.competition import selectors
from arena.competition.entries import entry_confirm, entry_decline
from arena.competition.withdrawals import entry_withdraw
from arena.jobs.flow import tournament_advance
from arena.matches.fixture_selectors import round_sizes
from arena.standings.selectors import standings_as_of
from arena.web.errors import form_page, personal_page
from arena.web.labels import entry_label, table_label
from arena.web.ranking import ranking_from
from arena.web.rounds import rounds_of

LINES_A_PAGE = 200
DONE = {
    "confirm": "You agreed: the pair is entered.",
    "decline": "You declined: the pair is not entered.",
    "withdraw": "The entry is out.",
}


@personal_page
def standings(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The standings of a stage after a round, ``?stage=1&round=3``, or at ``?at=2026-01-31T12:00Z``."""
    found = selectors.tournament_get(public_id, request.user)
    stage = selectors.stage_chosen(found, _number(request.GET.get("stage", ""), "stage"))
    asked = request.GET.get("round", "")
    number = _number(asked, "round")
    moment = _moment(request.GET.get("at", ""))
    closed = selectors.closed_rounds(stage)
    rows = standings_as_of(stage, round_number=number, at=moment)
    listed = Paginator(rows, LINES_A_PAGE).get_page(request.GET.get("page", "1"))
    address = f"?stage={stage.number}" + (f"&round={number}" if number else "")
    context = {
        "nav": "tournament",
        "tournament": found,
        "address": address,
        "stage": stage,
        "stages": selectors.stages_of(found),
        "closed": closed,
        "number": number,
        "moment": moment,
        "page": listed,
        "ranking": ranking_from(found, stage, list(listed.object_list)) if rows and closed else None,
        "table": table_label(found, mixes_partners=selectors.partners_change(found)),
    }
    return render(request, "web/standings.html", context)


@personal_page
def round_page(request: HttpRequest, public_id: str, stage: int, number: int) -> HttpResponseBase:
    """One round with all its fixtures."""
    found = selectors.tournament_get(public_id, request.user)
    keys = [size.key for size in round_sizes(found) if (size.stage, size.number) == (stage, number)]
    labels = {entry.pk: entry_label(entry) for entry in selectors.entries_of(found)}
    rounds = rounds_of(found, labels, keys)
    if not rounds:
        raise NotFound(f"Stage {stage} of {found.name} has no round {number}.", "round_missing")
    event = {
        "stages": selectors.stages_of(found),
        "table": table_label(found, mixes_partners=selectors.partners_change(found)),
        "is_over": False,
    }
    context = {"nav": "tournament", "tournament": found, "round": rounds[0], "event": event}
    return render(request, "web/round.html", context)


@form_page
def entry_act(request: HttpRequest, public_id: str, verb: str) -> HttpResponseBase:
    """Agree to be a partner, decline, or withdraw; the tournament's page then says what came of it."""
    entry = selectors.entry_of_account(public_id, request.user)
    assert isinstance(request.user, User)
    try:
        match verb:
            case "confirm":
                entry_confirm(entry, request.user)
            case "decline":
                entry_decline(entry, request.user)
            case _:
                entry_withdraw(entry, request.user)
    except ArenaError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, DONE[verb])
        tournament_advance(entry.tournament)
    return redirect("web:tournament", public_id=entry.tournament.public_id)


def _moment(text: str) -> datetime.datetime | None:
    if not text:
        return None
    try:
        found = parse_datetime(text)
        if found is not None and found.tzinfo is not None:
            return found.astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        pass  # no such day or hour, or a year that UTC does not have
    raise Invalid(f"at {text[:40]!r} is no time; write 2026-01-31T12:00Z.", "invalid", field="at")


def _number(text: str, field: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise Invalid(f"{field} {text[:20]!r} is no whole number.", "invalid", field=field)
    return int(text)
