"""Forms of a bot's owner: unpause and retire."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.common.errors import Conflict
from arena.features.remote.selectors import bot_get
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
