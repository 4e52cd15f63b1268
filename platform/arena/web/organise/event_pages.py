"""Pages with the tournament form: new, from a template or copy, and edit."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from arena.accounts.form_drafts import draft_delete, draft_get
from arena.accounts.models import FormDraft, User
from arena.common.errors import ArenaError
from arena.common.ids import is_public_id
from arena.competition.choices import preset_formats
from arena.competition.drafts import fields_of, validate_draft
from arena.competition.models import Tournament
from arena.competition.selectors import tournament_get
from arena.competition.services import tournament_create, tournament_open, tournament_update
from arena.features.integrity.panels import headline
from arena.features.integrity.selectors import findings_of, report_of_event_if_made
from arena.web.base.access import FormResult, idempotent_form, new_form_key, render_form
from arena.web.organise import stage_forms
from arena.web.organise.access import organiser_form, organiser_page, own_event
from arena.web.organise.drafts import draft_of_event, draft_querydict, drafts_of_event_delete
from arena.web.organise.event_form import NEW_EVENT_VALUES, EventForm, chosen_preset, form_fingerprint
from arena.web.organise.plan_view import UNNAMED, plan_view
from arena.web.organise.templates import template_fields
from arena.web.organise.unsaved_fields import (
    has_removed_fields,
    state_change_message,
    state_change_text,
    unsaved_fields,
)

State = Tournament.State
BUILDER_VERBS = (stage_forms.ADD, stage_forms.REMOVE, stage_forms.UP, stage_forms.DOWN)
SHOW_VERB = "show"
SAVING_VERBS = ("save", "open", "trial")
STALE = (
    "The tournament has changed since you opened this form. Your input is kept: save it again to replace "
    "those changes."
)
PLAN_WITHOUT_ERRORS = "Calculated without the fields that have errors."


@organiser_page
def event_new(request: HttpRequest, user: User) -> HttpResponseBase:
    """Create a tournament: empty, from ``?template=``, from a tournament, ``?copy=``, or from ``?draft=``."""
    if request.method == "POST":
        return _submit(request, user, request.POST, None)
    if name := request.GET.get("draft", ""):
        draft = draft_get(user, name)
        form = EventForm(draft_querydict(draft, new_form_key()), values={})
        plan = _plan_of(form, None) if form.is_valid() else None
        form.clear_errors()
        return _page(request, form, plan, None, draft)
    values = _start_values(request, user)
    form = EventForm(values=values, once=new_form_key())
    return _page(request, form, _plan_or_none(values, form.preset_name), None)


@organiser_page
def event_edit(request: HttpRequest, user: User, public_id: str) -> HttpResponseBase:
    event = own_event(public_id, user)
    if request.method == "POST":
        return _submit(request, user, request.POST, event)
    if draft := draft_of_event(user, public_id):
        data = draft_querydict(draft, new_form_key())
        form = EventForm(data, values=fields_of(event), event=event)
        plan = _plan_of(form, event) if form.is_valid() else _plan_so_far(form, event)
        form.clear_errors()
        unsaved = unsaved_fields(data, fields_of(event), form)
        return _page(request, form, plan, event, draft, left=unsaved)
    form = EventForm(values=fields_of(event), event=event, once=new_form_key())
    return _page(request, form, _plan_or_none(event), event)


@organiser_form
def event_plan(request: HttpRequest, user: User) -> HttpResponseBase:
    """Return the cost estimate of the form as a fragment; for an invalid form, its errors."""
    data = request.POST.copy()
    event = own_event(str(data["event"]), user) if data.get("event") else None
    if "name" in data:
        data["name"] = str(data["name"]).strip() or UNNAMED
    form = EventForm(data, values=fields_of(event) if event else {}, event=event)
    plan = None
    if form.is_valid():
        plan = _plan_of(form, event)
    if event is not None and has_removed_fields(data, form):
        plan, message = None, f"{state_change_text(event)}. Save the form to see what can still be changed."
    elif plan is None:
        message = _first_error(form)
    if plan is None:
        answer = render(request, "web/organise/_plan_error.html", {"message": message, "form": form})
        answer["HX-Retarget"] = "#plan-error"
        answer["HX-Reswap"] = "outerHTML"
        return answer
    return render(request, "web/organise/_plan.html", {"plan": plan, "form": form})


def _start_values(request: HttpRequest, user: User) -> dict[str, Any]:
    if copied := request.GET.get("copy", ""):
        fields = fields_of(tournament_get(copied, user))
        return {**fields, "name": f"{fields['name'][:93]} (copy)", "closes_at": None, "starts_at": None}
    course = request.GET.get("course", "")
    given = {"course": course, "visibility": Tournament.Visibility.PRIVATE} if is_public_id(course) else {}
    return {**NEW_EVENT_VALUES, **template_fields(request.GET.get("template", "")), **given}


def _submit(request: HttpRequest, user: User, data: QueryDict, event: Tournament | None) -> HttpResponseBase:
    """Execute the pressed button; the page keeps all typed values."""
    verb, _, number = data.get("do", "plan").partition(":")
    before = fields_of(event) if event else {}
    is_draft = event is None or event.state == State.DRAFT
    if is_draft and (verb in BUILDER_VERBS or verb == SHOW_VERB):
        stage_number = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 0
        data = (
            stage_forms.rearrange(data, verb, stage_number) if verb in BUILDER_VERBS else _fit_formats(data)
        )
        form = EventForm(data, values=before, event=event)
        plan = _plan_of(form, event) if form.is_valid() else None
        form.clear_errors()
        return _page(request, form, plan, event)
    form, unsaved = EventForm(data, values=before, event=event), []
    if event is not None and data.get("seen", "") != (fingerprint := form_fingerprint(before, event.state)):
        is_other = has_removed_fields(data, form)
        if is_other or (form.is_valid() and verb in SAVING_VERBS):
            data = data.copy()
            data["seen"] = fingerprint
            form = EventForm(data, values=before, event=event)
            form.add_error(None, state_change_message(event, form) if is_other else STALE)
        unsaved = unsaved_fields(data, before, form)
    plan = _plan_so_far(form, event) if form.errors else _plan_of(form, event)
    if form.errors or verb not in SAVING_VERBS:
        return _page(request, form, plan, event, left=unsaved)
    made_once = idempotent_form(request, user) if event is None else contextlib.nullcontext(FormResult())
    try:
        with made_once as outcome, transaction.atomic():
            saved, message = _save(user, form, event, data.get("draft", ""))
            if verb == "open":
                _require_openable(saved, user)
                outcome.redirect_to("web:organise-verb", saved.public_id, "open")
            elif verb == "trial":
                outcome.redirect_to("web:organise-trial", saved.public_id)
            else:
                outcome.redirect_to("web:organise-event", saved.public_id)
    except ArenaError as error:
        if event is not None:
            event.refresh_from_db()
        form.add_service_error(error)
        return _page(request, form, plan, event)
    if verb == "open":
        message = "The draft is saved. Open entry with the button below."
    elif verb == "trial":
        message = "The draft is saved. Start the trial run with the button below."
    messages.success(request, message)
    return redirect(outcome.address)


def _require_openable(event: Tournament, user: User) -> None:
    """Raise the error that would prevent opening entry. Nothing is changed."""
    with transaction.atomic():
        tournament_open(event, user)
        transaction.set_rollback(True)


def _save(user: User, form: EventForm, event: Tournament | None, draft: str) -> tuple[Tournament, str]:
    fields = form.service_fields()
    if event is None:
        draft_delete(user, draft)
        return tournament_create(user, **fields), "The draft is saved. Only organisers and staff can see it."
    drafts_of_event_delete(user, event.public_id)
    changes = _changes(form, fields)
    if not changes:
        return event, "Nothing was changed."
    tournament_update(event, user, **changes)
    event.refresh_from_db()
    return event, "The changes are saved."


def _changes(form: EventForm, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that differ from the stored tournament."""
    before = form.before
    after = fields
    if "stages" in form.editable:
        planned = validate_draft({**before, **fields})
        after = {name: planned.columns[name] for name in fields if name in planned.columns}
        after["co_organisers"], after["course"] = planned.co_organisers, planned.course
        after["stages"] = [
            {name: getattr(stage, name) for name in ("format", "options", "qualify", "boards_per_round")}
            for stage in planned.stages
        ]
    return {name: fields[name] for name in fields if after[name] != before[name]}


