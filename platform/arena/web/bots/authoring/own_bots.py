"""The account's bots: list, creation, changes."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from arena.accounts.models import User
from arena.common.errors import ArenaError
from arena.competition.games import game_keys
from arena.matches.fixture_selectors import fault_counts
from arena.roster.models import Bot
from arena.roster.selectors import (
    bot_get,
    bots_owned,
    has_bots,
    newest_versions,
    require_owner,
    version_counts,
)
from arena.roster.services import BOTS_PER_PLAYER, bot_create, bot_update
from arena.web.account.site_origin import site_address
from arena.web.base.access import (
    account_page,
    add_service_error,
    collect_service_errors,
    idempotent_form,
    new_form_key,
    render_form,
    submitted_data,
)
from arena.web.base.paging import page_number
from arena.web.bots.authoring.forms import BotChangeForm, BotForm
from arena.web.bots.authoring.resubmission import resubmittable_form
from arena.web.bots.bot import VersionLine, version_line

BOTS_PER_PAGE = 20
MAX_VERSIONS_SHOWN = 5


class OwnBot(NamedTuple):
    bot: Bot
    lines: list[VersionLine]
    more: int


def own_bot(public_id: str, user: User) -> Bot:
    """Return a bot that the account owns.

    Raises:
        NotFound: no such bot for this account.
        Forbidden: the bot belongs to another player.
    """
    bot = bot_get(public_id, user)
    require_owner(bot, user)
    return bot


@require_safe
@account_page()
def bots(request: HttpRequest, user: User) -> HttpResponseBase:
    page = Paginator(bots_owned(user), BOTS_PER_PAGE).get_page(page_number(request))
    bots_on_page = list(page.object_list)
    versions_by_bot, counts = newest_versions(bots_on_page, MAX_VERSIONS_SHOWN), version_counts(bots_on_page)
    faults = fault_counts([version for versions in versions_by_bot.values() for version in versions])
    listed = [
        OwnBot(
            bot,
            [version_line(version, bot, faults) for version in versions_by_bot[bot.pk]],
            counts.get(bot.pk, 0) - len(versions_by_bot[bot.pk]),
        )
        for bot in bots_on_page
    ]
    is_full = page.paginator.count >= BOTS_PER_PLAYER
    context = {"listed": listed, "page": page, "nav": "bot", "is_full": is_full}
    return render(request, "web/author/bots.html", context)


@account_page()
def create_bot(request: HttpRequest, user: User) -> HttpResponseBase:
    form = BotForm(
        submitted_data(request),
        initial={"once": new_form_key(), "game": game_keys()[0], "visibility": Bot.Visibility.PUBLIC},
    )
    if request.method == "POST" and form.is_valid():
        fields = {name: form.cleaned_data[name] for name in ("name", "game", "visibility")}
        try:
            with idempotent_form(request, user) as outcome:
                bot = bot_create(user, **fields)
                outcome.redirect_to(
                    "web:write" if request.POST.get("then") == "write" else "web:submit", bot.public_id
                )
        except ArenaError as error:
            form = resubmittable_form(BotForm, request) if error.code == "already_submitted" else form
            add_service_error(form, error)
        else:
            return redirect(outcome.address)
    context = {"form": form, "nav": "bot", "is_first": not has_bots(user)}
    context["origin"] = site_address(request)
    return render_form(request, "web/author/bot_new.html", context)


@account_page()
def change_bot(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    bot = own_bot(public_id, user)
    name = bot.name
    form = BotChangeForm(submitted_data(request), initial={"name": bot.name, "visibility": bot.visibility})
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            bot_update(bot, user, **form.cleaned_data)
            messages.success(request, f"{bot.name} is saved.")
            return redirect("web:bot", public_id=bot.public_id)
    context = {"form": form, "bot": bot, "name": name, "nav": "bot"}
    return render_form(request, "web/author/bot_change.html", context)
