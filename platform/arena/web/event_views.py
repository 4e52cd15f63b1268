"""Verbs of one's entries."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from arena.accounts.models import User
from arena.common.errors import ArenaError, Forbidden
from arena.competition import selectors
from arena.competition.entries import entry_confirm, entry_decline
from arena.competition.withdrawals import entry_withdraw
from arena.jobs.flow import tournament_advance
from arena.web.errors import form_page

DONE = {
    "confirm": "You agreed: the pair is entered.",
    "decline": "You declined: the pair is not entered.",
    "withdraw": "The entry is out.",
}


@form_page
def entry_act(request: HttpRequest, public_id: str, verb: str) -> HttpResponseBase:
    """Agree to be a partner, decline, or withdraw; the page it was asked on then says what came of it."""
    if not isinstance(request.user, User):
        return redirect_to_login(reverse("web:desk"), reverse("web:sign-in"))
    entry = selectors.entry_of_account(public_id, request.user)
    try:
        match verb:
            case "confirm":
                entry_confirm(entry, request.user)
            case "decline":
                entry_decline(entry, request.user)
            case _:
                entry_withdraw(entry, request.user)
    except Forbidden:
        raise
    except ArenaError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, DONE[verb])
        tournament_advance(entry.tournament)
    if request.POST.get("next") == "desk":
        return redirect("web:desk")
    return redirect("web:tournament", public_id=entry.tournament.public_id)