def _fit_formats(data: QueryDict) -> QueryDict:
    """After a change of the game, replace formats that do not suit the number of its sides."""
    preset = chosen_preset(data, "")
    if data.get("rules_of", preset) == preset:
        return data
    formats = preset_formats(preset)
    changed = data.copy()
    for number in range(1, stage_forms.stage_count(data) + 1):
        if data.get(f"stage-{number}-format") not in formats:
            changed[f"stage-{number}-format"] = formats[0]
    return changed


def _plan_of(form: EventForm, event: Tournament | None) -> dict[str, Any] | None:
    """Return the estimate for a valid form; None after adding the error to the form."""
    try:
        if event is not None and "stages" not in form.editable:
            return plan_view(event)
        return plan_view(
            {**form.before, **form.service_fields()}, entries=form.cleaned_data.get("plan_entries")
        )
    except ArenaError as error:
        form.add_service_error(error)
        return None


def _plan_or_none(event: Tournament | dict[str, Any], preset: str = "") -> dict[str, Any] | None:
    """Return the estimate for a tournament or an untouched draft; None if there is none."""
    try:
        return plan_view(event if isinstance(event, Tournament) else {"preset": preset, **event})
    except ArenaError:
        return None


def _plan_so_far(form: EventForm, event: Tournament | None) -> dict[str, Any] | None:
    """Return the estimate with stored values in place of invalid fields."""
    if event is not None and "stages" not in form.editable:
        return _plan_or_none(event)
    return _plan_or_none({**form.before, **form.valid_fields()}, form.preset_name)


def _first_error(form: EventForm) -> str:
    for each in (form, *form.stages):
        for name, errors in each.errors.items():
            label = "" if name == "__all__" else f"{each[name].label}: "
            where = "" if each is form else f"Stage {getattr(each, 'number', '')}, "
            if each is form and name == "__all__" and any(stage.errors for stage in form.stages):
                continue
            return f"{where}{label}{errors[0]}"
    return "The form has an error."


def _integrity_of(request: HttpRequest, event: Tournament | None) -> list[str]:
    if event is None or not isinstance(request.user, User):
        return []
    report = report_of_event_if_made(event, request.user)
    return headline(report, findings_of(report)) if report is not None else []


def _page(
    request: HttpRequest,
    form: EventForm,
    plan: dict[str, Any] | None,
    event: Tournament | None,
    draft: FormDraft | None = None,
    left: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    is_draft = event is None or event.state == State.DRAFT
    given, version = request.POST.get("draft", ""), request.POST.get("draft_version", "")
    context = {
        "nav": "organise-page",
        "form": form,
        "plan": plan,
        "plan_error": PLAN_WITHOUT_ERRORS if is_draft and form.is_bound and form.errors else "",
        "event": event,
        "left": left,
        "is_typed": event is not None and draft is not None,
        "draft": draft or {"public_id": given[:32], "version": version[:9]},
        "is_draft": is_draft,
        "integrity": _integrity_of(request, event),
    }
    return render_form(request, "web/organise/event.html", context)
