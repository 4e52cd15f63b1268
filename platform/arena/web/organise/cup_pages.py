"""Pages to create and change cups, and to pause, resume or end them."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.accounts.models import User
from arena.common.errors import ArenaError, Forbidden, NotFound
from arena.competition.account_overview import organised_events
from arena.competition.drafts import fields_of
from arena.competition.models import Series
from arena.competition.selectors import tournament_get
from arena.competition.series.declarations import DEFAULTS, FIELDS, STATE_ACTIONS, WEEKDAYS
from arena.competition.series.services import (
    SERIES_CONTROLLED_FIELDS,
    SERVICES,
    allowed_series_actions,
    may_manage_series,
    series_create,
    series_get,
    series_update,
)
from arena.web.base.access import (
    add_service_error,
    collect_service_errors,
    idempotent_form,
    new_form_key,
    render_form,
    submitted_data,
)
from arena.web.base.bidi import isolated
from arena.web.organise.access import organiser_page
from arena.web.organise.datetime_fields import localise, preselect_browser_zone
from arena.web.organise.declared import control
from arena.web.organise.event_form import form_fingerprint
from arena.web.organise.templates import TEMPLATES, template_fields
from arena.web.organise.verb_pages import ConfirmForm

MAX_SOURCES = 50
"""Maximum tournaments offered as template of a cup, latest first."""
KEEP = "keep"
DIRECT_FIELDS = tuple(name for name in FIELDS if name not in ("template", "weekday"))
REMOVAL_WARNING = (
    "Bots that are entered in every edition stay. If the game changes, or partners start to change, which "
    "needs the consent of owners, the bots are removed and their owners notified."
)
STALE = "The cup has changed since you opened this form. Your input is kept: send it again to apply it."


class CupForm(forms.Form):
    name = control(FIELDS["name"])
    source = forms.ChoiceField(
        label=FIELDS["template"].label,
        help_text="The cup copies its game, stages, clock and other settings now.",
    )
    frequency = control(FIELDS["frequency"])
    weekday = control(FIELDS["weekday"])
    month_day = control(FIELDS["month_day"])
    timezone = control(FIELDS["timezone"])
    start_time = control(FIELDS["start_time"])
    open_hours = control(FIELDS["open_hours"])
    until = control(FIELDS["until"])
    seen = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    once = forms.CharField(max_length=40, required=False, widget=forms.HiddenInput)

    def __init__(self, user: User, data: QueryDict | None, cup: Series | None, like: str = "") -> None:
        before = cup_form_values(cup)
        self.is_stale = (
            cup is not None and data is not None and data.get("seen", "") != form_fingerprint(before)
        )
        if data is not None:
            data = data.copy()
            data["seen"] = form_fingerprint(before) if cup else ""
        initial = {**DEFAULTS, "source": like, **before}
        super().__init__(
            data, initial={**initial, "seen": form_fingerprint(before) if cup else "", "once": new_form_key()}
        )
        if cup is None and data is None:
            preselect_browser_zone(self.fields["timezone"])
        self.user, self.cup = user, cup
        source = self.fields["source"]
        assert isinstance(source, forms.ChoiceField)
        if cup:
            source.help_text += f" {REMOVAL_WARNING}"
        events = organised_events(user)[:MAX_SOURCES]
        source.choices = [
            *([(KEEP, "current settings")] if cup else []),
            ("Templates", [(f"plan:{plan.key}", plan.title) for plan in TEMPLATES]),
            ("Your tournaments", [(event.public_id, isolated(event.name)) for event in events]),
        ]

    def clean(self) -> dict[str, Any]:
        """Reject the form if the cup has changed since it was opened."""
        if self.is_stale:
            self.add_error(None, STALE)
        cleaned = super().clean() or self.cleaned_data
        if "timezone" in cleaned:
            cleaned["timezone"] = cleaned["timezone"] or "UTC"
            cleaned["until"] = localise(cleaned.get("until"), cleaned["timezone"])
        return cleaned

    def service_fields(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        fields = {name: cleaned[name] for name in DIRECT_FIELDS}
        fields["weekday"] = WEEKDAYS.index(cleaned["weekday"]) if cleaned["weekday"] else None
        if cleaned["source"] != KEEP:
            fields["template"] = edition_template(cleaned["source"], self.user)
        return fields

    def add_service_error(self, error: ArenaError) -> None:
        if str(error.extra.get("field", "")).startswith("template"):
            self.add_error("source", error.message)
        else:
            add_service_error(self, error)


def cup_form_values(cup: Series | None) -> dict[str, Any]:
    if cup is None:
        return {}
    values = {name: getattr(cup, name) for name in DIRECT_FIELDS}
    if cup.until is not None:
        values["until"] = cup.until.astimezone(ZoneInfo(cup.timezone)).replace(tzinfo=None)
    weekday = "" if cup.weekday is None else WEEKDAYS[cup.weekday]
    return {**values, "weekday": weekday, "source": KEEP}


def edition_template(source: str, user: User) -> dict[str, Any]:
    """Return the fields of editions, copied from a tournament or a plan."""
    if source.startswith("plan:"):
        return template_fields(source.removeprefix("plan:"))
    fields = fields_of(tournament_get(source, user))
    return {name: value for name, value in fields.items() if name not in SERIES_CONTROLLED_FIELDS}


@organiser_page
def cup_new(request: HttpRequest, user: User) -> HttpResponseBase:
    form = CupForm(user, submitted_data(request), None, request.GET.get("like", ""))
    if form.is_bound and form.is_valid():
        try:
            with idempotent_form(request, user) as outcome:
                cup = series_create(user, **form.service_fields())
                outcome.redirect_to("web:cup", cup.public_id)
        except ArenaError as error:
            form.add_service_error(error)
        else:
            messages.success(request, f"{cup.name} is created. Its first edition opens automatically.")
            return redirect(outcome.address)
    return _cup_page(request, form, None)


@organiser_page
def cup_edit(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    """Change schedule or template; existing editions are unchanged."""
    cup = own_cup(public_id, user)
    form = CupForm(user, submitted_data(request), cup)
    if form.is_bound and form.is_valid():
        try:
            taken_out = series_update(cup, user, **form.service_fields())
        except ArenaError as error:
            form.add_service_error(error)
        else:
            message = f"{cup.name} is saved. Existing editions do not change."
            if taken_out:
                message += (
                    f" Bots no longer entered in every edition: {taken_out:,}. Their owners are notified."
                )
            messages.success(request, message)
            return redirect("web:cup", public_id=public_id)
    return _cup_page(request, form, cup)


@organiser_page
def cup_verb(request: HttpRequest, user: User, public_id: str, verb: str) -> HttpResponseBase:
    """Explain an action on a cup, and execute it on POST."""
    cup = own_cup(public_id, user)
    if verb not in STATE_ACTIONS:
        raise NotFound(f"A cup has no action {verb!r}.", "action_not_found")
    action = STATE_ACTIONS[verb]
    is_possible = verb in allowed_series_actions(cup)
    form = ConfirmForm(
        submitted_data(request), confirms=cup.state, reason="asked" if action.takes_reason else ""
    )
    if not is_possible and form.is_bound:
        form.is_valid()
        form.add_error(None, f"Nothing was changed: the cup is now {cup.state}.")
    elif form.is_bound and form.is_valid():
        with collect_service_errors(form):
            SERVICES[verb](cup, user, form.given_reason)
            messages.success(request, f"{cup.name} is {cup.state} now.")
            return redirect("web:cup", public_id=public_id)
    context = {
        "nav": "organise-page",
        "cup": cup,
        "title": action.label,
        "does": action.summary.partition(". ")[2],
        "is_final": action.is_final,
        "form": form,
        "is_possible": is_possible,
    }
    status = 409 if not is_possible else 400 if form.is_bound and form.errors else 200
    return render(request, "web/organise/cup_verb.html", context, status=status)


def own_cup(public_id: str, user: User) -> Series:
    """Return a cup that the account may organise.

    Raises:
        NotFound: no such cup for this account.
        Forbidden: code ``not_organiser``.
    """
    cup = series_get(public_id, user)
    if not may_manage_series(user, cup):
        raise Forbidden("Only the organiser of this cup and staff can do this.", "not_organiser")
    return cup


def _cup_page(request: HttpRequest, form: CupForm, cup: Series | None) -> HttpResponseBase:
    context = {
        "nav": "organise-page",
        "form": form,
        "cup": cup,
        "verbs": [STATE_ACTIONS[verb] for verb in allowed_series_actions(cup) if verb in STATE_ACTIONS]
        if cup
        else [],
    }
    return render_form(request, "web/organise/cup.html", context)
