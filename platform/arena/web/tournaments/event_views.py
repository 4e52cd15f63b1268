"""Actions of entrants on their entries."""

from __future__ import annotations

import re

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy

from arena.accounts.models import User
from arena.common.errors import ArenaError, Conflict, Forbidden
from arena.competition import selectors
from arena.competition.entries.services import entry_confirm, entry_decline
from arena.competition.entries.withdrawals import entry_withdraw
from arena.competition.permissions import allowed_entry_actions
from arena.jobs.flow import tournament_advance
from arena.web.base.access import SIGNED_OUT
from arena.web.base.errors import form_page
from arena.web.drawing.visitor_parts import is_withdrawal_final

DONE_MESSAGES = {
    "confirm": gettext_lazy("You agreed to enter %(bots)s in %(tournament)s."),
    "decline": gettext_lazy("You declined to enter %(bots)s in %(tournament)s."),
    "withdraw": gettext_lazy(
        "You withdrew %(bots)s from %(tournament)s. You can enter again until the field is locked."
    ),
}
LEFT_MESSAGE = gettext_lazy("%(bots)s left %(tournament)s.")
CONFIRM_LEAVING = gettext_lazy(
    "Nothing was changed. The field of %(tournament)s has been locked, so %(bots)s could not enter"
    " again after leaving. To leave anyway, choose “Leave the tournament”."
)
ANCHOR = re.compile(r"[a-z]{1,10}(-[0-9a-z]{1,32})?")
"""Matches the ids of elements on the desk."""


@form_page
def entry_act(request: HttpRequest, public_id: str, verb: str) -> HttpResponseBase:
    """Confirm, decline, withdraw or leave, and return to the page with the button.

    Leaving after the lock has to be confirmed in the form; a page that was opened before the lock lacks this.
    """
    if not isinstance(request.user, User):
        messages.info(request, SIGNED_OUT)
        return redirect_to_login(reverse("web:desk"), reverse("web:sign-in"))
    entry = selectors.entry_of_account(public_id, request.user)
    names = {"bots": entry.bot_name, "tournament": entry.tournament.name}
    leaves = verb == "withdraw" and is_withdrawal_final(entry)
    is_asked_first = leaves and verb in allowed_entry_actions(entry, request.user)
    try:
        match verb:
            case "confirm":
                entry_confirm(entry, request.user)
            case "decline":
                entry_decline(entry, request.user)
            case _ if is_asked_first and not request.POST.get("leaves"):
                raise Conflict(CONFIRM_LEAVING % names, "field_fixed")
            case _:
                entry_withdraw(entry, request.user, may_leave=bool(request.POST.get("leaves")))
    except Forbidden:
        raise
    except ArenaError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, (LEFT_MESSAGE if leaves else DONE_MESSAGES[verb]) % names)
        tournament_advance(entry.tournament)
    if request.POST.get("next") == "desk":
        anchor = request.POST.get("then", "")
        return redirect(f"{reverse('web:desk')}#{anchor if ANCHOR.fullmatch(anchor) else 'desk'}")
    return redirect(f"{reverse('web:tournament', args=[entry.tournament.public_id])}#main")
