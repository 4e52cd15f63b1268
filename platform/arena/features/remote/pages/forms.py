"""Forms of accounts with remote bots: unpause, retire, invite, and answers to invitations."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.errors import Conflict, Unavailable
from arena.features.remote.invitations import (
    invitation_accept,
    invitation_create,
    invitation_decline,
    invitation_get,
    is_sender,
    person_invite,
)
from arena.features.remote.models import RemoteInvitation
from arena.features.remote.selectors import bot_get, connected_version, newest_version, version_get
from arena.features.remote.services import bot_retire, bot_unpause
from arena.web.base.access import account_form


@account_form()
def unpause(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    bot = bot_get(public_id)
    try:
        bot_unpause(bot, user)
        messages.success(request, _("The bot gets tables again while it is connected."))
    except Conflict as error:
        messages.error(request, error.message)
    return redirect("web:remote-bot", public_id=public_id)


@account_form()
def retire(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    bot_retire(bot_get(public_id), user)
    messages.success(request, _("The bot is retired."))
    return redirect("web:remote-bot", public_id=public_id)


@account_form()
def invite(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Invite the newest version of a bot to a table with a version of the account's."""
    bot = bot_get(public_id)
    try:
        invitation = invitation_create(
            user,
            version_get(request.POST.get("version", "")),
            newest_version(bot),
            request.POST.get("preset", ""),
            is_slow=request.POST.get("clock") == "slow",
        )
    except (Conflict, Unavailable) as error:
        messages.error(request, error.message)
        return redirect("web:remote-bot", public_id=public_id)
    if invitation.state == RemoteInvitation.State.ACCEPTED and invitation.table is not None:
        return redirect("web:remote-table", public_id=invitation.table.public_id)
    messages.success(request, _("The invitation was sent. It is open for a day."))
    return redirect("web:remote-bot", public_id=public_id)


@account_form()
def play(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Ask the connected version of a bot, the newest first, for a table with the account's person."""
    bot = bot_get(public_id)
    try:
        invitation = person_invite(user, connected_version(bot), request.POST.get("preset", ""))
    except (Conflict, Unavailable) as error:
        messages.error(request, error.message)
        return redirect("web:remote-bot", public_id=public_id)
    if invitation.table is not None:
        return redirect("web:remote-table", public_id=invitation.table.public_id)
    messages.success(request, _("The owner got your invitation. It is open for 15 minutes."))
    return redirect("web:remote-bot", public_id=public_id)


@account_form()
def accept(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    invitation = invitation_get(user, public_id)
    try:
        table = invitation_accept(user, invitation)
    except (Conflict, Unavailable) as error:
        messages.error(request, error.message)
        return redirect("web:remote-bot", public_id=invitation.invited.bot.public_id)
    return redirect("web:remote-table", public_id=table.public_id)


@account_form()
def decline(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Decline an invitation, or withdraw one that the account sent."""
    invitation = invitation_get(user, public_id)
    withdraws = is_sender(user, invitation)
    try:
        invitation_decline(user, invitation)
        messages.success(
            request, _("The invitation is withdrawn.") if withdraws else _("The invitation is declined.")
        )
    except Conflict as error:
        messages.error(request, error.message)
    version = invitation.inviting if withdraws and invitation.inviting is not None else invitation.invited
    return redirect("web:remote-bot", public_id=version.bot.public_id)
