"""Page of the trial runs of a tournament: explains and starts one, and lists the latest."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from arena.accounts.models import User
from arena.common.errors import ArenaError, NotFound
from arena.competition.cost import CostEstimate
from arena.competition.models import Tournament
from arena.competition.permissions import allowed_actions
from arena.competition.selectors import ENDED_STATES
from arena.competition.trials import (
    ACTION,
    TRIAL_DAYS,
    TRIALS_PER_DAY,
    TrialPlan,
    trial_plan,
    trial_start,
    trials_left,
    trials_of,
)
from arena.jobs.flow import tournament_advance
from arena.jobs.trials import trial_delete
from arena.web.base.access import (
    collect_service_errors,
    idempotent_form,
    new_form_key,
    render_form,
    submitted_data,
)
from arena.web.base.states import TOURNAMENT_STATE_NAMES, State, format_count
from arena.web.bots.authoring.forms import form_key_field
from arena.web.organise.access import organiser_page, own_event

MAX_TRIALS_LISTED = 10


class TrialForm(forms.Form):
    once = form_key_field(required=False)


@organiser_page
def trial(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    event = own_event(public_id, user)
    form = TrialForm(submitted_data(request), initial={"once": new_form_key()})
    is_possible = ACTION in allowed_actions(event, user)
    if request.method == "POST" and form.is_valid():
        with collect_service_errors(form):
            with idempotent_form(request, user) as outcome:
                started = trial_start(event, user)
                outcome.redirect_to("web:tournament", started.public_id)
            tournament_advance(started)
            messages.success(request, "The trial run has started. This page shows it while it is played.")
            return redirect(outcome.address)
    plan, refusal = None, ""
    if is_possible:
        try:
            plan = trial_plan(event)
        except ArenaError as error:
            refusal = error.message
    listed = [
        (row, TOURNAMENT_STATE_NAMES[State(row.state)], row.state not in ENDED_STATES)
        for row in trials_of(event, user, MAX_TRIALS_LISTED)
    ]
    context = {
        "nav": "organise-page",
        "event": event,
        "form": form,
        "is_possible": is_possible,
        "refusal": refusal,
        "does": _effects(plan) if plan else [],
        "left": trials_left(user),
        "per_day": TRIALS_PER_DAY,
        "trials": listed,
        "days": TRIAL_DAYS,
    }
    return render_form(request, "web/organise/trial.html", context)


@organiser_page
def delete(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Explain and confirm the deletion of a trial run."""
    run = own_event(public_id, user)
    if run.kind != Tournament.Kind.TRIAL:
        raise NotFound("Only trial runs can be deleted.", "action_not_found")
    form = forms.Form(submitted_data(request))
    if form.is_bound and form.is_valid():
        with collect_service_errors(form):
            trial_delete(run, user)
            messages.success(request, "The trial run is deleted.")
            if run.trial_of is None:
                return redirect("web:organise")
            return redirect("web:organise-trial", public_id=run.trial_of.public_id)
    context = {
        "nav": "organise-page",
        "event": run,
        "form": form,
        "is_live": run.state not in ENDED_STATES,
    }
    return render_form(request, "web/organise/trial_delete.html", context)


def _effects(plan: TrialPlan) -> list[str]:
    names = list(dict.fromkeys(version.bot.name for version in plan.versions))
    entries = format_count(len(plan.versions), "entry")
    repeated = " Some play several times, to fill the field."
    return [
        f"{entries} play at once: {', '.join(names)}.{repeated if len(plan.versions) > len(names) else ''}",
        f"Two boards per round: {_size(plan.cost)}. Everything else is as in the settings, without a review.",
        "You follow it on pages like those of the real tournament: rounds, standings, boards, replays and "
        "the proof of fair deals.",
        "Only you and staff can see it. It is not rated, and it is final once it is played and audited.",
        "The tournament itself does not change.",
    ]


def _size(cost: CostEstimate) -> str:
    rounds = "" if cost.rounds is None else f"{format_count(cost.rounds, 'round')}, "
    return f"{rounds}{format_count(cost.fixtures, 'fixture')}, {format_count(cost.tables, 'table')}"
