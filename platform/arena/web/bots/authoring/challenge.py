"""Challenges: a version of the account against the active version of a public bot."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from arena.accounts.models import User
from arena.common.errors import NotFound
from arena.competition.challenges import challenge_create, challenge_daily_quota, two_sided_presets
from arena.jobs.flow import tournament_advance
from arena.roster.models import BotVersion
from arena.roster.selectors import bot_get, selectable_versions, version_get
from arena.web.base.access import (
    account_page,
    collect_service_errors,
    idempotent_form,
    new_form_key,
    render_form,
    submitted_data,
)
from arena.web.bots.authoring.event_forms import ChallengeForm, is_active, version_sort_key

MAX_VERSIONS = 50
DEFAULT_BOARDS = 16


@account_page()
def challenge(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    bot = bot_get(public_id, user)
    target = bot.active_version
    if target is None:
        raise NotFound(f"{bot.name} has no active version to challenge.", "version_not_found")
    duels = two_sided_presets(bot.game)
    listed = selectable_versions(user, bot.game, MAX_VERSIONS)
    own = [
        candidate
        for candidate in listed
        if candidate.state == BotVersion.State.READY and candidate.pk != target.pk
    ]
    first = min(own, key=lambda version: (not is_active(version), version_sort_key(version)), default=None)
    initial = {
        "version": request.GET.get("version", "") or (first.public_id if first else ""),
        "preset": next(iter(duels)),
        "boards": DEFAULT_BOARDS,
        "target": target.public_id,
        "once": new_form_key(),
    }
    form = ChallengeForm(own, list(duels), submitted_data(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        with collect_service_errors(form):
            with idempotent_form(request, user) as outcome:
                versions = [version_get(data[name], user) for name in ("version", "target")]
                tournament = challenge_create(
                    user,
                    versions,
                    preset=data["preset"],
                    boards=data["boards"],
                    ruleset=duels[data["preset"]],
                )
                outcome.redirect_to("web:tournament", tournament.public_id)
            tournament_advance(tournament)
            return redirect(outcome.address)
    context = {"bot": bot, "target": target, "form": form, "per_day": challenge_daily_quota(), "nav": "bot"}
    return render_form(request, "web/author/challenge.html", context)
