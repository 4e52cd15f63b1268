"""Page views of experiments."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from arena.accounts.models import User
from arena.common.errors import ArenaError
from arena.competition.challenges import two_sided_presets
from arena.competition.games import game_keys, presets_of, seat_counts
from arena.features.experiments.fields import DEFAULTS
from arena.features.experiments.limits import (
    available_cpu_s,
    default_cpu_s,
    experiments_left,
    experiments_per_day,
)
from arena.features.experiments.pages.forms import ExperimentForm
from arena.features.experiments.panels.summary import experiment_page_of, experiment_row
from arena.features.experiments.planning import boards_needed
from arena.features.experiments.selectors import experiment_get, experiments_of
from arena.features.experiments.services import experiment_create, experiment_due, experiment_halt
from arena.jobs.flow import dues_apply
from arena.roster.models import BotVersion
from arena.roster.selectors import others_active_versions, own_ready_versions, version_get
from arena.web.base.access import (
    account_form,
    account_page,
    collect_service_errors,
    idempotent_form,
    new_form_key,
    render_form,
    submitted_data,
)
from arena.web.base.paging import page_number
from arena.web.base.polled import render_polled_page

PAGE_SIZE = 30
PLAIN_FIELDS = ("difference", "alpha", "beta", "cap", "boards_per_batch")
"""Form fields passed to the service unchanged."""
MAX_OWN, MAX_OTHERS = 100, 60


@require_safe
@account_page()
def experiments(request: HttpRequest, user: User) -> HttpResponseBase:
    page = Paginator(experiments_of(user), PAGE_SIZE).get_page(page_number(request))
    lines = [experiment_row(experiment) for experiment in page.object_list]
    context = {"lines": lines, "page": page, "nav": "bot"}
    return render(request, "experiments/list.html", context)


@require_safe
@account_page()
def experiment(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    instance = experiment_get(public_id, user)
    return render_polled_page(
        request,
        "experiments/experiment.html",
        "experiments/_experiment.html",
        {"x": experiment_page_of(instance, user), "nav": "bot"},
        address=reverse("web:experiment", args=[public_id]),
        is_moving=instance.is_live,
    )


@account_form()
def stop(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    instance = experiment_get(public_id, user)
    try:
        dues_apply(experiment_halt(instance, user))
        messages.success(request, _("The experiment was stopped."))
    except ArenaError as error:
        messages.error(request, error.message)
    return redirect("web:experiment", public_id=public_id)


@account_page()
def new(request: HttpRequest, user: User) -> HttpResponseBase:
    requested = _requested_versions(request, user)
    game = _initial_game(request, user, requested)
    own = own_ready_versions(user, game, MAX_OWN)
    other_versions = others_active_versions(user, game, MAX_OTHERS)
    known = {version.pk for version in (*own, *other_versions)}
    other_versions += [
        extra for extra in requested.values() if extra.bot.game == game and extra.pk not in known
    ]
    presets = presets_of(game)
    form = ExperimentForm(
        own,
        other_versions,
        presets,
        submitted_data(request),
        has_seats=any(len(seat_counts(preset)) > 1 for preset in presets),
        initial=_initial(own, requested, presets[0]),
    )
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            address = _create_from_form(request, user, form.cleaned_data)
            return redirect(address)
    context = {
        "form": form,
        "game": game,
        "games": game_keys(),
        "own": own,
        "per_day": experiments_per_day(),
        "left": experiments_left(user),
        "left_minutes": available_cpu_s(user) // 60,
        "budget_minutes": default_cpu_s() // 60,
        "boards_needed": boards_needed(presets[0]) if own and presets[0] in two_sided_presets(game) else [],
        "boards_preset": presets[0],
        "cap": DEFAULTS["cap"],
        "nav": "bot",
    }
    return render_form(request, "experiments/new.html", context)


def _create_from_form(request: HttpRequest, user: User, data: dict[str, Any]) -> str:
    with idempotent_form(request, user) as outcome:
        candidate, baseline = (version_get(data[name], user) for name in ("candidate", "baseline"))
        seats = data.get("seats")
        experiment = experiment_create(
            user,
            candidate,
            baseline,
            preset=data["preset"],
            ruleset={"seats": seats} if seats else None,
            field=[version_get(name, user) for name in data["field"]],
            **{name: data[name] for name in PLAIN_FIELDS},
        )
        outcome.redirect_to("web:experiment", experiment.public_id)
    dues_apply(experiment_due(experiment.pk))
    return outcome.address


def _requested_versions(request: HttpRequest, user: User) -> dict[str, BotVersion]:
    names = {name: request.GET.get(name, "") for name in ("candidate", "baseline")}
    return {name: version_get(public_id, user) for name, public_id in names.items() if public_id}


def _initial_game(request: HttpRequest, user: User, requested: dict[str, BotVersion]) -> str:
    """Return the game of a requested version, the requested game, or the first with a version of the user."""
    for version in requested.values():
        return version.bot.game
    game_key = request.GET.get("game", "")
    if game_key in game_keys():
        return game_key
    return next((game for game in game_keys() if own_ready_versions(user, game, 1)), game_keys()[0])


def _initial(own: list[BotVersion], requested: dict[str, BotVersion], preset: str) -> dict[str, Any]:
    candidate = requested.get("candidate") or (own[0] if own else None)
    active = candidate.bot.active_version if candidate is not None else None
    baseline = requested.get("baseline") or active
    if candidate is not None and baseline is not None and baseline.pk == candidate.pk:
        baseline = next((version for version in own if version.pk != candidate.pk), None)
    return {
        **DEFAULTS,
        "candidate": candidate.public_id if candidate else "",
        "baseline": baseline.public_id if baseline else "",
        "preset": preset,
        "once": new_form_key(),
    }
