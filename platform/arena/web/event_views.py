"""One round of an event, and verbs of one's entries."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.accounts.models import User
from arena.common.errors import ArenaError, NotFound
from arena.competition import selectors
from arena.competition.entries import entry_confirm, entry_decline
from arena.competition.withdrawals import entry_withdraw
from arena.jobs.flow import tournament_advance
from arena.matches.fixture_selectors import round_sizes
from arena.web.errors import form_page, personal_page
from arena.web.labels import entry_label, table_label
from arena.web.rounds import rounds_of

DONE = {
    "confirm": "You agreed: the pair is entered.",
    "decline": "You declined: the pair is not entered.",
    "withdraw": "The entry is out.",
}


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
