"""Further pages of an event: its standings as they stood, one of its rounds, deeds with one's entries."""

from __future__ import annotations

import datetime

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from arena.accounts.models import User
from arena.common.errors import ArenaError, Invalid, NotFound
from arena.competition.entries import entry_confirm, entry_decline
from arena.competition.leaving import entry_withdraw
from arena.competition.models import Entry, Round, Stage, Tournament
from arena.competition.selectors import partners_change, tournament_get
from arena.jobs.flow import tournament_advance
from arena.standings.selectors import standings_as_of
from arena.web.errors import page
from arena.web.labels import entry_label, table_label
from arena.web.ranking import ranking_from
from arena.web.rounds import rounds_of

LINES_A_PAGE = 200
DONE = {
    "confirm": "You agreed: the pair is entered.",
    "decline": "You declined: the pair is not entered.",
    "withdraw": "The entry is out.",
}

own_eyes = cache_control(private=True, no_cache=True)


@require_safe
@own_eyes
@page
def standings(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The standings of a stage after a round, ``?stage=1&round=3``, or at ``?at=2026-01-31T12:00Z``."""
    found = tournament_get(public_id, request.user)
    stage = _stage(found, request.GET.get("stage", ""))
    asked = request.GET.get("round", "")
    number = _number(asked, "round")
    moment = _moment(request.GET.get("at", ""))
    closed = list(
        stage.rounds.filter(state=Round.State.CLOSED).order_by("number").values_list("number", flat=True)
    )
    rows = standings_as_of(stage, round_number=number, at=moment)
    shown = Paginator(rows, LINES_A_PAGE).get_page(request.GET.get("page", "1"))
    context = {
        "nav": "tournament",
        "tournament": found,
        "stage": stage,
        "stages": list(found.stages.order_by("number")),
        "closed": closed,
        "number": number,
        "moment": moment,
        "page": shown,
        "ranking": ranking_from(found, stage, list(shown.object_list)) if rows and closed else None,
        "table": table_label(found, mixes_partners=partners_change(found)),
    }
    return render(request, "web/standings.html", context)


@require_safe
@own_eyes
@page
def round_page(request: HttpRequest, public_id: str, stage: int, number: int) -> HttpResponseBase:
    """One round with all its fixtures."""
    found = tournament_get(public_id, request.user)
    rows = Round.objects.filter(stage__tournament=found, stage__number=stage, number=number)
    keys = list(rows.values_list("pk", flat=True))
    entries = found.entries.select_related("player", "version__bot__owner", "partner_version__bot__owner")
    labels = {entry.pk: entry_label(entry) for entry in entries}
    rounds = rounds_of(found, labels, keys)
    if not rounds:
        raise NotFound(f"Stage {stage} of {found.name} has no round {number}.", "round_missing")
    stages = list(found.stages.order_by("number"))
    event = {
        "stages": stages,
        "table": table_label(found, mixes_partners=partners_change(found)),
        "is_over": False,
    }
    context = {"nav": "tournament", "tournament": found, "round": rounds[0], "event": event}
    return render(request, "web/round.html", context)


@require_POST
@page
def entry_act(request: HttpRequest, public_id: str, verb: str) -> HttpResponseBase:
    """Agree to be a partner, decline, or withdraw; the tournament's page then says what came of it."""
    entry = _entry(public_id, request)
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


def _entry(public_id: str, request: HttpRequest) -> Entry:
    """An entry one of whose bots is the visitor's, or of an event the visitor sees.

    Raises:
        NotFound: there is none that the visitor may know of.
    """
    found = (
        Entry.objects.select_related(
            "tournament__organiser", "player", "version__bot__owner", "partner_version__bot__owner"
        )
        .filter(public_id=public_id)
        .first()
    )
    missing = NotFound(f"There is no entry {public_id!r}.", "entry_missing")
    if found is None or not isinstance(request.user, User):
        raise missing
    if not any(owner.user_id == request.user.pk for owner in found.owners()):
        tournament_get(found.tournament.public_id, request.user)
    return found


def _stage(tournament: Tournament, text: str) -> Stage:
    """The stage of this number; without one the last that was begun."""
    stages = list(tournament.stages.select_related("tournament").order_by("number"))
    if not text:
        begun = [stage for stage in stages if stage.state != Stage.State.PLANNED]
        return begun[-1] if begun else stages[0]
    number = _number(text, "stage")
    for stage in stages:
        if stage.number == number:
            return stage
    raise NotFound(f"{tournament.name} has stages 1 to {len(stages)}.", "stage_missing")


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
